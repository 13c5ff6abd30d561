"""What the webhook did not tell: events since the last sweep, payments left unfinished, credit given by hand.

A payment whose browser tab was closed is credited here, also when the processor cannot reach the node at all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog

from node.billing.payments.abandoned import Abandoned
from node.billing.payments.events import EventHandler
from node.billing.payments.grants import Grants
from node.billing.payments.in_turn import each_in_turn
from node.billing.payments.limits import PaymentLimits
from node.billing.payments.metrics import PaymentMetrics
from node.billing.payments.rows import select, text, whole
from node.billing.payments.settling import Settling
from node.database.port import Statement
from node.ledger.port import Postings
from node.processor.port import CardProcessor, Fault, IntentStatus, PaymentIntent, ProcessorError

_log = structlog.get_logger(__name__)

_CURSOR: Final = "sweep"
"""The time of the newest event that was handled, by the processor's clock: ours may be ahead of it, and pass events by."""
_HEARD: Final = "heard"
"""When all events were last asked for, by our clock: how long the node was absent."""
_SWEPT: Final = "swept"
"""When the last whole sweep began."""
_CLOCKS_APART_S: Final = 86_400
"""The cursor begins so far behind our clock; one that is so far ahead of it was set by a clock that was wrong."""


@dataclass(frozen=True, slots=True)
class SweepParts:
    """What a sweep works with."""

    books: Postings
    processor: CardProcessor
    events: EventHandler
    settling: Settling
    grants: Grants
    abandoned: Abandoned
    metrics: PaymentMetrics


