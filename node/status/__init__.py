"""What the node says about itself."""
