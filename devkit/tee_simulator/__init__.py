"""INSECURE, for development and tests: a dstack guest agent without a TEE under it."""
