"""Reconciliation with the processor: events since the last sweep, unfinished payments, credit given by hand.

A payment whose browser tab was closed is credited here, also when the processor cannot reach the node at all. A payment
that nobody makes is given up after some days. Its row is removed only when its intent can no longer be paid, or is not
known; should the processor report it all the same, its metadata makes the row again (`Settlement.payment`).
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog

from node.billing.payments.balance_sync import OperatorCredit
from node.billing.payments.events import EventHandler
from node.billing.payments.settlement import PaymentMetrics
from node.billing.payments.tables import CLAIM_S, OVERLAP_S, select
from node.database.port import Statement, text, whole
from node.errors import DomainError
from node.ledger.port import Postings
from node.processor.port import CardProcessor, Fault, IntentStatus, PaymentIntent, ProcessorError

_log = structlog.get_logger(__name__)

_CURSOR: Final = "sweep"
"""Time of the newest handled event, by the processor's clock: ours may be ahead, and would skip events."""
_HEARD: Final = "heard"
"""Time of the last listing of all events, by our clock: tells how long the node was absent."""
_SWEPT: Final = "swept"
"""Begin of the last whole sweep."""
_CLOCKS_APART_S: Final = 86_400
"""First distance of the cursor behind our clock; one that is so far ahead was set by a clock that was wrong."""
_DAY_S: Final = 86_400

EVENTS_KEPT_S: Final = 29 * _DAY_S
"""After a longer absence payments, refunds and disputes are listed too: the processor forgets events after 30 days."""
REVERSAL_OPEN_S: Final = 120 * _DAY_S
"""Age, at the begin of such an absence, of a refund that may have failed, or a dispute that may have been decided, in it."""
PAYMENTS_PER_SWEEP: Final = 100
"""Unfinished payments looked at in one sweep."""
REVERSALS_PER_SWEEP: Final = 100
"""Refunds of unknown payments looked at in one sweep."""
PAYMENT_LOOK_MIN_S: Final = 60
PAYMENT_LOOK_MAX_S: Final = _DAY_S
"""Shortest and longest pause between two looks at an unfinished payment."""
PAYMENT_LOOK_FOR_S: Final = 90 * _DAY_S
"""Age at which an unfinished payment is no longer looked at, and forgotten."""
PAYMENT_OPEN_DAYS: Final = 7
"""Age at which an unpaid payment is canceled at the processor and forgotten. A request may be repeated with its
Idempotency-Key for one day."""
FORGOTTEN_PAYMENTS_PER_SWEEP: Final = 1_000
"""Payments forgotten in one sweep: bounds its transaction."""


