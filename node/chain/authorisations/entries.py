"""Queries of the execute path about one key, and the cache entries that their reads give.

There are hundreds of thousands of entries, so the layout avoids every object that can be spared.
"""

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from node.chain.port import Authorisation, WalletRecord, WalletUse
from node.permissions.grants import Caller, Grants

Answer = TypeVar("Answer")
Answer_co = TypeVar("Answer_co", covariant=True)

About: TypeAlias = int | tuple[int, str | int] | None
"""Subject of a query about a key: None for the key, an action, or an action and its wallet."""


class Kind(StrEnum):
    """Kinds of queries, as metrics name them."""

    CALLER = "caller"
    EXECUTION = "execution"
    WALLET = "wallet"


@dataclass(frozen=True, slots=True)
class CacheEntry(Generic[Answer_co]):
    """Result from the chain, and everything that its validity depends on.

    `account` is the master hash whose changes void it, 0 if the chain knows no such key. `granted`
    is False if the result refuses anything. `began_at` is the read's start by the cache's clock.
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
    """Decision whether a key may use a wallet in an action; `address` is None without it.

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
    """LRU cache of `max_entries` entries, `max_per_key` of one key, whose entries leave together.

    The entries of a key are a short tuple, searched linearly: most keys run one action, and a
    dictionary each would be most of the memory.
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
        """Returns the entry that answers this query, valid or not."""
        for entry in self._by_key.get(query.key_hash, ()):
            if entry.about == query.about:
                self._by_key.move_to_end(query.key_hash)
                # Entries about the same subject of the same key come from the same kind of query.
                return cast("CacheEntry[Answer]", entry)
        return None

    def put(self, key_hash: int, entry: CacheEntry[object]) -> None:
        """Store an entry in place of the last one about the same subject.

        If the key has `max_per_key` already, its oldest denial makes room, else its oldest grant.
        A new denial replaces no grant.
        """
        entries = self._without(key_hash, entry.about)
        if len(entries) >= self._max_per_key:
            # Never the caller's own, which every call needs.
            candidates = [each for each in (*entries, entry) if each.about is not None]
            leaving = next((each for each in candidates if not each.granted), candidates[0])
            # A flood of denials for one key must not evict its grants.
            if leaving is entry:
                return
            entries = tuple(kept for kept in entries if kept is not leaving)
        self._replace(key_hash, (*entries, entry))
        # The least recently used key leaves first: `find` moves a key to the end.
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


Value = TypeVar("Value")

_SHARED_VALUES: Final = 1024
"""Values that are shared before all are forgotten: most keys have one of a few grants."""


class AuthorisationReads(Protocol):
    """Live reads, agreed on by a quorum. Each raises ChainUnavailableError."""

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        """Returns the caller of a key, and the number of the block at which it was read."""
        ...

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        """Whether this key may run this action, and use each of these wallets in it."""
        ...

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        """Returns a wallet of the caller's account (EIP-55 address or running id) and its decision.

        Both are of one block. A wallet that the account lacks is None, and the decision has none.
        """
        ...


class Queries:
    """Builds queries for `reads`. Callers with more than `max_groups` group ids are not cached."""

    def __init__(self, reads: AuthorisationReads, max_groups: int) -> None:
        self._reads = reads
        self._max_groups = max_groups
        self._grants = Shared[Grants | None]()
        self._numbers = Shared[int]()

    def caller(self, key_hash: int) -> Query[Caller | None]:
        """Build the query for the caller of a key."""

        async def read(began_at: float) -> CallerEntry:
            caller, block_number = await self._reads.caller_at_block(key_hash)
            entry = CallerEntry(
                about=None,
                account=0 if caller is None else caller.master_hash,
                granted=caller is not None,
                expiration=0 if caller is None else caller.expiration,
                block_number=self._numbers.one(block_number),
                began_at=began_at,
                key_hash=key_hash,
                managed=caller is not None and caller.managed,
                grants=None if caller is None else caller.grants,
                cap_cents=0 if caller is None else caller.cap_cents,
            )
            if entry.groups > self._max_groups:
                return entry
            return replace(entry, grants=self._grants.one(entry.grants))

        return Query(Kind.CALLER, key_hash, None, read)

    def execution(self, caller: Caller, action_hash: int) -> Query[Authorisation]:
        """Build the query whether this key may run this action."""

        async def read(began_at: float) -> ExecutionEntry:
            decision = await self._reads.authorisation(caller.key_hash, action_hash, ())
            # The key may have passed to another account since the caller was read: that account's
            # decision is refused.
            known = decision.master_hash == caller.master_hash
            return ExecutionEntry(
                about=action_hash,
                account=caller.master_hash if known else 0,
                granted=known and decision.may_execute,
                expiration=_expiration(caller, decision),
                block_number=self._numbers.one(decision.block_number),
                began_at=began_at,
                managed=decision.managed,
                is_account_key=decision.is_account_key,
                cap_cents=decision.cap_cents,
                block_timestamp=self._numbers.one(decision.block_timestamp),
            )

        return Query(Kind.EXECUTION, caller.key_hash, action_hash, read)

    def wallet(self, caller: Caller, action_hash: int, wallet: str | int) -> Query[WalletUse]:
        """Build the query whether this key may use this wallet in this action."""

        async def read(began_at: float) -> WalletEntry:
            found, decision = await self._reads.wallet_authorisation(caller, action_hash, wallet)
            known = decision.master_hash == caller.master_hash
            # Without a wallet there is no decision on one.
            allowed = decision.may_execute and list(decision.wallets) == [True]
            address = None if found is None else found.address
            return WalletEntry(
                about=(action_hash, wallet),
                account=caller.master_hash if known else 0,
                granted=known and allowed,
                expiration=_expiration(caller, decision),
                block_number=self._numbers.one(decision.block_number),
                began_at=began_at,
                wallet_id=0 if found is None else found.id,
                # A wallet named by its address shares one string with the subject.
                address=wallet if isinstance(wallet, str) and wallet == address else address,
                derivation_path=0 if found is None else found.derivation_path,
            )

        return Query(Kind.WALLET, caller.key_hash, (action_hash, wallet), read)


class Shared(Generic[Value]):
    """Equal values as one object: most keys have the same few grants, most entries few blocks."""

    def __init__(self) -> None:
        self._values: dict[Value, Value] = {}

    def one(self, value: Value) -> Value:
        """Returns the first value that equals `value`."""
        # Cleared as a whole: entries keep their own references, and sharing only saves memory.
        if len(self._values) >= _SHARED_VALUES:
            self._values.clear()
        return self._values.setdefault(value, value)


def _expiration(caller: Caller, decision: Authorisation) -> int:
    """Returns the decision's expiration, as the caller's own object if the number is the same."""
    return caller.expiration if decision.expiration == caller.expiration else decision.expiration
