"""Requests and answers of running and of explaining an action, and the checks of a run's parameters.

Advice for actions that were written as modules is here too: it is part of the answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BaseModel, Field, JsonValue, RootModel, StrictInt, StrictStr

from node.api.calls import Attempt, EitherBody, ManyValues, Note, not_noted
from node.api.errors import CHARGE_UNKNOWN, ErrorCode, NodeError, as_node_error
from node.api.fields import ActionCid, PkpId
from node.chain.port import MayReread
from node.engine.frames import require_plain
from node.engine.port import ActionError, ActionOutcome
from node.errors import DomainError
from node.permissions.grants import Caller, Missing
from node.runtime.processor_time import ClientTime
from node.settings.execution import ActionSettings
from node.values import U64_MAX

REQUEST_ID: Final = "X-Request-Id"
CORRELATION_ID: Final = "X-Correlation-Id"
PARAMS_DEPTH_MAX: Final = 100
"""Nesting of arrays and objects in `js_params`: some JSON readers fail beyond it."""
INTEGER_MAX: Final = 2**53 - 1
"""Integers beyond ± this are others to JavaScript: 9007199254740993 would be signed as …992."""
_INLINE_PARAMS: Final = 4096
"""Values and characters of `js_params` that are checked on the event loop, in well under a millisecond; more in a thread."""
_INLINE_PARAMS_BYTES: Final = 128 * _INLINE_PARAMS
"""More than so many values and characters take as JSON: a number has at most 101 bytes, a character 6, each a comma."""
_CHARACTER_BYTES: Final = 6
"""More than one character takes as JSON; also more than what stands around a name and its text."""
_SIZED: Final = (str, list, dict)
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
_FIX_OF_KEPT: Final = (
    "This Idempotency-Key keeps this answer. Find out what the action did before you run it again, with a fresh one."
)


class SvcActionRequest(ManyValues, frozen=True, extra="forbid"):
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

    @classmethod
    def of(cls, outcome: ActionOutcome, charged_cents: int, code: str) -> "SvcActionAnswer":
        """Return the engine's outcome as the API shows it; `code` decides the advice."""
        # Not validated: the parts are of these types, and a large response would hold up every other request.
        return cls.model_construct(
            response=outcome.response,
            logs=outcome.logs,
            has_error=outcome.error is not None,
            error=None if outcome.error is None else SvcActionError.of(outcome.error, code),
            duration_ms=round(outcome.duration_ms, 3),
            charged_cents=charged_cents,
        )


class ActionSource(RootModel[StrictStr], frozen=True):
    """The source of an action: the body is a bare JSON string."""


def bundling_advice(error_name: str, error_message: str, code: str) -> str | None:
    """Returns what to do when an action failed because it is a module; None where it failed for another reason."""
    if error_name not in {"SyntaxError", "ReferenceError"}:
        return None
    said = _SAID.search(error_message, 0, _MESSAGE_READ) is not None
    is_module = error_name == "SyntaxError" and _STATEMENT.search(code, 0, _CODE_READ) is not None
    return _FIX if said or is_module else None


class Order(NamedTuple):
    """Request to run an action. The action finds `headers` in `SvcHeaders`.

    `may_reread` takes one of the client's re-reads of cached denials. `note` adds fields to the log line of the request.
    `attempt` is that of a request with an Idempotency-Key, whose run begins once.
    """

    caller: Caller
    request: SvcActionRequest
    headers: Mapping[str, str]
    may_reread: MayReread
    note: Note = not_noted
    attempt: Attempt | None = None


class Executed(NamedTuple):
    """The answer, the block at which the run was authorised, and the addresses of the wallets that it used."""

    answer: SvcActionAnswer
    authorised_at_block: int
    wallets: Sequence[str]


class ExplainRequest(EitherBody, frozen=True, extra="forbid"):
    """May the key that asks run this action, given by its source or its CID, and use this wallet in it."""

    EITHER = ("code", "action_ipfs_cid")

    code: StrictStr | None = None
    action_ipfs_cid: ActionCid | None = None
    pkp_id: PkpId | None = None


class ExplainAnswer(BaseModel, frozen=True):
    """The decision and its reason, as of `block_number`.

    `group` of an allow is the group it rests on: "0" where the key may execute in every group and no wallet is asked
    about, absent for the account key. Of a deny it is the group in which `missing` would turn the decision.
    """

    decision: Literal["allow", "deny"]
    group: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    missing: Annotated[Missing | None, Field(exclude_if=lambda value: value is None)] = None
    block_number: int
    price_cents_per_second: int


def too_large(what: str, bytes_max: int) -> NodeError:
    """Return the error 413 for a part of a request."""
    return NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"{what} may have at most {bytes_max} bytes.")


