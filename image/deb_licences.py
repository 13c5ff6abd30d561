"""The licences that Debian's copyright files name, in their format of today (DEP 5) or in free text."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from image.tree import File, Link, Tree

_LICENCE_LINE: Final = re.compile(r"^License:[ \t]*(\S.*)$", re.MULTILINE)
_COMMON: Final = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9+])")
"""How free texts name the licences that base-files brings."""

_WRITTEN_OUT: Final[Mapping[str, str]] = {
    "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2": "Python-2.0",
    "GCC RUNTIME LIBRARY EXCEPTION": "GCC-exception-3.1",
}
"""Texts that stand in a free text as a whole, by their headings; the names are SPDX's."""

_OF_OTHERS: Final = "Licenses for Software linked to"
"""Python's file goes on with those of libraries that have packages of their own, or whose modules are not in the image."""


def copyright_file(name: str, trees: Mapping[str, Tree]) -> str:
    """Of a package, by the unpacked packages by name; its folder may be a link to that of another of its source."""
    folder = PurePosixPath("usr/share/doc", name)
    link = trees[name].get(str(folder))
    holder = PurePosixPath(link.target).name if isinstance(link, Link) else name
    entry = trees.get(holder, {}).get(str(folder.with_name(holder) / "copyright"))
    return entry.data.decode(errors="replace") if isinstance(entry, File) else ""


def licences_in(text: str) -> tuple[str, ...]:
    """Their names, sorted; none where a text names none."""
    if text.startswith("Format:"):
        return tuple(sorted({name.strip() for name in _LICENCE_LINE.findall(text)}))
    text = text.partition(_OF_OTHERS)[0]
    written = {name for heading, name in _WRITTEN_OUT.items() if heading in text}
    return tuple(sorted(written | set(_COMMON.findall(text))))
