"""Programs of the building machine, and the error that stops a build."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class ImageError(Exception):
    """The image cannot be built, or is not what it should be. The message says what to do."""


def run(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: bytes = b"",
) -> bytes:
    """Run a program and return its output. Raises ImageError with the end of its errors."""
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
