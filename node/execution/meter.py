"""Charging and counting of runs: each second is set aside before it begins, and what ran is settled once (spec 10.2).

docs/billing.md lists every end of a run and who pays for it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias

from prometheus_client import CollectorRegistry, Gauge

from node.billing.charging import LedgerRetries, Prices
from node.engine.port import StopReason
from node.errors import DomainError
from node.http.rate import HOUR_S, RateLimiter
from node.ledger.errors import PaymentRequiredError
from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger, Service, Spender, Usage
from node.runtime.clock import Clock
from node.runtime.counts import Counts, Durations
from node.values import u256_hex

AGAIN_S: Final = 0.7
"""Wait for a ledger that has failed a run before: its 503, which comes within three seconds, must not wait for the same outage
a second time. Above the longest pause between two attempts on a database (0.5 s), so that one that is back is asked what it
has charged."""
_MILLISECONDS: Final = 1000
_MAX_TRACKED_ACCOUNTS: Final = 100_000
"""Accounts whose allowance is not whole. Each had credit, and met a fault of the node within the hour."""
_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0)


PresentSpender: TypeAlias = Callable[[], Awaitable[Spender | None]]
"""Returns who pays for a run from now on, with the usage key's present cap; None when the key may not run it any more."""


class Charged(NamedTuple):
    """Subject of a charge: the run's own id, the CIDv0 of its code, and the request that asked for it."""

    execution_id: str
    cid: str
    request_id: str | None = None


class Tariff:
    """Prices and ledger of all runs, and the allowance for faults of the node.

    `uncharged_s_per_hour` are the seconds of each account that faults of the node may cost nobody.
    """

    def __init__(self, ledger: Ledger, prices: Prices, uncharged_s_per_hour: float, clock: Clock) -> None:
        self.ledger = ledger
        self.prices = prices
        self.clock = clock
        # The price of no time at all is that of the first started second.
        self.second_microdollars = prices.execution_cents(0) * MICRODOLLARS_PER_CENT
        self.allowance = RateLimiter(
            "uncharged seconds", uncharged_s_per_hour, HOUR_S, clock.monotonic, _MAX_TRACKED_ACCOUNTS
        )
        self.retries = LedgerRetries()

    async def close(self) -> int:
        """Try once more what the ledger could not do. Returns how much was given up."""
        return await self.retries.close()


