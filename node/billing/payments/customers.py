"""Customers at the card processor, exactly one for each account, also after interruptions.

The row that asks for a customer is stored before the call. The idempotency key follows from the
account, so a repetition by any node gives the same customer. For an older row, the processor's
customers are searched first (see `KeyEpoch`). The row holds an encrypted e-mail address until then.
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
"""Length of an epoch. The processor keeps a key much longer, for a day."""
KEY_PAUSE_S: Final = 300.0
"""Pause at the end of an epoch, much longer than a call."""


@dataclass(frozen=True, slots=True)
class KeyEpoch:
    """Number of the idempotency key for a time. No call begins with it while it `is_ending`.

    For a day the processor repeats its first response to a key, also an error of its own, so a
    single key might never succeed. The epochs begin when the object is requested. In every epoch
    but the first, the object is searched for before it is made. The pause at an epoch's end lets
    calls under way end, so that the search finds their objects.
    """

    number: int
    is_ending: bool

    @property
    def may_exist(self) -> bool:
        """Whether a call with an earlier key may have made the object."""
        return self.number > 0

    def require(self) -> None:
        """Raises ProcessorError `unavailable` while the epoch is ending."""
        if self.is_ending:
            raise ProcessorError(Fault.UNAVAILABLE, "an earlier call with this key is given the time to end")


def key_epoch(asked_s: float, now_s: float) -> KeyEpoch:
    """Returns the epoch of an object requested at `asked_s` (unix seconds)."""
    age_s = max(0.0, now_s - asked_s)
    number, into_s = divmod(age_s, KEY_LIFE_S)
    return KeyEpoch(int(number), into_s >= KEY_LIFE_S - KEY_PAUSE_S)


_log = structlog.get_logger(__name__)

_CLOCKS_APART_S: Final = 3600.0
"""Seconds by which customers are listed earlier, as the processor's clock differs."""

_SEALED: Final = "sealed:"
"""Prefix of an encrypted address. Rows of earlier versions have plain addresses."""
_SEALED_AT_ONCE: Final = 500
"""Rows of an earlier version that are read at a time at the node's start."""

_ASKED: Final = "SELECT account, customer, email, asked_s FROM payments_customer"


@dataclass(frozen=True, slots=True)
class _Asked:
    """Account that needs a customer."""

    account: int
    customer: str | None
    email: str | None = field(repr=False)
    asked_s: int


class _SealedEmails:
    """Addresses as stored, encrypted and bound to their account."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    def seal(self, account: str, email: str) -> str:
        return _SEALED + base64.b64encode(self._sealer.seal(email.encode(), account.encode())).decode()

    def open(self, account: str, column: str | None) -> str | None:
        """Returns the address; None, and a warning, if another app or account encrypted it."""
        if column is None or not column.startswith(_SEALED):
            return column
        try:
            return self._sealer.open(base64.b64decode(column.removeprefix(_SEALED)), account.encode()).decode()
        except ValueError:
            _log.warning("email_unreadable", account=account)
            return None


class Customers:
    """Makes customers. Implements NewAccounts. `unix` returns unix time in seconds."""

    def __init__(self, database: Database, processor: CardProcessor, sealer: Sealer, unix: Callable[[], float]) -> None:
        self._database = database
        self._processor = processor
        self._emails = _SealedEmails(sealer)
        self._unix = unix

    async def seal_stored(self) -> None:
        """Encrypts addresses of earlier versions' rows. Raises LedgerUnavailableError."""
        plain_rows = "SELECT account, email FROM payments_customer WHERE customer IS NULL AND email NOT LIKE ? LIMIT ?"
        while rows := await select(self._database, plain_rows, f"{_SEALED}%", _SEALED_AT_ONCE):
            # The old value is compared, since the customer may be made and the address deleted.
            seal = "UPDATE payments_customer SET email = ? WHERE account = ? AND email = ?"
            plain = [(text(row[0]), text(row[1])) for row in rows]
            await self._database.execute(
                *(Statement(seal, (self._emails.seal(account, email), account, email)) for account, email in plain)
            )

    async def opened(self, account: int, email: str | None) -> None:
        """Stores that the account needs a customer with this address. Later calls do nothing.

        Raises LedgerUnavailableError. The processor is not called here.
        """
        sql = (
            "INSERT INTO payments_customer (account, email, asked_s) VALUES (?, ?, ?) ON CONFLICT (account) DO NOTHING"
        )
        key = u256_hex(account)
        sealed = None if email is None else self._emails.seal(key, email)
        await self._database.execute(Statement(sql, (key, sealed, int(self._unix()))))

    async def of(self, account: int) -> str:
        """Returns an account's customer, made if needed. Raises ProcessorError, as `opened`."""
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
        """Replaces a customer that was deleted at the processor. The new one gets the balance.

        An unknown customer is kept, since the operator may use another account of the processor.
        Raises ProcessorError, and LedgerUnavailableError.
        """
        # Asked explicitly, since an existing customer must keep its balance there.
        if not await self._processor.is_deleted(customer):
            return
        _log.warning("customer_deleted", customer=customer)
        of_account = "(SELECT account FROM payments_customer WHERE customer = ?)"
        await self._database.execute(
            # In one transaction with the reset of `mirrored_cents`. A deleted delta that still
            # counts would be missing at the next customer.
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
        """Makes up to `most` missing customers, those tried longest ago first.

        Raises the last ProcessorError at the end or after `failures`, and LedgerUnavailableError.
        """
        rows = await select(
            self._database, f"{_ASKED} WHERE customer IS NULL ORDER BY looked_at_s, asked_s, account LIMIT ?", most
        )
        waiting = [self._read(row) for row in rows]
        before = await self._made_before(waiting)
        met: list[ProcessorError] = []
        for asked in waiting:
            # No call begins in the pause of its epoch. The others need not wait for it.
            if self._epoch(asked).is_ending and asked.account not in before:
                continue
            try:
                await self._make(asked, before)
            except ProcessorError as error:
                # Moved to the end of the queue, so that a customer that is always refused does not
                # delay later ones.
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
        """Returns customers by account from earlier calls whose responses were lost."""
        old = [asked.asked_s for asked in waiting if self._epoch(asked).may_exist]
        if not old:
            return {}
        made = await self._processor.customers_since(int(min(old) - _CLOCKS_APART_S))
        # Newest first, so that the oldest customer of an account is the one that remains.
        oldest_first = sorted(made, key=lambda customer: (customer.created_s, customer.id), reverse=True)
        return {customer.account: customer.id for customer in oldest_first if customer.account is not None}

    async def _make(self, asked: _Asked, before: Mapping[int, str]) -> str:
        customer = before.get(asked.account) or await self._create(asked)
        account = u256_hex(asked.account)
        _, rows = await self._database.execute(
            Statement(
                # The first node to store a customer decides. The select returns it to others.
                "UPDATE payments_customer SET customer = ?, email = NULL WHERE account = ? AND customer IS NULL",
                (customer, account),
            ),
            Statement("SELECT customer FROM payments_customer WHERE account = ?", (account,)),
        )
        return text(rows[0][0])

    def _epoch(self, asked: _Asked) -> KeyEpoch:
        return key_epoch(asked.asked_s, self._unix())

    async def _create(self, asked: _Asked) -> str:
        """Creates a customer. A key must not be used with two addresses, so each call has one."""
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
            # Stored before the second call, so that at most one of the two makes the customer.
            sql = "UPDATE payments_customer SET email = NULL WHERE account = ?"
            await self._database.execute(Statement(sql, (account,)))
        return (await self._processor.create_customer(asked.account, None, key)).id