class Sweep:
    """One round of reconciliation at a time among all nodes. `clock` is unix time in seconds."""

    def __init__(self, parts: SweepParts, limits: PaymentLimits, clock: Callable[[], float]) -> None:
        self._parts = parts
        self._books = parts.books
        self._processor = parts.processor
        self._limits = limits
        self._clock = clock

    async def run(self) -> bool:
        """A whole round; False when another node is at it. What one part fails at keeps no other from its work.

        Raises ProcessorError, and NodeError `billing_unavailable`.
        """
        started_s = self._clock()
        since_s = await self._claim(int(started_s))
        if since_s is None:
            await self._note_other()
            return False
        try:
            await each_in_turn(
                lambda: self._news(since_s, int(started_s)),
                self._payments,
                self._reversals,
                self._parts.grants.import_some,
            )
        finally:
            await self._set("claimed_until_s = 0")
        await self._parts.events.forget(started_s - 2 * self._limits.events_kept_s)
        await self._note(_SWEPT, int(started_s))
        self._parts.metrics.swept(int(started_s))
        return True

    async def _note(self, name: str, time_s: int) -> None:
        sql = "INSERT INTO payments_cursor (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = ?"
        await self._books.execute(Statement(sql, (name, time_s, time_s)))

    async def _note_other(self) -> None:
        for row in await select(self._books, "SELECT value FROM payments_cursor WHERE name = ?", _SWEPT):
            self._parts.metrics.swept(whole(row[0]))

    async def _claim(self, now_s: int) -> int | None:
        """Since when (unix seconds) there is news; None: another node asks for it.

        A claim longer than any node makes one is of a clock that was wrong.
        """
        until = now_s + int(self._limits.sweep_claim_s)
        _, claimed = await self._books.execute(
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
        return since_s if since_s <= now_s + _CLOCKS_APART_S else now_s - int(self._limits.events_kept_s)

    async def _set(self, what: str, *values: int) -> None:
        await self._books.execute(Statement(f"UPDATE payments_cursor SET {what} WHERE name = ?", (*values, _CURSOR)))  # noqa: S608 - `what` is one of two texts of this file

    async def _news(self, since_s: int, started_s: int) -> None:
        """Events since, and some before again: the processor may tell of them late."""
        begin_s = since_s - int(self._limits.sweep_overlap_s)
        heard = await select(self._books, "SELECT value FROM payments_cursor WHERE name = ?", _HEARD)
        heard_s = whole(heard[0][0]) if heard else started_s
        works = [lambda: self._events(begin_s, since_s)]
        if started_s - heard_s > self._limits.events_kept_s:
            works.append(lambda: self._of_an_absence(min(begin_s, heard_s - _CLOCKS_APART_S)))
        await each_in_turn(*works)
        await self._note(_HEARD, started_s)

    async def _events(self, begin_s: int, since_s: int) -> None:
        events = await self._processor.events_since(begin_s)
        await each_in_turn(*(partial(self._parts.events.handle, event) for event in events))
        await self._set("value = ?", max((event.created_s for event in events), default=since_s))

    async def _of_an_absence(self, since_s: int) -> None:
        """What the processor tells no more: payments, then what was taken back of them, also of what was begun before."""
        for intent in await self._processor.intents_since(since_s):
            await self._payment(intent)
        open_since_s = max(0, since_s - int(self._limits.reversal_open_s))
        for refund in await self._processor.refunds_since(open_since_s):
            await self._parts.events.apply(refund)
        for dispute in await self._processor.disputes_since(open_since_s):
            await self._parts.events.apply(dispute)

    async def _payments(self) -> None:
        """Ours that are not credited yet, the longer begun the more rarely."""
        now = int(self._clock())
        sql = """
            SELECT intent, created_s FROM payments_payment
            WHERE received_cents IS NULL AND intent IS NOT NULL AND look_at_s <= ? AND created_s > ? AND status <> ?
            ORDER BY look_at_s, intent LIMIT ?
        """
        oldest = now - int(self._limits.payment_look_for_s)
        values = (now, oldest, str(IntentStatus.CANCELED), self._limits.sweep_payments)
        for intent, created_s in await select(self._books, sql, *values):
            await self._look_again("payments_payment", text(intent), now - whole(created_s))
            found = await self._intent(text(intent))
            if found is not None:
                await self._payment(found)
            if found is not None and self._parts.abandoned.is_abandoned(found.status, whole(created_s)):
                await self._give_up(found.id)
        await self._parts.abandoned.forget()

    async def _give_up(self, intent: str) -> None:
        """Cancel it at the processor. One that is paid, or begins to be, in that very moment is credited as any other."""
        try:
            ended: PaymentIntent | None = await self._processor.cancel_intent(intent)
        except ProcessorError as error:
            if error.fault is not Fault.REFUSED:
                raise
            ended = await self._intent(intent)
        if ended is not None:
            await self._payment(ended)

    async def _reversals(self) -> None:
        """Refunds and disputes that are not posted: of a payment that is not credited yet, or not ours at all."""
        now = int(self._clock())
        sql = """
            SELECT intent, MIN(look_at_s) FROM payments_reversal WHERE posted = 0 AND look_at_s <= ?
            GROUP BY intent ORDER BY MIN(look_at_s), intent LIMIT ?
        """
        for row in await select(self._books, sql, now, self._limits.sweep_reversals):
            intent = text(row[0])
            if await self._parts.settling.reversals_of(intent):
                continue
            found = await self._intent(intent)
            if found is None or found.account is None:
                sql = "DELETE FROM payments_reversal WHERE intent = ? AND posted = 0"
                await self._books.execute(Statement(sql, (intent,)))
                continue
            await self._look_again("payments_reversal", intent, self._limits.sweep_s)
            await self._payment(found)

    async def _look_again(self, table: str, intent: str, age_s: float) -> None:
        """Noted before the look: one that fails each time must not keep others from theirs."""
        pause_s = min(max(age_s, self._limits.sweep_s), self._limits.payment_look_max_s)
        sql = f"UPDATE {table} SET look_at_s = ? WHERE intent = ?"  # noqa: S608 - one of two tables, named in this file
        await self._books.execute(Statement(sql, (int(self._clock() + pause_s), intent)))

    async def _intent(self, intent: str) -> PaymentIntent | None:
        try:
            return await self._processor.intent(intent)
        except ProcessorError as error:
            if error.fault is not Fault.NOT_FOUND:
                raise
            return None

    async def _payment(self, intent: PaymentIntent) -> None:
        try:
            await self._parts.settling.payment(intent)
        except ValueError as error:
            _log.error("processor_contradicts_itself", intent=intent.id, reason=str(error))
