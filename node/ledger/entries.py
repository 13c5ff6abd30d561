"""Rows of the ledger, the same in both databases. Pure.

One row is one transfer of `amount_microdollars` from `debit_book` to `credit_book`. A book's
balance is its credits less its debits. Books are `account:0x…` (u256 hex of the master hash) and
the house's, named by `Service` (where charges go) and `Source` (where credit comes from).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from node.database.port import Value
from node.ledger.port import Posting, Usage
from node.values import u256_hex

ACCOUNT_PREFIX: Final = "account:"


@lru_cache(maxsize=4096)
def account_book(account: int) -> str:
    """Returns the book of an account (master hash)."""
    return ACCOUNT_PREFIX + u256_hex(account)


@lru_cache(maxsize=4096)
def names_of(account: int, usage_key: int | None) -> tuple[str, ...]:
    """Returns the names of a spender's balances: the account's book, and its usage key if any."""
    book = account_book(account)
    return (book,) if usage_key is None else (book, u256_hex(usage_key))


class Entry(NamedTuple):
    """Row of a transfer at `at_ms` (unix milliseconds). Only charges have the last four values."""

    cause: str
    at_ms: int
    debit_book: str
    credit_book: str
    amount_microdollars: int
    usage_key: str | None = None
    what: str | None = None
    request_id: str | None = None
    duration_ms: int | None = None

    def same_transfer(self, debit_book: Value, credit_book: Value, amount_microdollars: Value) -> bool:
        """Returns whether a row with these values is the same transfer."""
        mine = (self.debit_book, self.credit_book, self.amount_microdollars)
        return mine == (debit_book, credit_book, amount_microdollars)


def entry_of_posting(posting: Posting, at_s: float) -> Entry:
    """Returns a posting's entry at `at_s` (unix time). One below zero goes back to its source."""
    account, source = account_book(posting.account), posting.source.value
    amount = posting.amount_microdollars
    debit, credit = (account, source) if amount < 0 else (source, account)
    return Entry(posting.cause, milliseconds(at_s), debit, credit, abs(amount))


def entry_of_charge(cause: str, names: Sequence[str], amount_microdollars: int, usage: Usage, at_s: float) -> Entry:
    """Returns a charge's entry, from an account to the service's book, at `at_s` (unix time)."""
    return Entry(
        cause,
        milliseconds(at_s),
        names[0],
        usage.service.value,
        amount_microdollars,
        names[1] if len(names) > 1 else None,
        storable(usage.what),
        None if usage.request_id is None else storable(usage.request_id),
        usage.duration_ms,
    )


def cause_taken(cause: str) -> ValueError:
    """Returns the error for a cause that has another account, source or amount in the ledger."""
    return ValueError(f"The ledger has {cause!r} already, as another transfer.")


def storable(text: str) -> str:
    """Returns text for both databases. NUL or half a surrogate pair would fail a whole batch."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def milliseconds(at_s: float) -> int:
    """Returns unix time in whole milliseconds."""
    return int(at_s * 1000)
