"""Requests and responses of running and explaining an action, and checks of parameters.

Advice for actions written as modules is here too, since responses contain it.
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
"""Maximum nesting in `js_params`, beyond which some JSON readers fail."""
INTEGER_MAX: Final = 2**53 - 1
"""Largest exact integer of JavaScript, which would sign 9007199254740993 as …992."""
_INLINE_PARAMS: Final = 4096
"""Maximum values and characters of `js_params` that are checked on the event loop (< 1 ms)."""
_INLINE_PARAMS_BYTES: Final = 128 * _INLINE_PARAMS
"""Upper bound of their JSON. A number takes 101 bytes, a character 6, and each a comma."""
_CHARACTER_BYTES: Final = 6
"""Maximum JSON bytes of a character, and of the punctuation around a name and its text."""
_SIZED: Final = (str, list, dict)
BUNDLE_COMMAND: Final = (
    "npx esbuild action.js --bundle --minify --format=iife --global-name=bundle "
    '--footer:js="var main = bundle.main;" --outfile=bundled.js'
)
"""Command of docs/actions.md, which a test runs."""

_FIX: Final = (
    "An action is one script: it cannot import, export or require. Export `main`, bundle the file with what it imports "
    f"({BUNDLE_COMMAND}), and send bundled.js."
)
# Only at the beginning of a line, since strings and comments contain these words too.
_STATEMENT: Final = re.compile(r"^[ \t]*(?:import|export)\b", re.MULTILINE)
_SAID: Final = re.compile(r"\brequire'? is not defined|could not load module|import\.meta|unsupported keyword: export")
_CODE_READ: Final = 16 * 1024
"""Maximum characters searched: imports come first, and 4 MiB would take long."""
_MESSAGE_READ: Final = 200
_FIX_OF_KEPT: Final = (
    "This Idempotency-Key keeps this answer. Find out what the action did before you run it again, with a fresh one."
)


class SvcActionRequest(ManyValues, frozen=True, extra="forbid"):
    """`code` defines `main`, which is called with `js_params` (`{}` if null).

    `min_block` is the lowest block at which the run is authorised. `max_seconds` ends the run, at
    most after the node's `action_timeout_s`, and limits its charge.
    """

    code: StrictStr
    js_params: dict[str, JsonValue] | None = None
    min_block: Annotated[StrictInt, Field(ge=0, le=U64_MAX)] | None = None
    max_seconds: Annotated[StrictInt, Field(ge=1)] | None = None


class SvcActionError(BaseModel, frozen=True):
    """Error of the action; `stack` has its own line numbers. `fix` is advice, if any is known."""

    name: str
    message: str
    stack: str
    fix: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None

    @classmethod
    def of(cls, error: ActionError, code: str) -> "SvcActionError":
        """Returns the engine's error for the API; `code` decides the advice."""
        fix = bundling_advice(error.name, error.message, code)
        return cls(name=error.name, message=error.message, stack=error.stack, fix=fix)


class SvcActionAnswer(BaseModel, frozen=True):
    """Result of the action. `logs` has a line a call; `response` is null if `has_error`."""

    response: JsonValue
    logs: str
    has_error: bool
    error: Annotated[SvcActionError | None, Field(exclude_if=lambda value: value is None)] = None
    duration_ms: float
    charged_cents: int

    @classmethod
    def of(cls, outcome: ActionOutcome, charged_cents: int, code: str) -> "SvcActionAnswer":
        """Returns the engine's outcome for the API; `code` decides the advice."""
        # No validation: types are known, and a large response would block other requests.
        return cls.model_construct(
            response=outcome.response,
            logs=outcome.logs,
            has_error=outcome.error is not None,
            error=None if outcome.error is None else SvcActionError.of(outcome.error, code),
            duration_ms=round(outcome.duration_ms, 3),
            charged_cents=charged_cents,
        )


class ActionSource(RootModel[StrictStr], frozen=True):
    """The source of an action, as a bare JSON string."""


