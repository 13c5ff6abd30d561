"""The three questions of the execute path, and how each is read from the chain."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Generic, Protocol, TypeVar

from node.chain.authorisations.readings import CallerReading, ExecutionReading, Kind, Question, WalletReading
from node.chain.port import Authorisation, WalletRecord, WalletUse
from node.permissions.grants import Caller, Grants

Value = TypeVar("Value")

_SHARED_VALUES: Final = 1024


class AuthorisationReads(Protocol):
    """What the cache reads: live, agreed upon by a quorum. Each raises NodeError `chain_unavailable`."""

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        """Who a key is, and the number of the block at which it was read."""
        ...

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        """May this key run this action, and use each of these wallets in it."""
        ...

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        """One wallet of the caller's account (EIP-55 address, or running id), and the decision on its use, at one block.

        None for a wallet the account has not, and then the decision has no wallets; else it has this one.
        """
        ...


class Questions:
    """Makes questions that are answered by `reads`; who has more than `max_groups` group ids is not kept."""

    def __init__(self, reads: AuthorisationReads, max_groups: int) -> None:
        self._reads = reads
        self._max_groups = max_groups
        self._grants = Shared[Grants | None]()
        self._numbers = Shared[int]()

    def caller(self, key_hash: int) -> Question[Caller | None]:
        """Who is this key."""

        async def read(began_at: float) -> CallerReading:
            caller, block_number = await self._reads.caller_at_block(key_hash)
            reading = CallerReading(
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
            if reading.groups > self._max_groups:
                return reading
            return replace(reading, grants=self._grants.one(reading.grants))

        return Question(Kind.CALLER, key_hash, None, read)

    def execution(self, caller: Caller, action_hash: int) -> Question[Authorisation]:
        """May this key run this action."""

        async def read(began_at: float) -> ExecutionReading:
            decision = await self._reads.authorisation(caller.key_hash, action_hash, ())
            known = decision.master_hash == caller.master_hash
            return ExecutionReading(
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

        return Question(Kind.EXECUTION, caller.key_hash, action_hash, read)

    def wallet(self, caller: Caller, action_hash: int, wallet: str | int) -> Question[WalletUse]:
        """May this key use this wallet in this action."""

        async def read(began_at: float) -> WalletReading:
            found, decision = await self._reads.wallet_authorisation(caller, action_hash, wallet)
            known = decision.master_hash == caller.master_hash
            # Without a wallet there is no decision on one.
            allowed = decision.may_execute and list(decision.wallets) == [True]
            address = None if found is None else found.address
            return WalletReading(
                about=(action_hash, wallet),
                account=caller.master_hash if known else 0,
                granted=known and allowed,
                expiration=_expiration(caller, decision),
                block_number=self._numbers.one(decision.block_number),
                began_at=began_at,
                wallet_id=0 if found is None else found.id,
                # One text for both where the wallet was named by its address.
                address=wallet if isinstance(wallet, str) and wallet == address else address,
                derivation_path=0 if found is None else found.derivation_path,
            )

        return Question(Kind.WALLET, caller.key_hash, (action_hash, wallet), read)


class Shared(Generic[Value]):
    """Equal values as one object: most keys have the same few grants, and most readings the same few blocks."""

    def __init__(self) -> None:
        self._values: dict[Value, Value] = {}

    def one(self, value: Value) -> Value:
        """The first of those that equal `value`."""
        if len(self._values) >= _SHARED_VALUES:
            self._values.clear()
        return self._values.setdefault(value, value)


def _expiration(caller: Caller, decision: Authorisation) -> int:
    """The decision's, as the caller's own object where it is the same number."""
    return caller.expiration if decision.expiration == caller.expiration else decision.expiration
