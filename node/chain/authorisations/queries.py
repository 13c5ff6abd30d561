"""The three queries of the execute path, and their reads from the chain."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Generic, Protocol, TypeVar

from node.chain.authorisations.entries import CallerEntry, ExecutionEntry, Kind, Query, WalletEntry
from node.chain.port import Authorisation, WalletRecord, WalletUse
from node.permissions.grants import Caller, Grants

Value = TypeVar("Value")

_SHARED_VALUES: Final = 1024
"""Values that are shared before all are forgotten: most keys have one of a few grants, and few blocks are recent."""


class AuthorisationReads(Protocol):
    """Live reads, agreed on by a quorum. Each raises ChainUnavailableError."""

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        """Return the caller of a key, and the number of the block at which it was read."""
        ...

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        """Return whether this key may run this action, and use each of these wallets in it."""
        ...

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        """Return a wallet of the caller's account (EIP-55 address, or running id) and the decision on its use, at one block.

        For a wallet that the account lacks it is None, and the decision has no wallets; else it has this one.
        """
        ...


class Queries:
    """Builds queries that `reads` answers. Callers with more than `max_groups` group ids are not cached."""

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
    """Equal values as one object: most keys have the same few grants, and most entries the same few blocks."""

    def __init__(self) -> None:
        self._values: dict[Value, Value] = {}

    def one(self, value: Value) -> Value:
        """Return the first value that equals `value`."""
        if len(self._values) >= _SHARED_VALUES:
            self._values.clear()
        return self._values.setdefault(value, value)


def _expiration(caller: Caller, decision: Authorisation) -> int:
    """Return the decision's expiration, as the caller's own object if the number is the same."""
    return caller.expiration if decision.expiration == caller.expiration else decision.expiration