def bundling_advice(error_name: str, error_message: str, code: str) -> str | None:
    """Returns advice if an action failed because it is a module, else None."""
    if error_name not in {"SyntaxError", "ReferenceError"}:
        return None
    said = _SAID.search(error_message, 0, _MESSAGE_READ) is not None
    is_module = error_name == "SyntaxError" and _STATEMENT.search(code, 0, _CODE_READ) is not None
    return _FIX if said or is_module else None


class Order(NamedTuple):
    """Request to run an action, which finds `headers` in `SvcHeaders`.

    `may_reread` takes one of the client's re-reads of cached denials. `note` adds fields to the
    request's log line. `attempt` belongs to an Idempotency-Key, whose run begins once.
    """

    caller: Caller
    request: SvcActionRequest
    headers: Mapping[str, str]
    may_reread: MayReread
    note: Note = not_noted
    attempt: Attempt | None = None


class Executed(NamedTuple):
    """The response, the block of its authorisation, and the wallets that the run used."""

    answer: SvcActionAnswer
    authorised_at_block: int
    wallets: Sequence[str]


class ExplainRequest(EitherBody, frozen=True, extra="forbid"):
    """Asks whether its key may run this action, by source or CID, and use this wallet in it."""

    EITHER = ("code", "action_ipfs_cid")

    code: StrictStr | None = None
    action_ipfs_cid: ActionCid | None = None
    pkp_id: PkpId | None = None


class ExplainAnswer(BaseModel, frozen=True):
    """The decision and its reason at `block_number`.

    `group` of an allow is the deciding group, "0" for all groups, absent for the account key. Of a
    deny it is the group in which `missing` would permit it.
    """

    decision: Literal["allow", "deny"]
    group: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    missing: Annotated[Missing | None, Field(exclude_if=lambda value: value is None)] = None
    block_number: int
    price_cents_per_second: int


def too_large(what: str, bytes_max: int) -> NodeError:
    """Returns the error 413 for a part of a request."""
    return NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"{what} may have at most {bytes_max} bytes.")


def fault_of_run(error: Exception, duration_ms: float, charged_cents: int | None, *, is_kept: bool) -> NodeError:
    """Returns the error of a run that a fault of the node ended.

    It states the charge, or that it is unknown. `is_kept`: a repeated request gets it again.
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
    """Returns the error for requests that arrive while the node stops."""
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node is stopping.",
        fix="Send the request again.",
        retry_after_s=5,
    )


def check_max_seconds(max_seconds: int | None, settings: ActionSettings) -> None:
    """Checks a request's `max_seconds`. Raises NodeError 400 above the node's limit."""
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
    """Returns whether they are a few short texts, which no setting can refuse."""
    if params is None:
        return True
    # Most requests have such parameters and skip the general check below.
    left = min(settings.action_params_bytes // _CHARACTER_BYTES, _INLINE_PARAMS) - _CHARACTER_BYTES * len(params)
    for name, value in params.items():
        if type(value) is not str:
            return False
        left -= len(name) + len(value)
    return left >= 0


async def check_params(params: dict[str, JsonValue] | None, settings: ActionSettings, client: ClientTime) -> None:
    """Checks depth and size, of large parameters in a thread (at most 100 ms).

    Raises NodeError 400 for deep nesting, values that are no JSON and integers that JavaScript
    rounds, 413 for too many bytes.
    """
    if not _are_few(params):
        # Wait for a share first: C code in the thread holds the interpreter lock.
        await client.turn()
        await client.in_thread(partial(_check, params, settings))
    elif settings.action_params_bytes < _INLINE_PARAMS_BYTES:
        _check(params, settings)
    else:
        # They cannot reach the limit of bytes, so they need no encoding.
        _check_shape(params)


def _are_few(params: dict[str, JsonValue] | None) -> bool:
    """Returns whether few values and characters are found, after visiting at most that number."""
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
    # Check the shape first, since `json.dumps` raises RecursionError on deep nesting.
    _check_shape(params)
    # Half a surrogate pair has no UTF-8 form and counts as one byte.
    written = json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    if len(written) > settings.action_params_bytes:
        raise too_large("js_params", settings.action_params_bytes)
