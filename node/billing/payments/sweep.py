"""Reconciliation with the processor: new events, unfinished payments, credit given by hand.

A payment whose browser tab was closed is credited here, also if webhooks do not arrive. An unpaid
payment is given up after some days. Its row is removed once its intent is unknown or can no longer
be paid. If it is reported later, `Settlement.payment` makes the row again from its metadata.
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
"""Cursor with the time of the newest handled event, by the processor's clock."""
_HEARD: Final = "heard"
"""Cursor with the start of the last listing by our clock, which shows long absences."""
_SWEPT: Final = "swept"
"""Cursor with the start of the last complete sweep."""
_CLOCKS_APART_S: Final = 86_400
"""First distance of the event cursor behind our clock, and its maximum lead."""
_DAY_S: Final = 86_400

EVENTS_KEPT_S: Final = 29 * _DAY_S
"""Absence after which payments, refunds and disputes are listed, as events end at 30 days."""
REVERSAL_OPEN_S: Final = 120 * _DAY_S
"""Age, before such an absence, of refunds and disputes that may have changed during it."""
PAYMENTS_PER_SWEEP: Final = 100
"""Unfinished payments read in one sweep."""
REVERSALS_PER_SWEEP: Final = 100
"""Refunds of unknown payments read in one sweep."""
PAYMENT_LOOK_MIN_S: Final = 60
PAYMENT_LOOK_MAX_S: Final = _DAY_S
"""Minimum and maximum pause between two reads of an unfinished payment."""
PAYMENT_LOOK_FOR_S: Final = 90 * _DAY_S
"""Age at which an unfinished payment is no longer read, and its row removed."""
PAYMENT_OPEN_DAYS: Final = 7
"""Age in days at which an unpaid payment is canceled and removed, above the one day in which a
request may be repeated with its Idempotency-Key."""
FORGOTTEN_PAYMENTS_PER_SWEEP: Final = 1_000
"""Maximum payments removed in one sweep, to bound its transaction."""


class Sweep:
    """Runs one round of reconciliation at a time among all nodes. `unix` returns unix seconds."""

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
        """Runs a round; False if another node is running one. A failed part stops no other.

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
            # Released also after a failure, so that other nodes need not wait for the expiry.
            await self._set("claimed_until_s = 0")
        # Twice as long as the processor lists events, so that a removed one cannot recur.
        await self._handler.forget(started_s - 2 * EVENTS_KEPT_S)
        # The start, since changes during the sweep may have been missed.
        await self._note(_SWEPT, int(started_s))
        self._metrics.swept(int(started_s))
        return True

    async def _note(self, name: str, time_s: int) -> None:
        sql = "INSERT INTO payments_cursor (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = ?"
        await self._database.execute(Statement(sql, (name, time_s, time_s)))

    async def _claim(self, now_s: int) -> int | None:
        """Claims the sweep. Returns the time (unix s) to list events from; None if claimed.

        A claim that exceeds every node's maximum was made by a wrong clock.
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
        # A cursor in the future would skip all events, so the longest listing is used.
        return since_s if since_s <= now_s + _CLOCKS_APART_S else now_s - EVENTS_KEPT_S

    async def _set(self, what: str, *values: int) -> None:
        await self._database.execute(Statement(f"UPDATE payments_cursor SET {what} WHERE name = ?", (*values, _CURSOR)))  # noqa: S608 - `what` is one of two texts of this file

    async def _list_changes(self, since_s: int, started_s: int) -> None:
        """Lists events since then, and some earlier ones, which may be listed late."""
        begin_s = since_s - OVERLAP_S
        heard = await select(self._database, "SELECT value FROM payments_cursor WHERE name = ?", _HEARD)
        heard_s = whole(heard[0][0]) if heard else started_s
        works = [lambda: self._list_events(begin_s, since_s)]
        if started_s - heard_s > EVENTS_KEPT_S:
            works.append(lambda: self._list_absence(min(begin_s, heard_s - _CLOCKS_APART_S)))
        await each_in_turn(*works)
        # The start of the listing, since the next one lists events made during it.
        await self._note(_HEARD, started_s)

    async def _list_events(self, begin_s: int, since_s: int) -> None:
        events = await self._processor.events_since(begin_s)
        await each_in_turn(*(partial(self._handler.handle, event) for event in events))
        # After every event was handled, so that a failure lists them all again.
        await self._set("value = ?", max((event.created_s for event in events), default=since_s))

    async def _list_absence(self, since_s: int) -> None:
        """Lists payments, then refunds and disputes, also earlier ones, for a long absence."""
        for intent in await self._processor.intents_since(since_s):
            await self._payment(intent)
        open_since_s = max(0, since_s - REVERSAL_OPEN_S)
        for refund in await self._processor.refunds_since(open_since_s):
            await self._handler.apply(refund)
        for dispute in await self._processor.disputes_since(open_since_s):
            await self._handler.apply(dispute)

    async def _payments(self) -> None:
        """Reads unfinished payments, older ones less often, and gives up the abandoned."""
        now = int(self._unix())
        sql = """
            SELECT intent, created_s FROM payments_payment
            WHERE received_cents IS NULL AND intent IS NOT NULL AND look_at_s <= ? AND created_s > ? AND status <> ?
            ORDER BY look_at_s, intent LIMIT ?
        """
        oldest = now - PAYMENT_LOOK_FOR_S
        values = (now, oldest, str(IntentStatus.CANCELED), PAYMENTS_PER_SWEEP)
        for intent, created_s in await select(self._database, sql, *values):
            # The pause grows with the age, since each read is a call of the processor.
            await self._look_again("payments_payment", text(intent), now - whole(created_s))
            found = await self._intent(text(intent))
            if found is None:
                continue
            await self._payment(found)
            # A payment in processing may still succeed.
            if found.status is IntentStatus.OPEN and whole(created_s) <= self._abandoned_before_s:
                await self._give_up(found.id)
        await self._forget()

    async def _give_up(self, intent: str) -> None:
        """Cancels a payment at the processor. If it was just paid, it is credited."""
        try:
            ended: PaymentIntent | None = await self._processor.cancel_intent(intent)
        except ProcessorError as error:
            # Refused, since it was paid or canceled meanwhile. The intent shows which.
            if error.fault is not Fault.REFUSED:
                raise
            ended = await self._intent(intent)
        if ended is not None:
            await self._payment(ended)

    async def _reversals(self) -> None:
        """Reads refunds and disputes not posted yet, of uncredited or foreign payments."""
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
                # A foreign or unknown payment, which changes no credit.
                sql = "DELETE FROM payments_reversal WHERE intent = ? AND posted = 0"
                await self._database.execute(Statement(sql, (intent,)))
                continue
            # Ours, and not credited yet. It waits for its payment.
            await self._look_again("payments_reversal", intent, 0)
            await self._payment(found)

    async def _forget(self) -> None:
        """Removes old rows that are canceled, never begun at the processor, or not read."""
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
        """Sets the time of the next read before this one, in case it always fails."""
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
    """Runs each, then raises the first failure. A DomainError is raised immediately."""
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
