"""Run of an action, from the first reservation to the settlement."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import structlog

from node.chain.read_meter import metered
from node.engine.egress.egress import Egress, FetchCalls
from node.engine.port import ActionJob, ActionOutcome, Engine, StopReason
from node.errors import DomainError
from node.execution.host_calls import ActionCalls, WalletKeys
from node.execution.meter import Charged, ExecutionMetrics, Meter
from node.execution.models import Order, SvcActionAnswer, SvcActionError
from node.http.errors import CHARGE_UNKNOWN, ErrorCode, NodeError, as_node_error
from node.keyring.port import Keyring
from node.runtime.cancel_scope import CancelScope
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet
from node.settings.execution import ActionSettings
from node.values import u256_hex

REQUEST_ID: Final = "X-Request-Id"
CORRELATION_ID: Final = "X-Correlation-Id"
FUNDS_LEAD_S: Final = 0.1
"""Time before a second begins at which its price is reserved: a ledger in another process takes milliseconds for it."""
_MILLISECONDS: Final = 1000
_FIX_OF_KEPT: Final = (
    "This Idempotency-Key keeps this answer. Find out what the action did before you run it again, with a fresh one."
)
_LIMIT_NAMES: Final = frozenset(StopReason)
_log = structlog.get_logger(__name__)


class SecondSeconds:
    """Tells each run that goes on when its first second, which is set aside, is about to end.

    Most runs end long before. So all of them share one timer, and one that ends leaves nothing but an empty place in
    the queue: they are due in the order in which they began.
    """

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._due: deque[tuple[float, list[Callable[[], None]]]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def await_end(self, go_on: Callable[[], None]) -> list[Callable[[], None]]:
        """Have `go_on` called then. Whoever ends before clears the list that this returns."""
        loop = asyncio.get_running_loop()
        place, due = [go_on], loop.time() + self._after_s
        self._due.append((due, place))
        if self._timer is None:
            self._timer = loop.call_at(due, self._wake)
        return place

    def _wake(self) -> None:
        loop, self._timer = asyncio.get_running_loop(), None
        while self._due and (not self._due[0][1] or self._due[0][0] <= loop.time()):
            _, place = self._due.popleft()
            for go_on in place:
                go_on()
        if self._due:
            self._timer = loop.call_at(self._due[0][0], self._wake)


class RunEnvironment(NamedTuple):
    """Components that all runs share. `endings` holds the settlements of runs whose clients are gone."""

    engine: Engine
    keyring: Keyring
    egress: Egress
    metrics: ExecutionMetrics
    settings: ActionSettings
    clock: Clock
    endings: TaskSet
    second_seconds: SecondSeconds


class Run:
    """Authorised run of an action, in the task that awaits `answer`. The task may be cancelled at any point.

    What has begun is paid for all the same: a cancelled run leaves its settlement to a task of its own, and the ledger
    ends each reservation once however often it is told.
    """

    def __init__(
        self, environment: RunEnvironment, order: Order, paid_by: Charged, meter: Meter, wallets: WalletKeys
    ) -> None:
        self._environment = environment
        self._order = order
        self._cid = paid_by.cid
        self._id = paid_by.execution_id
        self._meter = meter
        self._loop = asyncio.get_running_loop()
        self._stop: asyncio.Future[StopReason] = self._loop.create_future()
        self._interruption = CancelScope()
        self._task = asyncio.current_task()
        self._closing = False
        self._began_at: float | None = None
        self._payments: list[Callable[[], None]] | None = None
        self._paying: asyncio.Task[None] | None = None
        self._calls = ActionCalls(
            wallets, environment.keyring, self._cid, environment.settings.action_key_operations, self._stop
        )
        self._fetches = FetchCalls(self._calls, environment.egress, order.caller.master_hash, self._stop)

    def cancel(self) -> None:
        """Kill it, and charge what ran; where that is being done already it is done to its end."""
        # Once it is closing, the settlement is under way and must not be interrupted.
        if self._task is not None and not self._closing and not self._task.cancelling():
            self._task.cancel()

    def end(self, *, lets_once: bool = False) -> None:
        """End it now: with its logs so far, or uncharged where no process has taken it yet.

        `lets_once`: not if it has begun and never begins again.
        """
        # What has begun ends by `stop`, so that its answer, logs and charge reach the client (spec 5.4).
        if self._began_at is None:
            self._interruption.end(stopping())
        elif lets_once and self._order.attempt is not None:
            return
        elif not self._stop.done():
            self._stop.set_result(StopReason.NODE_STOPPING)

    async def answer(self) -> SvcActionAnswer:
        """Reserve, run and settle. Raises NodeError, CancelledError once what ran is on its way to the ledger."""
        # What a run reads of the chain is paid for by the second, and bounded by its key operations.
        with metered(None):
            await self._reserve()
            # Not before: whoever cannot pay is no run, and would never be counted as ended.
            self._environment.metrics.started()
            outcome = await self._outcome()
            self._closing = True
            return await self._settled(outcome)

    async def _outcome(self) -> ActionOutcome:
        try:
            return await self._run_metered()
        except asyncio.CancelledError:
            self._closing = True
            # A task of its own: this one is cancelled and can await nothing more. The time is taken now, not when it runs.
            self._environment.endings.start(self._settle_alone("cancelled", self._elapsed_ms()))
            raise
        except Exception as error:
            self._closing = True
            raise await self._to_its_end(error, "node_fault", self._elapsed_ms()) from error

    async def _settled(self, outcome: ActionOutcome) -> SvcActionAnswer:
        try:
            charged_cents = await self._meter.settle(outcome.duration_ms)
        except asyncio.CancelledError:
            # The client hung up on an action that had ended: it is charged as it ended, and once, whatever was begun here.
            self._environment.endings.start(self._settle_alone(_result(outcome), outcome.duration_ms))
            raise
        except Exception as error:
            # The answer is not given: the client would take it for paid. It is told what will be charged.
            raise await self._to_its_end(error, _result(outcome), outcome.duration_ms) from error
        self._note(_result(outcome), outcome.duration_ms, charged_cents)
        return _answer(outcome, charged_cents, self._order.request.code)

    async def _to_its_end(self, error: Exception, result: str, duration_ms: float) -> Exception:
        """Settle a fault in a task that a cancelled client cannot interrupt. Returns the error to be raised."""
        return await asyncio.shield(self._environment.endings.begin(self._settle_fault(error, result, duration_ms)))

    async def _settle_fault(self, error: Exception, result: str, duration_ms: float) -> Exception:
        """Charge a run that the node could not end as it should. Returns the error to be raised."""
        # No turn, no memory, no process: the error is the client's answer as it is, and nothing is charged.
        if self._began_at is None:
            await self._meter.release_or_later()
            self._note(result, 0.0, 0)
            return error
        charged_cents = await self._meter.settle_fault(duration_ms)
        self._note(result, duration_ms, charged_cents)
        # An unforeseen error is shown without its text, which may quote what is the client's.
        if not isinstance(error, DomainError):
            _log.error("execution_failed", execution_id=self._id, exc_info=error)
        return _fault(error, duration_ms, charged_cents, is_kept=self._order.attempt is not None)

    async def _settle_alone(self, result: str, duration_ms: float) -> None:
        """Settle a run whose client is gone."""
        charged_cents: int | None = 0
        if self._began_at is None:
            await self._meter.release_or_later()
        else:
            charged_cents = await self._meter.settle_or_later(duration_ms)
        self._note(result, duration_ms, charged_cents)

    async def _reserve(self) -> None:
        try:
            await self._meter.reserve()
        except BaseException:
            # Cancelled or failed half way, the ledger may hold it all the same. Nobody waits for the release: while the
            # database is out it takes as long again as the reservation did.
            self._environment.endings.start(self._meter.release_or_later())
            raise

    async def _run_metered(self) -> ActionOutcome:
        request = self._order.request
        account = self._order.caller.master_hash
        job = ActionJob(
            request.code,
            request.js_params or {},
            self._order.headers,
            account,
            cid=self._cid,
            max_seconds=request.max_seconds,
        )
        commit = None if self._order.attempt is None else partial(self._order.attempt.commit, self._id)
        try:
            with self._interruption:
                async with self._fetches as calls:
                    return await self._environment.engine.run(job, calls, self._stop, self._begin, commit)
        finally:
            await self._end_payments()

    def _begin(self) -> None:
        if self._order.attempt is not None:
            self._order.attempt.begin()
        # Here, not at the reservation: waiting for a place is not charged.
        self._began_at = self._environment.clock.monotonic()
        self._payments = self._environment.second_seconds.await_end(self._go_on_paying)

    def _go_on_paying(self) -> None:
        began_at = self._began_at or 0.0
        paying = self._meter.follow(self._stop, FUNDS_LEAD_S, began_at)
        # Of its own, since the timer that calls this may have been set in another request: as in `answer`.
        with metered(None):
            self._paying = asyncio.create_task(paying)
        self._paying.add_done_callback(self._paid)

    def _paid(self, paying: "asyncio.Task[None]") -> None:
        error = None if paying.cancelled() else paying.exception()
        # The ledger is out: a run that nobody can charge is ended, as a fault of the node.
        if isinstance(error, Exception):
            self._interruption.end(error)

    async def _end_payments(self) -> None:
        if self._payments is not None:
            self._payments.clear()
        if self._paying is not None:
            # Before the settlement: no further second is set aside for a run that has ended.
            self._paying.cancel()
            await asyncio.gather(self._paying, return_exceptions=True)

    def _elapsed_ms(self) -> float:
        return 0.0 if self._began_at is None else (self._environment.clock.monotonic() - self._began_at) * _MILLISECONDS

    def _note(self, result: str, duration_ms: float, charged_cents: int | None) -> None:
        self._environment.metrics.ended(result, duration_ms / _MILLISECONDS)
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
        # Of a client that hung up the request has ended and its line is written: the run gets one of its own.
        if not self._order.note(fields):
            _log.info("action_executed", request_id=self._order.headers.get(REQUEST_ID), **fields)


def _result(outcome: ActionOutcome) -> str:
    """Return how a run ended, from a closed set: an action can name its own errors as it likes, even after a secret."""
    if outcome.error is None:
        return "ok"
    return outcome.error.name if outcome.error.name in _LIMIT_NAMES else "error"


def _answer(outcome: ActionOutcome, charged_cents: int, code: str) -> SvcActionAnswer:
    # Not validated: the parts are of these types, and a large response would hold everybody up.
    return SvcActionAnswer.model_construct(
        response=outcome.response,
        logs=outcome.logs,
        has_error=outcome.error is not None,
        error=None if outcome.error is None else SvcActionError.of(outcome.error, code),
        duration_ms=round(outcome.duration_ms, 3),
        charged_cents=charged_cents,
    )


def _fault(error: Exception, duration_ms: float, charged_cents: int | None, *, is_kept: bool) -> NodeError:
    """Error of a run that the node's fault ended after it had begun; it says what is charged, or that this is not known.

    `is_kept`: whoever repeats the request is shown this again.
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
