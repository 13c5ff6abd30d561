"""The command line `svc-verify`: its commands and options."""
