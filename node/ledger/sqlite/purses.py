"""What each account and usage key has, in memory: what the database says is settled, and what is reserved of it.

No I/O and nothing awaited: within one event loop every operation is atomic.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from node.ledger.entries import account_book
from node.ledger.port import Spender
from node.ledger.rules import require_cap, require_credit
from node.values import u256_hex


@dataclass(slots=True)
class Purse:
    """Of an account, `settled` is its balance of entries; of a usage key, all that was ever charged through it.

    Micro-dollars. `holds` counts the reservations on it: with any it stays in memory.
    """

    settled: int
    reserved: int = 0
    holds: int = 0


@dataclass(frozen=True, slots=True)
class Purses:
    """Where a spender's money comes from: the account's, and the usage key's when it spends through one."""

    account: Purse
    usage_key: Purse | None

    def require(self, spender: Spender, amount: int) -> None:
        """Raises NodeError `payment_required` when the account has not got it, or the key's cap forbids it."""
        available = self.account.settled - self.account.reserved
        require_credit(amount, available)
        if self.usage_key is not None:
            used = self.usage_key.settled + self.usage_key.reserved
            require_cap(amount, available, spender.cap_microdollars, used)

    def set_aside(self, amount: int, holds: int = 0) -> None:
        """Reserve `amount` more (below zero: less), for so many reservations more."""
        for purse in (self.account, self.usage_key):
            if purse is not None:
                purse.reserved += amount
                purse.holds += holds


Shelf: TypeAlias = OrderedDict[str, Purse]


class PurseCache:
    """Purses by book and by usage key, the least used forgotten first. One with a reservation is never forgotten."""

    def __init__(self, max_accounts: int) -> None:
        self._max = max_accounts
        self._accounts: Shelf = OrderedDict()
        self._usage_keys: Shelf = OrderedDict()

    def account(self, book: str) -> Purse | None:
        """The purse of an account, or None when it has to be read first."""
        return _used(self._accounts, book)

    def of(self, spender: Spender) -> Purses | None:
        """The purses of a spender, or None when one of them has to be read first."""
        account = _used(self._accounts, account_book(spender.account))
        if account is None:
            return None
        if spender.usage_key is None:
            return Purses(account, None)
        usage_key = _used(self._usage_keys, u256_hex(spender.usage_key))
        return None if usage_key is None else Purses(account, usage_key)

    def learn(self, balances: Mapping[str, int], spent: Mapping[str, int]) -> None:
        """Take what the database says: balances by book, totals by usage key."""
        _learn(self._accounts, balances, self._max)
        _learn(self._usage_keys, spent, self._max)


def _used(shelf: Shelf, name: str) -> Purse | None:
    purse = shelf.get(name)
    if purse is not None:
        shelf.move_to_end(name)
    return purse


def _learn(shelf: Shelf, settled: Mapping[str, int], most: int) -> None:
    _forget(shelf, most)
    for name, amount in settled.items():
        purse = shelf.get(name)
        if purse is None:
            shelf[name] = Purse(amount)
        else:
            purse.settled = amount


def _forget(shelf: Shelf, most: int) -> None:
    """Down to `most`, before new ones come: whoever asked for those must find them all."""
    for _ in range(len(shelf)):
        if len(shelf) <= most:
            break
        name, purse = shelf.popitem(last=False)
        if purse.holds:
            shelf[name] = purse
