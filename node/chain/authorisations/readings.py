"""What the cache keeps of one look at the chain: kept by the hundred thousand, and so without an object too many."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from node.chain.port import Authorisation, WalletRecord, WalletUse
from node.permissions.grants import Caller, Grants

Answer_co = TypeVar("Answer_co", covariant=True)

About: TypeAlias = int | tuple[int, str | int] | None
"""What is asked of a key: None who it is, an action whether it may run it, action and wallet whether it may use it."""


class Kind(StrEnum):
    """The kinds of questions, as metrics name them."""

    CALLER = "caller"
    EXECUTION = "execution"
    WALLET = "wallet"


@dataclass(frozen=True, slots=True)
class Reading(Generic[Answer_co]):
    """An answer of the chain, and all that its validity depends on.

    `account` is the master hash whose changes void it, 0 when the chain knows no such key. `granted` is False when the
    answer refuses anything. `began_at` is when the reading began, in seconds of the cache's own time.
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
        """What the chain said."""

    @property
    def groups(self) -> int:
        """Group ids it holds, the only part of a reading that may be of any size."""
        return 0


@dataclass(frozen=True, slots=True)
class CallerReading(Reading[Caller | None]):
    """Who a key is."""

    key_hash: int
    managed: bool
    grants: Grants | None
    cap_cents: int

    @property
    def groups(self) -> int:
        """Group ids in the key's four lists."""
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
        """The caller; None for an unknown key."""
        if not self.account:
            return None
        return Caller(self.key_hash, self.account, self.managed, self.grants, self.expiration, self.cap_cents)


@dataclass(frozen=True, slots=True)
class ExecutionReading(Reading[Authorisation]):
    """May a key run an action."""

    managed: bool
    is_account_key: bool
    cap_cents: int
    block_timestamp: int

    @property
    def answer(self) -> Authorisation:
        """The contract's decision."""
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
class WalletReading(Reading[WalletUse]):
    """May a key use a wallet in an action; `address` is None when the account has none of that name.

    Labels are left out: they may be long, and nobody signs by them.
    """

    wallet_id: int
    address: str | None
    derivation_path: int

    @property
    def answer(self) -> WalletUse:
        """The wallet and the decision."""
        wallet = None
        if self.address is not None:
            wallet = WalletRecord(self.wallet_id, self.address, self.derivation_path, name="", description="")
        return WalletUse(wallet, self.granted)


class Question(NamedTuple, Generic[Answer_co]):
    """What is asked of one key; `read` makes a reading, given when it began."""

    kind: Kind
    key_hash: int
    about: About
    read: Callable[[float], Awaitable[Reading[Answer_co]]]
