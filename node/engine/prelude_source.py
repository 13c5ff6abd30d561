"""The prelude: the JavaScript every action finds around itself, as one script."""

from importlib.resources import files
from typing import Final

_ORDER: Final = (
    "intrinsics",
    "report",
    "console",
    "timers",
    "random",
    "text",
    "clone",
    "actions",
    "lockdown",
    "bridge",
)


LINES_ABOVE: Final = 100_000
"""Empty lines before the prelude. QuickJS gives every script the same name, so lines tell whose a stack frame is."""


def prelude_source(longest_frame: int) -> str:
    """A script that answers the bridge function; the child puts `LINES_ABOVE` empty lines before it.

    `longest_frame` is in characters.
    """
    folder = files("node.engine") / "prelude"
    parts = [(folder / f"{name}.js").read_text(encoding="utf-8") for name in _ORDER]
    body = "\n".join([*parts, "return bridge;\n})()"])
    numbers = {
        "LINES_ABOVE_PRELUDE": LINES_ABOVE,
        "PRELUDE_LINES": body.count("\n") + 2,
        "LONGEST_FRAME": longest_frame,
    }
    constants = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    return f"(() => {{ 'use strict'; const {constants};\n{body}"
