"""Port of the chain: typed records, live reads, cached decisions, and writes that happen exactly once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, Protocol, TypeAlias, TypeVar

from pydantic import JsonValue

from node.chain.errors import WriteFailure
from node.permissions.grants import Caller, DecidingGroups, Grants

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page:
    """Slice of a list: `number` counts from 0."""

    number: int
    size: int


@dataclass(frozen=True, slots=True)
class Slice(Generic[Item]):
    """Page of a list in creation order, and the length of the whole list, both at one block."""

    items: Sequence[Item]
    total: int


@dataclass(frozen=True, slots=True)
class UsageKeyRecord:
    """Usage key as listed: its hash, labels, expiry (unix seconds, 0 never), cap in cents (0 none), grants."""

    key_hash: int
    name: str
    description: str
    expiration: int
    cap_cents: int
    grants: Grants


@dataclass(frozen=True, slots=True)
class WalletRecord:
    """Registered wallet: running id (0 is the master wallet), EIP-55 address, derivation path."""

    id: int
    address: str
    derivation_path: int
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """Group with its contents: hashed CIDs and EIP-55 wallet addresses."""

    id: int
    name: str
    description: str
    action_hashes: Sequence[int]
    wallets: Sequence[str]


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """Registered action; `cid` is None where only the hash is on chain."""

    action_hash: int
    name: str
    description: str
    cid: str | None


@dataclass(frozen=True, slots=True)
class Authorisation:
    """Decision of the contract on one execution, taken at one block.

    `wallets` holds the decision for each wallet asked, in order. `master_hash` is 0 for an unknown or removed key.
    """

    master_hash: int
    managed: bool
    is_account_key: bool
    may_execute: bool
    wallets: Sequence[bool]
    expiration: int
    cap_cents: int
    block_number: int
    block_timestamp: int


@dataclass(frozen=True, slots=True)
class Head:
    """Block of the chain: `hash` and `parent_hash` are 0x and 64 lower-case hex digits, `timestamp` unix seconds."""

    number: int
    hash: str
    parent_hash: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class ScheduledAdminPayer:
    """Scheduled naming of another admin payer, which the contract's owner may execute from `effective_at` (unix seconds)."""

    admin_payer: str
    effective_at: int


@dataclass(frozen=True, slots=True)
class Administration:
    """Parties that the contract trusts, read at one block; addresses are EIP-55.

    `admin_payer` is the zero address until the owner has named one. `admin_payer_replacements` counts how often another one
    was named in place of one: unless it is 0, managed accounts may hold what a stranger's payers wrote.
    """

    owner: str
    admin_payer: str
    payers: Sequence[str]
    scheduled: ScheduledAdminPayer | None
    owner_change_delay_s: int
    admin_payer_replacements: int


class AccountReads(Protocol):
    """Live reads of the account contract; each raises ChainUnavailableError when no quorum of providers agrees.

    `account` arguments take the account's master hash or an alias of it.
    """

    async def caller(self, key_hash: int) -> Caller | None:
        """Return the caller of a key; None if unknown, removed or expired (later of the clock and the head's timestamp)."""
        ...

    async def usage_keys(self, account: int, page: Page) -> Slice[UsageKeyRecord]:
        """Return the account's usage keys in creation order."""
        ...

    async def usage_key(self, account: int, key_hash: int) -> UsageKeyRecord | None:
        """Return one usage key of this account; None when it has none of that hash."""
        ...

    async def wallets(self, account: int, page: Page) -> Slice[WalletRecord]:
        """Return the account's wallets in creation order."""
        ...

    async def wallet(self, account: int, address: str) -> WalletRecord | None:
        """Return one registered wallet by address; None when it is not registered to this account."""
        ...

    async def wallet_by_id(self, account: int, wallet_id: int) -> WalletRecord | None:
        """Return one registered wallet by running id."""
        ...

    async def groups(self, account: int, page: Page) -> Slice[GroupRecord]:
        """Return the account's groups in creation order."""
        ...

    async def is_action_in_group(self, account: int, group_id: int, action_hash: int) -> bool:
        """Return whether the group lists this very action; False also when the account has no such group."""
        ...

    async def is_wallet_in_group(self, account: int, group_id: int, address: str) -> bool:
        """Return whether the group lists this very wallet; False also when the account has no such group."""
        ...

    async def group_wallets(self, account: int, group_id: int, page: Page) -> Slice[WalletRecord]:
        """Return the wallets listed in a group. Raises NotOnChainError for an unknown group."""
        ...

    async def actions(self, account: int, page: Page) -> Slice[ActionRecord]:
        """Return the account's registered actions in creation order."""
        ...

    async def group_actions(self, account: int, group_id: int, page: Page) -> Slice[ActionRecord]:
        """Return the actions listed in a group. Raises NotOnChainError for an unknown group."""
        ...

    async def action(self, account: int, action_hash: int) -> ActionRecord | None:
        """Return one registered action; None when the account has not registered it."""
        ...

    async def api_payers(self) -> Sequence[str]:
        """Return the contract's payers, EIP-55."""
        ...

    async def admin_api_payer(self) -> str:
        """Return the contract's admin payer, EIP-55."""
        ...

    async def administration(self) -> Administration:
        """Read the admin payer, the payers and the owner's scheduled change, all at one block."""
        ...


