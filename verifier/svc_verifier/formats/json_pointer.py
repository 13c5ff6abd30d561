"""JSON pointers (RFC 6901), by which a report names a part of a document."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from svc_verifier.formats.strict_json import Json

Path: TypeAlias = tuple[str | int, ...]
"""Names of members and numbers of items that lead to a value."""

SHOWN_CHARACTERS: Final = 200
"""Characters of one pointer in a report. The document's author chose the names in it."""


def pointer(path: Path) -> str:
    """Returns the pointer of a path; empty for the whole document."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def shown(path: Path) -> str:
    """Returns a pointer as a report shows it, cut if it is very long."""
    text = pointer(path)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def find(document: Json, text: str) -> tuple[Path, Json]:
    """Returns the path and the value that a pointer names. Raises LookupError."""
    path: list[str | int] = []
    for step in text.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and name in document:
            path.append(name)
            document = document[name]
        elif isinstance(document, list) and name.isascii() and name.isdigit() and name == str(int(name[:10])):
            path.append(int(name))
            document = document[int(name)]
        else:
            raise LookupError(text)
    return tuple(path), document


def at(document: Json, path: Path) -> Json:
    """Returns the value at a path, or None."""
    for step in path:
        if isinstance(document, dict) and isinstance(step, str):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int):
            document = document[step] if step < len(document) else None
        else:
            return None
    return document


def objects(document: Json, path: Path = ()) -> Iterator[tuple[Path, dict[str, Json]]]:
    """Yields every object of a document with its path, outer ones first."""
    if isinstance(document, dict):
        yield path, document
    children: Sequence[tuple[str | int, Json]] = ()
    if isinstance(document, dict):
        children = tuple(document.items())
    elif isinstance(document, list):
        children = tuple(enumerate(document))
    for step, child in children:
        if isinstance(child, dict | list):
            yield from objects(child, (*path, step))
