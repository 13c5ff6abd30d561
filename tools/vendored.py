"""Copies foreign files of the dashboard to its folder `vendor`: `python -m tools.vendored`.

They are the JavaScript client and the modules that node/dashboard/vendored.json names.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FOLDER: Final = Path("node/dashboard/vendor")
_NAMED: Final = Path("node/dashboard/vendored.json")
_CLIENT: Final = Path("client/js")


def vendored() -> Mapping[str, Path]:
    """Returns the source of each file by its name in the folder."""
    named = json.loads(_NAMED.read_text(encoding="utf-8"))
    client = {path.name: path for path in sorted(_CLIENT.glob("*.mjs"))}
    return {**client, **{name: Path("node_modules") / source for name, source in named.items()}}


def main() -> None:
    """Make the folder hold these files and no others. Correct files are left alone."""
    wanted = vendored()
    missing = [str(source) for source in wanted.values() if not source.is_file()]
    if missing:
        sys.exit(f"setup: {', '.join(missing)}: missing. Run `make setup`.")
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
