"""How many values a JSON text holds, told before any parser builds them.

Ten megabytes of `[],[],…` are three million objects: hundreds of megabytes, and seconds in which nobody else is
served, because parsers written in C keep the interpreter to themselves. Counting separators costs milliseconds.
"""

import re
from typing import Final

_TO_NEXT_SEPARATOR: Final = re.compile(
    rb'[^",\[{]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"?[^",\[{]*+){0,2}+[,\[{]',
    re.DOTALL,
)
"""Past at most two strings, a name and a value; an unterminated last one too. Possessive: no text makes it go back."""


def require_few_values(body: bytes, values_max: int) -> None:
    """Pass when `body`, read as JSON, holds at most about `values_max` values. Raises ValueError, fit for the client.

    Every value but the first follows a comma or opens its list or object; what stands in strings does not count.
    """
    if body.count(b",") + body.count(b"[") + body.count(b"{") < values_max:
        return
    at = 0
    for _ in range(values_max):
        separator = _TO_NEXT_SEPARATOR.match(body, at)
        if separator is None:  # the end, or no JSON from here on, where parsers stop too
            return
        at = separator.end()
    raise ValueError(f"The body holds more than {values_max} values.")
