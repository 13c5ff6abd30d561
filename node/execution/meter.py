"""The price of one run: each second is set aside before it begins, and what ran is settled once."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from node.billing.pricing import Prices
from node.engine.port import StopReason
from node.errors import ErrorCode, NodeError
from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger, Service, Spender, Usage


@dataclass(frozen=True, slots=True)
class Time:
    """A clock that counts seconds and never goes back, and the sleep that goes with it."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Charged:
    """What is paid for: the run's own id, the CIDv0 of its code, and the request that asked for it."""

    execution_id: str
    cid: str
    request_id: str | None = None


class Meter:
    """Reserves for one run. Ends with exactly one of `settle` and `release`."""

    def __init__(self, ledger: Ledger, prices: Prices, spender: Spender, order: Charged) -> None:
        self._ledger = ledger
        self._prices = prices
        self._spender = spender
        self._order = order
        self._id = order.execution_id
        self._second_microdollars = prices.execution_cents(0) * MICRODOLLARS_PER_CENT
        self._reserved_microdollars = 0
        self._extending: asyncio.Task[bool] | None = None

    async def reserve(self) -> None:
        """Set the first second aside. Raises NodeError `payment_required`."""
        await self._ledger.reserve(self._spender, self._id, self._second_microdollars)
        self._reserved_microdollars = self._second_microdollars

    async def follow(self, stop: "asyncio.Future[StopReason]", lead_s: float, clock: Time, began_at: float) -> None:
        """Set each second after the first aside `lead_s` before it begins, until cancelled; without funds `stop` is set.

        `began_at` is when the first began, on `clock`. Raises NodeError when the ledger is out.
        """
        next_second = began_at + 1.0
        while True:
            await clock.sleep(max(0.0, next_second - lead_s - clock.clock()))
            # Cancelled here, it is carried out all the same: whoever settles has to know what came of it.
            self._extending = asyncio.create_task(self._extend())
            if not await asyncio.shield(self._extending):
                break
            next_second += 1.0
        if not stop.done():
            stop.set_result(StopReason.OUT_OF_FUNDS)

    async def settle(self, duration_ms: float) -> int:
        """Take the started seconds, release the rest. Returns the cents that were really taken.

        Raises NodeError when the ledger is out: then nothing was taken, and all of it is released.
        """
        try:
            return await self._settle(duration_ms)
        except BaseException:
            await self.release()
            raise

    async def release(self) -> None:
        """Take nothing."""
        await self._ledger.release(self._id)

    async def _settle(self, duration_ms: float) -> int:
        if self._extending is not None:
            await asyncio.gather(self._extending, return_exceptions=True)
        owed = self._prices.execution_cents(duration_ms) * MICRODOLLARS_PER_CENT
        while owed > self._reserved_microdollars and await self._extend():
            pass
        to_take = min(owed, self._reserved_microdollars)
        usage = Usage(Service.EXECUTION, self._order.cid, self._order.request_id, round(duration_ms))
        return await self._ledger.settle(self._id, to_take, usage) // MICRODOLLARS_PER_CENT

    async def _extend(self) -> bool:
        try:
            await self._ledger.extend(self._id, self._second_microdollars)
        except NodeError as error:
            if error.code is not ErrorCode.PAYMENT_REQUIRED:
                raise
            return False
        self._reserved_microdollars += self._second_microdollars
        return True
