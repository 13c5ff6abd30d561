"""What is charged, and what is left."""
