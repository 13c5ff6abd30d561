"""From what the processor says of payments, refunds and disputes to the ledger, each once, in whatever order it is told.

Everything here may be repeated at any time, by any node: causes are the processor's own ids.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from node.billing.payments.metrics import PaymentMetrics
from node.billing.payments.reversals import Reversal, counted
from node.billing.payments.rows import select, text, whole, whole_or_none
from node.database.port import Statement
from node.ledger.port import MICRODOLLARS_PER_CENT, Posting, Postings, Source
from node.processor.port import IntentStatus, PaymentIntent
from node.values import u256_hex

_REVERSALS: Final = "SELECT cause, object, wanted_cents, takes_back, cents FROM payments_reversal WHERE intent = ?"


@dataclass(frozen=True, slots=True)
class _Payment:
    account: int
    received_cents: int | None
    turn: str


class Settling:
    """Credits payments and takes them back. `clock` is unix time in seconds. Every method raises NodeError `billing_unavailable`."""

    def __init__(self, books: Postings, metrics: PaymentMetrics, clock: Callable[[], float]) -> None:
        self._books = books
        self._metrics = metrics
        self._clock = clock

    async def payment(self, intent: PaymentIntent) -> None:
        """Credit what was received once it succeeded, and note how far it is before. A payment of others is nothing to us.

        Raises ValueError when the processor contradicts what it said before.
        """
        payment = await self._noted(intent)
        if payment is None:
            return
        if intent.status is IntentStatus.SUCCEEDED:
            if payment.received_cents is None:
                await self._credit(intent, payment.account)
            await self.reversals_of(intent.id)
        elif payment.received_cents is None:
            sql = "UPDATE payments_payment SET status = ? WHERE intent = ? AND received_cents IS NULL"
            await self._books.execute(Statement(sql, (str(intent.status), intent.id)))

    async def reversal(self, reversal: Reversal, intent: str) -> None:
        """Take a refund or dispute back from the account, or give it back; where the payment is not credited yet, later."""
        sql = """
            INSERT INTO payments_reversal (cause, object, intent, wanted_cents, takes_back, look_at_s)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (cause) DO NOTHING
        """
        values = (reversal.cause, reversal.thing, intent, reversal.wanted_cents, int(reversal.takes_back))
        await self._books.execute(Statement(sql, (*values, int(self._clock()))))
        await self.reversals_of(intent)

    async def reversals_of(self, intent: str) -> bool:
        """Post what is not posted of a payment's reversals; False when the payment is not credited yet."""
        while (payment := await self._payment(intent)) is not None and payment.received_cents is not None:
            if await self._count(intent, payment, payment.received_cents):
                await self._post_reversals(intent, payment.account)
                return True
        return False

    async def _noted(self, intent: PaymentIntent) -> _Payment | None:
        """Our row of it, which alone says whose it is; made of what we wrote on the intent where it is not there.

        So it is after a crash before the intent's id was noted, and in a database that was restored from a backup. One that
        was canceled needs no row: it was given up, or will never be paid.
        """
        known = await self._payment(intent.id)
        if known is not None or intent.account is None or intent.status is IntentStatus.CANCELED:
            return known
        await self._books.execute(
            Statement(
                """
                INSERT INTO payments_payment (payment, account, amount_cents, intent, status, created_s, look_at_s)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (payment) DO UPDATE SET intent = excluded.intent
                WHERE payments_payment.intent IS NULL AND payments_payment.account = excluded.account
                """,
                (
                    intent.payment or intent.id,
                    u256_hex(intent.account),
                    intent.amount_cents,
                    intent.id,
                    str(IntentStatus.OPEN),
                    intent.created_s,
                    int(self._clock()),
                ),
            )
        )
        known = await self._payment(intent.id)
        if known is None:
            raise ValueError("one payment of ours has two intents")
        return known

    async def _credit(self, intent: PaymentIntent, account: int) -> None:
        received = Statement(
            "UPDATE payments_payment SET received_cents = ?, status = ? WHERE intent = ? AND received_cents IS NULL",
            (intent.received_cents, str(intent.status), intent.id),
        )
        if intent.received_cents <= 0:
            await self._books.execute(received)
            return
        await self._post(f"payment:{intent.id}", account, intent.received_cents, received)

    async def _post(self, cause: str, account: int, cents: int, also: Statement) -> None:
        posting = Posting(cause, account, Source.CARD, cents * MICRODOLLARS_PER_CENT)
        if await self._books.post(posting, also):
            self._metrics.posted(cause)

    async def _payment(self, intent: str) -> _Payment | None:
        sql = "SELECT account, received_cents, turn FROM payments_payment WHERE intent = ?"
        rows = await select(self._books, sql, intent)
        if not rows:
            return None
        account, received, turn = rows[0]
        return _Payment(int(text(account), 16), whole_or_none(received), text(turn))

    async def _count(self, intent: str, payment: _Payment, received_cents: int) -> bool:
        """Fix what each new reversal changes, one at a time among all nodes; False when another was before us."""
        rows = await select(self._books, f"{_REVERSALS} ORDER BY look_at_s, cause", intent)
        known = [
            Reversal(text(cause), text(thing), whole(wanted), bool(takes_back), whole_or_none(cents))
            for cause, thing, wanted, takes_back, cents in rows
        ]
        changes = counted(received_cents, known)
        if not changes:
            return True
        turn = uuid.uuid4().hex
        taken, *_ = await self._books.execute(
            Statement(
                "UPDATE payments_payment SET turn = ? WHERE intent = ? AND turn = ? RETURNING turn",
                (turn, intent, payment.turn),
            ),
            *(_fixed(cause, cents, intent, turn) for cause, cents in changes.items()),
        )
        return bool(taken)

    async def _post_reversals(self, intent: str, account: int) -> None:
        sql = "SELECT cause, cents FROM payments_reversal WHERE intent = ? AND posted = 0 AND cents IS NOT NULL"
        for row in await select(self._books, sql, intent):
            cause, cents = text(row[0]), whole(row[1])
            posted = Statement("UPDATE payments_reversal SET posted = 1 WHERE cause = ?", (cause,))
            if cents:
                await self._post(cause, account, cents, posted)
            else:
                await self._books.execute(posted)


def _fixed(cause: str, cents: int, intent: str, turn: str) -> Statement:
    """Only in our own turn: what was counted without another node's reversals would be wrong."""
    sql = """
        UPDATE payments_reversal SET cents = ? WHERE cause = ? AND cents IS NULL
        AND EXISTS (SELECT 1 FROM payments_payment WHERE intent = ? AND turn = ?)
    """
    return Statement(sql, (cents, cause, intent, turn))
