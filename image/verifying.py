"""Two builds that share nothing but the commit: other folders, stores, languages, time zones, modes of new files."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from image.building import Commit
from image.commands import run
from image.errors import ImageError

_MACHINES: Final[Mapping[str, Mapping[str, str]]] = {
    "one": {"LC_ALL": "C", "TZ": "UTC", "UMASK": "022"},
    "a-folder-with-another-name": {"LC_ALL": "C.UTF-8", "TZ": "Pacific/Chatham", "UMASK": "077", "PYTHONHASHSEED": "7"},
}
_BUILD: Final = (
    "import os, runpy, sys; os.umask(int(os.environ['UMASK'], 8)); sys.path.insert(0, os.getcwd()); "
    "runpy.run_module('image', run_name='__main__')"
)


def verify(commit: Commit, kept: Path | None, built: Path | None, announce: Callable[[str], None]) -> str:
    """The digest that both builds have. Raises ImageError where any of their files differ, or `built` from them.

    `kept` is an archive of inputs, else each build fetches its own; `built` an image of this commit that was built before.
    """
    with tempfile.TemporaryDirectory(prefix="image-verify-") as name:
        outs = []
        for folder, settings in _MACHINES.items():
            place = Path(name, folder)
            announce(f"Building in clean storage, {' '.join(f'{k}={v}' for k, v in settings.items())}.")
            outs.append(_built(commit, place, kept, settings))
            announce((outs[-1] / "digest").read_text().strip())
        for other in outs[1:] if built is None else (*outs[1:], built):
            if differing := differences(outs[0], other):
                raise ImageError("the builds differ in: " + ", ".join(differing))
        return (outs[0] / "digest").read_text().strip()


def differences(one: Path, other: Path) -> list[str]:
    """The files, by path, that only one folder has or that are not the same in both."""
    paths = {path.relative_to(root) for root in (one, other) for path in root.rglob("*") if path.is_file()}
    return sorted(str(path) for path in paths if _content(one / path) != _content(other / path))


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _built(commit: Commit, place: Path, kept: Path | None, settings: Mapping[str, str]) -> Path:
    source = place / "source"
    run(("git", "clone", "--quiet", "--no-local", commit.repository, source))
    run(("git", "-c", "advice.detachedHead=false", "checkout", "--quiet", commit.revision), folder=source)
    archive: Sequence[str | Path] = () if kept is None else ("--archive", kept.absolute())
    command = (sys.executable, "-c", _BUILD, "build", "--store", place / "store", "--out", place / "out", *archive)
    run(command, folder=source, environment={**os.environ, "PIP_NO_CACHE_DIR": "1", **settings})
    shutil.rmtree(source)
    return place / "out"
