"""Postings of payments, refunds and disputes, each once, in any order of reports.

Any node may repeat everything here at any time, since causes are the processor's own ids.

The amount taken back of a payment is the sum of refunds and disputes in force, at most the amount
received. Each of them, and each end of one (a failed refund, a dispute won or partly won), changes
the credit by the difference that it makes when counted, so in any order the sum is the same.
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
    """Counters and gauges for Prometheus. `unix` returns unix time in seconds."""

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
        """Counts a change of credit. The part of `cause` before its colon is the kind."""
        self._postings.labels(cause.partition(":")[0]).inc()

    def outbox(self, deltas: int, customers: int, oldest_s: float) -> None:
        """Sets the number of rows in the outbox, and the age of the oldest in seconds."""
        self._waiting.labels("balance").set(deltas)
        self._waiting.labels("customer").set(customers)
        self._oldest.set(oldest_s)

    def swept(self, begun_s: float) -> None:
        """Records the start (unix seconds) of a successful sweep, of this or another node."""
        self._swept_s = max(self._swept_s, begun_s)

    def webhook(self, result: str) -> None:
        """Counts a webhook call: "accepted", "bad_signature", "unreadable" or "too_large"."""
        self._webhooks.labels(result).inc()


_REVERSALS: Final = "SELECT cause, object, wanted_cents, takes_back, cents FROM payments_reversal WHERE intent = ?"


@dataclass(frozen=True, slots=True)
class Reversal:
    """Refund or dispute with id `thing` that takes `wanted_cents` back, or gives them back.

    `cents` is the change of the account's credit, None until it is counted.
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
    """Credits payments and takes them back. Every method raises LedgerUnavailableError."""

    def __init__(self, database: Postings, metrics: PaymentMetrics, unix: Callable[[], float]) -> None:
        self._database = database
        self._metrics = metrics
        self._unix = unix

    async def payment(self, intent: PaymentIntent) -> None:
        """Credits a payment that succeeded, or stores its state. Foreign payments are ignored.

        Raises ValueError if the processor contradicts an earlier report.
        """
        payment = await self._noted(intent)
        if payment is None:
            return
        if intent.status is IntentStatus.SUCCEEDED:
            # Webhook, sweep and client report the same payment. The first report credits it.
            if payment.received_cents is None:
                await self._credit(intent, payment.account)
            # A refund may be reported before its payment.
            await self.reversals_of(intent.id)
        elif payment.received_cents is None:
            sql = "UPDATE payments_payment SET status = ? WHERE intent = ? AND received_cents IS NULL"
            await self._database.execute(Statement(sql, (str(intent.status), intent.id)))

    async def reversal(self, reversal: Reversal, intent: str) -> None:
        """Posts a refund or dispute, or stores it until its payment is credited."""
        sql = """
            INSERT INTO payments_reversal (cause, object, intent, wanted_cents, takes_back, look_at_s)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (cause) DO NOTHING
        """
        values = (reversal.cause, reversal.thing, intent, reversal.wanted_cents, int(reversal.takes_back))
        await self._database.execute(Statement(sql, (*values, int(self._unix()))))
        await self.reversals_of(intent)

    async def reversals_of(self, intent: str) -> bool:
        """Posts pending reversals of a payment. Returns False before it is credited."""
        while (payment := await self._payment(intent)) is not None and payment.received_cents is not None:
            if await self._count(intent, payment, payment.received_cents):
                await self._post_reversals(intent, payment.account)
                return True
        return False

    async def _noted(self, intent: PaymentIntent) -> _Payment | None:
        """Returns our row of a payment, which decides its account, or makes it from metadata.

        It is missing after a crash before the intent's id was stored, and in a database restored
        from a backup. A canceled payment needs no row.
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
            # If both were credited, one purchase would be credited twice.
            raise ValueError("one payment of ours has two intents")
        return known

    async def _credit(self, intent: PaymentIntent, account: int) -> None:
        received = Statement(
            "UPDATE payments_payment SET received_cents = ?, status = ? WHERE intent = ? AND received_cents IS NULL",
            (intent.received_cents, str(intent.status), intent.id),
        )
        # The ledger takes no zero entry. The row shows that the payment is finished.
        if intent.received_cents <= 0:
            await self._database.execute(received)
            return
        # Entry and row change in one transaction, so that a crash cannot separate them.
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
        """Fixes the change of each new reversal. Returns False if another node was first."""
        rows = await select(self._database, f"{_REVERSALS} ORDER BY look_at_s, cause", intent)
        known = [
            Reversal(text(cause), text(thing), whole(wanted), bool(takes_back), whole_or_none(cents))
            for cause, thing, wanted, takes_back, cents in rows
        ]
        changes = counted(received_cents, known)
        if not changes:
            return True
        turn = uuid.uuid4().hex
        # Compare and swap on `turn`, since each change depends on those counted before it.
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
            # A zero change has no entry, and is finished.
            if cents:
                await self._post(cause, account, cents, posted)
            else:
                await self._database.execute(posted)


def _fixed(cause: str, cents: int, intent: str, turn: str) -> Statement:
    """Returns the change of one reversal, which takes effect only if `turn` is still ours."""
    sql = """
        UPDATE payments_reversal SET cents = ? WHERE cause = ? AND cents IS NULL
        AND EXISTS (SELECT 1 FROM payments_payment WHERE intent = ? AND turn = ?)
    """
    return Statement(sql, (cents, cause, intent, turn))


def counted(received_cents: int, reversals: Sequence[Reversal]) -> Mapping[str, int]:
    """Returns by cause the change of credit by each reversal that is not counted yet."""
    known = [reversal for reversal in reversals if reversal.cents is not None]
    changes: dict[str, int] = {}
    for reversal in reversals:
        if reversal.cents is None:
            # As a difference, so that in any order the changes add up to the final sum.
            before = taken_back(received_cents, known)
            known.append(reversal)
            changes[reversal.cause] = before - taken_back(received_cents, known)
    return changes


def taken_back(received_cents: int, reversals: Sequence[Reversal]) -> int:
    """Returns what these reversals take back. An end of one may be reported first."""
    given_back = {reversal.thing: reversal.wanted_cents for reversal in reversals if not reversal.takes_back}
    kept = [
        max(0, reversal.wanted_cents - given_back.get(reversal.thing, 0))
        for reversal in reversals
        if reversal.takes_back
    ]
    # A refund and a dispute of the same money must not take it back twice.
    return min(received_cents, sum(kept))
