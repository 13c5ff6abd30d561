"""Card payments, which begin here, are confirmed in the browser and credited; rate limits."""

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
"""Maximum characters of an account's name in a payment's description, which may have 1,000."""
_TRACKED_CALLERS: Final = 100_000
"""Maximum callers with counters in memory. The one seen longest ago is evicted."""
ASKED_AT_ONCE_MAX: Final = 64
"""Maximum requests that call the processor at once; more are 429. They share the calls' rate, and
a request that waits for it beyond a call's time-out would count as the processor's failure."""
CONFIRMED_PER_MINUTE_PER_ACCOUNT: Final = 60
"""Reads of unfinished payments a minute by an account, and by each of its usage keys."""

_CONFIRMED_PER_MINUTE_PER_ADDRESS: Final = 120
"""Reads of unfinished payments a minute by an address, twice an account's."""


NameOf: TypeAlias = Callable[[int], Awaitable[str]]
"""Returns the name of an account (master hash), or "" if it is not known."""


async def _nameless(_: int) -> str:
    return ""


class PaymentRates:
    """Rate limits of requests that call the processor. `monotonic` is in seconds.

    An account and each of its usage keys have their own, so a usage key cannot block the account.
    Accounts are free, so client addresses are limited too: tests of stolen cards make many calls.
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
        """Takes one of the payments to begin. Raises LimitReachedError, and then takes nothing."""
        _take(self._begun, caller, self._begun_at, address)

    def confirm(self, caller: str, address: str | None) -> None:
        """Takes one of the reads of unfinished payments. Raises as `begin` does."""
        _take(self._confirmed, caller, self._confirmed_at, address)


@dataclass(frozen=True, slots=True)
class BegunPayment:
    """Payment that the browser must confirm."""

    intent: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Row:
    payment: str
    intent: str | None
    created_s: int


class Payments:
    """Payments of accounts through the card processor. `unix` returns unix time in seconds."""

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
        """Begins a payment. The same `idempotency_id` gives the same payment.

        `usage_key` is the hash of the caller's usage key; `address` is from `rate_limit_client`.
        `name_of` returns the account's name for the payment page.

        Raises LedgerUnavailableError if the processor or the ledger is down, LimitReachedError.
        """
        # First, so that a refused request writes no row and calls no processor.
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
        """Returns the cents credited by the account's successful payment. Idempotent.

        `usage_key` and `address` are those of `create`.
        Raises NodeError `not_found` if the payment is not this account's, `conflict`
        (`details.status`) if it has not succeeded, `billing_unavailable`, LimitReachedError.
        """
        # The row is read first. A credited payment costs no call; a foreign one is refused.
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
        # Before the response, so that the client finds the credit.
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
        """Stores the payment before the call, so that a crash does not lose track of it."""
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
        # Begun before. The intent is fetched, since its client_secret is not stored.
        if row.intent is not None:
            return await self._processor.intent(row.intent)
        customer = await self._customers.of(account)
        epoch = key_epoch(row.created_s, self._unix())
        # An earlier call's response may be lost, and the processor may have forgotten its key.
        if epoch.may_exist and (made := await self._made(row)) is not None:
            return made
        epoch.require()
        key = f"payment:{row.payment}:{epoch.number}"
        description = description_of(account, await name_of(account))
        try:
            return await self._processor.create_intent(customer, account, row.payment, amount_cents, key, description)
        except ProcessorError as error:
            # The key is refused if an earlier call, with a lost response, had another name.
            if error.fault is Fault.REFUSED and (made := await self._made(row)) is not None:
                return made
            # A deleted customer refuses every payment. The next attempt makes another customer.
            if error.fault in {Fault.REFUSED, Fault.NOT_FOUND}:
                await self._customers.replace_deleted(customer)
            raise

    async def _made(self, row: _Row) -> PaymentIntent | None:
        """Returns the processor's intent of a payment; None without one. Raises ProcessorError."""
        for intent in await self._processor.intents_since(row.created_s - OVERLAP_S):
            if intent.payment == row.payment:
                return await self._processor.intent(intent.id)
        return None

    async def _received(self, account: int, intent: str) -> int | None:
        """Returns the credited cents, or None before. Foreign payments count as unknown."""
        sql = "SELECT received_cents FROM payments_payment WHERE intent = ? AND account = ?"
        rows = await select(self._database, sql, intent, u256_hex(account))
        if not rows:
            raise _unknown()
        return whole_or_none(rows[0][0])


def description_of(account: int, name: str) -> str:
    """Returns the description of the credit for the payment page.

    The whole hash comes first, since accounts can have the same name.
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
    # Checked before anything is spent, so that the address's refusal costs the caller nothing.
    if address is not None:
        by_address.check(address)
    by_caller.take(caller)
    if address is not None:
        by_address.spend(address)
