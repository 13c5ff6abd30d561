"""Other programs, run to their end."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from image.errors import ImageError


def run(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: bytes = b"",
) -> bytes:
    """What it writes to its standard output. Raises ImageError with the end of what it complained of."""
    try:
        finished = subprocess.run(  # noqa: S603 - arguments of ours, no shell
            list(map(str, command)), cwd=folder, env=environment, input=given, capture_output=True, check=False
        )
    except OSError as error:
        raise ImageError(f"{command[0]} cannot be run: {error.strerror}.") from error
    if finished.returncode != 0:
        complaint = finished.stderr.decode(errors="replace").strip()[-2000:]
        raise ImageError(f"{Path(command[0]).name} ended with exit code {finished.returncode}:\n{complaint}")
    return finished.stdout
