"""Runs actions: authorise, reserve credit, run, and settle once (spec 10.2).

docs/billing.md lists every end of a run and its charge.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import structlog

from node.api.errors import ErrorCode, as_node_error, forbidden
from node.billing.charging import LedgerRetries, Prices, spender_of
from node.chain.port import Authorisation, Authorisations
from node.chain.read_meter import metered
from node.engine.egress.egress import Egress, FetchCalls
from node.engine.port import ActionJob, ActionOutcome, Engine, StopReason
from node.errors import DomainError
from node.execution.authority import Authority, Program, Programs
from node.execution.host_calls import ActionCalls, Derivation, WalletKeys
from node.execution.metrics import ExecutionMetrics
from node.execution.models import (
    REQUEST_ID,
    Executed,
    Order,
    SvcActionAnswer,
    check_max_seconds,
    check_params,
    fault_of_run,
    params_are_flat,
    stopping,
)
from node.keyring.port import Keyring
from node.ledger.errors import PaymentRequiredError
from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger, Service, Usage
from node.permissions.grants import Denial, Missing
from node.runtime.cancel_scope import CancelScope
from node.runtime.clock import Clock
from node.runtime.limits import HOUR_S, TokenBuckets
from node.runtime.processor_time import ProcessorShares
from node.runtime.tasks import TaskSet
from node.settings.execution import ActionSettings
from node.values import UniqueIds, u256_hex

FUNDS_LEAD_S: Final = 0.1
"""Time before each second at which it is reserved. A ledger in another process takes ms."""
AGAIN_S: Final = 0.7
"""Maximum wait for a ledger that has failed this run before, as its client has waited three seconds
for the 503. Longer than the pause between two attempts on a database (0.5 s), so that a recovered
one is asked."""
_MILLISECONDS: Final = 1000
_MAX_TRACKED_ACCOUNTS: Final = 100_000
"""Maximum accounts with a reduced allowance, which met a node fault within the hour."""
_REFUSALS: Final = frozenset({ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN})
_LIMIT_NAMES: Final = frozenset(StopReason)
_NONE_USED: Final[Sequence[str]] = ()
_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False)
class ExecutionService:
    """Runs actions for callers. Close it before its engine and ledger. All runs share its parts."""

    authorisations: Authorisations
    derivation: Derivation
    engine: Engine
    keyring: Keyring
    ledger: Ledger
    metrics: ExecutionMetrics
    egress: Egress
    prices: Prices
    settings: ActionSettings = field(default_factory=ActionSettings)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.authority = Authority(self.authorisations, self.clock.unix)
        # A run of no time costs its first started second.
        self.second_microdollars = self.prices.execution_cents(0) * MICRODOLLARS_PER_CENT
        self.allowance = TokenBuckets(
            "uncharged seconds",
            self.settings.action_uncharged_s_per_hour,
            HOUR_S,
            self.clock.monotonic,
            _MAX_TRACKED_ACCOUNTS,
        )
        """Seconds of each account that faults of the node may leave uncharged."""
        self.retries = LedgerRetries()
        self.endings = TaskSet("executions")
        """Settlements of runs whose clients are gone."""
        self.ids = UniqueIds()
        self._programs = Programs(self.settings)
        self._shares = ProcessorShares()
        self._runs: set[Run] = set()
        self._all_ended: asyncio.Future[None] | None = None
        self._stopping = False
        self._last_call: asyncio.TimerHandle | None = None

    async def cid_of(self, source: str) -> str:
        """Returns the CIDv0 of a source. Raises NodeError 400 and `payload_too_large`."""
        return (await self._programs.of(source)).cid

    async def run(self, order: Order) -> Executed:
        """Runs an action in the calling task. Cancellation kills it and charges what ran.

        A fault of the action is a response with `has_error`. Raises NodeError 400, 401, 402, 403,
        413, 429 and, for faults of the node, 5xx. An action that has not begun costs nothing;
        otherwise `details.charged_cents` states the charge.
        """
        caller, params, max_seconds = order.caller, order.request.js_params, order.request.max_seconds
        # Every endpoint checks the body before the permission (spec 2.1).
        check_max_seconds(max_seconds, self.settings)
        if not params_are_flat(params, self.settings):
            await check_params(params, self.settings, self._shares.of(caller.master_hash))
        # `_ask` authorises again before each second, and `WalletKeys` at each use of a wallet.
        program = await self._programs.of(order.request.code)
        decision = await self.authority.authorise(order, program)
        # No await may follow before `_runs` has the run, or `stop` would miss it.
        if self._stopping:
            raise stopping()
        wallets = self._wallets(order, program)
        run = Run(self, order, program, decision, wallets)
        self._runs.add(run)
        try:
            answer = await run.answer()
        finally:
            self._runs.discard(run)
            if self._all_ended is not None and not self._runs and not self._all_ended.done():
                self._all_ended.set_result(None)
        return Executed(answer, decision.block_number, sorted(wallets.used) if wallets.used else _NONE_USED)

    async def authorise(self, order: Order, wallets: Sequence[str]) -> None:
        """Passes if the caller may run the action now and use each of these wallets in it.

        Raises NodeError 401, 403, 413 and `chain_unavailable`.
        """
        program = await self._programs.of(order.request.code)
        await self.authority.authorise(order, program)
        keys = self._wallets(order, program)
        # A stored response may contain signatures of these wallets, so check them (spec 2.7).
        for wallet in wallets:
            if not await keys.may_use(wallet):
                raise forbidden(Denial(Missing.WALLET_IN_GROUP), order.caller)

    async def stop(self, lets_keyed_s: float = 0.0) -> None:
        """Ends running actions with their logs and charge, and refuses new ones.

        Runs with an Idempotency-Key have `lets_keyed_s` to finish, since they are never repeated.
        """
        self._stopping = True
        for run in self._runs:
            run.end(lets_once=lets_keyed_s > 0)
        self._last_call = asyncio.get_running_loop().call_later(lets_keyed_s, self._end_all)

    def _end_all(self) -> None:
        for run in self._runs:
            run.end()

    async def close(self) -> None:
        """Kills running actions, charges what ran, and waits until that is done."""
        if self._last_call is not None:
            self._last_call.cancel()
        for run in self._runs:
            run.cancel()
        # Runs first, then their settlements, then what the ledger still has to repeat.
        if self._runs:
            self._all_ended = asyncio.get_running_loop().create_future()
            await self._all_ended
        await self.endings.drain()
        if given_up := await self.retries.close():
            _log.error("executions_not_charged", executions=given_up, fix="the ledger was out when the node stopped")

    def _wallets(self, order: Order, program: Program) -> WalletKeys:
        min_block = order.request.min_block or 0
        return WalletKeys(
            self.authorisations, self.derivation, order.caller, program.action_hash, min_block, order.may_reread
        )


class Run:
    """Authorised run of an action with its credit, in the task that awaits `answer`.

    Each second is reserved before it begins. The task may be cancelled at any point. A separate
    task then settles what has begun, and the ledger ends each reservation once.
    """

    def __init__(
        self,
        service: ExecutionService,
        order: Order,
        program: Program,
        decision: Authorisation,
        wallets: WalletKeys,
    ) -> None:
        self._service = service
        self._ledger = service.ledger
        self._order = order
        self._program = program
        self._decision = decision
        self._spender = spender_of(order.caller)
        self._id = service.ids.ordered()
        self._loop = asyncio.get_running_loop()
        self._stop: asyncio.Future[StopReason] = self._loop.create_future()
        self._interruption = CancelScope()
        self._task = asyncio.current_task()
        self._closing = False
        self._began_at: float | None = None
        self._second_second: asyncio.TimerHandle | None = None
        self._paying: asyncio.Task[None] | None = None
        self._extending: asyncio.Task[bool] | None = None
        self._reserved_microdollars = 0
        self._settle_asked = False
        """Whether the ledger was told to charge this run, and may have done so despite an error."""
        self._is_out = False
        """Whether the ledger has failed this run, whose client has waited for it once."""
        self._calls = ActionCalls(
            wallets, service.keyring, program.cid, service.settings.action_key_operations, self._stop
        )
        self._fetches = FetchCalls(self._calls, service.egress, order.caller.master_hash, self._stop)

    def cancel(self) -> None:
        """Kills the run and charges what ran. A settlement in progress continues."""
        # A settlement in progress must not be interrupted.
        if self._task is not None and not self._closing and not self._task.cancelling():
            self._task.cancel()

    def end(self, *, lets_once: bool = False) -> None:
        """Ends the run now, with its logs so far, or without a charge before it has begun.

        `lets_once` spares a run that has begun and cannot be repeated.
        """
        # `stop` lets response, logs and charge of a begun run reach the client (spec 5.4).
        if self._began_at is None:
            self._interruption.end(stopping())
        elif not lets_once or self._order.attempt is None:
            self._end_with(StopReason.NODE_STOPPING)

    async def answer(self) -> SvcActionAnswer:
        """Reserves, runs and settles. Raises NodeError; CancelledError follows the charge."""
        endings, outcome = self._service.endings, None
        # The run pays for its chain reads by the second, and its key operations limit them.
        with metered(None):
            await self._reserve()
            # A caller that cannot pay has no run, which would never be counted as ended.
            self._service.metrics.started()
            try:
                outcome = await self._run()
                self._closing = True
                charged_cents = await self._settle(outcome.duration_ms)
            except asyncio.CancelledError:
                # This task is cancelled and can await nothing more, so another one settles. Take
                # the time now, and of an action that had ended its own duration.
                self._closing = True
                endings.start(self._settle_alone(*self._ended(outcome, "cancelled")))
                raise
            except Exception as error:
                # Withhold a result, which the client would take as paid. The client learns the
                # charge from a task that its cancellation cannot interrupt.
                self._closing = True
                fault = self._settle_fault(error, *self._ended(outcome, "node_fault"))
                raise await asyncio.shield(endings.begin(fault)) from error
        self._note(*self._ended(outcome, ""), charged_cents)
        return SvcActionAnswer.of(outcome, charged_cents, self._order.request.code)

    async def _run(self) -> ActionOutcome:
        order, attempt, caller = self._order, self._order.attempt, self._order.caller
        job = ActionJob(
            order.request.code,
            order.request.js_params or {},
            order.headers,
            caller.master_hash,
            cid=self._program.cid,
            max_seconds=order.request.max_seconds,
        )
        commit = None if attempt is None else partial(attempt.commit, self._id)
        try:
            with self._interruption:
                async with self._fetches as calls:
                    return await self._service.engine.run(job, calls, self._stop, self._begin, commit)
        finally:
            if self._second_second is not None:
                self._second_second.cancel()
            if self._paying is not None:
                # Before the settlement, so that no second is reserved for a run that has ended.
                self._paying.cancel()
                await asyncio.gather(self._paying, return_exceptions=True)

    def _begin(self) -> None:
        if self._order.attempt is not None:
            self._order.attempt.begin()
        # Not at the reservation, since waiting for a place is not charged.
        self._began_at = self._service.clock.monotonic()
        # A timer and not a task, since most runs end before their second second.
        self._second_second = self._loop.call_later(max(0.0, 1.0 - FUNDS_LEAD_S), self._go_on_paying, self._began_at)

    def _go_on_paying(self, began_at: float) -> None:
        self._paying = asyncio.create_task(self._pay_ahead(began_at))
        self._paying.add_done_callback(self._paid)

    def _paid(self, paying: "asyncio.Task[None]") -> None:
        error = None if paying.cancelled() else paying.exception()
        # A run that cannot be charged ends as a fault of the node.
        if isinstance(error, Exception):
            self._interruption.end(error)

    async def _reserve(self) -> None:
        """Reserves the first second. Raises PaymentRequiredError."""
        # Before the start, so that no unpaid action gets processor time (402).
        price = self._service.second_microdollars
        try:
            await self._ledger.reserve(self._spender, self._id, price)
        except PaymentRequiredError:
            raise  # the ledger has decided, and holds nothing
        except BaseException:
            # The ledger may hold it nevertheless. No caller waits for the release, which takes as
            # long as the reservation while the database is unavailable.
            self._service.endings.start(self._or_later(self._release, 0))
            raise
        self._reserved_microdollars = price

    async def _pay_ahead(self, began_at: float) -> None:
        """Reserves each further second `FUNDS_LEAD_S` before it begins, until cancelled.

        Ends the run if the key loses its permission or funds run out. Returns once all of
        `max_seconds` is reserved. Raises DomainError if the ledger is unavailable.
        """
        clock, seconds, max_seconds = self._service.clock, 1, self._order.request.max_seconds
        asking: asyncio.Task[None] | None = None
        try:
            # More than `max_seconds` is never owed and would block the account's other runs.
            while max_seconds is None or seconds < max_seconds:
                # Count from the beginning, so that a slow ledger does not lengthen seconds.
                await clock.sleep(max(0.0, began_at + seconds - FUNDS_LEAD_S - clock.monotonic()))
                if asking is None or asking.done():
                    asking = asyncio.create_task(self._ask())
                # A slow decision counts when it comes; until then seconds are paid as before.
                await asyncio.wait({asking}, timeout=FUNDS_LEAD_S)
                if asking.done():
                    asking.result()
                if self._stop.done():
                    return
                self._extending = asyncio.create_task(self._extend())
                # Shielded: a cancelled extension may still commit, and `_settle` must count it.
                if not await asyncio.shield(self._extending):
                    self._end_with(StopReason.OUT_OF_FUNDS)
                    return
                seconds += 1
        finally:
            if asking is not None:
                asking.cancel()

    async def _ask(self) -> None:
        """Reads the key's present cap, and ends the run if the key may no longer run it.

        Only the last permission is kept, so that a revocation ends the run.
        """
        try:
            self._decision = await self._service.authority.authorise(self._order, self._program)
        except DomainError as error:
            # If the chain is unavailable the run continues (spec 5.5), until its key expires.
            if as_node_error(error).code in _REFUSALS or self._service.authority.has_expired(self._decision):
                self._end_with(StopReason.NOT_AUTHORISED)
                return
        self._spender = spender_of(replace(self._order.caller, cap_cents=self._decision.cap_cents))

    async def _extend(self) -> bool:
        price = self._service.second_microdollars
        try:
            await self._ledger.extend(self._id, price, self._spender.cap_microdollars)
        except PaymentRequiredError:
            return False
        except DomainError:
            self._is_out = True
            raise
        self._reserved_microdollars += price
        return True

    def _end_with(self, reason: StopReason) -> None:
        # Keep the first reason, since the run may just have ended by another limit.
        if not self._stop.done():
            self._stop.set_result(reason)

    async def _settle(self, duration_ms: float, uncharged_ms: float = 0.0) -> int:
        """Charges the started seconds and releases the rest. Returns the cents that were taken.

        Raises DomainError if the ledger is unavailable; the reservation stays for another attempt.
        """
        await self._end_extension()
        owed = self._service.prices.execution_cents(duration_ms - uncharged_ms) * MICRODOLLARS_PER_CENT
        # The time to end the action is beyond the limit of its client.
        if (max_seconds := self._order.request.max_seconds) is not None:
            owed = min(owed, max_seconds * self._service.second_microdollars)
        # A stalled node reserved too little; take the rest as far as there is credit.
        while owed > self._reserved_microdollars and await self._extend():
            pass
        # At most what was reserved, since the account's limit was checked only for that.
        to_take = min(owed, self._reserved_microdollars)
        request_id = self._order.headers.get(REQUEST_ID)
        usage = Usage(Service.EXECUTION, self._program.cid, request_id, round(duration_ms))
        # Set it before the call, since an attempt without a response may have succeeded.
        self._settle_asked, is_repeated = True, self._settle_asked
        try:
            taken = await self._ledger.settle(self._id, to_take, usage)
            # A repeated settle returns 0 if the first attempt succeeded, so ask for its amount.
            taken = await self._ledger.charged(self._id) if is_repeated else taken
        except DomainError:
            self._is_out = True
            raise
        return taken // MICRODOLLARS_PER_CENT

    async def _release(self) -> int:
        """Charges nothing. Returns the cents that an earlier `_settle` took. Raises DomainError."""
        await self._end_extension()
        await self._ledger.release(self._id)
        # The release waits for a settlement in progress and permits no later one.
        taken = await self._ledger.charged(self._id) if self._settle_asked else 0
        return taken // MICRODOLLARS_PER_CENT

    async def _end_extension(self) -> None:
        """Waits for the extension in progress, which would reserve credit for an ended run."""
        if self._extending is not None:
            await asyncio.gather(self._extending, return_exceptions=True)

    async def _or_later(self, end: Callable[[], Awaitable[int]], else_cents: int | None) -> int | None:
        """Settles or releases by `end`, or repeats it until the ledger is back.

        Returns the charged cents, and `else_cents` (None if unknown) if it must be repeated.
        """
        with contextlib.suppress(DomainError, TimeoutError):
            # A ledger that failed this run gets little time; it may still carry out the call.
            async with asyncio.timeout(AGAIN_S if self._is_out else None):
                return await end()
        # Safe to repeat, since the ledger ends each cause once (ADR 16). The credit stays reserved.
        self._service.retries.add(self._id, end)
        return else_cents

    async def _settle_alone(self, result: str, duration_ms: float) -> None:
        """Settles a run whose client is gone."""
        if self._began_at is None:
            charged_cents = await self._or_later(self._release, 0)
        else:
            charged_cents = await self._or_later(partial(self._settle, duration_ms), None)
        self._note(result, duration_ms, charged_cents)

    async def _settle_fault(self, error: Exception, result: str, duration_ms: float) -> Exception:
        """Charges a run that a fault of the node ended. Returns the error to raise."""
        # It did not begin, so the error is the response and nothing is charged.
        if self._began_at is None:
            await self._settle_alone(result, duration_ms)
            return error
        ran_s = duration_ms / _MILLISECONDS
        # Limited per account, or an action that provokes faults would run for free.
        free_s = self._service.allowance.take_up_to(u256_hex(self._spender.account), ran_s)
        if free_s < ran_s:
            charged_cents = await self._or_later(partial(self._settle, duration_ms, free_s * _MILLISECONDS), None)
        else:
            charged_cents = await self._or_later(self._release, None if self._settle_asked else 0)
        self._note(result, duration_ms, charged_cents)
        # Hide an unforeseen error's text, which may quote the client's data.
        if not isinstance(error, DomainError):
            _log.error("execution_failed", execution_id=self._id, exc_info=error)
        return fault_of_run(error, duration_ms, charged_cents, is_kept=self._order.attempt is not None)

    def _ended(self, outcome: ActionOutcome | None, without: str) -> tuple[str, float]:
        """Returns how the run ended and its milliseconds; `without` and the clock if no outcome."""
        if outcome is None:
            now = self._service.clock.monotonic()
            return without, 0.0 if self._began_at is None else (now - self._began_at) * _MILLISECONDS
        if outcome.error is None:
            return "ok", outcome.duration_ms
        # Actions choose their errors' names, which may even be secrets.
        name = outcome.error.name
        return name if name in _LIMIT_NAMES else "error", outcome.duration_ms

    def _note(self, result: str, duration_ms: float, charged_cents: int | None) -> None:
        self._service.metrics.ended(result, duration_ms / _MILLISECONDS)
        fields = {
            "execution_id": self._id,
            "account": u256_hex(self._order.caller.master_hash),
            "cid": self._program.cid,
            "result": result,
            "ran_ms": round(duration_ms, 3),
            "charged_cents": charged_cents,
            "key_operations": self._calls.key_operations,
            "outbound_requests": self._fetches.requests,
        }
        # After a disconnect the request's line is already written, so the run gets its own.
        if not self._order.note(fields):
            _log.info("action_executed", request_id=self._order.headers.get(REQUEST_ID), **fields)
