"""Embedded stand-ins for `svc-devkit run`; never in the production image."""
