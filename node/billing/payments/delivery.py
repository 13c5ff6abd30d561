"""Telling the processor what waits in the outbox: each row once, whatever breaks off, and never on a request's path."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import structlog

from node.billing.payments.customers import Customers
from node.billing.payments.deltas import Batch, Delta
from node.billing.payments.keys import turn_at
from node.billing.payments.limits import MirrorLimits, PaymentLimits
from node.billing.payments.pace import Pace
from node.database.port import Database, Statement
from node.processor.port import CardProcessor, Fault, ProcessorError

_log = structlog.get_logger(__name__)


class Delivery:
    """Sends the outbox's rows. `clock` is unix time in seconds."""

    def __init__(
        self,
        books: Database,
        processor: CardProcessor,
        customers: Customers,
        pace: Pace,
        limits: tuple[PaymentLimits, MirrorLimits],
        clock: Callable[[], float],
    ) -> None:
        self._books = books
        self._processor = processor
        self._customers = customers
        self._pace = pace
        self._payment_limits, self._limits = limits
        self._clock = clock

    async def deliver(self) -> int:
        """Send what waits, until nothing does; how many were sent.

        Raises ProcessorError when the processor fails again and again, and NodeError `billing_unavailable`.
        """
        sent = 0
        while deltas := await self._claim():
            batch = Batch(deltas)
            try:
                await self._send_all(batch)
            finally:
                sent += batch.sent
                if batch.unfinished:
                    await self._set_claims(batch.unfinished, 0)
        return sent

    async def _claim(self) -> Sequence[Delta]:
        """Rows that no other node is sending. It only saves calls: sent by two nodes, a row still counts once.

        One that is claimed, or rests, for longer than is ever asked for was so by a clock that was wrong.
        """
        now = int(self._clock())
        sql = """
            UPDATE payments_delta SET claimed_until_s = ? WHERE (claimed_until_s <= ? OR claimed_until_s > ?)
            AND account IN (
                SELECT account FROM payments_delta WHERE claimed_until_s <= ? OR claimed_until_s > ?
                ORDER BY created_s, account LIMIT ?
            ) RETURNING account, number, customer, cents, after_transaction, created_s
        """
        until = now + int(self._payment_limits.sweep_claim_s)
        longest = max(self._payment_limits.sweep_claim_s, self._limits.refused_wait_s, self._limits.failed_wait_s)
        free = (now, now + int(longest))
        (rows,) = await self._books.execute(Statement(sql, (until, *free, *free, self._limits.rows)))
        return sorted(map(Delta.of, rows), key=lambda delta: (delta.created_s, delta.account))

    async def _send_all(self, batch: Batch) -> None:
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

    async def _send(self, delta: Delta, batch: Batch) -> None:
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

    async def _sent_before(self, delta: Delta) -> bool:
        """Whether a call with an earlier key did it."""
        changes = await self._processor.balance_transactions(delta.customer, delta.after_transaction)
        return any(change.cause == delta.cause for change in changes)

    async def _failed(self, delta: Delta, error: ProcessorError, batch: Batch) -> None:
        """One row that fails stops no other; many in a row are the processor's trouble."""
        if error.fault in {Fault.REFUSED, Fault.NOT_FOUND}:
            with contextlib.suppress(ProcessorError):
                await self._customers.replace_deleted(delta.customer)
            _log.error("mirror_refused", customer=delta.customer, fault=str(error.fault), reason=error.reason)
            await self._rest(delta, self._limits.refused_wait_s)
            batch.rests(delta)
            return
        await self._rest(delta, self._limits.failed_wait_s)
        if batch.failed(delta) >= self._limits.failures:
            raise error

    async def _rest(self, delta: Delta, seconds: float) -> None:
        await self._set_claims([delta], int(self._clock() + seconds))

    async def _set_claims(self, deltas: Sequence[Delta], until_s: int) -> None:
        sql = "UPDATE payments_delta SET claimed_until_s = ? WHERE account = ? AND number = ?"
        await self._books.execute(
            *(Statement(sql, (until_s, delta.account, delta.number)) for delta in deltas),
        )
