"""Payments, refunds and disputes enter the ledger: each once, in whatever order the processor reports them.

Everything here may be repeated at any time, by any node: causes are the processor's own ids.

The amount taken back of a payment is the sum of the refunds and disputes in force, and never more than was received. Each
of them, and each end of one (a failed refund, a dispute won, wholly or in part), changes the account's credit by the
difference that it makes when it is counted; so in every order the differences add up to the same.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

from node.billing.payments.tables import select
from node.database.port import Statement, text, whole, whole_or_none
from node.ledger.port import MICRODOLLARS_PER_CENT, Posting, Postings, Source
from node.processor.port import IntentStatus, PaymentIntent
from node.values import u256_hex


class PaymentMetrics:
    """Counters and gauges for Prometheus. `unix` is unix time in seconds."""

    def __init__(self, registry: CollectorRegistry, unix: Callable[[], float]) -> None:
        self._unix = unix
        self._swept_s = unix()
        self._postings = Counter(
            "svc_processor_postings", "Changes of credit by the card processor.", ["kind"], registry=registry
        )
        self._waiting = Gauge(
            "svc_processor_outbox_rows", "What is yet to be sent to the card processor.", ["kind"], registry=registry
        )
        self._oldest = Gauge(
            "svc_processor_outbox_oldest_seconds", "Age of the oldest of it; 0: nothing waits.", registry=registry
        )
        lag = Gauge("svc_processor_sweep_lag_seconds", "Since the begin of the last whole sweep.", registry=registry)
        lag.set_function(lambda: max(0.0, self._unix() - self._swept_s))
        self._webhooks = Counter(
            "svc_processor_webhooks", "Webhook calls, by what became of them.", ["result"], registry=registry
        )

    def posted(self, cause: str) -> None:
        """Count a change of credit; the part of `cause` before its colon is the kind."""
        self._postings.labels(cause.partition(":")[0]).inc()

    def outbox(self, deltas: int, customers: int, oldest_s: float) -> None:
        """Set how much waits in the outbox, and since how many seconds."""
        self._waiting.labels("balance").set(deltas)
        self._waiting.labels("customer").set(customers)
        self._oldest.set(oldest_s)

    def swept(self, begun_s: float) -> None:
        """Note the begin (unix seconds) of a sweep that ended well, here or on another node."""
        self._swept_s = max(self._swept_s, begun_s)

    def webhook(self, result: str) -> None:
        """Count a call of the webhook: "accepted", "bad_signature", "unreadable", "too_large"."""
        self._webhooks.labels(result).inc()


_REVERSALS: Final = "SELECT cause, object, wanted_cents, takes_back, cents FROM payments_reversal WHERE intent = ?"


@dataclass(frozen=True, slots=True)
class Reversal:
    """Refund or dispute (`thing` is its id) that takes `wanted_cents` back, or the end of one that gives so many back.

    `cents` is the change of the account's credit; None: not counted yet.
    """

    cause: str
    thing: str
    wanted_cents: int
    takes_back: bool
    cents: int | None = None


@dataclass(frozen=True, slots=True)
class _Payment:
    account: int
    received_cents: int | None
    turn: str


class Settlement:
    """Credits payments and takes them back. `unix` is unix time in seconds. Every method raises LedgerUnavailableError."""

    def __init__(self, database: Postings, metrics: PaymentMetrics, unix: Callable[[], float]) -> None:
        self._database = database
        self._metrics = metrics
        self._unix = unix

    async def payment(self, intent: PaymentIntent) -> None:
        """Credit a payment that succeeded, or note its state. Payments that are not ours are ignored.

        Raises ValueError when the processor contradicts what it said before.
        """
        payment = await self._noted(intent)
        if payment is None:
            return
        if intent.status is IntentStatus.SUCCEEDED:
            # Webhook, sweep and the client's confirmation all report the same payment; the first one credits it.
            if payment.received_cents is None:
                await self._credit(intent, payment.account)
            # A refund may have been reported before the payment that it takes back.
            await self.reversals_of(intent.id)
        elif payment.received_cents is None:
            sql = "UPDATE payments_payment SET status = ? WHERE intent = ? AND received_cents IS NULL"
            await self._database.execute(Statement(sql, (str(intent.status), intent.id)))

    async def reversal(self, reversal: Reversal, intent: str) -> None:
        """Take a refund or dispute back from the account, or give it back; later, if the payment is not credited yet."""
        sql = """
            INSERT INTO payments_reversal (cause, object, intent, wanted_cents, takes_back, look_at_s)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (cause) DO NOTHING
        """
        values = (reversal.cause, reversal.thing, intent, reversal.wanted_cents, int(reversal.takes_back))
        await self._database.execute(Statement(sql, (*values, int(self._unix()))))
        await self.reversals_of(intent)

    async def reversals_of(self, intent: str) -> bool:
        """Post the pending reversals of a payment. Returns False when the payment is not credited yet."""
        while (payment := await self._payment(intent)) is not None and payment.received_cents is not None:
            if await self._count(intent, payment, payment.received_cents):
                await self._post_reversals(intent, payment.account)
                return True
        return False

    async def _noted(self, intent: PaymentIntent) -> _Payment | None:
        """Return our row of a payment, which alone decides whose it is; made from the intent's metadata where it is missing.

        It is missing after a crash before the intent's id was noted, and in a database restored from a backup. A canceled
        payment needs no row.
        """
        known = await self._payment(intent.id)
        if known is not None or intent.account is None or intent.status is IntentStatus.CANCELED:
            return known
        await self._database.execute(
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
                    int(self._unix()),
                ),
            )
        )
        known = await self._payment(intent.id)
        if known is None:
            # Crediting both would credit one purchase twice.
            raise ValueError("one payment of ours has two intents")
        return known

    async def _credit(self, intent: PaymentIntent, account: int) -> None:
        received = Statement(
            "UPDATE payments_payment SET received_cents = ?, status = ? WHERE intent = ? AND received_cents IS NULL",
            (intent.received_cents, str(intent.status), intent.id),
        )
        # The ledger takes no entry of nothing; the row still says that the payment is finished.
        if intent.received_cents <= 0:
            await self._database.execute(received)
            return
        # Entry and row change in one transaction: a crash cannot credit without noting it, or note without crediting.
        await self._post(f"payment:{intent.id}", account, intent.received_cents, received)

    async def _post(self, cause: str, account: int, cents: int, also: Statement) -> None:
        posting = Posting(cause, account, Source.CARD, cents * MICRODOLLARS_PER_CENT)
        if await self._database.post(posting, also):
            self._metrics.posted(cause)

    async def _payment(self, intent: str) -> _Payment | None:
        sql = "SELECT account, received_cents, turn FROM payments_payment WHERE intent = ?"
        rows = await select(self._database, sql, intent)
        if not rows:
            return None
        account, received, turn = rows[0]
        return _Payment(int(text(account), 16), whole_or_none(received), text(turn))

    async def _count(self, intent: str, payment: _Payment, received_cents: int) -> bool:
        """Fix the change of each new reversal, one node at a time. Returns False when another node was first."""
        rows = await select(self._database, f"{_REVERSALS} ORDER BY look_at_s, cause", intent)
        known = [
            Reversal(text(cause), text(thing), whole(wanted), bool(takes_back), whole_or_none(cents))
            for cause, thing, wanted, takes_back, cents in rows
        ]
        changes = counted(received_cents, known)
        if not changes:
            return True
        turn = uuid.uuid4().hex
        # Compare and swap on `turn`: each change depends on the changes counted before it.
        taken, *_ = await self._database.execute(
            Statement(
                "UPDATE payments_payment SET turn = ? WHERE intent = ? AND turn = ? RETURNING turn",
                (turn, intent, payment.turn),
            ),
            *(_fixed(cause, cents, intent, turn) for cause, cents in changes.items()),
        )
        return bool(taken)

    async def _post_reversals(self, intent: str, account: int) -> None:
        sql = "SELECT cause, cents FROM payments_reversal WHERE intent = ? AND posted = 0 AND cents IS NOT NULL"
        for row in await select(self._database, sql, intent):
            cause, cents = text(row[0]), whole(row[1])
            posted = Statement("UPDATE payments_reversal SET posted = 1 WHERE cause = ?", (cause,))
            # A change of nothing has no entry, and is finished all the same.
            if cents:
                await self._post(cause, account, cents, posted)
            else:
                await self._database.execute(posted)


def _fixed(cause: str, cents: int, intent: str, turn: str) -> Statement:
    """Return the change of one reversal, if `turn` is still ours: else another node's reversals are not counted in."""
    sql = """
        UPDATE payments_reversal SET cents = ? WHERE cause = ? AND cents IS NULL
        AND EXISTS (SELECT 1 FROM payments_payment WHERE intent = ? AND turn = ?)
    """
    return Statement(sql, (cents, cause, intent, turn))


def counted(received_cents: int, reversals: Sequence[Reversal]) -> Mapping[str, int]:
    """Return by cause the change of the account's credit by each reversal that is not counted yet."""
    known = [reversal for reversal in reversals if reversal.cents is not None]
    changes: dict[str, int] = {}
    for reversal in reversals:
        if reversal.cents is None:
            # As a difference: whatever the order of reports, the sum of all changes is what is taken back in the end.
            before = taken_back(received_cents, known)
            known.append(reversal)
            changes[reversal.cause] = before - taken_back(received_cents, known)
    return changes


def taken_back(received_cents: int, reversals: Sequence[Reversal]) -> int:
    """Return what is taken back while just these are known. The end of a reversal counts also when it was reported first."""
    given_back = {reversal.thing: reversal.wanted_cents for reversal in reversals if not reversal.takes_back}
    kept = [
        max(0, reversal.wanted_cents - given_back.get(reversal.thing, 0))
        for reversal in reversals
        if reversal.takes_back
    ]
    # A refund and a dispute of the same money must not take it back twice.
    return min(received_cents, sum(kept))
