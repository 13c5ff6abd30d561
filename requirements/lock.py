"""Write the hash-locked requirements anew, without naming where packages come from.

Run by `make lock`. Uses pip-tools in a throw-away environment, so that it is no part of what it locks.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = ("build", "node", "verifier", "development")
OPTIONS = (
    "--quiet",
    "--upgrade",
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)


OLDEST = (3, 11)
"""Locked on the oldest Python we support: what only that one needs is missing from a lock made on a newer one."""


def main() -> None:
    """Compile each `.in` into its `.txt`."""
    if sys.version_info[:2] != OLDEST:
        sys.exit("lock with Python 3.11, the oldest that is supported: make lock PYTHON=python3.11")
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, "-m", "venv", directory], check=True)  # noqa: S603 - our own arguments
        tools = Path(directory) / "bin"
        subprocess.run([tools / "pip", "install", "--quiet", "pip-tools"], check=True)  # noqa: S603 - as above
        for name in NAMES:
            sys.stdout.write(f"locking requirements/{name}.txt\n")
            command = [tools / "pip-compile", *OPTIONS, f"requirements/{name}.in", "-o", f"requirements/{name}.txt"]
            subprocess.run(command, cwd=HERE.parent, check=True)  # noqa: S603 - as above


if __name__ == "__main__":
    main()
