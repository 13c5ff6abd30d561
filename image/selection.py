"""Selects files of Debian packages and wheels for the image, and names forbidden ones."""

import re
from pathlib import PurePosixPath
from typing import Final

from image.tree import File, Folder, Tree

RELEASE: Final = "trixie"
"""Code name of the Debian release."""
GLIBC_MINOR: Final = 41
"""glibc of the release is 2.41. A wheel made for a later one would not load."""
PYTHON: Final = "3.13"
SUITES: Final = {"main": (RELEASE, f"{RELEASE}-updates"), "security": (f"{RELEASE}-security",)}
ARCHITECTURE: Final = "amd64"
LIBRARIES: Final = "usr/lib/x86_64-linux-gnu"
PYTHON_LIBRARY: Final = f"usr/lib/python{PYTHON}"
SITE: Final = f"usr/local/lib/python{PYTHON}/dist-packages"

DEBS: Final = (
    "base-files",  # /etc/os-release and the texts of common licences
    "ca-certificates",
    "gcc-14-base",  # the licence of libgcc-s1 and libstdc++6
    "libc6",
    "libexpat1",  # the Python is linked with it
    "libffi8",  # ctypes: prctl, and what actions are confined with
    "libgcc-s1",  # threads that end; the wheels written in Rust
    f"libpython{PYTHON}-minimal",
    f"libpython{PYTHON}-stdlib",
    "libsqlite3-0",
    "libssl3t64",
    "libstdc++6",  # wheels written in C++
    "libzstd1",  # libcrypto is linked with it
    f"python{PYTHON}-minimal",
    "zlib1g",
)
BUILD_DEBS: Final = ("liblzma5",)
"""Libraries of the Python that builds. A .deb is an xz archive."""

NPM: Final = {"swagger-ui-dist": "node/http/swagger_ui"}
"""Target folders of npm packages whose files browsers take. Bundles are committed."""

_WITHOUT_THEIR_LIBRARIES: Final = "_bz2|_crypt|_curses|_curses_panel|_dbm|_lzma|_uuid|nis|readline"
_KEPT: Final = re.compile(
    rf"{LIBRARIES}/[^/]+\.so(\.[0-9.]+)?"
    r"|usr/lib64/ld-linux-x86-64\.so\.2"
    rf"|usr/bin/python{re.escape(PYTHON)}"
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
"""Folders that some wheels install at the top level by mistake."""
_SOURCES_OF_COMPILED: Final = frozenset({".c", ".h", ".cpp", ".hpp", ".pyx", ".pxd", ".pxi", ".rs"})


def keeps_of_deb(path: str) -> bool:
    """Whether the image takes a Debian package's file, such as libraries, Python and licences."""
    return _KEPT.fullmatch(path) is not None and _LEFT_OUT.fullmatch(path) is None and not is_test(path)


def keeps_of_wheel(path: str) -> bool:
    """Whether the image takes a wheel's file: no tests, documentation or compiled sources."""
    place = PurePosixPath(path)
    return not is_test(path) and place.parts[0] not in _STRAY and place.suffix not in _SOURCES_OF_COMPILED


def is_test(path: str) -> bool:
    """Whether a path is a test by its usual names."""
    parts = PurePosixPath(path).parts
    return not _TEST_FOLDERS.isdisjoint(parts[:-1]) or _TEST_FILE.fullmatch(parts[-1]) is not None


_FORBIDDEN_PATHS: Final = {
    "the TEE simulator or a development stand-in": r".*/devkit(/.*)?|.*/(tee_)?simulator(\.py|/.*)?",
    "a compiler, linker or debugger": r".*/bin/((.*-)?(gcc|g\+\+|cc|c\+\+|cpp|clang|ld|as|make|tcc|rustc|cargo|go|gdb|strace)(-[\d.]+)?)",
    "a shell or a tool for one": r".*/bin/(ba|da|z|k|c|tc|fi|a)?sh|.*/bin/(busybox|env|perl|sed|awk|cat|ls|cp|curl|wget|ssh|su|sudo|mount|tar)",
    "a package manager": r".*/bin/(apt.*|dpkg.*|pip.*|npm|npx|uv)|.*/(pip|ensurepip|setuptools|wheel|pkg_resources)/__init__\.py",
    "the cache of a package manager": r"var/(cache|lib/apt)/.+|.*\.deb|.*\.whl|root/\.cache/.*",
    "the bill of a build": r".*/(node_modules|\.git|\.venv)/.*",
    "documentation, a manual or a locale": r"usr/share/(man|info|locale|i18n)/.+|usr/lib/locale/.+|.*/(dist|site)-packages/(docs?|examples)/.+",
    "headers or static libraries": r"usr/include/.+|.*\.(a|h)",
    "a key or a wallet by its name": r".*\.(key|p12|pfx|jks|kdbx)|.*/(id_rsa|id_ed25519|\.env|keystore)(/.*)?",
}
_COMPILED: Final = {name: re.compile(pattern) for name, pattern in _FORBIDDEN_PATHS.items()}
# With content after the first line, since libraries that parse PEM hold that line.
_PRIVATE_KEY: Final = re.compile(rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{64,}-----END")


def complaints(tree: Tree) -> list[str]:
    """Returns every file that no image may hold, with the reason."""
    return [f"/{path}: {reason}" for path, entry in tree.items() for reason in _reasons(path, entry)]


def _reasons(path: str, entry: object) -> list[str]:
    if isinstance(entry, Folder):
        # /tmp may be, since it has the sticky bit (0o1000).
        return ["writable by everybody"] if entry.mode & 0o002 and not entry.mode & 0o1000 else []
    found = [reason for reason, pattern in _COMPILED.items() if pattern.fullmatch(path)]
    if is_test(path):
        found.append("a test")
    if isinstance(entry, File) and _PRIVATE_KEY.search(entry.data):
        found.append("a private key")
    return found
