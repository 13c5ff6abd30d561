"""Debian packages, read without their maintainer scripts: deb(5), an ar archive of two tar archives."""

import io
import tarfile
from pathlib import PurePosixPath
from typing import Final

from image.errors import ImageError
from image.tree import Entry, File, Link, Tree

_MAGIC: Final = b"!<arch>\n"
_HEADER: Final = 60
_MERGED: Final = frozenset({"bin", "sbin", "lib", "lib64"})
"""Folders that are links into /usr since Debian 12; packages still name both."""


def files_of(deb: bytes) -> Tree:
    """Its files and links by their places in a system with a merged /usr. Raises ImageError."""
    tree: Tree = {}
    with _member(deb, "data.tar") as archive:
        for member in archive:
            path = _merged(member.name)
            entry = _entry(archive, member, tree)
            if entry is not None:
                tree[path] = entry
    return tree


def control_of(deb: bytes) -> dict[str, str]:
    """The fields of its control file; a field of several lines is joined by line ends."""
    with _member(deb, "control.tar") as archive:
        for member in archive:
            if PurePosixPath(member.name).name == "control" and member.isfile():
                return fields(_content(archive, member).decode())
    raise ImageError("a .deb has no control file.")


def fields(paragraph: str) -> dict[str, str]:
    """One paragraph of deb822(5)."""
    found: dict[str, str] = {}
    name = ""
    for line in paragraph.strip("\n").split("\n"):
        if line[:1] in {" ", "\t"} and name:
            found[name] += "\n" + line
        elif ":" in line:
            name, _, value = line.partition(":")
            found[name] = value.strip()
    return found


def _member(deb: bytes, name: str) -> tarfile.TarFile:
    """The tar archive of that name, whatever it is compressed with."""
    if not deb.startswith(_MAGIC):
        raise ImageError("a .deb is not an ar archive.")
    at = len(_MAGIC)
    while at + _HEADER <= len(deb):
        size = int(deb[at + 48 : at + 58])
        start = at + _HEADER
        if deb[at : at + 16].decode("ascii").rstrip(" /").startswith(name):
            return tarfile.open(fileobj=io.BytesIO(deb[start : start + size]), mode="r:*")
        at = start + size + size % 2
    raise ImageError(f"a .deb has no {name}.")


def _merged(name: str) -> str:
    path = PurePosixPath("/", name).relative_to("/")
    if ".." in path.parts:
        raise ImageError(f"a .deb names {name}, a path that leaves its folder.")
    return str("usr" / path if path.parts[:1] and path.parts[0] in _MERGED else path)


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo, before: Tree) -> Entry | None:
    if member.issym():
        return Link(member.linkname)
    if member.islnk():
        return before[_merged(member.linkname)]
    if member.isfile():
        return File(_content(archive, member), executable=bool(member.mode & 0o100))
    return None


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    opened = archive.extractfile(member)
    if opened is None:
        raise ImageError(f"{member.name} of a .deb cannot be read.")
    return opened.read()
