"""Telling the processor what waits in the outbox: each row once, whatever breaks off, and never on a request's path."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog

from node.billing.payments.keys import turn_at
from node.billing.payments.limits import MirrorLimits, PaymentLimits
from node.billing.payments.rows import text, text_or_none, whole
from node.ledger.books import Books, Row, Statement
from node.processor.port import CardProcessor, Fault, ProcessorError

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Delta:
    """Credit that the customer has more (below zero: less); after a day it is looked for after `after_transaction`."""

    account: str
    number: int
    customer: str
    cents: int
    after_transaction: str | None
    created_s: int

    @classmethod
    def of(cls, row: Row) -> "_Delta":
        account, number, customer, cents, after, created_s = row
        return cls(text(account), whole(number), text(customer), whole(cents), text_or_none(after), whole(created_s))

    @property
    def cause(self) -> str:
        """The time makes it another one than that of a row which a restored backup lacks."""
        return f"mirror:{self.account}:{self.number}:{self.created_s}"


class _Batch:
    """Rows that lanes share."""

    def __init__(self, deltas: Sequence[_Delta]) -> None:
        self.sent = 0
        self._waiting = list(reversed(deltas))
        self._under_way: set[_Delta] = set()
        self._failures = 0

    @property
    def unfinished(self) -> Sequence[_Delta]:
        """Those of which nothing is known."""
        return [*self._waiting, *self._under_way]

    def take(self) -> _Delta | None:
        """The next row; None: there is none."""
        if not self._waiting:
            return None
        delta = self._waiting.pop()
        self._under_way.add(delta)
        return delta

    def rests(self, delta: _Delta) -> None:
        """It waits for another round."""
        self._under_way.discard(delta)

    def succeeded(self, delta: _Delta) -> None:
        """It was sent."""
        self._under_way.discard(delta)
        self.sent += 1
        self._failures = 0

    def failed(self, delta: _Delta) -> int:
        """The processor failed at it; how many in a row."""
        self._under_way.discard(delta)
        self._failures += 1
        return self._failures


class Pace:
    """Lets so many a second pass, evenly. `monotonic` is in seconds."""

    def __init__(
        self, per_second: float, monotonic: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._gap_s = 1 / per_second
        self._monotonic = monotonic
        self._sleep = sleep
        self._next_s = monotonic()

    async def wait(self) -> None:
        """Until it is one's turn."""
        now = self._monotonic()
        turn_s = max(self._next_s, now)
        self._next_s = turn_s + self._gap_s
        if turn_s > now:
            await self._sleep(turn_s - now)


class Delivery:
    """Sends the outbox's rows. `clock` is unix time in seconds."""

    def __init__(
        self,
        books: Books,
        processor: CardProcessor,
        pace: Pace,
        limits: tuple[PaymentLimits, MirrorLimits],
        clock: Callable[[], float],
    ) -> None:
        self._books = books
        self._processor = processor
        self._pace = pace
        self._payment_limits, self._limits = limits
        self._clock = clock

    async def deliver(self) -> int:
        """Send what waits, until nothing does; how many were sent.

        Raises ProcessorError when the processor fails again and again, and NodeError `billing_unavailable`.
        """
        sent = 0
        while deltas := await self._claim():
            batch = _Batch(deltas)
            try:
                await self._send_all(batch)
            finally:
                sent += batch.sent
                if batch.unfinished:
                    await self._set_claims(batch.unfinished, 0)
        return sent

    async def _claim(self) -> Sequence[_Delta]:
        """Rows that no other node is sending. It only saves calls: sent by two nodes, a row still counts once."""
        now = int(self._clock())
        sql = """
            UPDATE payments_delta SET claimed_until_s = ? WHERE claimed_until_s <= ? AND account IN
            (SELECT account FROM payments_delta WHERE claimed_until_s <= ? ORDER BY created_s, account LIMIT ?)
            RETURNING account, number, customer, cents, after_transaction, created_s
        """
        until = now + int(self._payment_limits.sweep_claim_s)
        (rows,) = await self._books.execute(Statement(sql, (until, now, now, self._limits.rows)))
        return sorted(map(_Delta.of, rows), key=lambda delta: (delta.created_s, delta.account))

    async def _send_all(self, batch: "_Batch") -> None:
        """In lanes; when the processor is out all of them end."""

        async def lane() -> None:
            while (delta := batch.take()) is not None:
                await self._pace.wait()
                await self._send(delta, batch)

        lanes = [asyncio.create_task(lane()) for _ in range(self._limits.lanes)]
        try:
            await asyncio.gather(*lanes)
        finally:
            for task in lanes:
                task.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _send(self, delta: _Delta, batch: "_Batch") -> None:
        turn = turn_at(delta.created_s, self._clock(), self._payment_limits)
        try:
            if turn.looks_first and await self._sent_before(delta):
                pass
            elif turn.rests:
                await self._rest(delta, self._limits.failed_wait_s)
                batch.rests(delta)
                return
            else:
                await self._processor.add_to_balance(
                    delta.customer, -delta.cents, delta.cause, f"{delta.cause}:{turn.number}"
                )
        except ProcessorError as error:
            await self._failed(delta, error, batch)
            return
        sql = "DELETE FROM payments_delta WHERE account = ? AND number = ?"
        await self._books.execute(Statement(sql, (delta.account, delta.number)))
        batch.succeeded(delta)

    async def _sent_before(self, delta: _Delta) -> bool:
        """Whether a call with an earlier key did it."""
        changes = await self._processor.balance_transactions(delta.customer, delta.after_transaction)
        return any(change.cause == delta.cause for change in changes)

    async def _failed(self, delta: _Delta, error: ProcessorError, batch: "_Batch") -> None:
        """One row that fails stops no other; many in a row are the processor's trouble."""
        if error.fault in {Fault.REFUSED, Fault.NOT_FOUND}:
            _log.error("mirror_refused", customer=delta.customer, fault=str(error.fault), reason=error.reason)
            await self._rest(delta, self._limits.refused_wait_s)
            batch.rests(delta)
            return
        await self._rest(delta, self._limits.failed_wait_s)
        if batch.failed(delta) >= self._limits.failures:
            raise error

    async def _rest(self, delta: _Delta, seconds: float) -> None:
        await self._set_claims([delta], int(self._clock() + seconds))

    async def _set_claims(self, deltas: Sequence[_Delta], until_s: int) -> None:
        sql = "UPDATE payments_delta SET claimed_until_s = ? WHERE account = ? AND number = ?"
        await self._books.execute(
            *(Statement(sql, (until_s, delta.account, delta.number)) for delta in deltas),
        )
