"""Cache entries: one answer of the chain each, and an LRU cache of them.

There are hundreds of thousands, so the layout avoids every object that can be spared.
"""

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeAlias, TypeVar, cast

from node.chain.port import Authorisation, WalletRecord, WalletUse
from node.permissions.grants import Caller, Grants

Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)

About: TypeAlias = int | tuple[int, str | int] | None
"""Subject of a query about a key: None for the key itself, an action to run, or an action and the wallet it uses."""


class Kind(StrEnum):
    """Kinds of queries, as metrics name them."""

    CALLER = "caller"
    EXECUTION = "execution"
    WALLET = "wallet"


@dataclass(frozen=True, slots=True)
class CacheEntry(Generic[Answer_co]):
    """Answer of the chain, and everything that its validity depends on.

    `account` is the master hash whose changes void it, 0 when the chain knows no such key. `granted` is False when the
    answer refuses anything. `began_at` is the start of the read, in seconds of the cache's own clock.
    """

    about: About
    account: int
    granted: bool
    expiration: int
    block_number: int
    began_at: float

    @property
    @abstractmethod
    def answer(self) -> Answer_co:
        """Answer of the chain."""

    @property
    def groups(self) -> int:
        """Number of group ids held, the only part of an entry that may be of any size."""
        return 0


@dataclass(frozen=True, slots=True)
class CallerEntry(CacheEntry[Caller | None]):
    """Identity of a key."""

    key_hash: int
    managed: bool
    grants: Grants | None
    cap_cents: int

    @property
    def groups(self) -> int:
        """Number of group ids in the key's four lists."""
        if self.grants is None:
            return 0
        lists = (
            self.grants.manage_ipfs_ids_in_groups,
            self.grants.add_pkp_to_groups,
            self.grants.remove_pkp_from_groups,
            self.grants.execute_in_groups,
        )
        return sum(map(len, lists))

    @property
    def answer(self) -> Caller | None:
        """Caller; None for an unknown key."""
        if not self.account:
            return None
        return Caller(self.key_hash, self.account, self.managed, self.grants, self.expiration, self.cap_cents)


@dataclass(frozen=True, slots=True)
class ExecutionEntry(CacheEntry[Authorisation]):
    """Decision whether a key may run an action."""

    managed: bool
    is_account_key: bool
    cap_cents: int
    block_timestamp: int

    @property
    def answer(self) -> Authorisation:
        """Decision of the contract."""
        return Authorisation(
            master_hash=self.account,
            managed=self.managed,
            is_account_key=self.is_account_key,
            may_execute=self.granted,
            wallets=(),
            expiration=self.expiration,
            cap_cents=self.cap_cents,
            block_number=self.block_number,
            block_timestamp=self.block_timestamp,
        )


@dataclass(frozen=True, slots=True)
class WalletEntry(CacheEntry[WalletUse]):
    """Decision whether a key may use a wallet in an action; `address` is None when the account has no such wallet.

    Labels are left out: they may be long, and signing does not use them.
    """

    wallet_id: int
    address: str | None
    derivation_path: int

    @property
    def answer(self) -> WalletUse:
        """Wallet and decision."""
        wallet = None
        if self.address is not None:
            wallet = WalletRecord(self.wallet_id, self.address, self.derivation_path, name="", description="")
        return WalletUse(wallet, self.granted)


class Query(NamedTuple, Generic[Answer_co]):
    """Query about one key. `read` makes an entry, given the time at which the read begins."""

    kind: Kind
    key_hash: int
    about: About
    read: Callable[[float], Awaitable[CacheEntry[Answer_co]]]


class EntryCache:
    """LRU cache of at most `max_entries` entries, at most `max_per_key` of one key. All entries of a key leave together.

    The entries of a key are a short tuple, searched linearly: most keys run one action, and a dictionary each would be
    most of the memory.
    """

    def __init__(self, max_entries: int, max_per_key: int) -> None:
        self._max_entries = max_entries
        self._max_per_key = max_per_key
        self._by_key: OrderedDict[int, tuple[CacheEntry[object], ...]] = OrderedDict()
        self.size = 0

    @property
    def keys(self) -> int:
        """Number of keys that have entries."""
        return len(self._by_key)

    def find(self, query: Query[Answer]) -> CacheEntry[Answer] | None:
        """Return the entry that answers this query, valid or not."""
        for entry in self._by_key.get(query.key_hash, ()):
            if entry.about == query.about:
                self._by_key.move_to_end(query.key_hash)
                # Entries about the same subject of the same key come from the same kind of query.
                return cast("CacheEntry[Answer]", entry)
        return None

    def put(self, key_hash: int, entry: CacheEntry[object]) -> None:
        """Store an entry in place of the last one about the same subject.

        If the key has `max_per_key` already, its oldest denial makes room, else its oldest grant. A new denial replaces
        no grant.
        """
        entries = self._without(key_hash, entry.about)
        if len(entries) >= self._max_per_key:
            leaving = _to_evict(entries, entry)
            # A flood of denials for one key must not evict its grants.
            if leaving is entry:
                return
            entries = tuple(kept for kept in entries if kept is not leaving)
        self._replace(key_hash, (*entries, entry))
        while self.size > self._max_entries:
            _, evicted = self._by_key.popitem(last=False)
            self.size -= len(evicted)

    def drop(self, key_hash: int, about: About) -> None:
        """Remove the entry about this subject."""
        self._replace(key_hash, self._without(key_hash, about))

    def drop_key(self, key_hash: int) -> None:
        """Remove all entries of this key."""
        self._replace(key_hash, ())

    def _without(self, key_hash: int, about: About) -> tuple[CacheEntry[object], ...]:
        return tuple(kept for kept in self._by_key.get(key_hash, ()) if kept.about != about)

    def _replace(self, key_hash: int, entries: tuple[CacheEntry[object], ...]) -> None:
        self.size += len(entries) - len(self._by_key.pop(key_hash, ()))
        if entries:
            self._by_key[key_hash] = entries


def _to_evict(entries: tuple[CacheEntry[object], ...], arriving: CacheEntry[object]) -> CacheEntry[object]:
    """Return the entry to leave out. The caller's own is needed by every call, and so never leaves."""
    candidates = [entry for entry in (*entries, arriving) if entry.about is not None]
    return next((entry for entry in candidates if not entry.granted), candidates[0])
