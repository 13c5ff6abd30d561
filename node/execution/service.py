"""Running an action: authorise, set credit aside, run, settle what ran (architecture.md, "run an action")."""

import asyncio
import json
import uuid
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from pydantic import JsonValue

from node.billing.charge import Charge
from node.billing.pricing import Prices
from node.chain.port import Authorisations, MayReread
from node.engine.cid import cid_of_source
from node.engine.egress.egress import Egress
from node.engine.egress.fetch_calls import FetchCalls
from node.engine.json_shape import require_plain
from node.engine.port import ActionJob, ActionOutcome, Engine, StopReason
from node.errors import ErrorCode, NodeError
from node.execution.authority import Authority
from node.execution.host_calls import ActionCalls
from node.execution.limits import ExecutionLimits
from node.execution.meter import Meter, Time
from node.execution.metrics import ExecutionObserver
from node.execution.models import SvcActionAnswer, SvcActionError, SvcActionRequest
from node.execution.wallet_keys import Derivation, WalletKeys
from node.keyring.port import Keyring
from node.ledger.port import Ledger
from node.permissions.grants import Caller
from node.values import hash_of_text, u256_hex

REQUEST_ID: Final = "X-Request-Id"
CORRELATION_ID: Final = "X-Correlation-Id"
_MILLISECONDS: Final = 1000
_LIMIT_NAMES: Final = frozenset(StopReason)
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

    `may_reread` takes one of the client's re-reads of cached denials.
    """

    caller: Caller
    request: SvcActionRequest
    headers: Mapping[str, str]
    may_reread: MayReread


@dataclass(frozen=True, slots=True)
class Executed:
    """The answer, and the block at which the run was authorised."""

    answer: SvcActionAnswer
    authorised_at_block: int


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
        self._tasks: set[asyncio.Task[Executed]] = set()
        self._runs: set[_Run] = set()
        self._stopping = False

    async def cid_of(self, source: str) -> str:
        """CIDv0 of a source. Raises NodeError 400 and `payload_too_large`."""
        if len(source) > self._limits.code_bytes:
            raise _too_large("The code", self._limits.code_bytes)
        if len(source) > self._limits.inline_cid_bytes:
            cid = await asyncio.to_thread(cid_of_source, source)
        else:
            cid = cid_of_source(source)
        if len(source.encode()) > self._limits.code_bytes:
            raise _too_large("The code", self._limits.code_bytes)
        return cid

    async def run(self, order: Order) -> Executed:
        """Run an action. Cancelled, it is killed and what ran is charged.

        Whatever the action does wrong is an answer with `has_error`. Raises NodeError 400, 401, 402, 403, 413, 429
        and, for the node's own faults, 5xx; none of them is charged.
        """
        _check_params(order.request.js_params, self._limits)
        cid = await self.cid_of(order.request.code)
        decision = await self._authority.authorise(
            order.caller, hash_of_text(cid), order.request.min_block, order.may_reread
        )
        return await self._to_its_end(self._execute(order, cid, decision.block_number))

    async def stop(self) -> None:
        """The node stops: end what runs at once, each answered with its logs so far and charged; begin no more."""
        self._stopping = True
        for run in self._runs:
            run.end()

    async def close(self) -> None:
        """Kill what runs, charge what ran, and wait until that is done."""
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _to_its_end(self, work: Coroutine[None, None, Executed]) -> Executed:
        """The run has a task of its own, so that a client that hangs up twice cannot interrupt the settling."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    def _forget(self, task: "asyncio.Task[Executed]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # seen here, since the client that waited for it may be gone

    async def _execute(self, order: Order, cid: str, block_number: int) -> Executed:
        if self._stopping:
            raise _stopping()
        run = _Run(self._parts, self._limits, self._time, self._prices, order, cid)
        self._runs.add(run)
        try:
            return Executed(await run.to_answer(), block_number)
        finally:
            self._runs.discard(run)


