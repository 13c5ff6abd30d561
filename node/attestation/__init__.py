"""What the node publishes about the TEE it runs in."""
