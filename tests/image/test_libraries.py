"""An image has every library that its files need, or it is not built."""

import pytest

from image.commands import ImageError
from image.debian import debian_tree
from image.elf import missing_libraries
from image.lock import Store, read_lock
from image.tree import File, Link, Tree
from tests.image.parts import elf_of
from tests.support.node import REPOSITORY

CRYPTO = "usr/lib/x86_64-linux-gnu/libcrypto.so.3"
ZSTD = "usr/lib/x86_64-linux-gnu/libzstd.so.1"


def test_a_library_that_is_not_there_is_named_with_the_file_that_needs_it() -> None:
    tree: Tree = {
        CRYPTO: File(elf_of("libc.so.6", "libzstd.so.1")),
        "usr/lib/x86_64-linux-gnu/libc.so.6": File(elf_of()),
        "usr/share/doc/libzstd.so.1.txt": File(b"of no library"),
        "bin": Link("usr/bin"),
    }
    assert missing_libraries(tree) == [f"/{CRYPTO} needs libzstd.so.1"]
    assert missing_libraries(tree | {ZSTD: Link("libzstd.so.1.5.7")}) == []


@pytest.mark.parametrize("size", [20, 150, 200])
def test_a_damaged_library_is_told(size: int) -> None:
    with pytest.raises(ImageError, match=f"/{CRYPTO} cannot be read as an ELF file"):
        missing_libraries({CRYPTO: File(elf_of("libzstd.so.1")[:size])})


@pytest.mark.exhaustive
@pytest.mark.usefixtures("image_out")
def test_without_a_package_of_the_lock_its_library_is_missing() -> None:
    store, lock = Store(REPOSITORY / "image" / "store"), read_lock(REPOSITORY)
    debs = {deb.name: store.get(deb.sha256) for deb in lock.debs}
    assert missing_libraries(debian_tree(debs)) == []
    del debs["libzstd1"]
    assert missing_libraries(debian_tree(debs)) == [f"/{CRYPTO} needs libzstd.so.1"]
