"""The lowest layer: what is taken of Debian, and the few files its maintainer scripts would have made."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from image.deb import control_of, files_of
from image.errors import ImageError
from image.selection import keeps_of_deb
from image.tree import Entry, File, Folder, Link, Tree, join

USER: Final = 10001
"""The node's user and group. Its data folder belongs to it; nothing else does."""

_CERTIFICATES: Final = "usr/share/ca-certificates/mozilla/"
_BUNDLE: Final = "etc/ssl/certs/ca-certificates.crt"
_PROGRAM: Final = re.compile(r"usr/bin/[^/]+|usr/lib/.*/ld-linux-x86-64\.so\.2")
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
    """Of the packages by name. Raises ImageError when two bring different files to one place, or no certificate is there."""
    trees: dict[str, Tree] = {"the image": dict(_MADE)}
    for name, deb in debs.items():
        unpacked = files_of(deb)
        trees[name] = {path: _plain(path, entry) for path, entry in unpacked.items() if keeps_of_deb(path)}
        trees[name][f"var/lib/dpkg/status.d/{name}"] = _status(deb)
        if name == "ca-certificates":
            trees[name][_BUNDLE] = _bundle(unpacked)
    return join(trees)


def _plain(path: str, entry: Entry) -> Entry:
    """Programs and the loader can be run; Debian's Python has modules that say they could."""
    return File(entry.data) if isinstance(entry, File) and _PROGRAM.fullmatch(path) is None else entry


def _bundle(certificates: Tree) -> File:
    """All roots of Mozilla's list, as update-ca-certificates makes it of its default answers."""
    found = [
        entry.data.rstrip(b"\n") + b"\n"
        for path, entry in sorted(certificates.items())
        if path.startswith(_CERTIFICATES) and PurePosixPath(path).suffix == ".crt" and isinstance(entry, File)
    ]
    if not found:
        raise ImageError("ca-certificates holds no certificates where they used to be.")
    return File(b"".join(found))


def _status(deb: bytes) -> File:
    """What scanners of images know a package by when there is no dpkg."""
    lines = [f"{name}: {value}\n" for name, value in control_of(deb).items()]
    return File("".join(lines).encode())