class Meter:
    """Reserves for one run, and charges it at its end: at most `max_seconds` seconds where the request says so.

    `present_spender` is asked before each second after the first; it always names the account and the key of `spender`.
    """

    def __init__(
        self,
        tariff: Tariff,
        spender: Spender,
        present_spender: PresentSpender,
        order: Charged,
        max_seconds: int | None = None,
    ) -> None:
        self._tariff = tariff
        self._ledger = tariff.ledger
        self._spender = spender
        self._present_spender = present_spender
        self._order = order
        self._id = order.execution_id
        self._second_microdollars = tariff.second_microdollars
        self._max_seconds = max_seconds
        self._reserved_microdollars = 0
        self._extending: asyncio.Task[bool] | None = None
        self._settle_asked = False
        """Whether the ledger was told to charge this run, and so may have done it, whatever it answered."""
        self._is_out = False
        """Whether the ledger has failed this run, whose client has waited for it once."""

    async def reserve(self) -> None:
        """Set the first second aside. Raises PaymentRequiredError."""
        # Before the start: an account without credit, or a key at its cap, gets no processor time (402).
        await self._ledger.reserve(self._spender, self._id, self._second_microdollars)
        self._reserved_microdollars = self._second_microdollars

    async def follow(self, stop: "asyncio.Future[StopReason]", lead_s: float, began_at: float) -> None:
        """Set each second after the first aside `lead_s` before it begins, until cancelled.

        `stop` is set when the key may not run the action any more, or there are no funds. `began_at` is when the first
        second began, by the monotonic clock. Returns once all of `max_seconds` is set aside. Raises DomainError when the
        ledger is out.
        """
        clock, seconds = self._tariff.clock, 1
        asking: asyncio.Task[None] | None = None
        try:
            # Not beyond the request's own bound: what it can never owe would block the account's other runs.
            while self._max_seconds is None or seconds < self._max_seconds:
                # Counted from the beginning and not from the last extension: a slow ledger must not make seconds longer.
                await clock.sleep(max(0.0, began_at + seconds - lead_s - clock.monotonic()))
                if asking is None or asking.done():
                    asking = asyncio.create_task(self._ask(stop))
                # An answer that needs the chain may come later, and counts then: meanwhile seconds are paid as before.
                await asyncio.wait({asking}, timeout=lead_s)
                if asking.done():
                    asking.result()
                if stop.done():
                    return
                self._extending = asyncio.create_task(self._extend())
                # Shielded: a cancelled extension may be committed all the same, and `settle` must count it.
                if not await asyncio.shield(self._extending):
                    _end(stop, StopReason.OUT_OF_FUNDS)
                    return
                seconds += 1
        finally:
            if asking is not None:
                asking.cancel()

    async def settle(self, duration_ms: float, uncharged_ms: float = 0.0) -> int:
        """Take the started seconds of what is charged, release the rest. Returns the cents that were really taken.

        Raises DomainError when the ledger is out: the reservation stays, and `settle_fault` or `settle_or_later` follows.
        """
        # An extension that commits after the settlement would set credit aside for nobody.
        await self._end_extension()
        owed = self._owed_microdollars(duration_ms - uncharged_ms)
        # A node that stood still set too little aside in time: the rest is taken as far as there is credit for it.
        while owed > self._reserved_microdollars and await self._extend():
            pass
        # Never more than was set aside: the account's limit was checked for that alone.
        to_take = min(owed, self._reserved_microdollars)
        usage = Usage(Service.EXECUTION, self._order.cid, self._order.request_id, round(duration_ms))
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

    async def settle_or_later(self, duration_ms: float, uncharged_ms: float = 0.0) -> int | None:
        """`settle`, or repeat it until the ledger is back. Returns the cents that are taken, None where that is not known yet."""
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(self._patience_s):
                return await self.settle(duration_ms, uncharged_ms)
        # Safe to repeat: the ledger ends each cause once (ADR 16).
        self._tariff.retries.add(self._id, lambda: self.settle(duration_ms, uncharged_ms))
        return None

    async def settle_fault(self, duration_ms: float) -> int | None:
        """Take what the account's allowance does not cover of a run that the node's own fault ended.

        Returns the cents that are taken, None where that is not known yet: also those that an earlier `settle` has
        taken, whose answer was lost.
        """
        ran_s = duration_ms / _MILLISECONDS
        # Bounded for each account: an action that can provoke faults would otherwise run for free.
        free_s = self._tariff.allowance.take_up_to(u256_hex(self._spender.account), ran_s)
        if free_s < ran_s:
            return await self.settle_or_later(duration_ms, free_s * _MILLISECONDS)
        return await self.release_or_later()

    async def release(self) -> int:
        """Take nothing. Returns the cents that an earlier `settle` has taken all the same. Raises DomainError."""
        # As in `settle`: an extension that comes after this finds no reservation, and its error would be nobody's.
        await self._end_extension()
        await self._ledger.release(self._id)
        # After the release, which waits for a settlement still under way and lets none come later.
        taken = await self._ledger.charged(self._id) if self._settle_asked else 0
        return taken // MICRODOLLARS_PER_CENT

    async def release_or_later(self) -> int | None:
        """`release`, or repeat it until the ledger is back. Returns the cents that are taken, None where that is not known yet."""
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(self._patience_s):
                return await self.release()
        # Until it succeeds the credit stays set aside, so it is repeated and not forgotten.
        self._tariff.retries.add(self._id, self.release)
        return None if self._settle_asked else 0

    @property
    def _patience_s(self) -> float | None:
        """Longest wait for the ledger once it has failed this run; the ledger carries out what it was told all the same."""
        return AGAIN_S if self._is_out else None

    async def _end_extension(self) -> None:
        """Wait for the extension under way: the ledger may carry it out after everything else."""
        if self._extending is not None:
            await asyncio.gather(self._extending, return_exceptions=True)

    def _owed_microdollars(self, charged_ms: float) -> int:
        owed = self._tariff.prices.execution_cents(charged_ms) * MICRODOLLARS_PER_CENT
        # What ending the action takes is beyond the bound that its client set.
        return owed if self._max_seconds is None else min(owed, self._max_seconds * self._second_microdollars)

    async def _ask(self, stop: "asyncio.Future[StopReason]") -> None:
        """Learn the key's present cap; end the run when the key may not run it any more."""
        spender = await self._present_spender()
        if spender is None:
            _end(stop, StopReason.NOT_AUTHORISED)
        else:
            self._spender = spender

    async def _extend(self) -> bool:
        try:
            await self._ledger.extend(self._id, self._second_microdollars, self._spender.cap_microdollars)
        except PaymentRequiredError:
            return False
        except DomainError:
            self._is_out = True
            raise
        self._reserved_microdollars += self._second_microdollars
        return True


def _end(stop: "asyncio.Future[StopReason]", reason: StopReason) -> None:
    # The first reason stays: the run may just have ended by another limit.
    if not stop.done():
        stop.set_result(reason)


class LostRuns:
    """Implements RunRecall: runs that were begun by a node that ended before it answered them."""

    def __init__(self, ledger: Ledger, registry: CollectorRegistry) -> None:
        self._ledger = ledger
        documentation = "Runs with an Idempotency-Key whose node ended before it answered them."
        self._lost = Counts("svc_executions_outcome_unknown", documentation, [], registry)
        self._lost.begin()

    async def charged_cents(self, cause: str) -> int:
        """See RunRecall. Raises LedgerUnavailableError."""
        # Its node may run it still, and would charge what its clients are told is not charged: the first end counts.
        await self._ledger.release(cause)
        charged = await self._ledger.charged(cause)
        self._lost.add()
        return charged // MICRODOLLARS_PER_CENT


class ExecutionMetrics:
    """Prometheus metrics of every run that was authorised and paid for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._runs = Counts("svc_executions", "Actions that ran, by how they ended.", ["result"], registry)
        self._running = 0
        running = Gauge("svc_executions_in_progress", "Actions running now.", registry=registry)
        running.set_function(lambda: self._running)
        self._duration = Durations("svc_execution_duration_seconds", "From dispatch to the end.", _BUCKETS_S, registry)

    def started(self) -> None:
        """Count one more running."""
        self._running += 1

    def ended(self, result: str, duration_s: float) -> None:
        """Count one as ended: "ok", the name of a StopReason, "error", "cancelled" or "node_fault"."""
        self._running -= 1
        self._runs.add(result)
        self._duration.add(duration_s)
