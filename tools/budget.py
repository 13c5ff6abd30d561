"""Compares each package's lines with `tools/budget.toml`; exits with 1 if one has more.

A line costs its readers more than its writer. A commit that raises a number says why.
"""

import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ENDINGS: Final = {"python": (".py",), "javascript": (".js", ".mjs", ".ts", ".mts")}
"""File name endings by the tables of the budget. JavaScript includes its types."""

Budget = Mapping[str, Mapping[str, int]]


def lines(root: Path) -> Budget:
    """Returns the lines of tracked files by language and top-level folder of a work tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)  # noqa: S607
    counted: dict[str, Counter[str]] = {language: Counter() for language in ENDINGS}
    for name in listed.stdout.split("\0"):
        path = root / name
        for language, endings in ENDINGS.items():
            # A file that was removed and not committed yet is still tracked.
            if name.endswith(endings) and "/" in name and path.is_file():
                counted[language][name.split("/", 1)[0]] += len(path.read_bytes().splitlines())
    return counted


def complaints(budget: Budget, counted: Budget) -> Iterator[str]:
    """Yields a sentence for each folder above its budget, and for each unknown folder."""
    for language, allowed in budget.items():
        for folder, allowed_lines in allowed.items():
            found = counted[language].get(folder, 0)
            if not found:
                yield f"{folder} has no {language}: its budget goes"
            elif found > allowed_lines:
                yield f"{folder} has {found} lines of {language}, {found - allowed_lines} above its budget of {allowed_lines}"


def main() -> None:
    """Compare the repository with its budget."""
    budget = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    found = list(complaints(budget, lines(Path(__file__).parents[1])))
    sys.stdout.writelines(f"{each}\n" for each in found)
    if found:
        sys.stdout.write("make something shorter, or raise tools/budget.toml in a commit of its own that says why\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