class ContractVerdict(Enum):
    """Outcome of asking a contract wallet about a signature (ERC-1271)."""

    NO_CODE = 0
    """There is no contract at the address: not deployed (yet), or a plain wallet."""
    REJECTED = 1
    """The contract reverts, runs out of its gas, or answers anything but the magic value in 32 bytes."""
    ACCEPTED = 2
    """Exactly the magic value in a 32-byte answer."""


class WalletContracts(Protocol):
    """Contract wallets at arbitrary addresses of the node's chain, which are not trusted."""

    async def verdict(self, wallet: str, digest: bytes, signature: bytes) -> ContractVerdict:
        """Call `isValidSignature(digest, signature)` of the contract at `wallet` (0x hex), by a quorum at one block.

        `digest` is 32 bytes. Raises ChainUnavailableError.
        """
        ...


class AdminAccounts(Protocol):
    """Look-ups from a wallet to the ChainSecured account that it administers."""

    async def account_of_admin(self, wallet: str) -> int | None:
        """Return the master hash of the unmanaged account that this wallet (0x hex) administers, read live.

        None for any other wallet, a former admin included. Raises ChainUnavailableError.
        """
        ...

    async def mints_for(self, wallet: str) -> int | None:
        """Return the hash under which this wallet's (0x hex) wallets are minted, read live: its account's, or its future one's.

        None when a managed account has the latter hash: its keys could use them. Raises ChainUnavailableError.
        """
        ...


class AccountNames(Protocol):
    """Names of accounts, which their owners chose."""

    async def account_name(self, account: int) -> str:
        """Return the name of an account (master hash); empty where there is none. It never changes.

        Raises ChainUnavailableError.
        """
        ...


MayReread: TypeAlias = Callable[[], bool]
"""Takes one of the client address's re-reads; returns False when none is left just now."""


@dataclass(frozen=True, slots=True)
class WalletUse:
    """Decision on the use of a wallet: `wallet` is None when the account lacks it, and then nothing is allowed.

    The labels of the wallet are left empty.
    """

    wallet: WalletRecord | None
    allowed: bool


class Authorisations(Protocol):
    """Decisions on who may run what, for the execute path: cached while nothing has changed, else read at the head.

    A grant was on chain at a block that this node has seen, at most minutes ago, and no provider has reported a change of
    the account since. A denial was read at the head after the call was made, as long as `may_reread` allows. Each method
    raises ChainUnavailableError.
    """

    async def caller(self, key_hash: int) -> Caller | None:
        """Return the caller of a key; None when it is unknown, removed or expired at the head."""
        ...

    async def execution(self, caller: Caller, action_hash: int, min_block: int, may_reread: MayReread) -> Authorisation:
        """Decide whether this key may run this action, at `min_block` or later.

        Raises ChainUnavailableError with `details` when the chain does not reach `min_block` in time.
        """
        ...

    async def wallet_use(
        self, caller: Caller, action_hash: int, wallet: str | int, min_block: int, may_reread: MayReread
    ) -> WalletUse:
        """Decide whether this key may use this wallet of its account (EIP-55 address, or running id) in this action.

        Decides at `min_block` or later, and raises, as `execution` does.
        """
        ...


