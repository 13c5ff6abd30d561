"""Running an action: authorise, set credit aside, run, settle what ran (architecture.md, "run an action")."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog
from pydantic import JsonValue

from node.billing.charge import spender_of
from node.billing.ledger_retries import LedgerRetries
from node.billing.pricing import Prices
from node.chain.port import Authorisation, Authorisations, MayReread
from node.chain.read_meter import metered
from node.engine.egress.egress import Egress
from node.engine.egress.fetch_calls import FetchCalls
from node.engine.json_shape import require_plain
from node.engine.port import ActionJob, ActionOutcome, Engine, StopReason
from node.execution.authority import Authority
from node.execution.host_calls import ActionCalls
from node.execution.limits import ExecutionLimits
from node.execution.meter import Charged, Meter, Time
from node.execution.metrics import ExecutionObserver
from node.execution.models import SvcActionAnswer, SvcActionError, SvcActionRequest
from node.execution.programs import Program, Programs, too_large
from node.execution.wallet_keys import Derivation, WalletKeys
from node.http.endpoint import Note, not_noted
from node.http.errors import DomainError, ErrorCode, NodeError, as_node_error, forbidden
from node.http.rate import HOUR_S, RateLimiter
from node.keyring.port import Keyring
from node.ledger.port import Ledger
from node.permissions.decisions import Denial, Missing
from node.permissions.grants import Caller
from node.runtime.cancel_scope import CancelScope
from node.runtime.processor_time import ProcessorShares
from node.runtime.unique_ids import UniqueIds
from node.values import u256_hex

REQUEST_ID: Final = "X-Request-Id"
CORRELATION_ID: Final = "X-Correlation-Id"
_MILLISECONDS: Final = 1000
_INLINE_PARAMS: Final = 4096
"""Values and characters of `js_params` that are checked on the event loop, in well under a millisecond; more in a thread."""
_INLINE_PARAMS_BYTES: Final = 128 * _INLINE_PARAMS
"""More than so many values and characters take as JSON: a number has at most 101 bytes, a character 6, each a comma."""
_SIZED: Final = (str, list, dict)
_LIMIT_NAMES: Final = frozenset(StopReason)
_MAX_TRACKED_ACCOUNTS: Final = 100_000
"""Accounts whose allowance is not whole. Each had credit, and met a fault of the node within the hour."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ExecutionParts:
    """What running an action stands on."""

    authorisations: Authorisations
    derivation: Derivation
    engine: Engine
    keyring: Keyring
    ledger: Ledger
    observer: ExecutionObserver
    egress: Egress


@dataclass(frozen=True, slots=True)
class Order:
    """One run: who asks for what. `headers` are what the action finds in `SvcHeaders`.

    `may_reread` takes one of the client's re-reads of cached denials. `note` adds fields to the log line of the request.
    """

    caller: Caller
    request: SvcActionRequest
    headers: Mapping[str, str]
    may_reread: MayReread
    note: Note = not_noted


@dataclass(frozen=True, slots=True)
class Executed:
    """The answer, the block at which the run was authorised, and the addresses of the wallets that it used."""

    answer: SvcActionAnswer
    authorised_at_block: int
    wallets: Sequence[str]


