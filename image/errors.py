"""What stops a build."""


class ImageError(Exception):
    """The image cannot be built, or is not what it should be. The message says what to do."""
