"""Packages are taken apart without running anything of theirs, and nothing of theirs leaves its place."""

import csv

import pytest

from image import wheel
from image.commands import ImageError
from image.debian import control_of, files_of
from image.own_packages import TAG
from image.selection import PYTHON, PYTHON_LIBRARY, SITE, complaints, keeps_of_deb
from image.tree import File, Folder, Link, Tree, join, with_parents
from tests.image.parts import deb_of, tar_of, wheel_of

PROGRAM = f"usr/bin/python{PYTHON}"


def test_a_deb_gives_files_links_and_fields_in_a_merged_usr() -> None:
    data = tar_of(
        {"./lib/x86_64-linux-gnu/libfoo.so.1": b"elf", "./usr/bin/foo": b"program", "./etc/foo.conf": b"odd length!"},
        links={"./lib64/ld.so": "../lib/ld.so", "./lib": "usr/lib"},
        hard={"./bin/bar": "./usr/bin/foo"},
    )
    assert files_of(deb_of(data)) == {
        "usr/lib/x86_64-linux-gnu/libfoo.so.1": File(b"elf"),
        "usr/bin/foo": File(b"program", executable=True),
        "etc/foo.conf": File(b"odd length!"),
        "usr/lib64/ld.so": Link("../lib/ld.so"),
        "lib": Link("usr/lib"),
        "usr/bin/bar": File(b"program", executable=True),
    }
    assert control_of(deb_of(data)) == {"Package": "p", "Version": "1", "Description": "short\n long"}


@pytest.mark.parametrize("name", ["./../etc/passwd", "./usr/../../x"])
def test_a_path_that_leaves_its_folder_is_refused(name: str) -> None:
    with pytest.raises(ImageError, match="leaves its folder"):
        files_of(deb_of(tar_of({name: b"x"})))
    with pytest.raises(ImageError, match="leaves its folder"):
        wheel.files_of(wheel_of({name: b"x"}))


@pytest.mark.parametrize("content", [b"", b"no archive", b"!<arch>\n"])
def test_what_is_no_deb_is_refused(content: bytes) -> None:
    with pytest.raises(ImageError):
        files_of(content)


def test_of_debian_only_what_is_named_is_taken() -> None:
    kept = ("usr/lib/x86_64-linux-gnu/libc.so.6", PROGRAM, f"{PYTHON_LIBRARY}/ssl.py", "etc/os-release")
    left = (
        "usr/bin/perl", "usr/bin/bash", "usr/share/man/man1/a.1.gz", "usr/share/doc/a/changelog.gz", "etc/bash.bashrc",
        f"{PYTHON_LIBRARY}/test/support.py", f"{PYTHON_LIBRARY}/ensurepip/__init__.py", "usr/lib/x86_64-linux-gnu/libc.a",
        "usr/lib/x86_64-linux-gnu/gconv/UTF-16.so", "usr/sbin/ldconfig", "var/lib/dpkg/info/x.postinst", f"{PROGRAM}m",
    )  # fmt: skip
    assert [path for path in (*kept, *left) if keeps_of_deb(path)] == list(kept)


def test_a_wheel_is_unpacked_without_tests_and_sources_and_its_record_stays_true() -> None:
    tree = wheel.files_of(
        wheel_of(
            {
                "thing/__init__.py": b"",
                "thing/fast.so": b"elf",
                "thing/fast.pyx": b"source",
                "thing/tests/test_it.py": b"",
                "thing/conftest.py": b"",
                "thing/pytest_plugin.py": b"",
                "docs/conf.py": b"",
                "thing-1.data/purelib/more.py": b"",
                "thing-1.data/scripts/thing": b"#!python",
            }
        )
    )
    names = {path.removeprefix(f"{SITE}/") for path in tree}
    info = {f"thing-1.dist-info/{name}" for name in ("METADATA", "INSTALLER", "RECORD")}
    assert names == {"thing/__init__.py", "thing/fast.so", "more.py", *info}
    record = tree[f"{SITE}/thing-1.dist-info/RECORD"]
    assert isinstance(record, File)
    listed = {row[0] for row in csv.reader(record.data.decode().splitlines())}
    assert listed == names - {"more.py"}, "more.py is recorded by the place it had in the wheel"


def test_a_program_is_started_by_an_isolated_python() -> None:
    entry_points = b"[console_scripts]\nthing = thing.cli:main\nother = x:y\n"
    tree = wheel.files_of(wheel_of({"thing-1.dist-info/entry_points.txt": entry_points}))
    text = f"#!/{PROGRAM} -I\nfrom thing.cli import main\n\nmain()\n"
    assert wheel.program(tree, "thing") == {"usr/local/bin/thing": File(text.encode(), executable=True)}
    with pytest.raises(ImageError, match="brings the program none"):
        wheel.program({}, "none")


def test_two_packages_may_bring_the_same_file_and_not_another_one_to_its_place() -> None:
    one: Tree = {"a": File(b"1")}
    assert join({"x": one, "y": {"a": File(b"1"), "b": Link("a")}}) == {"a": File(b"1"), "b": Link("a")}
    with pytest.raises(ImageError, match="x and y both bring /a"):
        join({"x": one, "y": {"a": File(b"2")}})


FORBIDDEN = {
    f"{SITE}/devkit/tee_simulator/quote.py": "simulator",
    f"{SITE}/devkit/tee_simulator/__pycache__/quote.{TAG}.pyc": "simulator",
    f"{SITE}/devkit/run.py": "stand-in",
    "usr/bin/x86_64-linux-gnu-gcc-14": "compiler",
    "usr/bin/ld": "linker",
    "usr/bin/dash": "shell",
    "usr/bin/busybox": "shell",
    "usr/bin/apt-get": "package manager",
    "usr/bin/dpkg": "package manager",
    f"{SITE}/pip/__init__.py": "package manager",
    "var/lib/apt/lists/x": "cache",
    "var/cache/apt/pkgcache.bin": "cache",
    f"{SITE}/thing/tests/data.json": "test",
    f"{SITE}/thing/test_it.py": "test",
    "usr/share/man/man1/x.1": "documentation",
    f"{SITE}/docs/conf.py": "documentation",
    "usr/include/stdio.h": "headers",
    "etc/ssl/private/server.key": "key",
    "srv/.env": "key",
}


@pytest.mark.parametrize("path", FORBIDDEN)
def test_what_has_no_place_in_an_image_is_found(path: str) -> None:
    (complaint, *_) = complaints({path: File(b"")})
    assert complaint.startswith(f"/{path}: ")
    assert any(FORBIDDEN[path] in reason for reason in complaints({path: File(b"")}))


def test_a_private_key_is_found_by_what_it_is_and_open_folders_by_their_mode() -> None:
    body = b"MC4CAQAwBQYDK2VwBCIEIFQ2q0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1\n"
    pem = b"-----BEGIN PRIVATE KEY-----\n" + body + b"-----END PRIVATE KEY-----\n"
    assert complaints({"etc/harmless.txt": File(pem)}) == ["/etc/harmless.txt: a private key"]
    assert complaints({"code.py": File(b'HEAD = "-----BEGIN PRIVATE KEY-----"')}) == []
    assert complaints({"open": Folder(0o777), "tmp": Folder(0o1777), "data": Folder(0o700, 10001)}) == [
        "/open: writable by everybody"
    ]


def test_parents_stand_before_what_is_in_them() -> None:
    assert list(with_parents({"a/b/c": File(b""), "a": Folder(0o700)})) == ["a", "a/b", "a/b/c"]
