"""Request and answer of running an action (spec.md "Execution"; decisions.md sections 2 and 5)."""

from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, RootModel, StrictInt, StrictStr

from node.engine.port import ActionError
from node.execution.bundling import bundling_advice
from node.values import U64_MAX


class SvcActionRequest(BaseModel, frozen=True, extra="forbid"):
    """`code` defines `main`, which is called with `js_params` (`{}` when null).

    `min_block`: authorise at this block of the chain or a later one.
    """

    code: StrictStr
    js_params: dict[str, JsonValue] | None = None
    min_block: Annotated[StrictInt, Field(ge=0, le=U64_MAX)] | None = None


class SvcActionError(BaseModel, frozen=True):
    """What the action did wrong; `stack` has its own line numbers. `fix` says what to do where the node knows it."""

    name: str
    message: str
    stack: str
    fix: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None

    @classmethod
    def of(cls, error: ActionError, code: str) -> "SvcActionError":
        """As the engine tells it, of this code."""
        fix = bundling_advice(error.name, error.message, code)
        return cls(name=error.name, message=error.message, stack=error.stack, fix=fix)


class SvcActionAnswer(BaseModel, frozen=True):
    """How the action ended. `logs` is one text, a line a call; `response` is null when `has_error`."""

    response: JsonValue
    logs: str
    has_error: bool
    error: Annotated[SvcActionError | None, Field(exclude_if=lambda value: value is None)] = None
    duration_ms: float
    charged_cents: int


class ActionSource(RootModel[StrictStr], frozen=True):
    """The source of an action: the body is a bare JSON string."""
