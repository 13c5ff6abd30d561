"""Outbox of balance changes. Each row reaches the processor once, outside of requests."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from node.billing.payments.customers import Customers, key_epoch
from node.billing.payments.tables import CLAIM_S
from node.database.port import Database, Row, Statement, text, text_or_none, whole
from node.processor.port import CardProcessor, Fault, ProcessorError
from node.runtime.clock import Clock

ROWS_AT_ONCE: Final = 200
SENT_PER_SECOND: Final = 20.0
"""Calls of the processor a second. Customers' requests share its rate limit."""
SENDERS: Final = 4
"""Calls of the processor that run at once."""
REFUSED_WAIT_S: Final = 3600
"""Wait of a row that the processor refused, since the operator has to act."""
FAILED_WAIT_S: Final = 30
"""Wait of a row after another failure of the processor."""
FAILURES_MAX: Final = 4
"""Failures in a row that end a round."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Delta:
    """Row of the outbox, a change of credit. Searches begin after `after_transaction`."""

    account: str
    number: int
    customer: str
    cents: int
    after_transaction: str | None
    created_s: int

    @classmethod
    def of(cls, row: Row) -> "Delta":
        """Returns a row: account, number, customer, cents, after_transaction, created_s."""
        account, number, customer, cents, after, created_s = row
        return cls(text(account), whole(number), text(customer), whole(cents), text_or_none(after), whole(created_s))

    @property
    def cause(self) -> str:
        """Idempotent name. Its time differs from that of a row lost with a restored backup."""
        return f"mirror:{self.account}:{self.number}:{self.created_s}"


class Batch:
    """Rows that senders share."""

    def __init__(self, deltas: Sequence[Delta]) -> None:
        self.sent = 0
        # Oldest last, since `pop` takes from the end.
        self._waiting = list(reversed(deltas))
        self._under_way: set[Delta] = set()
        self._failures = 0

    @property
    def unfinished(self) -> Sequence[Delta]:
        """Rows without an outcome."""
        return [*self._waiting, *self._under_way]

    def take(self) -> Delta | None:
        """Returns the next row, or None."""
        if not self._waiting:
            return None
        delta = self._waiting.pop()
        self._under_way.add(delta)
        return delta

    def postpone(self, delta: Delta) -> None:
        """Leaves the row for another round."""
        self._under_way.discard(delta)

    def succeeded(self, delta: Delta) -> None:
        """Counts the row as sent."""
        self._under_way.discard(delta)
        self.sent += 1
        self._failures = 0

    def failed(self, delta: Delta) -> int:
        """Counts a failure of the processor. Returns the number of failures in a row."""
        self._under_way.discard(delta)
        self._failures += 1
        return self._failures


class OutboxSender:
    """Sends the rows of the outbox."""

    def __init__(self, database: Database, processor: CardProcessor, customers: Customers, clock: Clock) -> None:
        self._database = database
        self._processor = processor
        self._customers = customers
        self._clock = clock
        self._next_at = clock.monotonic()

    async def send(self) -> int:
        """Sends rows until none waits. Returns how many were sent.

        Raises ProcessorError after repeated failures, and LedgerUnavailableError.
        """
        sent = 0
        while deltas := await self._claim():
            batch = Batch(deltas)
            try:
                await self._send_all(batch)
            finally:
                sent += batch.sent
                if batch.unfinished:
                    # Released, or other nodes would wait until the claim expires.
                    await self._set_claims(batch.unfinished, 0)
        return sent

    async def _claim(self) -> Sequence[Delta]:
        """Claims rows to save calls. A row that two nodes send still counts once.

        A claim, or a wait, that exceeds every node's maximum was made by a wrong clock.
        """
        now = int(self._clock.unix())
        sql = """
            UPDATE payments_delta SET claimed_until_s = ? WHERE (claimed_until_s <= ? OR claimed_until_s > ?)
            AND account IN (
                SELECT account FROM payments_delta WHERE claimed_until_s <= ? OR claimed_until_s > ?
                ORDER BY created_s, account LIMIT ?
            ) RETURNING account, number, customer, cents, after_transaction, created_s
        """
        free = (now, now + max(CLAIM_S, REFUSED_WAIT_S, FAILED_WAIT_S))
        (rows,) = await self._database.execute(Statement(sql, (now + CLAIM_S, *free, *free, ROWS_AT_ONCE)))
        # RETURNING has no order. The oldest are sent first.
        return sorted(map(Delta.of, rows), key=lambda delta: (delta.created_s, delta.account))

    async def _wait_for_slot(self) -> None:
        """Waits until the next call is due. Calls are spaced evenly."""
        now = self._clock.monotonic()
        due = max(self._next_at, now)
        # Reserved before the sleep, so that senders do not take the same slot.
        self._next_at = due + 1 / SENT_PER_SECOND
        if due > now:
            await self._clock.sleep(due - now)

    async def _send_all(self, batch: Batch) -> None:
        """Sends a batch with SENDERS tasks. All end if the processor is down."""

        async def send_some() -> None:
            while (delta := batch.take()) is not None:
                await self._wait_for_slot()
                await self._send(delta, batch)

        senders = [asyncio.create_task(send_some()) for _ in range(SENDERS)]
        try:
            await asyncio.gather(*senders)
        finally:
            for task in senders:
                task.cancel()
            await asyncio.gather(*senders, return_exceptions=True)

    async def _send(self, delta: Delta, batch: Batch) -> None:
        epoch = key_epoch(delta.created_s, self._clock.unix())
        try:
            # The processor forgets keys after a day, so an older call is looked up first.
            if epoch.may_exist and await self._sent_before(delta):
                pass
            # A call now could arrive after its key is forgotten, and count twice.
            elif epoch.is_ending:
                await self._postpone(delta, FAILED_WAIT_S)
                batch.postpone(delta)
                return
            else:
                await self._processor.add_to_balance(
                    delta.customer, -delta.cents, delta.cause, f"{delta.cause}:{epoch.number}"
                )
        except ProcessorError as error:
            await self._failed(delta, error, batch)
            return
        # After the call. A crash in between repeats it under the same key, without effect.
        sql = "DELETE FROM payments_delta WHERE account = ? AND number = ?"
        await self._database.execute(Statement(sql, (delta.account, delta.number)))
        batch.succeeded(delta)

    async def _sent_before(self, delta: Delta) -> bool:
        """Returns whether a call with an earlier key has sent it."""
        changes = await self._processor.balance_transactions(delta.customer, delta.after_transaction)
        return any(change.cause == delta.cause for change in changes)

    async def _failed(self, delta: Delta, error: ProcessorError, batch: Batch) -> None:
        """Postpones a row, so that it delays no other. FAILURES_MAX in a row end the round."""
        # A refusal concerns this row only, so it does not count as an outage.
        if error.fault in {Fault.REFUSED, Fault.NOT_FOUND}:
            with contextlib.suppress(ProcessorError):
                await self._customers.replace_deleted(delta.customer)
            _log.error("balance_sync_refused", customer=delta.customer, fault=str(error.fault), reason=error.reason)
            await self._postpone(delta, REFUSED_WAIT_S)
            batch.postpone(delta)
            return
        await self._postpone(delta, FAILED_WAIT_S)
        if batch.failed(delta) >= FAILURES_MAX:
            raise error

    async def _postpone(self, delta: Delta, seconds: float) -> None:
        await self._set_claims([delta], int(self._clock.unix() + seconds))

    async def _set_claims(self, deltas: Sequence[Delta], until_s: int) -> None:
        sql = "UPDATE payments_delta SET claimed_until_s = ? WHERE account = ? AND number = ?"
        await self._database.execute(
            *(Statement(sql, (until_s, delta.account, delta.number)) for delta in deltas),
        )
