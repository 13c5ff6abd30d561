"""Embedded stand-ins for `svc-node dev`; never in the production image."""
