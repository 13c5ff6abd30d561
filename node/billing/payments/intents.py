"""Buying credit by card: a payment is begun, confirmed in the browser, and credited; and how often a caller may."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import structlog

from node.api.errors import ErrorCode, NodeError
from node.billing.payments.customers import Customers, key_epoch
from node.billing.payments.settlement import Settlement
from node.billing.payments.tables import OVERLAP_S, select
from node.database.port import Database, Statement, text, text_or_none, whole, whole_or_none
from node.processor.port import CardProcessor, Fault, IntentStatus, PaymentIntent, ProcessorError
from node.runtime.limits import HOUR_S, MINUTE_S, Gate, TokenBuckets
from node.settings.credits import ProcessorSettings
from node.values import keccak256, u256_hex

_log = structlog.get_logger(__name__)

_RETRY_AFTER_S: Final = 5

_WHAT_NOW: Final = {
    IntentStatus.OPEN: "Confirm the payment in the browser with its client_secret, then call this again.",
    IntentStatus.PROCESSING: "Nothing: it is credited as soon as it succeeds, also without this call.",
    IntentStatus.CANCELED: "Begin a new payment with create_payment_intent.",
}


_NAME_CHARACTERS: Final = 100
"""Of an account's name in the description of a payment, which may have 1,000 (https://docs.stripe.com/api/payment_intents)."""
_TRACKED_CALLERS: Final = 100_000
"""Callers whose counters are in memory; beyond it the one seen longest ago is forgotten."""
ASKED_AT_ONCE_MAX: Final = 64
"""Requests of all accounts that call the processor at once; more are 429. They share the rate of the processor's calls, and
requests that wait for it longer than a call may take would count as its failures."""
CONFIRMED_PER_MINUTE_PER_ACCOUNT: Final = 60
"""Looks at unfinished payments by one account, and by each of its usage keys; each calls the processor."""

_CONFIRMED_PER_MINUTE_PER_ADDRESS: Final = 120
"""Looks at unfinished payments by one address: those of two accounts. A browser looks once or twice for each payment."""


NameOf: TypeAlias = Callable[[int], Awaitable[str]]
"""Gives the name of an account (master hash), empty where it is not known."""


async def _nameless(_: int) -> str:
    return ""


class PaymentRates:
    """Rate limits of requests that call the processor. `monotonic` is in seconds.

    An account and each of its usage keys have their own: a usage key cannot keep the account from paying. Accounts are
    free, so client addresses (of `rate_limit_client`) are bounded beside them: testing stolen cards takes many payments.
    """

    def __init__(self, settings: ProcessorSettings, monotonic: Callable[[], float]) -> None:
        def bucket(what: str, setting: str, count: int, period_s: float) -> TokenBuckets:
            return TokenBuckets(what, count, period_s, monotonic, _TRACKED_CALLERS, limit=setting)

        begun, confirmed = "payments begun by this", "looks at unfinished payments by this"
        self.at_once = Gate("This node is working on as many requests as it can.", ASKED_AT_ONCE_MAX)
        per_account, setting = settings.processor_begun_per_minute_per_account, "processor_begun_per_minute_per_account"
        self._begun = bucket(f"{begun} caller", setting, per_account, MINUTE_S)
        per_address, setting = settings.processor_begun_per_hour_per_address, "processor_begun_per_hour_per_address"
        self._begun_at = bucket(f"{begun} address", setting, per_address, HOUR_S)
        per_account, setting = CONFIRMED_PER_MINUTE_PER_ACCOUNT, "processor_confirmed_per_minute_per_account"
        self._confirmed = bucket(f"{confirmed} caller", setting, per_account, MINUTE_S)
        per_address, setting = _CONFIRMED_PER_MINUTE_PER_ADDRESS, "confirmed_per_minute_per_address"
        self._confirmed_at = bucket(f"{confirmed} address", setting, per_address, MINUTE_S)

    def begin(self, caller: str, address: str | None) -> None:
        """Let a payment begin. Raises LimitReachedError, and then takes nothing."""
        _take(self._begun, caller, self._begun_at, address)

    def confirm(self, caller: str, address: str | None) -> None:
        """Let the processor be asked for an unfinished payment. Raises as `begin` does."""
        _take(self._confirmed, caller, self._confirmed_at, address)


@dataclass(frozen=True, slots=True)
class BegunPayment:
    """Payment for the browser to confirm."""

    intent: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Row:
    payment: str
    intent: str | None
    created_s: int