class ExecutionService:
    """Runs actions for callers; `close` it before its engine and its ledger."""

    def __init__(
        self,
        parts: ExecutionParts,
        authority: Authority,
        prices: Prices,
        limits: ExecutionLimits | None = None,
        time: Time | None = None,
    ) -> None:
        self._parts = parts
        self._authority = authority
        self._prices = prices
        self._limits = limits or ExecutionLimits()
        self._time = time or Time()
        self._tasks: set[asyncio.Task[SvcActionAnswer]] = set()
        self._runs: set[_Run] = set()
        self._stopping = False
        self._allowance = RateLimiter(
            "uncharged seconds", self._limits.uncharged_s_per_hour, HOUR_S, self._time.clock, _MAX_TRACKED_ACCOUNTS
        )
        self._retries = LedgerRetries()
        self._shares = ProcessorShares()
        self._ids = UniqueIds()
        self._programs = Programs(self._limits)

    async def cid_of(self, source: str) -> str:
        """CIDv0 of a source. Raises NodeError 400 and `payload_too_large`."""
        return (await self._programs.of(source)).cid

    async def run(self, order: Order) -> Executed:
        """Run an action. Cancelled, it is killed and what ran is charged.

        Whatever the action does wrong is an answer with `has_error`. Raises NodeError 400, 401, 402, 403, 413, 429
        and, for the node's own faults, 5xx. Nothing is charged for what did not begin to run; where it had begun,
        `details.charged_cents` says what is.
        """
        params = order.request.js_params
        if _is_small(params):
            _check_small_params(params, self._limits)
        else:  # in Python, value by value: a hundred milliseconds for the largest, before anything is paid for
            client = self._shares.of(order.caller.master_hash)
            await client.turn()
            await client.in_thread(partial(_check_params, params, self._limits))
        program, decision = await self._authorised(order)
        if self._stopping:
            raise _stopping()
        paid_by = Charged(self._ids.ordered(), program.cid, order.headers.get(REQUEST_ID))
        spender = spender_of(order.caller)
        meter = Meter(self._parts.ledger, self._prices, spender, paid_by, self._allowance, self._retries)
        wallets = self._wallets(order, program)
        run = _Run(self._parts, self._limits, self._time, order, paid_by, meter, wallets)
        answer = await self._to_its_end(run)
        return Executed(answer, decision.block_number, sorted(wallets.used))

    async def authorise(self, order: Order, wallets: Sequence[str]) -> None:
        """Pass when the caller may run the action now and use each of these wallets in it.

        Raises NodeError 401, 403, 413 and `chain_unavailable`.
        """
        program, _ = await self._authorised(order)
        keys = self._wallets(order, program)
        for wallet in wallets:
            if not await keys.may_use(wallet):
                raise forbidden(Denial(Missing.WALLET_IN_GROUP), order.caller)

    async def _authorised(self, order: Order) -> tuple[Program, Authorisation]:
        """What names the code, and the decision that lets the caller run it. Raises NodeError 401, 403, 413, 503."""
        program, request = await self._programs.of(order.request.code), order.request
        decision = await self._authority.authorise(
            order.caller, program.action_hash, request.min_block, order.may_reread
        )
        return program, decision

    def _wallets(self, order: Order, program: Program) -> WalletKeys:
        parts, min_block = self._parts, order.request.min_block or 0
        caller, may_reread = order.caller, order.may_reread
        return WalletKeys(parts.authorisations, parts.derivation, caller, program.action_hash, min_block, may_reread)

    async def stop(self) -> None:
        """The node stops: end what runs at once, each answered with its logs so far and charged; begin no more."""
        self._stopping = True
        for run in self._runs:
            run.end()

    async def close(self) -> None:
        """Kill what runs, charge what ran, and wait until that is done."""
        for run in self._runs:
            run.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)
        if given_up := await self._retries.close():
            _log.error("executions_not_charged", executions=given_up, fix="the ledger was out when the node stopped")

    async def _to_its_end(self, run: "_Run") -> SvcActionAnswer:
        """The run has a task of its own, so that a client that hangs up twice cannot interrupt the settling."""
        task, ended = run.start(), asyncio.get_running_loop().create_future()
        self._runs.add(run)
        self._tasks.add(task)
        task.add_done_callback(partial(self._forget, run, ended))
        try:
            await ended
        except asyncio.CancelledError:
            run.cancel()
            raise
        return task.result()

    def _forget(self, run: "_Run", ended: "asyncio.Future[None]", task: "asyncio.Task[SvcActionAnswer]") -> None:
        self._runs.discard(run)
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # seen here, since the client that waited for it may be gone
        if not ended.done():
            ended.set_result(None)


