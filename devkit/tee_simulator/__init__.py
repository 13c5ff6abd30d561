"""INSECURE dstack guest agent without a TEE, for development and tests."""
