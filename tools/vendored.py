"""Copies the JavaScript client to the dashboard's folder `vendor`: `python -m tools.vendored`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FOLDER: Final = Path("node/dashboard/vendor")
_CLIENT: Final = Path("client/js")


def vendored() -> Mapping[str, Path]:
    """Returns the source of each file by its name in the folder."""
    return {path.name: path for path in sorted(_CLIENT.glob("*.mjs"))}


def main() -> None:
    """Make the folder hold these files and no others. Correct files are left alone."""
    wanted = vendored()
    if not wanted:
        sys.exit(f"setup: {_CLIENT} has no modules.")
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, source in wanted.items():
        content, place = source.read_bytes(), FOLDER / name
        # A running node compares its files with those at its start; a rewrite could disturb it.
        if not place.is_file() or place.read_bytes() != content:
            place.write_bytes(content)


if __name__ == "__main__":
    main()
