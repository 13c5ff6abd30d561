"""What must not be in an image, looked for in the image itself and not in the rules that made it."""

import re
from typing import Final

from image.selection import is_test
from image.tree import File, Folder, Tree

_FORBIDDEN_PATHS: Final = {
    "the TEE simulator or a development stand-in": r".*/(devkit/tee_simulator|devkit)(/.*)?|.*/(tee_)?simulator(\.py|/.*)?",
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
_PRIVATE_KEY: Final = re.compile(rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{64,}-----END")


def complaints(tree: Tree) -> list[str]:
    """Every file that has no place in an image, with the reason; none when it is clean."""
    return [f"/{path}: {reason}" for path, entry in tree.items() for reason in _reasons(path, entry)]


def _reasons(path: str, entry: object) -> list[str]:
    if isinstance(entry, Folder):
        return ["writable by everybody"] if entry.mode & 0o002 and not entry.mode & 0o1000 else []
    found = [reason for reason, pattern in _COMPILED.items() if pattern.fullmatch(path)]
    if is_test(path):
        found.append("a test")
    if isinstance(entry, File) and _PRIVATE_KEY.search(entry.data):
        found.append("a private key")
    return found