class Payments:
    """Payments of accounts through the card processor. `unix` is unix time in seconds."""

    def __init__(
        self,
        database: Database,
        processor: CardProcessor,
        customers: Customers,
        settlement: Settlement,
        rates: PaymentRates,
        unix: Callable[[], float],
    ) -> None:
        self._database = database
        self._rates = rates
        self._processor = processor
        self._customers = customers
        self._settlement = settlement
        self._unix = unix

    async def create(
        self,
        account: int,
        amount_cents: int,
        idempotency_id: str | None,
        usage_key: int | None = None,
        address: str | None = None,
        name_of: NameOf = _nameless,
    ) -> BegunPayment:
        """Begin a payment; the same `idempotency_id` gives the same payment.

        `usage_key` is the hash of the caller's usage key, if any; `address` is the client's (of `rate_limit_client`).
        `name_of` gives the account's name for the payment page.

        Raises LedgerUnavailableError when the processor or the ledger is out, LimitReachedError.
        """
        # First of all: a refused request writes no row and calls nobody.
        self._rates.begin(_caller(account, usage_key), address)
        with self._rates.at_once:
            # Derived from the request's id, so that a repetition finds its row.
            # Hashed, since the processor sees it.
            payment = uuid.uuid4().hex if idempotency_id is None else keccak256(idempotency_id.encode()).hex()
            row = await self._noted(payment, account, amount_cents)
            try:
                intent = await self._begun(row, account, amount_cents, name_of)
            except ProcessorError as error:
                raise _unavailable(error) from None
            await self._database.execute(
                Statement(
                    "UPDATE payments_payment SET intent = ? WHERE payment = ? AND intent IS NULL", (intent.id, payment)
                )
            )
            return BegunPayment(intent.id, intent.client_secret)

    async def confirm(self, account: int, intent: str, usage_key: int | None = None, address: str | None = None) -> int:
        """Return the cents credited by a payment of the account that succeeded, however often it is called.

        `usage_key` and `address` are those of `create`.
        Raises NodeError `not_found` for a payment that is not this account's, `conflict` (`details.status`) for one
        that has not succeeded, `billing_unavailable`, LimitReachedError.
        """
        # The own row first: a credited payment costs no call, and another account's payment is refused here.
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
        # Before the answer: who is told of a success finds the credit.
        await self._settlement.payment(found)
        if found.status is not IntentStatus.SUCCEEDED:
            raise NodeError(
                ErrorCode.CONFLICT,
                "This payment has not succeeded.",
                fix=f"{_WHAT_NOW[found.status]} An Idempotency-Key, if you send one, must be a fresh one then.",
                details={"status": str(found.status)},
            )
        return await self._received(account, intent) or found.received_cents

    async def _noted(self, payment: str, account: int, amount_cents: int) -> _Row:
        """Store the payment before the processor is called, so that a crash does not lose what that begins."""
        now = int(self._unix())
        _, rows = await self._database.execute(
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

    async def _begun(self, row: _Row, account: int, amount_cents: int, name_of: NameOf) -> PaymentIntent:
        # Begun before: the answer of the processor, client_secret included, is fetched and not stored.
        if row.intent is not None:
            return await self._processor.intent(row.intent)
        customer = await self._customers.of(account)
        epoch = key_epoch(row.created_s, self._unix())
        # An earlier call may have made the intent although its answer was lost; its key may be forgotten by now.
        if epoch.may_exist and (made := await self._made(row)) is not None:
            return made
        epoch.require()
        key = f"payment:{row.payment}:{epoch.number}"
        description = description_of(account, await name_of(account))
        try:
            return await self._processor.create_intent(customer, account, row.payment, amount_cents, key, description)
        except ProcessorError as error:
            # The key is refused where an earlier call, whose answer was lost, gave the account another name, or none.
            if error.fault is Fault.REFUSED and (made := await self._made(row)) is not None:
                return made
            # A customer that the operator deleted refuses every payment: the next attempt makes another.
            if error.fault in {Fault.REFUSED, Fault.NOT_FOUND}:
                await self._customers.replace_deleted(customer)
            raise

    async def _made(self, row: _Row) -> PaymentIntent | None:
        """Return the intent that the processor has of a payment; None where it has none. Raises ProcessorError."""
        for intent in await self._processor.intents_since(row.created_s - OVERLAP_S):
            if intent.payment == row.payment:
                return await self._processor.intent(intent.id)
        return None

    async def _received(self, account: int, intent: str) -> int | None:
        """Return what was credited; None: nothing yet. Another account's payment is as unknown as one that does not exist."""
        sql = "SELECT received_cents FROM payments_payment WHERE intent = ? AND account = ?"
        rows = await select(self._database, sql, intent, u256_hex(account))
        if not rows:
            raise _unknown()
        return whole_or_none(rows[0][0])


def description_of(account: int, name: str) -> str:
    """Return the words by which the payment page says whose credit is bought.

    The hash comes first and whole: anybody can give an account the name of another one.
    """
    shown = "".join(each for each in name if each.isprintable())[:_NAME_CHARACTERS]
    return f"Credit of account {u256_hex(account)}" + (f", named {shown}" if shown else "")


def _caller(account: int, usage_key: int | None) -> str:
    return u256_hex(account if usage_key is None else usage_key)


def _unknown() -> NodeError:
    return NodeError(
        ErrorCode.NOT_FOUND,
        "This account has no such payment.",
        fix="Use the payment_intent_id that create_payment_intent gave to this account.",
    )


def _unavailable(error: ProcessorError) -> NodeError:
    if error.fault is not Fault.UNAVAILABLE:
        _log.error("processor_refused", fault=str(error.fault), reason=error.reason)
    return NodeError(
        ErrorCode.BILLING_UNAVAILABLE,
        "The card processor cannot be used at the moment; nothing was lost.",
        fix="Try again after `Retry-After` seconds. A payment that was made is credited in any case.",
        retry_after_s=_RETRY_AFTER_S,
    )


def _take(by_caller: TokenBuckets, caller: str, by_address: TokenBuckets, address: str | None) -> None:
    # Looked at before anything is spent: a refusal by the address must not use up the share of the caller.
    if address is not None:
        by_address.check(address)
    by_caller.take(caller)
    if address is not None:
        by_address.spend(address)
