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


def prelude_source(code_lines_max: int, longest_frame: int) -> str:
    """A script that answers the bridge function.

    QuickJS gives every script the same name, so the child puts `code_lines_max` empty lines before this one:
    that tells its stack frames from the action's, which never has so many. `longest_frame` is in characters.
    """
    folder = files("node.engine") / "prelude"
    parts = [(folder / f"{name}.js").read_text(encoding="utf-8") for name in _ORDER]
    constants = f"const FIRST_LINE_OF_PRELUDE = {code_lines_max}, LONGEST_FRAME = {longest_frame};"
    return "\n".join(["(() => { 'use strict';", constants, *parts, "return bridge;\n})()"])
