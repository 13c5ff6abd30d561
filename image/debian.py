"""Debian packages (deb(5)), read without maintainer scripts, and the lowest layer made of them."""

import io
import re
import tarfile
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from image.commands import ImageError
from image.selection import keeps_of_deb
from image.tree import Entry, File, Folder, Link, Tree, join

_MAGIC: Final = b"!<arch>\n"
_HEADER: Final = 60
_MERGED: Final = frozenset({"bin", "sbin", "lib", "lib64"})
"""Folders that are links into /usr; packages name files below both, and base-files the links."""


def files_of(deb: bytes) -> Tree:
    """Returns files and links by their paths in a merged /usr. Raises ImageError."""
    tree: Tree = {}
    with _member(deb, "data.tar") as archive:
        for member in archive:
            path = _merged(member.name)
            entry = _entry(archive, member, tree)
            if entry is not None:
                tree[path] = entry
    return tree


def control_of(deb: bytes) -> dict[str, str]:
    """Returns the fields of the control file; a field of several lines is joined by line ends."""
    with _member(deb, "control.tar") as archive:
        for member in archive:
            if PurePosixPath(member.name).name == "control" and member.isfile():
                return fields(_content(archive, member).decode())
    raise ImageError("a .deb has no control file.")


def fields(paragraph: str) -> dict[str, str]:
    """Parse one paragraph of deb822(5)."""
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
    """Open the tar archive of that name, with any compression."""
    if not deb.startswith(_MAGIC):
        raise ImageError("a .deb is not an ar archive.")
    at = len(_MAGIC)
    while at + _HEADER <= len(deb):
        # ar(5): the header has 60 bytes, the size in decimal at 48. Contents have even offsets.
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
    # The links themselves stay, or usr/lib would be a link to itself.
    return str("usr" / path if len(path.parts) > 1 and path.parts[0] in _MERGED else path)


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo, before: Tree) -> Entry | None:
    if member.issym():
        return Link(member.linkname)
    # A hard link has no content. The file that it names precedes it in the archive.
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


USER: Final = 10001
"""The node's user and group, who own its data folder and nothing else."""

_CERTIFICATES: Final = "usr/share/ca-certificates/mozilla/"
_BUNDLE: Final = "etc/ssl/certs/ca-certificates.crt"
_PROGRAM: Final = re.compile(r"usr/bin/[^/]+|usr/lib/.*/ld-linux-x86-64\.so\.2")
# Results of maintainer scripts, which are not run so that no dpkg decides a byte (ADR 0017).
_MADE: Final[Tree] = {
    **{name: Link(f"usr/{name}") for name in ("bin", "sbin", "lib", "lib64")},
    **{name: Folder() for name in ("dev", "proc", "sys", "run", "usr/sbin", "etc/svc-node")},
    "var/run": Link("/run"),
    "tmp": Folder(0o1777),
    "data": Folder(0o700, USER),
    "etc/passwd": File(
        b"root:x:0:0:root:/root:/usr/sbin/nologin\n"
        + f"svc-node:x:{USER}:{USER}:the node:/nonexistent:/usr/sbin/nologin\n".encode()
    ),
    "etc/group": File(f"root:x:0:\nsvc-node:x:{USER}:\n".encode()),
    "etc/nsswitch.conf": File(b"passwd: files\ngroup: files\nhosts: files dns\n"),
    "usr/lib/ssl/cert.pem": Link(f"/{_BUNDLE}"),
    "usr/lib/ssl/certs": Link("/etc/ssl/certs"),
}


def debian_tree(debs: Mapping[str, bytes]) -> Tree:
    """Returns the lowest layer. Raises ImageError for a conflict at a path, or without roots."""
    trees: dict[str, Tree] = {"the image": dict(_MADE)}
    for name, deb in debs.items():
        unpacked = files_of(deb)
        trees[name] = {path: _plain(path, entry) for path, entry in unpacked.items() if keeps_of_deb(path)}
        # Scanners of images identify a package by this file without dpkg.
        status = "".join(f"{field}: {value}\n" for field, value in control_of(deb).items())
        trees[name][f"var/lib/dpkg/status.d/{name}"] = File(status.encode())
        if name == "ca-certificates":
            trees[name][_BUNDLE] = _bundle(unpacked)
    return join(trees)


def _plain(path: str, entry: Entry) -> Entry:
    """Remove the executable bit of all but programs and the loader. Some modules have it."""
    return File(entry.data) if isinstance(entry, File) and _PROGRAM.fullmatch(path) is None else entry


def _bundle(certificates: Tree) -> File:
    """Returns all roots of Mozilla's list, as update-ca-certificates concatenates them."""
    found = [
        entry.data.rstrip(b"\n") + b"\n"
        # Sorted by name, so that the bundle does not depend on the order in the archive.
        for path, entry in sorted(certificates.items())
        if path.startswith(_CERTIFICATES) and PurePosixPath(path).suffix == ".crt" and isinstance(entry, File)
    ]
    if not found:
        raise ImageError("ca-certificates holds no certificates where they used to be.")
    return File(b"".join(found))
