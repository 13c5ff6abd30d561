"""Advice for actions that were written as modules: an action is one script, so what it imports is bundled into it."""

import re
from typing import Final

BUNDLE_COMMAND: Final = (
    "npx esbuild action.js --bundle --minify --format=iife --global-name=bundle "
    '--footer:js="var main = bundle.main;" --outfile=bundled.js'
)
"""As docs/actions.md has it, where a test runs it."""

_FIX: Final = (
    "An action is one script: it cannot import, export or require. Export `main`, bundle the file with what it imports "
    f"({BUNDLE_COMMAND}), and send bundled.js."
)
# A statement at the beginning of a line: other scripts have these words in strings and comments too.
_STATEMENT: Final = re.compile(r"^[ \t]*(?:import|export)\b", re.MULTILINE)
_SAID: Final = re.compile(r"\brequire'? is not defined|could not load module|import\.meta|unsupported keyword: export")
_CODE_READ: Final = 16 * 1024
"""Characters of the code that are read: imports stand at its beginning, and 4 MiB of line feeds would take long."""
_MESSAGE_READ: Final = 200


def bundling_advice(error_name: str, error_message: str, code: str) -> str | None:
    """Returns what to do when an action failed because it is a module; None where it failed for another reason."""
    if error_name not in {"SyntaxError", "ReferenceError"}:
        return None
    said = _SAID.search(error_message, 0, _MESSAGE_READ) is not None
    is_module = error_name == "SyntaxError" and _STATEMENT.search(code, 0, _CODE_READ) is not None
    return _FIX if said or is_module else None
