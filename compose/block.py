"""Text as it may stand in a docker compose file: a block that people can read and that every YAML reader reads alike.

Docker Compose replaces `$NAME` and `${NAME}` in every value by variables, which the host may set: `$` is doubled, which
stands for itself (Compose Specification, "Interpolation").
"""

import json
from typing import Final

from compose.errors import ComposeError, Exit

_BLANKS: Final = "\n\t"


def inlinable(text: str, what: str, limit_bytes: int) -> str:
    """`text` with one line end at its end. Raises ComposeError(MALFORMED) for what YAML readers may take differently."""
    if len(text.encode(errors="surrogatepass")) > limit_bytes:
        raise _bad(what, f"has more than {limit_bytes} bytes")
    for number, line in enumerate(text.split("\n"), 1):
        strange = next((sign for sign in line if not sign.isprintable() and sign not in _BLANKS), None)
        if strange is not None:
            raise _bad(what, f"line {number} holds the invisible character U+{ord(strange):04X}: take it out")
    body = text.rstrip()
    if not body:
        raise _bad(what, "is empty")
    if body[0].isspace():
        raise _bad(what, "begins with a blank: begin with the first name or a comment")
    return body + "\n"


def doubled(text: str) -> str:
    """`text` as Docker Compose gives it back after replacing variables: itself."""
    return text.replace("$", "$$")


def undoubled(text: str) -> str | None:
    """What Docker Compose makes of `text` when no variable is replaced; None when one would be."""
    return text.replace("$$", "$") if "$" not in text.replace("$$", "") else None


def block_lines(text: str, indent: int) -> list[str]:
    """The lines of an inlinable text under a `|`, `$` doubled, each `indent` blanks in; empty lines stay empty."""
    return [" " * indent + line if line else "" for line in doubled(text).removesuffix("\n").split("\n")]


def quoted(text: str) -> str:
    """One line of text as a YAML scalar in double quotes (JSON's are among YAML's), `$` doubled."""
    return json.dumps(doubled(text), ensure_ascii=False)


def _bad(what: str, why: str) -> ComposeError:
    return ComposeError(Exit.MALFORMED, f"{what} {why}.")