class _Run:
    """One authorised run, from the first reservation to the settlement."""

    def __init__(
        self,
        parts: ExecutionParts,
        limits: ExecutionLimits,
        time: Time,
        prices: Prices,
        order: Order,
        cid: str,
    ) -> None:
        self._parts = parts
        self._limits = limits
        self._time = time
        self._order = order
        self._cid = cid
        self._id = uuid.uuid4().hex
        self._meter = Meter(parts.ledger, prices, Charge.of(order.caller, 0).spender, self._id)
        self._stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        self._turned_away: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._dispatched = asyncio.Event()
        self._began_at = 0.0
        min_block = order.request.min_block or 0
        wallets = WalletKeys(
            parts.authorisations, parts.derivation, order.caller, hash_of_text(cid), min_block, order.may_reread
        )
        self._calls = ActionCalls(wallets, parts.keyring, cid, limits, self._stop)
        self._fetches = FetchCalls(self._calls, parts.egress, order.caller.master_hash, self._stop)

    def end(self) -> None:
        """End it now: with its logs so far, or uncharged where no process has taken it yet."""
        if self._dispatched.is_set():
            if not self._stop.done():
                self._stop.set_result(StopReason.NODE_STOPPING)
        elif not self._turned_away.done():
            self._turned_away.set_exception(_stopping())
            self._turned_away.exception()  # seen, also where nobody waits for it yet

    async def to_answer(self) -> SvcActionAnswer:
        await self._reserve()
        self._parts.observer.started()
        try:
            outcome = await self._run_metered()
        except asyncio.CancelledError:
            await _uninterrupted(self._close("cancelled", self._elapsed_ms(), self._settle_cancelled()))
            raise
        except BaseException:
            await _uninterrupted(self._close("node_fault", self._elapsed_ms(), self._give_back()))
            raise
        settling = self._meter.settle(outcome.duration_ms)
        charged_cents = await _uninterrupted(self._close(_result(outcome), outcome.duration_ms, settling))
        return _answer(outcome, charged_cents)

    async def _close(self, result: str, duration_ms: float, settling: Coroutine[None, None, int]) -> int:
        """Settle, and note the end whatever becomes of that; the cents that were charged."""
        charged_cents = 0
        try:
            charged_cents = await settling
        finally:
            self._note(result, duration_ms, charged_cents)
        return charged_cents

    async def _give_back(self) -> int:
        await self._meter.release()
        return 0

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
        job = ActionJob(request.code, request.js_params or {}, self._order.headers, account)
        running = asyncio.create_task(self._run_with_fetches(job))
        paying = asyncio.create_task(self._pay())
        try:
            ends: set[asyncio.Future[ActionOutcome] | asyncio.Future[None]] = {running, paying, self._turned_away}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._turned_away.done():
                self._turned_away.result()
            if paying.done():
                paying.result()
            return await running
        finally:
            running.cancel()
            paying.cancel()
            await asyncio.gather(running, paying, return_exceptions=True)

    async def _run_with_fetches(self, job: ActionJob) -> ActionOutcome:
        async with self._fetches as calls:
            return await self._parts.engine.run(job, calls, self._stop, self._begin)

    def _begin(self) -> None:
        self._began_at = self._time.clock()
        self._dispatched.set()

    async def _pay(self) -> None:
        await self._dispatched.wait()
        await self._meter.follow(self._stop, self._limits.funds_lead_s, self._time)

    def _elapsed_ms(self) -> float:
        return (self._time.clock() - self._began_at) * _MILLISECONDS if self._dispatched.is_set() else 0.0

    async def _settle_cancelled(self) -> int:
        if self._dispatched.is_set():
            return await self._meter.settle(self._elapsed_ms())
        return await self._give_back()

    def _note(self, result: str, duration_ms: float, charged_cents: int) -> None:
        self._parts.observer.ended(result, duration_ms / _MILLISECONDS)
        _log.info(
            "action_executed",
            execution_id=self._id,
            account=u256_hex(self._order.caller.master_hash),
            cid=self._cid,
            result=result,
            duration_ms=round(duration_ms, 3),
            charged_cents=charged_cents,
            key_operations=self._calls.key_operations,
            outbound_requests=self._fetches.requests,
            request_id=self._order.headers.get(REQUEST_ID),
        )


async def _uninterrupted(work: Coroutine[None, None, int]) -> int:
    """Do `work` to its end also when cancelled meanwhile, and be cancelled after it."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def _result(outcome: ActionOutcome) -> str:
    """How it ended, from a closed set: an action can name its own errors as it likes, even after a secret."""
    if outcome.error is None:
        return "ok"
    return outcome.error.name if outcome.error.name in _LIMIT_NAMES else "error"


def _answer(outcome: ActionOutcome, charged_cents: int) -> SvcActionAnswer:
    # Not looked at once more: the parts are of these types, and a large response would hold everybody up.
    return SvcActionAnswer.model_construct(
        response=outcome.response,
        logs=outcome.logs,
        has_error=outcome.error is not None,
        error=None if outcome.error is None else SvcActionError.of(outcome.error),
        duration_ms=round(outcome.duration_ms, 3),
        charged_cents=charged_cents,
    )


def _check_params(params: dict[str, JsonValue] | None, limits: ExecutionLimits) -> None:
    try:
        require_plain(params, limits.params_depth)
    except ValueError as error:
        message = f"js_params {error}"
        raise NodeError(ErrorCode.BAD_REQUEST, f"{message}.", details={"fields": {"js_params": str(error)}}) from None
    if (
        len(json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))
        > limits.params_bytes
    ):
        raise _too_large("js_params", limits.params_bytes)


def _stopping() -> NodeError:
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node is stopping.",
        fix="Send the request again; nothing was charged.",
        retry_after_s=5,
    )


def _too_large(what: str, bytes_max: int) -> NodeError:
    return NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"{what} may have at most {bytes_max} bytes.")
