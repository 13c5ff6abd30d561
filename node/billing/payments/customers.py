"""Customers at the card processor: one for each account, made once, whatever is interrupted.

The row that asks for a customer is durable before the processor is called, and the idempotency key follows from the
account: repeated, by whichever node, the call gives the same customer. An older row is looked for among the processor's
customers first (see keys.py). An e-mail address stays in the row, sealed, until the customer has it.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog

from node.billing.payments.tables import select
from node.database.port import Database, Row, Statement, text, text_or_none, whole
from node.keyring.port import Sealer
from node.processor.port import CardProcessor, Fault, ProcessorError
from node.values import u256_hex

KEY_LIFE_S: Final = 3600.0
"""Length of an epoch, far below the day for which the processor keeps a key."""
KEY_PAUSE_S: Final = 300.0
"""Pause at the end of an epoch, far above what one call takes."""


@dataclass(frozen=True, slots=True)
class KeyEpoch:
    """Number of an idempotency key that is valid at a time; `is_ending`: no call begins with it any more.

    For a day the processor repeats its first response to a key, also when that was a fault of its own: with a single key
    such a call would never succeed. So keys follow one another, from when the object was asked for. In every epoch but
    the first the object is searched for at the processor before it is made. An epoch ends with a pause, in which calls
    that are under way end, so that the search finds what they made.
    """

    number: int
    is_ending: bool

    @property
    def may_exist(self) -> bool:
        """Whether a call with an earlier key may have made it."""
        return self.number > 0

    def require(self) -> None:
        """Raises ProcessorError `unavailable` while the epoch is ending."""
        if self.is_ending:
            raise ProcessorError(Fault.UNAVAILABLE, "an earlier call with this key is given the time to end")


def key_epoch(asked_s: float, now_s: float) -> KeyEpoch:
    """Return the epoch of an object that was asked for at `asked_s`; unix seconds."""
    age_s = max(0.0, now_s - asked_s)
    number, into_s = divmod(age_s, KEY_LIFE_S)
    return KeyEpoch(int(number), into_s >= KEY_LIFE_S - KEY_PAUSE_S)


_log = structlog.get_logger(__name__)

_CLOCKS_APART_S: Final = 3600.0
"""Customers are listed from so much earlier: the processor's clock is not ours."""

_SEALED: Final = "sealed:"
"""Before a sealed address. Without it the row is of an earlier version of the node, which stored addresses as they are."""
_SEALED_AT_ONCE: Final = 500
"""Rows of an earlier version that are read at a time when the node starts."""

_ASKED: Final = "SELECT account, customer, email, asked_s FROM payments_customer"


@dataclass(frozen=True, slots=True)
class _Asked:
    """Account that is to have a customer."""

    account: int
    customer: str | None
    email: str | None = field(repr=False)
    asked_s: int


