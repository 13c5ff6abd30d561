"""Wheels, unpacked as an installer would, but for tests and sources; RECORD says what is really there."""

import csv
import io
import re
import zipfile
from configparser import ConfigParser
from pathlib import PurePosixPath
from typing import Final

from image.errors import ImageError
from image.selection import PYTHON, SITE, keeps_of_wheel
from image.tree import File, Tree

_INSTALLER: Final = b"image\n"
_DESCRIPTION: Final = re.compile(r"[^/]+\.dist-info/METADATA")
_DATA_SCHEMES: Final = frozenset({"purelib", "platlib"})


def files_of(wheel: bytes) -> Tree:
    """Its files below the image's site folder. Raises ImageError when it is no wheel or its paths leave it."""
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            found = {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}
    except zipfile.BadZipFile as error:
        raise ImageError(f"a wheel cannot be read: {error}.") from error
    kept = {_inside(name): data for name, data in found.items() if _is_installed(name) and keeps_of_wheel(name)}
    folder = info_folder(kept)
    kept[f"{folder}/INSTALLER"] = _INSTALLER
    kept[f"{folder}/RECORD"] = _record(kept, folder)
    return {f"{SITE}/{name}": File(data, executable=False) for name, data in kept.items()}


def info_folder(files: dict[str, bytes]) -> str:
    """The name of the .dist-info folder."""
    folders = {PurePosixPath(name).parts[0] for name in files if _DESCRIPTION.fullmatch(name)}
    if len(folders) != 1:
        raise ImageError(f"a wheel has {len(folders)} descriptions of itself.")
    return folders.pop()


def program(tree: Tree, name: str) -> Tree:
    """A console script of an unpacked wheel: an isolated Python starts it, so that no variable of the host's is code."""
    for path, entry in tree.items():
        if path.endswith(".dist-info/entry_points.txt") and isinstance(entry, File):
            parser = ConfigParser()
            parser.read_string(entry.data.decode())
            module, _, function = parser["console_scripts"][name].partition(":")
            text = f"#!/usr/bin/python{PYTHON} -I\nfrom {module} import {function}\n\n{function}()\n"
            return {f"usr/local/bin/{name}": File(text.encode(), executable=True)}
    raise ImageError(f"no wheel brings the program {name}.")


def _is_installed(name: str) -> bool:
    """Modules and what describes the wheel; its programs and headers stay out."""
    first, *rest = PurePosixPath(name).parts
    return not first.endswith(".data") or rest[0] in _DATA_SCHEMES


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ImageError(f"a wheel names {name}, a path that leaves its folder.")
    if path.parts[0].endswith(".data"):
        path = PurePosixPath(*path.parts[2:])
    return str(path)


def _record(files: dict[str, bytes], folder: str) -> bytes:
    """The wheel's own record without the lines of what is left out."""
    rows = csv.reader(io.StringIO(files[f"{folder}/RECORD"].decode()))
    kept = [row for row in rows if row and row[0] in files]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*kept, [f"{folder}/INSTALLER", "", ""]])
    return text.getvalue().encode()