class Sweep:
    """Runs one round of reconciliation at a time among all nodes. `unix` is unix time in seconds."""

    def __init__(
        self,
        database: Postings,
        processor: CardProcessor,
        events: EventHandler,
        operator_credit: OperatorCredit,
        metrics: PaymentMetrics,
        unix: Callable[[], float],
    ) -> None:
        self._database = database
        self._processor = processor
        self._handler = events
        self._settlement = events.settlement
        self._operator_credit = operator_credit
        self._metrics = metrics
        self._unix = unix

    async def run(self) -> bool:
        """Run a whole round. Returns False when another node is at it. A failure of one part does not stop the others.

        Raises ProcessorError, and LedgerUnavailableError.
        """
        started_s = self._unix()
        since_s = await self._claim(int(started_s))
        if since_s is None:
            for row in await select(self._database, "SELECT value FROM payments_cursor WHERE name = ?", _SWEPT):
                self._metrics.swept(whole(row[0]))
            return False
        try:
            await each_in_turn(
                lambda: self._list_changes(since_s, int(started_s)),
                self._payments,
                self._reversals,
                self._operator_credit.import_some,
            )
        finally:
            # Given back at once, also after a failure: another node need not wait for the claim to lapse.
            await self._set("claimed_until_s = 0")
        # Twice as long as the processor lists events: one that is forgotten here cannot come again.
        await self._handler.forget(started_s - 2 * EVENTS_KEPT_S)
        # The begin, not the end: what changed during the sweep may have been missed.
        await self._note(_SWEPT, int(started_s))
        self._metrics.swept(int(started_s))
        return True

    async def _note(self, name: str, time_s: int) -> None:
        sql = "INSERT INTO payments_cursor (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = ?"
        await self._database.execute(Statement(sql, (name, time_s, time_s)))

    async def _claim(self, now_s: int) -> int | None:
        """Claim the sweep. Returns since when (unix seconds) to list events; None: another node has it.

        A claim that is longer than any node makes was set by a clock that was wrong.
        """
        until = now_s + CLAIM_S
        _, claimed = await self._database.execute(
            Statement(
                "INSERT INTO payments_cursor (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                (_CURSOR, now_s - _CLOCKS_APART_S),
            ),
            Statement(
                """
                UPDATE payments_cursor SET claimed_until_s = ?
                WHERE name = ? AND (claimed_until_s <= ? OR claimed_until_s > ?) RETURNING value
                """,
                (until, _CURSOR, now_s, until),
            ),
        )
        if not claimed:
            return None
        since_s = whole(claimed[0][0])
        # A cursor in the future would skip every event; the longest possible listing is safe.
        return since_s if since_s <= now_s + _CLOCKS_APART_S else now_s - EVENTS_KEPT_S

    async def _set(self, what: str, *values: int) -> None:
        await self._database.execute(Statement(f"UPDATE payments_cursor SET {what} WHERE name = ?", (*values, _CURSOR)))  # noqa: S608 - `what` is one of two texts of this file

    async def _list_changes(self, since_s: int, started_s: int) -> None:
        """List events since, and some earlier ones again: the processor may list them late."""
        begin_s = since_s - OVERLAP_S
        heard = await select(self._database, "SELECT value FROM payments_cursor WHERE name = ?", _HEARD)
        heard_s = whole(heard[0][0]) if heard else started_s
        works = [lambda: self._list_events(begin_s, since_s)]
        if started_s - heard_s > EVENTS_KEPT_S:
            works.append(lambda: self._list_absence(min(begin_s, heard_s - _CLOCKS_APART_S)))
        await each_in_turn(*works)
        # The time at which the listing began: events made during it are listed by the next one.
        await self._note(_HEARD, started_s)

    async def _list_events(self, begin_s: int, since_s: int) -> None:
        events = await self._processor.events_since(begin_s)
        await each_in_turn(*(partial(self._handler.handle, event) for event in events))
        # Only after every event was handled: a failure lists them again, and each is handled once.
        await self._set("value = ?", max((event.created_s for event in events), default=since_s))

    async def _list_absence(self, since_s: int) -> None:
        """List what the processor has no events of any more: payments, then refunds and disputes, also earlier ones."""
        for intent in await self._processor.intents_since(since_s):
            await self._payment(intent)
        open_since_s = max(0, since_s - REVERSAL_OPEN_S)
        for refund in await self._processor.refunds_since(open_since_s):
            await self._handler.apply(refund)
        for dispute in await self._processor.disputes_since(open_since_s):
            await self._handler.apply(dispute)

    async def _payments(self) -> None:
        """Look at our payments that are not credited yet, older ones more rarely, and give up the abandoned."""
        now = int(self._unix())
        sql = """
            SELECT intent, created_s FROM payments_payment
            WHERE received_cents IS NULL AND intent IS NOT NULL AND look_at_s <= ? AND created_s > ? AND status <> ?
            ORDER BY look_at_s, intent LIMIT ?
        """
        oldest = now - PAYMENT_LOOK_FOR_S
        values = (now, oldest, str(IntentStatus.CANCELED), PAYMENTS_PER_SWEEP)
        for intent, created_s in await select(self._database, sql, *values):
            # The pause grows with the age, since each look is a call of the processor.
            await self._look_again("payments_payment", text(intent), now - whole(created_s))
            found = await self._intent(text(intent))
            if found is not None:
                await self._payment(found)
            if found is not None and self._is_abandoned(found.status, whole(created_s)):
                await self._give_up(found.id)
        await self._forget()

    async def _give_up(self, intent: str) -> None:
        """Cancel a payment at the processor. One that is paid in that very moment is credited as any other."""
        try:
            ended: PaymentIntent | None = await self._processor.cancel_intent(intent)
        except ProcessorError as error:
            # Refused: it was paid or canceled since it was read, and the intent says which.
            if error.fault is not Fault.REFUSED:
                raise
            ended = await self._intent(intent)
        if ended is not None:
            await self._payment(ended)

    async def _reversals(self) -> None:
        """Look at refunds and disputes that are not posted: of a payment that is not credited yet, or not ours at all."""
        now = int(self._unix())
        sql = """
            SELECT intent, MIN(look_at_s) FROM payments_reversal WHERE posted = 0 AND look_at_s <= ?
            GROUP BY intent ORDER BY MIN(look_at_s), intent LIMIT ?
        """
        for row in await select(self._database, sql, now, REVERSALS_PER_SWEEP):
            intent = text(row[0])
            if await self._settlement.reversals_of(intent):
                continue
            found = await self._intent(intent)
            if found is None or found.account is None:
                # Another business's payment, or none: nobody's credit can follow from it.
                sql = "DELETE FROM payments_reversal WHERE intent = ? AND posted = 0"
                await self._database.execute(Statement(sql, (intent,)))
                continue
            # Ours, and not credited yet: it stays until its payment is.
            await self._look_again("payments_reversal", intent, 0)
            await self._payment(found)

    def _is_abandoned(self, status: IntentStatus, created_s: int) -> bool:
        """Return whether to cancel it: a payment that is being processed may still succeed."""
        return status is IntentStatus.OPEN and created_s <= self._abandoned_before_s

    async def _forget(self) -> None:
        """Remove old rows: canceled, never begun at the processor, or no longer looked at."""
        sql = """
            DELETE FROM payments_payment WHERE payment IN (
                SELECT payment FROM payments_payment WHERE received_cents IS NULL AND created_s <= ?
                AND (intent IS NULL OR status = ? OR created_s <= ?) ORDER BY created_s LIMIT ?
            ) AND received_cents IS NULL
        """
        looked_at_since_s = int(self._unix() - PAYMENT_LOOK_FOR_S)
        canceled = str(IntentStatus.CANCELED)
        values = (self._abandoned_before_s, canceled, looked_at_since_s, FORGOTTEN_PAYMENTS_PER_SWEEP)
        await self._database.execute(Statement(sql, values))

    @property
    def _abandoned_before_s(self) -> int:
        return int(self._unix()) - PAYMENT_OPEN_DAYS * _DAY_S

    async def _look_again(self, table: str, intent: str, age_s: float) -> None:
        """Set the next look at a payment, before the look: one that fails each time must not stop the others."""
        pause_s = min(max(age_s, PAYMENT_LOOK_MIN_S), PAYMENT_LOOK_MAX_S)
        sql = f"UPDATE {table} SET look_at_s = ? WHERE intent = ?"  # noqa: S608 - one of two tables, named in this file
        await self._database.execute(Statement(sql, (int(self._unix() + pause_s), intent)))

    async def _intent(self, intent: str) -> PaymentIntent | None:
        try:
            return await self._processor.intent(intent)
        except ProcessorError as error:
            if error.fault is not Fault.NOT_FOUND:
                raise
            return None

    async def _payment(self, intent: PaymentIntent) -> None:
        try:
            await self._settlement.payment(intent)
        except ValueError as error:
            _log.error("processor_contradicts_itself", intent=intent.id, reason=str(error))


async def each_in_turn(*works: Callable[[], Awaitable[object]]) -> None:
    """Run each; raise the first failure when all have run, but a failure of the node's own (DomainError) at once."""
    failures: list[Exception] = []
    for work in works:
        try:
            await work()
        except DomainError:
            raise
        except Exception as error:  # noqa: BLE001 - raised below
            failures.append(error)
    if failures:
        raise failures[0]
