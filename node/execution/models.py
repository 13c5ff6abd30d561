"""Request and answer of running an action, and advice for actions that were written as modules."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, Field, JsonValue, RootModel, StrictInt, StrictStr

from node.engine.port import ActionError
from node.values import U64_MAX

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


class SvcActionRequest(BaseModel, frozen=True, extra="forbid"):
    """`code` defines `main`, which is called with `js_params` (`{}` when null).

    `min_block`: authorise at this block of the chain or a later one. `max_seconds`: end the run after so long, at most
    the node's `action_timeout_s`; no further second is charged.
    """

    code: StrictStr
    js_params: dict[str, JsonValue] | None = None
    min_block: Annotated[StrictInt, Field(ge=0, le=U64_MAX)] | None = None
    max_seconds: Annotated[StrictInt, Field(ge=1)] | None = None


class SvcActionError(BaseModel, frozen=True):
    """Error of the action; `stack` has its own line numbers. `fix` says what to do where the node knows it."""

    name: str
    message: str
    stack: str
    fix: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None

    @classmethod
    def of(cls, error: ActionError, code: str) -> "SvcActionError":
        """Return the engine's error as the API shows it; `code` decides the advice."""
        fix = bundling_advice(error.name, error.message, code)
        return cls(name=error.name, message=error.message, stack=error.stack, fix=fix)


class SvcActionAnswer(BaseModel, frozen=True):
    """Result of the action. `logs` is one text, a line a call; `response` is null when `has_error`."""

    response: JsonValue
    logs: str
    has_error: bool
    error: Annotated[SvcActionError | None, Field(exclude_if=lambda value: value is None)] = None
    duration_ms: float
    charged_cents: int


class ActionSource(RootModel[StrictStr], frozen=True):
    """The source of an action: the body is a bare JSON string."""


def bundling_advice(error_name: str, error_message: str, code: str) -> str | None:
    """Returns what to do when an action failed because it is a module; None where it failed for another reason."""
    if error_name not in {"SyntaxError", "ReferenceError"}:
        return None
    said = _SAID.search(error_message, 0, _MESSAGE_READ) is not None
    is_module = error_name == "SyntaxError" and _STATEMENT.search(code, 0, _CODE_READ) is not None
    return _FIX if said or is_module else None
