"""`python -m image build | verify | archive | refresh | unpack`, called by the Makefile."""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Final

from image import building, mirrors, oci
from image.building import verify
from image.commands import ImageError
from image.lock import LOCK, Lock, Store, lock_text, read_archive, read_lock, write_archive
from image.oci import REVISION
from image.refresh import changes, refreshed
from image.tree import write_tree

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Run a command. An ImageError is printed on standard error, with exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m image", description="The node's image, bit for bit.")
    parser.add_argument("what", choices=tuple(_COMMANDS))
    parser.add_argument("--store", type=Path, default=ROOT / "image" / "store", help="folder of fetched inputs")
    parser.add_argument("--out", type=Path, default=ROOT / "image" / "out", help="folder of the built image")
    parser.add_argument(
        "--archive", type=Path, help="build, verify: take the inputs from this file; archive: write it here"
    )
    parser.add_argument("--to", type=Path, help="unpack: an empty folder for the image's files")
    options = parser.parse_args()
    try:
        _COMMANDS[options.what](options)
    except ImageError as error:
        sys.exit(f"image: {error}")


def _say(text: str) -> None:
    sys.stdout.write(f"image: {text}\n")
    sys.stdout.flush()


def _fetched(store: Store, lock: Lock) -> Store:
    building.fill(store, lock, lambda: mirrors.mirrors(os.environ), _say)
    return store


def _build(options: argparse.Namespace) -> None:
    store, archive = Store(options.store), options.archive

    def obtain(lock: Lock) -> Store:
        if archive is None:
            return _fetched(store, lock)
        read_archive(archive, lock, store)
        return store

    commit = building.head(ROOT, _say)
    digest = building.build(commit, options.out, obtain)
    layout = options.out / "layout"
    _say(f"{layout}: {oci.compressed_bytes(layout) / 1e6:.1f} MB of layers, commit {commit.revision[:12]}")
    _say(digest)


def _verify(options: argparse.Namespace) -> None:
    commit = building.head(ROOT, _say)
    layout = options.out / "layout"
    # An older commit's image differs rightly, since its label names another revision.
    is_of_commit = layout.exists() and oci.config_of(layout)["config"]["Labels"][REVISION] == commit.revision
    built = options.out if is_of_commit else None
    digest = verify(commit, options.archive, built, _say)
    compared = "The two builds are" if built is None else f"The two builds and {built} are"
    _say(f"{compared} the same, byte for byte: {digest}")


def _archive(options: argparse.Namespace) -> None:
    lock = read_lock(ROOT)
    path = options.archive or ROOT / "image" / "inputs.tar"
    write_archive(_fetched(Store(options.store), lock), lock, path)
    _say(f"{path}: {len(lock.sha256s)} inputs, {path.stat().st_size / 1e6:.1f} MB")


def _refresh(_options: argparse.Namespace) -> None:
    before = read_lock(ROOT) if (ROOT / LOCK).exists() else None
    after = refreshed(ROOT, mirrors.mirrors(os.environ), before, int(time.time()))
    (ROOT / LOCK).write_text(lock_text(after))
    for line in changes(before, after) or ["nothing is newer than the lock."]:
        _say(line)


def _unpack(options: argparse.Namespace) -> None:
    if options.to is None or (options.to.exists() and any(options.to.iterdir())):
        raise ImageError("name an empty folder: --to FOLDER")
    write_tree(oci.tree_of(options.out / "layout"), options.to)
    _say(f"{options.to}: the files of {oci.digest_of(options.out / 'layout')}, all of them yours")


_COMMANDS: Final = {"build": _build, "verify": _verify, "archive": _archive, "refresh": _refresh, "unpack": _unpack}

if __name__ == "__main__":
    main()
