"""Bounds the number of values of a JSON text before any parser builds them.

Ten megabytes of `[],[],…` are three million objects: hundreds of megabytes, and seconds in which nobody else is
served, because parsers written in C keep the interpreter to themselves. Counting separators costs milliseconds.
"""

from typing import Final

_PIECE_BYTES: Final = 64 * 1024
"""Each step over a piece takes up to a millisecond in C; between the steps another thread may have the interpreter."""
_QUOTES_A_VALUE: Final = 4
"""Two of its name and two of its own."""


def require_few_values(body: bytes, values_max: int) -> None:
    """Pass when `body`, read as JSON, holds at most about `values_max` values. Raises ValueError, fit for the client.

    Every value but the first follows a comma or opens its list or object; what stands in strings does not count.
    """
    # Each separator is a byte: most bodies are too short to hold so many, and are not looked at.
    if len(body) < values_max:
        return
    pieces = (body[start : start + _PIECE_BYTES] for start in range(0, len(body), _PIECE_BYTES))
    if sum(map(_separators, pieces)) < values_max:
        return
    separators = quotes = 0
    escape = b""
    for start in range(0, len(body), _PIECE_BYTES):
        piece, escape = _without_escapes(escape + body[start : start + _PIECE_BYTES])
        parts = piece.split(b'"')
        # An even number of quotes before it: the text up to the next quote is outside of strings.
        separators += _separators(b"".join(parts[quotes % 2 :: 2]))
        quotes += len(parts) - 1
        if separators >= values_max or quotes > _QUOTES_A_VALUE * (values_max + 1):
            raise ValueError(f"The body holds more than {values_max} values.")


def _separators(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _without_escapes(piece: bytes) -> tuple[bytes, bytes]:
    """Return the piece without escaped backslashes and quotes, and the backslash at its end that escapes what follows, if any."""
    if b"\\" not in piece:
        return piece, b""
    rest = piece.replace(b"\\\\", b"")
    escape = b"\\" if rest.endswith(b"\\") else b""
    return rest.removesuffix(b"\\").replace(b'\\"', b""), escape
