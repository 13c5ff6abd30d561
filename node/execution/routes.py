"""HTTP endpoints POST /svc_action, POST /get_svc_action_ipfs_id and POST /explain."""

from collections.abc import Awaitable, Callable
from typing import Final

from node.api.calls import Call
from node.api.errors import ErrorCode
from node.execution.authority import ExplainService
from node.execution.models import (
    CORRELATION_ID,
    REQUEST_ID,
    ActionSource,
    ExplainAnswer,
    ExplainRequest,
    Order,
    SvcActionAnswer,
    SvcActionRequest,
)
from node.execution.service import ExecutionService
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Endpoint, Limits, Operation
from node.runtime.limits import Gate

AUTHORISED_AT: Final = "X-Authorized-At-Block"
_TAG: Final = "Execution"
_JSON_ESCAPE_BYTES: Final = 6
"""Maximum JSON bytes of one byte, which a control character takes."""
_ERROR_BYTES: Final = _JSON_ESCAPE_BYTES * 2 * 65_536 + 4_096
"""Bytes of an error's message and stack, cut to 65,536 characters each, and its name."""
_BESIDE_BYTES: Final = 4_096
"""Bytes of names and numbers in the response."""

Reach = Callable[[int], Awaitable[object]]
"""Waits until the chain reaches that block. Raises NodeError `chain_unavailable`."""


def endpoints(service: ExecutionService, gate: Gate, reach: Reach, largest_answer_bytes: int) -> list[AnyEndpoint]:
    """Return the execution endpoints; `gate` bounds how many actions one account runs at a time."""
    return [_svc_action(service, gate, reach, largest_answer_bytes), _get_svc_action_ipfs_id(service)]


def largest_answer_bytes(response_bytes: int, log_bytes: int) -> int:
    """Returns the longest body of svc_action for these sizes of response (JSON) and logs."""
    return max(response_bytes, _ERROR_BYTES) + _JSON_ESCAPE_BYTES * log_bytes + _BESIDE_BYTES


def _svc_action(service: ExecutionService, gate: Gate, reach: Reach, largest_answer_bytes: int) -> AnyEndpoint:
    def order(call: Call, request: SvcActionRequest) -> Order:
        # `SvcHeaders` has these two and no client header, which could be its key.
        headers = {REQUEST_ID: call.request_id}
        if call.correlation_id is not None:
            headers[CORRELATION_ID] = call.correlation_id
        return Order(call.caller, request, headers, call.may_reread, call.note, call.attempt)

    async def handle(call: Call, request: SvcActionRequest) -> SvcActionAnswer:
        executed = await service.run(order(call, request))
        # Stored with the response, which is shown again only to callers with these wallets.
        call.wallets_used = executed.wallets
        call.headers[AUTHORISED_AT] = str(executed.authorised_at_block)
        # The response may contain a key, so no cache may store it (spec 2.5).
        call.headers["Cache-Control"] = "no-store"
        return executed.answer

    async def authorise(call: Call, request: SvcActionRequest) -> None:
        await service.authorise(order(call, request), call.wallets_used)

    async def until_known(request: SvcActionRequest) -> bool:
        # A key that a later block creates is unknown until this node reads that block.
        if not request.min_block:
            return False
        await reach(request.min_block)
        return True

    return Endpoint(
        Operation("POST", "/svc_action", SvcActionRequest, SvcActionAnswer, handle, until_known),
        Docs(
            "Run an action",
            "`code` defines `main`, which is called with `js_params`. A usage key needs a group in "
            "`execute_in_groups` that lists the action, or `[0]`. Billed per started second; `max_seconds` (at most the node's `action_timeout_s`) ends the run "
            "with `ActionTimeout` and bounds its charge. A disconnect cancels the run, and what ran is charged; with an "
            "`Idempotency-Key` a run that has begun goes on, and its answer is kept for a repetition. What the action does wrong "
            "is an answer with `has_error`.",
            {"code": "async function main({ name }) { return `hello ${name}`; }", "js_params": {"name": "world"}},
            {AUTHORISED_AT: "the block at which the run was authorised"},
        ),
        _TAG,
        # The run is authorised on the cached view anyway; a live read would add a round trip.
        Access(Auth.ANY_KEY, cached_caller=True),
        frozenset(
            {
                ErrorCode.PAYMENT_REQUIRED,
                ErrorCode.FORBIDDEN,
                ErrorCode.PAYLOAD_TOO_LARGE,
                ErrorCode.TOO_MANY_REQUESTS,
                ErrorCode.RUNNER_UNAVAILABLE,
                ErrorCode.CHAIN_UNAVAILABLE,
                ErrorCode.BILLING_UNAVAILABLE,
                ErrorCode.TEE_UNAVAILABLE,
            }
        ),
        authorise,
        limits=Limits(
            takes_code=True,
            largest_answer_bytes=largest_answer_bytes,
            account_gate=gate,
            # No client reads the response then, and each further second costs the account (5.5).
            cancel_on_disconnect=True,
            is_paid=lambda answer: isinstance(answer, SvcActionAnswer) and answer.charged_cents > 0,
        ),
    )


def _get_svc_action_ipfs_id(service: ExecutionService) -> AnyEndpoint:
    async def handle(_: Call, source: ActionSource) -> str:
        return await service.cid_of(source.root)

    return Endpoint(
        Operation("POST", "/get_svc_action_ipfs_id", ActionSource, str, handle),
        Docs(
            "The CID of a source",
            "The body is the source as a bare JSON string; the answer is its CIDv0, as IPFS makes it.",
            "async function main() { return 1; }",
        ),
        _TAG,
        Access(Auth.NONE),
        frozenset({ErrorCode.PAYLOAD_TOO_LARGE}),
        limits=Limits(takes_code=True),
    )


def explain_endpoint(service: ExplainService) -> AnyEndpoint:
    """Returns the endpoint that explains what a key may run."""

    async def handle(call: Call, request: ExplainRequest) -> ExplainAnswer:
        return await service.explain(call.caller, request)

    return Endpoint(
        Operation("POST", "/explain", ExplainRequest, ExplainAnswer, handle),
        Docs(
            "May this key run an action, and why",
            "Asks about the key that calls: may it run the action named by exactly one of `code` and "
            "`action_ipfs_cid`, and use the wallet `pkp_id` in it. Decided at the head of the chain; a denial is a 200. "
            "`group` is the group the decision rests on (`0`: the grant of every group), or the one in which `missing` "
            "would turn it. Free.",
            {"action_ipfs_cid": "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG", "pkp_id": "0"},
        ),
        _TAG,
        Access(Auth.ANY_KEY),
        frozenset({ErrorCode.NOT_FOUND}),
        limits=Limits(takes_code=True),
    )
