"""The node's settings as inlined text: exact bytes that every YAML reader reads alike, and what `svc-node serve` reads.

Docker Compose replaces `$NAME` and `${NAME}` in every value by variables, which the host may set: `$` is doubled, which
stands for itself (Compose Specification, "Interpolation").
"""

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Final

from compose.errors import ComposeError, Exit
from node.errors import StartupRefusedError
from node.settings import PREFIX, SECRETS, Settings
from node.settings.loading import settings_for_serving_from_text

_BLANKS: Final = "\n\t"
SETTINGS_MAX_BYTES: Final = 65_536
"""Largest settings file: an argument of a program may have 128 KiB on Linux (execve(2))."""


def inlinable(text: str, what: str, limit_bytes: int) -> str:
    """Returns `text` with one line end at its end. Raises ComposeError(MALFORMED) for what YAML readers may take differently."""
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
    """Returns `text` escaped, so that Docker Compose gives `text` back after replacing variables."""
    return text.replace("$", "$$")


def undoubled(text: str) -> str | None:
    """Returns what Docker Compose makes of `text`; None when it would replace a variable."""
    return text.replace("$$", "$") if "$" not in text.replace("$$", "") else None


def block_lines(text: str, indent: int) -> list[str]:
    """Returns the lines of an inlinable text under a `|`, `$` doubled, each indented; empty lines stay empty."""
    return [" " * indent + line if line else "" for line in doubled(text).removesuffix("\n").split("\n")]


def quoted(text: str) -> str:
    """Returns one line of text as a YAML scalar in double quotes (a JSON string is one), `$` doubled."""
    return json.dumps(doubled(text), ensure_ascii=False)


def _bad(what: str, why: str) -> ComposeError:
    return ComposeError(Exit.MALFORMED, f"{what} {why}.")


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """Settings and their text. `given` are the names that the text sets; the others are defaults of this version."""

    text: str
    settings: Settings
    given: frozenset[str]


def read_settings(text: str) -> NodeSettings:
    """Returns the settings as `serve` reads them. Raises ComposeError(MALFORMED) naming the setting, never a value."""
    body = inlinable(text, "the settings file", SETTINGS_MAX_BYTES)
    for name in sorted(SECRETS):
        if re.search(rf"(?im)^[^\n]*#[^\n]*{name}\w*\W*=", body):
            raise ComposeError(
                Exit.MALFORMED,
                f"a comment of the settings file sets {name}: everybody can read this file. Take the secret out, "
                f"replace it where it is valid, and give the new one as {PREFIX}{name.upper()}.",
            )
    try:
        settings = settings_for_serving_from_text(body, {})
    except StartupRefusedError as refused:
        raise ComposeError(Exit.MALFORMED, f"the settings file: {refused}") from None
    return NodeSettings(body, settings, frozenset(tomllib.loads(body)))