class _SealedEmails:
    """Addresses as the database holds them: sealed, and bound to their account, so that none can be given to another."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    def seal(self, account: str, email: str) -> str:
        return _SEALED + base64.b64encode(self._sealer.seal(email.encode(), account.encode())).decode()

    def open(self, account: str, column: str | None) -> str | None:
        """Return the address; None, and a warning, where it was sealed by another app or for another account."""
        if column is None or not column.startswith(_SEALED):
            return column
        try:
            return self._sealer.open(base64.b64decode(column.removeprefix(_SEALED)), account.encode()).decode()
        except ValueError:
            _log.warning("email_unreadable", account=account)
            return None


class Customers:
    """Makes customers. Also NewAccounts: notified of a new account, it asks for its customer. `unix` is unix time in seconds."""

    def __init__(self, database: Database, processor: CardProcessor, sealer: Sealer, unix: Callable[[], float]) -> None:
        self._database = database
        self._processor = processor
        self._emails = _SealedEmails(sealer)
        self._unix = unix

    async def seal_stored(self) -> None:
        """Seal the addresses that an earlier version of the node stored as they are. Raises LedgerUnavailableError."""
        plain_rows = "SELECT account, email FROM payments_customer WHERE customer IS NULL AND email NOT LIKE ? LIMIT ?"
        while rows := await select(self._database, plain_rows, f"{_SEALED}%", _SEALED_AT_ONCE):
            # Compared with what was read: the customer may be made meanwhile, and its address deleted.
            seal = "UPDATE payments_customer SET email = ? WHERE account = ? AND email = ?"
            plain = [(text(row[0]), text(row[1])) for row in rows]
            await self._database.execute(
                *(Statement(seal, (self._emails.seal(account, email), account, email)) for account, email in plain)
            )

    async def opened(self, account: int, email: str | None) -> None:
        """Note that the account is to have a customer with this address; the first note counts.

        Raises LedgerUnavailableError. The processor is not called here.
        """
        sql = (
            "INSERT INTO payments_customer (account, email, asked_s) VALUES (?, ?, ?) ON CONFLICT (account) DO NOTHING"
        )
        key = u256_hex(account)
        sealed = None if email is None else self._emails.seal(key, email)
        await self._database.execute(Statement(sql, (key, sealed, int(self._unix()))))

    async def of(self, account: int) -> str:
        """Return the customer of an account, made now where there is none. Raises ProcessorError, and LedgerUnavailableError."""
        asked = await self._asked(account)
        if asked is None:
            await self.opened(account, None)
            asked = await self._asked(account)
        if asked is None:
            raise LookupError("A row that was written is not there.")
        if asked.customer is not None:
            return asked.customer
        return await self._make(asked, await self._made_before([asked]))

    async def replace_deleted(self, customer: str) -> None:
        """Replace a customer that was deleted at the processor. The new one receives the whole balance.

        One that the processor does not know at all is left: the operator may have changed the account at the processor.
        Raises ProcessorError, and LedgerUnavailableError.
        """
        # Asked, not concluded from a refusal: a customer that is there must keep its balance there.
        if not await self._processor.is_deleted(customer):
            return
        _log.warning("customer_deleted", customer=customer)
        of_account = "(SELECT account FROM payments_customer WHERE customer = ?)"
        await self._database.execute(
            # In one transaction with the reset of `mirrored_cents`: a delta that is gone and still counted would be
            # missing at the next customer.
            Statement(f"DELETE FROM payments_delta WHERE account = {of_account}", (customer,)),  # noqa: S608 - a text above
            Statement(f"DELETE FROM payments_grant WHERE account = {of_account}", (customer,)),  # noqa: S608 - a text above
            Statement(
                """
                UPDATE payments_customer SET customer = NULL, asked_s = ?, seen_transaction = NULL, looked_at_s = 0,
                changed = 0, mirrored_cents = 0, mirrored_rows = mirrored_rows + 1 WHERE customer = ?
                """,
                (int(self._unix()), customer),
            ),
        )

    async def make_waiting(self, most: int, failures: int) -> None:
        """Make so many of the missing customers, those not tried for longest first: one that fails goes to the end.

        Raises the last ProcessorError, after all or after so many failures, and LedgerUnavailableError.
        """
        rows = await select(
            self._database, f"{_ASKED} WHERE customer IS NULL ORDER BY looked_at_s, asked_s, account LIMIT ?", most
        )
        waiting = [self._read(row) for row in rows]
        before = await self._made_before(waiting)
        met: list[ProcessorError] = []
        for asked in waiting:
            # No call begins with a key that is about to be replaced, and the others need not wait for it.
            if self._epoch(asked).is_ending and asked.account not in before:
                continue
            try:
                await self._make(asked, before)
            except ProcessorError as error:
                # It goes to the end of the queue: a customer that is refused each time must not
                # keep later ones waiting.
                sql = "UPDATE payments_customer SET looked_at_s = ? WHERE account = ?"
                await self._database.execute(Statement(sql, (int(self._unix()), u256_hex(asked.account))))
                met.append(error)
                if len(met) >= failures and error.fault is not Fault.REFUSED:
                    break
        if met:
            raise met[-1]

    async def _asked(self, account: int) -> _Asked | None:
        rows = await select(self._database, f"{_ASKED} WHERE account = ?", u256_hex(account))
        return self._read(rows[0]) if rows else None

    def _read(self, row: Row) -> _Asked:
        account = text(row[0])
        email = self._emails.open(account, text_or_none(row[2]))
        return _Asked(int(account, 16), text_or_none(row[1]), email, whole(row[3]))

    async def _made_before(self, waiting: Sequence[_Asked]) -> Mapping[int, str]:
        """Return customers by account that calls with earlier keys made, and whose responses were lost."""
        old = [asked.asked_s for asked in waiting if self._epoch(asked).may_exist]
        if not old:
            return {}
        made = await self._processor.customers_since(int(min(old) - _CLOCKS_APART_S))
        # Newest first, so that the oldest customer of an account is the last to be put in the mapping and stays.
        oldest_first = sorted(made, key=lambda customer: (customer.created_s, customer.id), reverse=True)
        return {customer.account: customer.id for customer in oldest_first if customer.account is not None}

    async def _make(self, asked: _Asked, before: Mapping[int, str]) -> str:
        customer = before.get(asked.account) or await self._create(asked)
        account = u256_hex(asked.account)
        _, rows = await self._database.execute(
            Statement(
                # The first node to note a customer decides; the select returns it to the others.
                "UPDATE payments_customer SET customer = ?, email = NULL WHERE account = ? AND customer IS NULL",
                (customer, account),
            ),
            Statement("SELECT customer FROM payments_customer WHERE account = ?", (account,)),
        )
        return text(rows[0][0])

    def _epoch(self, asked: _Asked) -> KeyEpoch:
        return key_epoch(asked.asked_s, self._unix())

    async def _create(self, asked: _Asked) -> str:
        """Make a customer. The same key with another address would be refused: each of the two calls has its own."""
        epoch = self._epoch(asked)
        epoch.require()
        account = u256_hex(asked.account)
        key = f"customer:{account}:{asked.asked_s}:{epoch.number}"
        if asked.email is not None:
            try:
                made = await self._processor.create_customer(asked.account, asked.email, f"{key}:email")
            except ProcessorError as error:
                if error.fault is not Fault.REFUSED:
                    raise
                _log.warning("email_refused", account=account)
            else:
                return made.id
            # Durable before the other call: at most one of the two may make the customer.
            sql = "UPDATE payments_customer SET email = NULL WHERE account = ?"
            await self._database.execute(Statement(sql, (account,)))
        return (await self._processor.create_customer(asked.account, None, key)).id