class _Run:
    """One authorised run, from the first reservation to the settlement."""

    def __init__(
        self,
        parts: ExecutionParts,
        limits: ExecutionLimits,
        time: Time,
        order: Order,
        paid_by: Charged,
        meter: Meter,
        wallets: WalletKeys,
    ) -> None:
        self._parts = parts
        self._limits = limits
        self._time = time
        self._order = order
        self._cid = paid_by.cid
        self._id = paid_by.execution_id
        self._meter = meter
        self._stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        self._interruption = CancelScope()
        self._task: asyncio.Task[SvcActionAnswer] | None = None
        self._closing = False
        self._began_at: float | None = None
        self._payments: asyncio.TimerHandle | None = None
        self._paying: asyncio.Task[None] | None = None
        self._calls = ActionCalls(wallets, parts.keyring, self._cid, limits, self._stop)
        self._fetches = FetchCalls(self._calls, parts.egress, order.caller.master_hash, self._stop)

    def start(self) -> "asyncio.Task[SvcActionAnswer]":
        """Run it, once."""
        with metered(None):  # what a run reads is paid for by the second, and bounded by its key operations
            self._task = asyncio.create_task(self._to_answer())
        return self._task

    def cancel(self) -> None:
        """Kill it, and charge what ran; where that is being done already it is done to its end."""
        if self._task is not None and not self._closing and not self._task.cancelling():
            self._task.cancel()

    def end(self) -> None:
        """End it now: with its logs so far, or uncharged where no process has taken it yet."""
        if self._began_at is None:
            self._interruption.end(_stopping())
        elif not self._stop.done():
            self._stop.set_result(StopReason.NODE_STOPPING)

    async def _to_answer(self) -> SvcActionAnswer:
        await self._reserve()
        self._parts.observer.started()
        try:
            outcome = await self._run_metered()
        except asyncio.CancelledError:
            await self._settle_cancelled(self._elapsed_ms())
            raise
        except Exception as error:
            raise await self._settle_fault(error, "node_fault", self._elapsed_ms()) from error
        self._closing = True
        try:
            charged_cents = await self._meter.settle(outcome.duration_ms)
        except Exception as error:
            # The answer is not given: the client would take it for paid. It is told what will be charged.
            raise await self._settle_fault(error, _result(outcome), outcome.duration_ms) from error
        self._note(_result(outcome), outcome.duration_ms, charged_cents)
        return _answer(outcome, charged_cents, self._order.request.code)

    async def _settle_fault(self, error: Exception, result: str, duration_ms: float) -> Exception:
        """Charge a run that the node could not end as it should. Returns the error to be raised."""
        self._closing = True
        if self._began_at is None:
            await self._meter.release_or_later()
            self._note(result, 0.0, 0)
            return error
        charged_cents = await self._meter.settle_fault(duration_ms)
        self._note(result, duration_ms, charged_cents)
        if not isinstance(error, DomainError):
            _log.error("execution_failed", execution_id=self._id, exc_info=error)
        return _fault(error, duration_ms, charged_cents)

    async def _settle_cancelled(self, duration_ms: float) -> None:
        self._closing = True
        charged_cents = 0
        if self._began_at is None:
            await self._meter.release_or_later()
        else:
            charged_cents = await self._meter.settle_or_later(duration_ms)
        self._note("cancelled", duration_ms, charged_cents)

    async def _reserve(self) -> None:
        try:
            await self._meter.reserve()
        except BaseException:
            # Cancelled or failed half way, the ledger may hold it all the same.
            await self._meter.release()
            raise

    async def _run_metered(self) -> ActionOutcome:
        request = self._order.request
        account = self._order.caller.master_hash
        job = ActionJob(request.code, request.js_params or {}, self._order.headers, account, cid=self._cid)
        try:
            with self._interruption:
                async with self._fetches as calls:
                    return await self._parts.engine.run(job, calls, self._stop, self._begin)
        finally:
            await self._end_payments()

    def _begin(self) -> None:
        self._began_at = self._time.clock()
        # Most runs end within what is set aside already: only then is there a task that pays.
        first_s = max(0.0, 1.0 - self._limits.funds_lead_s)
        self._payments = asyncio.get_running_loop().call_later(first_s, self._go_on_paying, self._began_at)

    def _go_on_paying(self, began_at: float) -> None:
        paying = self._meter.follow(self._stop, self._limits.funds_lead_s, self._time, began_at)
        self._paying = asyncio.create_task(paying)
        self._paying.add_done_callback(self._paid)

    def _paid(self, paying: "asyncio.Task[None]") -> None:
        error = None if paying.cancelled() else paying.exception()
        if isinstance(error, Exception):
            self._interruption.end(error)

    async def _end_payments(self) -> None:
        if self._payments is not None:
            self._payments.cancel()
        if self._paying is not None:
            self._paying.cancel()
            await asyncio.gather(self._paying, return_exceptions=True)

    def _elapsed_ms(self) -> float:
        return 0.0 if self._began_at is None else (self._time.clock() - self._began_at) * _MILLISECONDS

    def _note(self, result: str, duration_ms: float, charged_cents: int) -> None:
        self._parts.observer.ended(result, duration_ms / _MILLISECONDS)
        fields = {
            "execution_id": self._id,
            "account": u256_hex(self._order.caller.master_hash),
            "cid": self._cid,
            "result": result,
            "ran_ms": round(duration_ms, 3),
            "charged_cents": charged_cents,
            "key_operations": self._calls.key_operations,
            "outbound_requests": self._fetches.requests,
        }
        if not self._order.note(fields):  # the request has ended, and its line is written: its client hung up
            _log.info("action_executed", request_id=self._order.headers.get(REQUEST_ID), **fields)


