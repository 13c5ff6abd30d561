"""Running actions: authorise, set credit aside, run, settle what ran once (spec 10.2).

docs/billing.md lists every end of a run and who pays for it.
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
"""Time before a second begins at which its price is reserved: a ledger in another process takes milliseconds for it."""
AGAIN_S: Final = 0.7
"""Wait for a ledger that has failed a run before: its 503, which comes within three seconds, must not wait for
the same outage a second time. Above the longest pause between two attempts on a database (0.5 s), so that one
that is back is asked what it has charged."""
_MILLISECONDS: Final = 1000
_MAX_TRACKED_ACCOUNTS: Final = 100_000
"""Accounts whose allowance is not whole. Each had credit, and met a fault of the node within the hour."""
_REFUSALS: Final = frozenset({ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN})
_LIMIT_NAMES: Final = frozenset(StopReason)
_NONE_USED: Final[Sequence[str]] = ()
_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False)
class ExecutionService:
    """Runs actions for callers; `close` it before its engine and its ledger. All runs share its components."""

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
        # The price of no time at all is that of the first started second.
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
        """Return the CIDv0 of a source. Raises NodeError 400 and `payload_too_large`."""
        return (await self._programs.of(source)).cid

    async def run(self, order: Order) -> Executed:
        """Run an action in the calling task. Cancelled, it is killed and what ran is charged.

        Whatever the action does wrong is an answer with `has_error`. Raises NodeError 400, 401, 402, 403, 413, 429
        and, for the node's own faults, 5xx. Nothing is charged for what did not begin to run; where it had begun,
        `details.charged_cents` says what is.
        """
        caller, params, max_seconds = order.caller, order.request.js_params, order.request.max_seconds
        # The body before the permission, as at every endpoint (spec 2.1).
        check_max_seconds(max_seconds, self.settings)
        if not params_are_flat(params, self.settings):
            await check_params(params, self.settings, self._shares.of(caller.master_hash))
        # Authorised again before each further second, and by `WalletKeys` for the wallet of each host call.
        program = await self._programs.of(order.request.code)
        decision = await self.authority.authorise(order, program)
        # After the last await before the run is among `_runs`: what `stop` does not see must not begin.
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
        """Pass when the caller may run the action now and use each of these wallets in it.

        Raises NodeError 401, 403, 413 and `chain_unavailable`.
        """
        program = await self._programs.of(order.request.code)
        await self.authority.authorise(order, program)
        keys = self._wallets(order, program)
        # A stored answer may hold what these wallets signed: it is shown to no caller who may not use them now (spec 2.7).
        for wallet in wallets:
            if not await keys.may_use(wallet):
                raise forbidden(Denial(Missing.WALLET_IN_GROUP), order.caller)

    async def stop(self, lets_keyed_s: float = 0.0) -> None:
        """End what runs at once, each answered with its logs so far and charged; begin no more.

        What has an Idempotency-Key has so many seconds to end by itself, since it is never begun again.
        """
        self._stopping = True
        for run in self._runs:
            run.end(lets_once=lets_keyed_s > 0)
        self._last_call = asyncio.get_running_loop().call_later(lets_keyed_s, self._end_all)

    def _end_all(self) -> None:
        for run in self._runs:
            run.end()

    async def close(self) -> None:
        """Kill what runs, charge what ran, and wait until that is done."""
        if self._last_call is not None:
            self._last_call.cancel()
        for run in self._runs:
            run.cancel()
        # Runs first, then the settlements they leave behind, then what the ledger still owes an answer for.
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
    """Authorised run of an action and its credit, in the task that awaits `answer`, which may be cancelled at any point.

    Each second is set aside before it begins. What has begun is paid for all the same: a cancelled run leaves its
    settlement to a task of its own, and the ledger ends each reservation once however often it is told.
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
        """Whether the ledger was told to charge this run, and so may have done it, whatever it answered."""
        self._is_out = False
        """Whether the ledger has failed this run, whose client has waited for it once."""
        self._calls = ActionCalls(
            wallets, service.keyring, program.cid, service.settings.action_key_operations, self._stop
        )
        self._fetches = FetchCalls(self._calls, service.egress, order.caller.master_hash, self._stop)

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
        elif not lets_once or self._order.attempt is None:
            self._end_with(StopReason.NODE_STOPPING)

    async def answer(self) -> SvcActionAnswer:
        """Reserve, run and settle. Raises NodeError, CancelledError once what ran is on its way to the ledger."""
        endings, outcome = self._service.endings, None
        # What a run reads of the chain is paid for by the second, and bounded by its key operations.
        with metered(None):
            await self._reserve()
            # Not before: a caller that cannot pay has no run, and it would never be counted as ended.
            self._service.metrics.started()
            try:
                outcome = await self._run()
                self._closing = True
                charged_cents = await self._settle(outcome.duration_ms)
            except asyncio.CancelledError:
                # A task of its own: this one is cancelled and can await nothing more. The time is taken now, not when
                # it runs. An action that had ended is charged as it ended, and once, whatever was begun here.
                self._closing = True
                endings.start(self._settle_alone(*self._ended(outcome, "cancelled")))
                raise
            except Exception as error:
                # An answer that is there is not given: the client would take it for paid. It is told what is charged,
                # by a task that a cancelled client cannot interrupt.
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
                # Before the settlement: no further second is set aside for a run that has ended.
                self._paying.cancel()
                await asyncio.gather(self._paying, return_exceptions=True)

    def _begin(self) -> None:
        if self._order.attempt is not None:
            self._order.attempt.begin()
        # Here, not at the reservation: waiting for a place is not charged.
        self._began_at = self._service.clock.monotonic()
        # A timer and no task yet: most runs end long before their second second.
        self._second_second = self._loop.call_later(max(0.0, 1.0 - FUNDS_LEAD_S), self._go_on_paying, self._began_at)

    def _go_on_paying(self, began_at: float) -> None:
        self._paying = asyncio.create_task(self._pay_ahead(began_at))
        self._paying.add_done_callback(self._paid)

    def _paid(self, paying: "asyncio.Task[None]") -> None:
        error = None if paying.cancelled() else paying.exception()
        # The ledger is out: a run that cannot be charged is ended, as a fault of the node.
        if isinstance(error, Exception):
            self._interruption.end(error)

    async def _reserve(self) -> None:
        """Set the first second aside. Raises PaymentRequiredError."""
        # Before the start: an account without credit, or a key at its cap, gets no processor time (402).
        price = self._service.second_microdollars
        try:
            await self._ledger.reserve(self._spender, self._id, price)
        except BaseException:
            # Cancelled or failed half way, the ledger may hold it all the same. No caller waits for the release: while
            # the database is out it takes as long again as the reservation did.
            self._service.endings.start(self._or_later(self._release, 0))
            raise
        self._reserved_microdollars = price

    async def _pay_ahead(self, began_at: float) -> None:
        """Set each second after the first aside `FUNDS_LEAD_S` before it begins, until cancelled.

        Ends the run when the key may not run the action any more, or there are no funds. Returns once all of
        `max_seconds` is set aside. Raises DomainError when the ledger is out.
        """
        clock, seconds, max_seconds = self._service.clock, 1, self._order.request.max_seconds
        asking: asyncio.Task[None] | None = None
        try:
            # Not beyond the request's own bound: what it can never owe would block the account's other runs.
            while max_seconds is None or seconds < max_seconds:
                # Counted from the beginning and not from the last extension: a slow ledger must not make seconds longer.
                await clock.sleep(max(0.0, began_at + seconds - FUNDS_LEAD_S - clock.monotonic()))
                if asking is None or asking.done():
                    asking = asyncio.create_task(self._ask())
                # An answer that needs the chain may come later, and counts then: meanwhile seconds are paid as before.
                await asyncio.wait({asking}, timeout=FUNDS_LEAD_S)
                if asking.done():
                    asking.result()
                if self._stop.done():
                    return
                self._extending = asyncio.create_task(self._extend())
                # Shielded: a cancelled extension may be committed all the same, and `_settle` must count it.
                if not await asyncio.shield(self._extending):
                    self._end_with(StopReason.OUT_OF_FUNDS)
                    return
                seconds += 1
        finally:
            if asking is not None:
                asking.cancel()

    async def _ask(self) -> None:
        """Learn the key's present cap; end the run when the key may not run it any more.

        Only the last yes is kept, so that what is revoked while an action runs ends.
        """
        try:
            self._decision = await self._service.authority.authorise(self._order, self._program)
        except DomainError as error:
            # While the chain does not tell, the action lives as after a host call (spec 5.5). The last yes has the expiry.
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
        # The first reason stays: the run may just have ended by another limit.
        if not self._stop.done():
            self._stop.set_result(reason)

    async def _settle(self, duration_ms: float, uncharged_ms: float = 0.0) -> int:
        """Take the started seconds of what is charged, release the rest. Returns the cents that were really taken.

        Raises DomainError when the ledger is out: the reservation stays, and another attempt follows.
        """
        await self._end_extension()
        owed = self._service.prices.execution_cents(duration_ms - uncharged_ms) * MICRODOLLARS_PER_CENT
        # What ending the action takes is beyond the bound that its client set.
        if (max_seconds := self._order.request.max_seconds) is not None:
            owed = min(owed, max_seconds * self._service.second_microdollars)
        # A node that stood still set too little aside in time: the rest is taken as far as there is credit for it.
        while owed > self._reserved_microdollars and await self._extend():
            pass
        # Never more than was set aside: the account's limit was checked for that alone.
        to_take = min(owed, self._reserved_microdollars)
        request_id = self._order.headers.get(REQUEST_ID)
        usage = Usage(Service.EXECUTION, self._program.cid, request_id, round(duration_ms))
        # Set before the call: an attempt whose answer was lost is one too.
        self._settle_asked, is_repeated = True, self._settle_asked
        try:
            taken = await self._ledger.settle(self._id, to_take, usage)
            # Of a second attempt the ledger says 0 where it carried out the first one after all, for another amount perhaps.
            taken = await self._ledger.charged(self._id) if is_repeated else taken
        except DomainError:
            self._is_out = True
            raise
        return taken // MICRODOLLARS_PER_CENT

    async def _release(self) -> int:
        """Take nothing. Returns the cents that an earlier `_settle` has taken all the same. Raises DomainError."""
        await self._end_extension()
        await self._ledger.release(self._id)
        # After the release, which waits for a settlement still under way and lets none come later.
        taken = await self._ledger.charged(self._id) if self._settle_asked else 0
        return taken // MICRODOLLARS_PER_CENT

    async def _end_extension(self) -> None:
        """Wait for the extension under way: carried out after the end, it would set credit aside for no run."""
        if self._extending is not None:
            await asyncio.gather(self._extending, return_exceptions=True)

    async def _or_later(self, end: Callable[[], Awaitable[int]], else_cents: int | None) -> int | None:
        """Settle or release by `end`, or have it repeated until the ledger is back.

        Returns the cents that are taken, `else_cents` where it is repeated: None where they are not known yet.
        """
        with contextlib.suppress(DomainError, TimeoutError):
            # Of a ledger that has failed this run: it carries out what it was told all the same.
            async with asyncio.timeout(AGAIN_S if self._is_out else None):
                return await end()
        # Safe to repeat: the ledger ends each cause once (ADR 16). Until it succeeds the credit stays set aside.
        self._service.retries.add(self._id, end)
        return else_cents

    async def _settle_alone(self, result: str, duration_ms: float) -> None:
        """Settle a run whose client is gone."""
        if self._began_at is None:
            charged_cents = await self._or_later(self._release, 0)
        else:
            charged_cents = await self._or_later(partial(self._settle, duration_ms), None)
        self._note(result, duration_ms, charged_cents)

    async def _settle_fault(self, error: Exception, result: str, duration_ms: float) -> Exception:
        """Charge a run that the node could not end as it should. Returns the error to be raised."""
        # No turn, no memory, no process: the error is the client's answer as it is, and nothing is charged.
        if self._began_at is None:
            await self._settle_alone(result, duration_ms)
            return error
        ran_s = duration_ms / _MILLISECONDS
        # Bounded for each account: an action that can provoke faults would otherwise run for free.
        free_s = self._service.allowance.take_up_to(u256_hex(self._spender.account), ran_s)
        if free_s < ran_s:
            charged_cents = await self._or_later(partial(self._settle, duration_ms, free_s * _MILLISECONDS), None)
        else:
            charged_cents = await self._or_later(self._release, None if self._settle_asked else 0)
        self._note(result, duration_ms, charged_cents)
        # An unforeseen error is shown without its text, which may quote what is the client's.
        if not isinstance(error, DomainError):
            _log.error("execution_failed", execution_id=self._id, exc_info=error)
        return fault_of_run(error, duration_ms, charged_cents, is_kept=self._order.attempt is not None)

    def _ended(self, outcome: ActionOutcome | None, without: str) -> tuple[str, float]:
        """Return how the run ended, from a closed set, and its milliseconds; `without` an outcome this, by the clock."""
        if outcome is None:
            now = self._service.clock.monotonic()
            return without, 0.0 if self._began_at is None else (now - self._began_at) * _MILLISECONDS
        if outcome.error is None:
            return "ok", outcome.duration_ms
        # An action can name its own errors as it likes, even after a secret.
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
        # Of a client that hung up the request has ended and its line is written: the run gets one of its own.
        if not self._order.note(fields):
            _log.info("action_executed", request_id=self._order.headers.get(REQUEST_ID), **fields)
