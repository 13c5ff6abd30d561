"""Makes the synchronous client: `python -m tools.synchronous [--check]`."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

SOURCE: Final = Path("client/svc_client/aio.py")
MADE: Final = Path("client/svc_client/sync.py")
# The order matters. Transport leaves its import, which gets a line of its own, before it is renamed
# elsewhere.
_CHANGES: Final = (
    (r'^"""The asynchronous client:', '"""The synchronous client:'),
    (r"^`sync\.py` is made from this file by (`.*`); edit here, .*\.$", r"Made from `aio.py` by \1; edit there."),
    (r"Use it as an async context manager\.", "Use it as a context manager, from any thread."),
    (r"\bAsync(?=[A-Z])(?!Iterator)", ""),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__a(iter|enter|exit)__\b", r"__\1__"),
    (r"^(from svc_client\.transport .*) Transport,", r"\1"),
    (r"^(from svc_client\.transport .*)$", r"from svc_client.threaded import SyncTransport\n\1"),
    (r"\bTransport\b", "SyncTransport"),
    (r"`await group", "`group"),
)


def synchronous(text: str) -> str:
    """Return the synchronous form of the asynchronous module's text."""
    for pattern, replacement in _CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return formatted(text, MADE)


def formatted(text: str, path: Path) -> str:
    """Return a module's text as `make format` leaves it."""
    command = [str(Path(sys.executable).with_name("ruff"))]
    # Names of another length sort and wrap in another way. The file's name selects ruff's settings.
    for arguments in (["check", "--fix", "--quiet", "--select", "I"], ["format"]):
        ran = subprocess.run(  # noqa: S603 - our own linter over our own text
            [*command, *arguments, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = ran.stdout
    return text


def main() -> None:
    """Write the module, or with `--check` end with status 1 where it differs."""
    made = synchronous(SOURCE.read_text(encoding="utf-8"))
    if "--check" in sys.argv[1:]:
        sys.exit(0 if made == MADE.read_text(encoding="utf-8") else f"{MADE} is not made of {SOURCE}: run make format")
    MADE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