def _result(outcome: ActionOutcome) -> str:
    """How it ended, from a closed set: an action can name its own errors as it likes, even after a secret."""
    if outcome.error is None:
        return "ok"
    return outcome.error.name if outcome.error.name in _LIMIT_NAMES else "error"


def _answer(outcome: ActionOutcome, charged_cents: int, code: str) -> SvcActionAnswer:
    # Not looked at once more: the parts are of these types, and a large response would hold everybody up.
    return SvcActionAnswer.model_construct(
        response=outcome.response,
        logs=outcome.logs,
        has_error=outcome.error is not None,
        error=None if outcome.error is None else SvcActionError.of(outcome.error, code),
        duration_ms=round(outcome.duration_ms, 3),
        charged_cents=charged_cents,
    )


def _fault(error: Exception, duration_ms: float, charged_cents: int) -> NodeError:
    """Error of a run that the node's fault ended after it had begun; it says what is charged."""
    if not isinstance(error, DomainError):
        error = NodeError(ErrorCode.INTERNAL_ERROR, "The node failed while it ran the action.")
    fault = as_node_error(error)
    charged = "nothing is charged"
    if charged_cents:
        charged = (
            f"{charged_cents} cent{'s' * (charged_cents > 1)} charged, beyond what is free when the node is at fault"
        )
    return NodeError(
        fault.code,
        fault.message,
        fix=" ".join(filter(None, (fault.fix, f"For what ran: {charged}."))),
        details={**fault.details, "ran_ms": round(duration_ms, 3), "charged_cents": charged_cents},
        retry_after_s=fault.retry_after_s,
    )


def _is_small(params: dict[str, JsonValue] | None) -> bool:
    """Whether few values, of few characters, would be looked at; so many are looked at here, and no more."""
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


def _check_small_params(params: dict[str, JsonValue] | None, limits: ExecutionLimits) -> None:
    """The same; how many bytes they take is looked at only where so few could be too many."""
    if limits.params_bytes < _INLINE_PARAMS_BYTES:
        _check_params(params, limits)
    else:
        _check_shape(params, limits)


def _check_shape(params: dict[str, JsonValue] | None, limits: ExecutionLimits) -> None:
    try:
        require_plain(params, limits.params_depth)
    except ValueError as error:
        message = f"js_params {error}"
        raise NodeError(
            ErrorCode.BAD_REQUEST,
            f"{message}.",
            fix="Send js_params as plain JSON; what is nested deeper can be sent as a JSON text.",
            details={"fields": {"js_params": str(error)}},
        ) from None


def _check_params(params: dict[str, JsonValue] | None, limits: ExecutionLimits) -> None:
    """Raises NodeError 400 for params that are nested too deeply or hold what is no JSON, 413 for too many bytes."""
    _check_shape(params, limits)
    if (
        len(json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))
        > limits.params_bytes
    ):
        raise too_large("js_params", limits.params_bytes)


def _stopping() -> NodeError:
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node is stopping.",
        fix="Send the request again.",
        retry_after_s=5,
    )
