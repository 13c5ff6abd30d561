"""The image: built, compared, read."""
