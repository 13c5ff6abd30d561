"""Balances in memory: what the database says is settled, and what is reserved of it.

No I/O and nothing awaited: within one event loop every operation is atomic.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import TypeAlias

from node.ledger.entries import account_book
from node.ledger.port import Spender
from node.ledger.reservations import AccountBalance, Funds
from node.values import u256_hex

_Balances: TypeAlias = OrderedDict[str, AccountBalance]


class BalanceCache:
    """LRU cache of balances by book and by usage key. A balance with a reservation is never evicted."""

    def __init__(self, accounts_max: int) -> None:
        self._max = accounts_max
        self._accounts: _Balances = OrderedDict()
        self._usage_keys: _Balances = OrderedDict()

    def account(self, book: str) -> AccountBalance | None:
        """Return the balance of an account, or None when it has to be read first."""
        return _used(self._accounts, book)

    def of(self, spender: Spender) -> Funds | None:
        """Return the balances of a spender, or None when one of them has to be read first."""
        account = _used(self._accounts, account_book(spender.account))
        if account is None:
            return None
        if spender.usage_key is None:
            return Funds(account, None)
        usage_key = _used(self._usage_keys, u256_hex(spender.usage_key))
        return None if usage_key is None else Funds(account, usage_key)

    def learn(self, balances: Mapping[str, int], spent: Mapping[str, int]) -> None:
        """Take what the database says: balances by book, totals by usage key."""
        _learn(self._accounts, balances, self._max)
        _learn(self._usage_keys, spent, self._max)


def _used(known: _Balances, name: str) -> AccountBalance | None:
    balance = known.get(name)
    if balance is not None:
        known.move_to_end(name)
    return balance


def _learn(known: _Balances, totals: Mapping[str, int], most: int) -> None:
    _evict(known, most)
    for name, total in totals.items():
        balance = known.get(name)
        if balance is None:
            known[name] = AccountBalance(total)
        else:
            # In place: reservations hold a reference to this object and release into it.
            balance.total = total


def _evict(known: _Balances, most: int) -> None:
    """Evict down to `most` before new balances come: their caller must find them all."""
    for _ in range(len(known)):
        if len(known) <= most:
            break
        name, balance = known.popitem(last=False)
        # A second object for the same balance would not count this reservation.
        if balance.reservations:
            known[name] = balance