class ChainNews(Protocol):
    """Receiver of events that void reads of the chain. A superfluous event costs only a read."""

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Note an event of this account in this block: reads of the account before that block are void."""
        ...

    def reorganised(self, fork_number: int) -> None:
        """Note that the blocks after `fork_number` have been replaced: reads at them are void."""
        ...


@dataclass(frozen=True, slots=True)
class ContractCall:
    """Write to the account contract: function name and arguments as eth-abi takes them."""

    function: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class WriteIntent:
    """Write that shall happen on chain exactly once.

    `write_id` is unique and identifies the write in the journal and in the ledger. With an `idempotency_id` a repeated
    request finds this write again. `answer` is returned to the client with transaction and block; it may hold a one-time
    secret, so the journal seals it. `caller_hash` is the caller's own key hash: `AccountDoesNotExist` of that hash is 401
    and not 404. `charge` is what the observer needs to settle the write, opaque to the journal. `may_use_reserve` is
    False for writes that are not paid for (new accounts): such a write is refused, PayersOutOfGasError, when it would
    touch the gas that the payers keep for paid writes.
    """

    write_id: str
    call: ContractCall
    caller_hash: int | None = None
    idempotency_id: str | None = None
    answer: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)
    charge: Mapping[str, JsonValue] = field(default_factory=dict)
    may_use_reserve: bool = True


@dataclass(frozen=True, slots=True)
class ContractEvent:
    """Event of a receipt: its name and its arguments by name (integers, 0x hex addresses, bytes, text, booleans)."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Write that is on chain: its transaction hash (0x hex), block, and the events it emitted, in order.

    Results of a write (the id of a new group, say) are read from its events: a value returned in simulation
    would be another one when two writes of an account run at once. `write_id` and `answer` are those of the
    intent that was journaled: of an earlier request where an `idempotency_id` led to it.
    """

    transaction_hash: str
    block_number: int
    events: tuple[ContractEvent, ...] = ()
    write_id: str = ""
    answer: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)

    def event(self, name: str) -> ContractEvent | None:
        """Return the first event of that name."""
        return next((event for event in self.events if event.name == name), None)


@dataclass(frozen=True, slots=True)
class RecalledWrite:
    """Outcome of a journaled write, found again: `result` when it is on chain, else `failure`; `answer` as in WriteResult.

    `journaled_at` is in unix seconds: it bounds how long a one-time secret is shown again.
    """

    answer: Mapping[str, JsonValue] = field(repr=False)
    result: WriteResult | None
    failure: WriteFailure | None
    journaled_at: float


class WriteRecall(Protocol):
    """Finds writes again by the idempotency id they were journaled under."""

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:
        """Return the outcome of the write journaled under this id, waiting as `AccountWrites.write` does; None without one.

        Raises WriteUnconfirmedError with `details.transaction_hash` when it is still undecided.
        """
        ...


BeforeSending: TypeAlias = Callable[[int], Awaitable[None]]
"""Called with the highest cost of a transaction (wei), after its simulation and before it is stored.

An error it raises reaches the caller of the write, and nothing is sent.
"""


async def send_at_any_cost(_: int) -> None:
    """Accept any cost: the BeforeSending of paid writes."""


class AccountWrites(Protocol):
    """Administrative writes, signed by a payer."""

    async def earlier(self, idempotency_id: str) -> WriteResult | None:
        """Return the outcome of the write that an earlier request with this id journaled, waiting as `write`; None without one.

        Raises the errors of `write` for a sent write, also the mapped error of one that failed finally. A write that
        failed because the chain was unavailable (503) counts as none: the request may be done again.
        """
        ...

    async def write(self, intent: WriteIntent, before_sending: BeforeSending = send_at_any_cost) -> WriteResult:
        """Simulate, journal, send and wait for the receipt; later reads of this node see it.

        An intent whose `idempotency_id` is journaled already is not done again: the outcome of that write is returned.
        Raises ContractRefusedError when simulation reverts: nothing was sent;
        the error of `before_sending`; ChainUnavailableError when nothing was sent; WriteUnconfirmedError with
        `details.transaction_hash` when it was sent and is not confirmed in time: it is followed in the background.
        Cancelling the caller does not cancel a write that is journaled.
        """
        ...

    async def is_journaled(self, write_id: str) -> bool:
        """Return whether the write of this id is journaled: it is or may get on chain, whatever `write` raised.

        After `write` has raised, False means that it never will be. Raises DomainError when the journal cannot tell (yet).
        """
        ...


class WriteObserver(Protocol):
    """Receiver of the outcome of every journaled write, however late, also after a restart.

    Each outcome comes once, unless the node was killed before it noted the delivery, or the delivery failed: then it
    comes again, with the same `write_id`. So ending a write twice must change nothing.
    """

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        """Settle the write. `result` is None when it failed finally: it is not and will never be on chain."""
        ...

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """Note that a process that has just started found the write unfinished and is about to follow it.

        `write_ended` comes later. An error is logged and does not stop the process from following the write.
        """
        ...

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Note that the write's transaction reverted on chain, so its gas is spent. Called after `write_ended`.

        An error is logged, and both are called again.
        """
        ...

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """Note that the transaction was replaced by a dearer one, which may cost `more_wei` more than the earlier ones.

        An error is logged and does not stop the write from being followed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """Decision with its reasons, all read at one block: the caller of the key, and the groups that count."""

    caller: Caller
    decision: Authorisation
    groups: DecidingGroups


class Explanations(Protocol):
    """Reads for `explain`: live at the head, never from a cache. Raises ChainUnavailableError."""

    async def explanation(self, key_hash: int, action_hash: int, wallet: str | None) -> Explanation | None:
        """Explain the decision on running this action, and on using this wallet (EIP-55) in it if one is named.

        None for a key that is unknown, removed or expired (later of the clock and the head's timestamp).
        """
        ...
