"""What the image takes of Debian, and what of each package: named, so that nothing comes along by itself."""

import re
from pathlib import PurePosixPath
from typing import Final

PYTHON: Final = "3.11"
SUITES: Final = {"main": ("bookworm", "bookworm-updates"), "security": ("bookworm-security",)}
ARCHITECTURE: Final = "amd64"
LIBRARIES: Final = "usr/lib/x86_64-linux-gnu"
PYTHON_LIBRARY: Final = f"usr/lib/python{PYTHON}"
SITE: Final = f"usr/local/lib/python{PYTHON}/dist-packages"

DEBS: Final = (
    "base-files",  # /etc/os-release and the texts of common licences
    "ca-certificates",
    "gcc-12-base",  # the licence of libgcc-s1 and libstdc++6
    "libc6",
    "libexpat1",  # python3.11 is linked with it
    "libffi8",  # ctypes: prctl, and what actions are confined with
    "libgcc-s1",  # threads that end; the wheels written in Rust
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libsqlite3-0",
    "libssl3",
    "libstdc++6",  # wheels written in C++
    "python3.11-minimal",
    "zlib1g",
)
BUILD_DEBS: Final = ("liblzma5",)
"""For the Python that builds: .debs are xz archives."""

NPM: Final = ("swagger-ui-dist",)
"""Of package-lock.json: the page of the API."""

_WITHOUT_THEIR_LIBRARIES: Final = "_bz2|_crypt|_curses|_curses_panel|_dbm|_lzma|_uuid|nis|readline"
_KEPT: Final = re.compile(
    rf"{LIBRARIES}/[^/]+\.so(\.[0-9.]+)?"
    r"|usr/lib64/ld-linux-x86-64\.so\.2"
    r"|usr/bin/python3\.11"
    rf"|{PYTHON_LIBRARY}/.+\.(py|so)"
    r"|usr/share/doc/[^/]+(/copyright)?"
    r"|usr/share/common-licenses/.+"
    r"|usr/lib/os-release|etc/os-release|etc/debian_version"
)
_LEFT_OUT: Final = re.compile(
    rf"{LIBRARIES}/lib(c_malloc_debug|memusage|pcprofile|thread_db|nss_hesiod|nss_compat)\.so.*"
    rf"|{PYTHON_LIBRARY}/(ensurepip|idlelib|lib2to3|pydoc_data|turtledemo|tkinter|curses|dbm)/.*"
    rf"|{PYTHON_LIBRARY}/(pydoc|turtle|crypt|nturl2path)\.py"
    rf"|{PYTHON_LIBRARY}/lib-dynload/(_test[^/]*|_ctypes_test|_xx[^/]*|{_WITHOUT_THEIR_LIBRARIES})\.cpython-.*"
)
_TEST_FOLDERS: Final = frozenset({"test", "tests"})
_TEST_FILE: Final = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py|pytest_plugin\.py")
_STRAY: Final = frozenset({"doc", "docs", "examples", "benchmarks", "scripts"})
"""Folders that some wheels bring beside their packages by mistake, as if everybody's module `docs` were theirs."""
_SOURCES_OF_COMPILED: Final = frozenset({".c", ".h", ".cpp", ".hpp", ".pyx", ".pxd", ".pxi", ".rs"})


def keeps_of_deb(path: str) -> bool:
    """Whether a file of a Debian package goes into the image: libraries, Python, licences, and what names the release."""
    return _KEPT.fullmatch(path) is not None and _LEFT_OUT.fullmatch(path) is None and not is_test(path)


def keeps_of_wheel(path: str) -> bool:
    """Whether a file of a wheel does: neither tests, nor documentation, nor the sources of what comes compiled."""
    place = PurePosixPath(path)
    return not is_test(path) and place.parts[0] not in _STRAY and place.suffix not in _SOURCES_OF_COMPILED


def is_test(path: str) -> bool:
    """A test or one of its files, by the names that are usual for them."""
    parts = PurePosixPath(path).parts
    return not _TEST_FOLDERS.isdisjoint(parts[:-1]) or _TEST_FILE.fullmatch(parts[-1]) is not None