def fault_of_run(error: Exception, duration_ms: float, charged_cents: int | None, *, is_kept: bool) -> NodeError:
    """Return the error of a run that the node's fault ended after it had begun.

    It says what is charged, or that this is not known. `is_kept`: a repetition of the request is shown it again.
    """
    if not isinstance(error, DomainError):
        error = NodeError(ErrorCode.INTERNAL_ERROR, "The node failed while it ran the action.")
    fault = as_node_error(error)
    message, fix = fault.message, _FIX_OF_KEPT if is_kept else fault.fix
    if charged_cents is None:
        message = f"{message} {CHARGE_UNKNOWN}"
    else:
        charged = f"{charged_cents} cent{'s' * (charged_cents > 1)} charged" if charged_cents else "nothing is charged"
        fix = " ".join(filter(None, (fix, f"For what ran: {charged}.")))
    return NodeError(
        fault.code,
        message,
        fix=fix,
        details={**fault.details, "ran_ms": round(duration_ms, 3), "charged_cents": charged_cents},
        retry_after_s=None if is_kept else fault.retry_after_s,
    )


def stopping() -> NodeError:
    """Return the error of what is not begun any more."""
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node is stopping.",
        fix="Send the request again.",
        retry_after_s=5,
    )


def check_max_seconds(max_seconds: int | None, settings: ActionSettings) -> None:
    """Check a request's own bound on its run. Raises NodeError 400 for one beyond the node's."""
    if max_seconds is None or max_seconds <= settings.action_timeout_s:
        return
    limit = f"is more than the limit of {settings.action_timeout_s:g} seconds (action_timeout_s)"
    raise NodeError(
        ErrorCode.BAD_REQUEST,
        f"max_seconds {limit}.",
        fix="Send a smaller number, or leave max_seconds out: the node's own limit holds then.",
        details={"fields": {"max_seconds": limit}},
    )


def params_are_flat(params: dict[str, JsonValue] | None, settings: ActionSettings) -> bool:
    """Return whether they are a few short texts and nothing else, and so within every limit that an operator may set."""
    if params is None:
        return True
    # Most requests: they are spared the general check below.
    left = min(settings.action_params_bytes // _CHARACTER_BYTES, _INLINE_PARAMS) - _CHARACTER_BYTES * len(params)
    for name, value in params.items():
        if type(value) is not str:
            return False
        left -= len(name) + len(value)
    return left >= 0


async def check_params(params: dict[str, JsonValue] | None, settings: ActionSettings, client: ClientTime) -> None:
    """Check depth and size: of few values here, else in a thread, a hundred milliseconds for the largest.

    Raises NodeError 400 for params that are nested too deeply or hold what is no JSON, or an integer that JavaScript
    rounds, 413 for too many bytes.
    """
    if not _are_few(params):
        # A thread alone bounds nothing: C code that walks the values holds the interpreter lock until it returns.
        await client.turn()
        await client.in_thread(partial(_check, params, settings))
    elif settings.action_params_bytes < _INLINE_PARAMS_BYTES:
        _check(params, settings)
    else:
        # So few never take so many bytes: they need not be written to be measured.
        _check_shape(params)


def _are_few(params: dict[str, JsonValue] | None) -> bool:
    """Return whether few values, of few characters, would be looked at; so many are looked at here, and no more."""
    left = _INLINE_PARAMS
    waiting: list[JsonValue] = [params]
    while waiting and left > 0:
        value = waiting.pop()
        left -= 1 + (len(value) if isinstance(value, _SIZED) else 0)
        if isinstance(value, dict) and left > 0:
            left -= sum(map(len, value))
            waiting += value.values()
        elif isinstance(value, list) and left > 0:
            waiting += value
    return left > 0


def _check_shape(params: dict[str, JsonValue] | None) -> None:
    try:
        require_plain(params, PARAMS_DEPTH_MAX, INTEGER_MAX)
    except ValueError as error:
        raise NodeError(
            ErrorCode.BAD_REQUEST,
            f"js_params {error}.",
            fix="Send js_params as plain JSON; a larger integer, and what is nested deeper, can be sent as a text.",
            details={"fields": {"js_params": str(error)}},
        ) from None


def _check(params: dict[str, JsonValue] | None, settings: ActionSettings) -> None:
    # The shape first: `json.dumps` recurses, and would end with RecursionError on what is too deep.
    _check_shape(params)
    # Half a surrogate pair has no UTF-8 form: it is counted as one byte.
    written = json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    if len(written) > settings.action_params_bytes:
        raise too_large("js_params", settings.action_params_bytes)
