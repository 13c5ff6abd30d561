"""Files of the user's, read with a ceiling: a path may be a device that never ends."""

from pathlib import Path


def read_bytes(path: Path, limit_bytes: int) -> bytes:
    """The file's content. Raises OSError, and ValueError for one that is longer."""
    with path.open("rb") as file:
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise ValueError(f"longer than {limit_bytes} bytes")
    return data
