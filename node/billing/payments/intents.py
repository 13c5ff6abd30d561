"""Buying credit: a payment is begun, confirmed in the browser, and credited."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import structlog
from pydantic import JsonValue

from node.billing.payments.customers import Customers
from node.billing.payments.keys import turn_at
from node.billing.payments.limits import PaymentLimits
from node.billing.payments.rates import PaymentRates
from node.billing.payments.rows import select, text, text_or_none, whole, whole_or_none
from node.billing.payments.settling import Settling
from node.database.port import Database, Statement
from node.errors import ErrorCode, NodeError
from node.processor.port import CardProcessor, Fault, IntentStatus, PaymentIntent, ProcessorError
from node.values import keccak256, u256_hex

_log = structlog.get_logger(__name__)

_RETRY_AFTER_S: Final = 5

_WHAT_NOW: Final = {
    IntentStatus.OPEN: "Confirm the payment in the browser with its client_secret, then call this again.",
    IntentStatus.PROCESSING: "Nothing: it is credited as soon as it succeeds, also without this call.",
    IntentStatus.CANCELED: "Begin a new payment with create_payment_intent.",
}


@dataclass(frozen=True, slots=True)
class BegunPayment:
    """What the browser confirms."""

    intent: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Row:
    payment: str
    intent: str | None
    created_s: int


class Payments:
    """Payments of accounts through the card processor. `clock` is unix time in seconds."""

    def __init__(
        self,
        books: Database,
        processor: CardProcessor,
        customers: Customers,
        settling: Settling,
        limits: PaymentLimits,
        clock: Callable[[], float],
        rates: PaymentRates,
    ) -> None:
        self._books = books
        self._rates = rates
        self._processor = processor
        self._customers = customers
        self._settling = settling
        self._limits = limits
        self._clock = clock

    async def create(
        self,
        account: int,
        amount_cents: int,
        idempotency_id: str | None,
        usage_key: int | None = None,
        address: str | None = None,
    ) -> BegunPayment:
        """Begin a payment; with the same `idempotency_id` it is the same payment.

        `usage_key` is the hash of one that asks, `address` (of `rate_limit_client`) the client's, where a client asks.

        Raises NodeError `billing_unavailable` when the processor or the ledger is out, `too_many_requests`.
        """
        self._rates.begin(_caller(account, usage_key), address)
        with self._rates.at_once:
            return await self._create(account, amount_cents, idempotency_id)

    async def _create(self, account: int, amount_cents: int, idempotency_id: str | None) -> BegunPayment:
        payment = uuid.uuid4().hex if idempotency_id is None else keccak256(idempotency_id.encode()).hex()
        row = await self._noted(payment, account, amount_cents)
        try:
            intent = await self._begun(row, account, amount_cents)
        except ProcessorError as error:
            raise _unavailable(error) from None
        await self._books.execute(
            Statement(
                "UPDATE payments_payment SET intent = ? WHERE payment = ? AND intent IS NULL", (intent.id, payment)
            )
        )
        return BegunPayment(intent.id, intent.client_secret)

    async def confirm(self, account: int, intent: str, usage_key: int | None = None, address: str | None = None) -> int:
        """The cents credited by a payment of the account that succeeded; the same however often it is asked.

        `usage_key` and `address` are those of `create`.
        Raises NodeError `not_found` for a payment that is not this account's, `conflict` (`details.status`) for one
        that has not succeeded, `billing_unavailable`, `too_many_requests`.
        """
        received = await self._received(account, intent)
        if received is not None:
            return received
        self._rates.confirm(_caller(account, usage_key), address)
        try:
            with self._rates.at_once:
                found = await self._processor.intent(intent)
        except ProcessorError as error:
            if error.fault is Fault.NOT_FOUND:
                raise _unknown() from None
            raise _unavailable(error) from None
        await self._settling.payment(found)
        if found.status is not IntentStatus.SUCCEEDED:
            raise _not_succeeded(found.status)
        return await self._received(account, intent) or found.received_cents

    async def _noted(self, payment: str, account: int, amount_cents: int) -> _Row:
        """Durable before the processor is called, so that what it begins is found again."""
        now = int(self._clock())
        _, rows = await self._books.execute(
            Statement(
                """
                INSERT INTO payments_payment (payment, account, amount_cents, status, created_s, look_at_s)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (payment) DO NOTHING
                """,
                (payment, u256_hex(account), amount_cents, str(IntentStatus.OPEN), now, now),
            ),
            Statement("SELECT payment, intent, created_s FROM payments_payment WHERE payment = ?", (payment,)),
        )
        return _Row(text(rows[0][0]), text_or_none(rows[0][1]), whole(rows[0][2]))

    async def _begun(self, row: _Row, account: int, amount_cents: int) -> PaymentIntent:
        if row.intent is not None:
            return await self._processor.intent(row.intent)
        customer = await self._customers.of(account)
        turn = turn_at(row.created_s, self._clock(), self._limits)
        if turn.looks_first:
            for intent in await self._processor.intents_since(row.created_s - int(self._limits.sweep_overlap_s)):
                if intent.payment == row.payment:
                    return await self._processor.intent(intent.id)
        turn.require()
        key = f"payment:{row.payment}:{turn.number}"
        try:
            return await self._processor.create_intent(customer, account, row.payment, amount_cents, key)
        except ProcessorError as error:
            if error.fault in {Fault.REFUSED, Fault.NOT_FOUND}:
                await self._customers.replace_deleted(customer)
            raise

    async def _received(self, account: int, intent: str) -> int | None:
        """What was credited; None: nothing yet. Another account's payment is as unknown as one that nobody has."""
        sql = "SELECT received_cents FROM payments_payment WHERE intent = ? AND account = ?"
        rows = await select(self._books, sql, intent, u256_hex(account))
        if not rows:
            raise _unknown()
        return whole_or_none(rows[0][0])


def _caller(account: int, usage_key: int | None) -> str:
    return u256_hex(account if usage_key is None else usage_key)


def _unknown() -> NodeError:
    return NodeError(
        ErrorCode.NOT_FOUND,
        "This account has no such payment.",
        fix="Use the payment_intent_id that create_payment_intent gave to this account.",
    )


def _not_succeeded(status: IntentStatus) -> NodeError:
    details: dict[str, JsonValue] = {"status": str(status)}
    fix = f"{_WHAT_NOW[status]} An Idempotency-Key, if you send one, must be a fresh one then."
    return NodeError(ErrorCode.CONFLICT, "This payment has not succeeded.", fix=fix, details=details)


def _unavailable(error: ProcessorError) -> NodeError:
    if error.fault is not Fault.UNAVAILABLE:
        _log.error("processor_refused", fault=str(error.fault), reason=error.reason)
    return NodeError(
        ErrorCode.BILLING_UNAVAILABLE,
        "The card processor cannot be used at the moment; nothing was lost.",
        fix="Try again after `Retry-After` seconds. A payment that was made is credited in any case.",
        retry_after_s=_RETRY_AFTER_S,
    )
