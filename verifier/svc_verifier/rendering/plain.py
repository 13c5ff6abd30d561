"""Text that came from elsewhere, made harmless: no control characters, nothing that turns or hides other text."""

import unicodedata
from datetime import UTC, datetime
from typing import Final

LIMIT_CHARACTERS: Final = 2_000
REPLACEMENT: Final = "\ufffd"
_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories: controls, invisible formatting (bidirectional overrides too), surrogates, unassigned, separators."""


def plain(text: str, limit: int = LIMIT_CHARACTERS) -> str:
    """One line of at most `limit` characters; what a terminal or page could take for more than text is replaced."""
    shown = text if len(text) <= limit else f"{text[:limit]}…"
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(REPLACEMENT if unicodedata.category(sign) in _REFUSED else sign for sign in shown)


def iso_moment(unix_s: int) -> str:
    """A time in UTC as ISO 8601, to the second; the Unix epoch for one that no calendar holds."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "1970-01-01T00:00:00Z"


def moment(unix_s: int) -> str:
    """A time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"second {unix_s} of Unix time"
