"""What a TEE node publishes about itself, and the platform it asks: dstack's guest agent."""
