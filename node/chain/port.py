"""Port of the chain: records, live reads, cached decisions, and writes that happen exactly once."""

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
    """Page of a list. `number` counts from 0."""

    number: int
    size: int


@dataclass(frozen=True, slots=True)
class Slice(Generic[Item]):
    """Items of a page in creation order, and the length of the whole list, both at one block."""

    items: Sequence[Item]
    total: int


@dataclass(frozen=True, slots=True)
class UsageKeyRecord:
    """Usage key. `expiration` is in unix seconds, 0 for never; `cap_cents` is 0 without a cap."""

    key_hash: int
    name: str
    description: str
    expiration: int
    cap_cents: int
    grants: Grants


@dataclass(frozen=True, slots=True)
class WalletRecord:
    """Registered wallet. `id` 0 is the master wallet; `address` is EIP-55."""

    id: int
    address: str
    derivation_path: int
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """Group with its contents, hashed CIDs and EIP-55 wallet addresses."""

    id: int
    name: str
    description: str
    action_hashes: Sequence[int]
    wallets: Sequence[str]


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """Registered action. `cid` is None if only the hash is on chain."""

    action_hash: int
    name: str
    description: str
    cid: str | None


@dataclass(frozen=True, slots=True)
class Authorisation:
    """Decision of the contract on one execution, made at one block.

    `wallets` has a decision for each wallet, in order. `master_hash` is 0 for a dead key.
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
    """Block of the chain. Hashes are 0x and 64 lower-case hex digits, `timestamp` unix seconds."""

    number: int
    hash: str
    parent_hash: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class ScheduledAdminPayer:
    """Scheduled change of the admin payer. The owner may execute it at `effective_at` (unix s)."""

    admin_payer: str
    effective_at: int


@dataclass(frozen=True, slots=True)
class Administration:
    """Parties that the contract trusts, read at one block. Addresses are EIP-55.

    `admin_payer` is the zero address until the owner names one. If `admin_payer_replacements` is
    not 0, payers of a former admin payer may have written to managed accounts.
    """

    owner: str
    admin_payer: str
    payers: Sequence[str]
    scheduled: ScheduledAdminPayer | None
    owner_change_delay_s: int
    admin_payer_replacements: int


class AccountReads(Protocol):
    """Live reads of the account contract. `account` is the account's master hash or an alias of it.

    Each method raises ChainUnavailableError if no quorum of providers agrees.
    """

    async def caller(self, key_hash: int) -> Caller | None:
        """Returns the caller of a key; None if unknown, removed, or expired by clock or head."""
        ...

    async def usage_keys(self, account: int, page: Page) -> Slice[UsageKeyRecord]:
        """Returns the account's usage keys in creation order."""
        ...

    async def usage_key(self, account: int, key_hash: int) -> UsageKeyRecord | None:
        """Returns one usage key of this account; None if it has no such key."""
        ...

    async def wallets(self, account: int, page: Page) -> Slice[WalletRecord]:
        """Returns the account's wallets in creation order."""
        ...

    async def wallet(self, account: int, address: str) -> WalletRecord | None:
        """Returns one wallet by address; None if it is not registered to this account."""
        ...

    async def wallet_by_id(self, account: int, wallet_id: int) -> WalletRecord | None:
        """Returns one registered wallet by running id; None if there is no such id."""
        ...

    async def groups(self, account: int, page: Page) -> Slice[GroupRecord]:
        """Returns the account's groups in creation order."""
        ...

    async def is_action_in_group(self, account: int, group_id: int, action_hash: int) -> bool:
        """Returns whether the group lists this action itself. False if there is no such group."""
        ...

    async def is_wallet_in_group(self, account: int, group_id: int, address: str) -> bool:
        """Returns whether the group lists this wallet itself. False if there is no such group."""
        ...

    async def group_wallets(self, account: int, group_id: int, page: Page) -> Slice[WalletRecord]:
        """Returns the wallets listed in a group. Raises NotOnChainError for an unknown group."""
        ...

    async def actions(self, account: int, page: Page) -> Slice[ActionRecord]:
        """Returns the account's registered actions in creation order."""
        ...

    async def group_actions(self, account: int, group_id: int, page: Page) -> Slice[ActionRecord]:
        """Returns the actions listed in a group. Raises NotOnChainError for an unknown group."""
        ...

    async def action(self, account: int, action_hash: int) -> ActionRecord | None:
        """Returns one registered action; None if the account has not registered it."""
        ...

    async def api_payers(self) -> Sequence[str]:
        """Returns the contract's payers, EIP-55."""
        ...

    async def admin_api_payer(self) -> str:
        """Returns the contract's admin payer, EIP-55."""
        ...

    async def administration(self) -> Administration:
        """Returns the admin payer, the payers and the owner's scheduled change, at one block."""
        ...


class ContractVerdict(Enum):
    """Result of a signature check by a contract wallet (ERC-1271)."""

    NO_CODE = 0
    """The address has no code. The contract is not deployed, or it is a plain wallet."""
    REJECTED = 1
    """The contract reverts, runs out of gas, or returns anything but the magic value."""
    ACCEPTED = 2
    """The contract returns exactly the magic value in 32 bytes."""


class WalletContracts(Protocol):
    """Contract wallets at any address of the node's chain. Their code is not trusted."""

    async def verdict(self, wallet: str, digest: bytes, signature: bytes) -> ContractVerdict:
        """Calls `isValidSignature` of the contract at `wallet` (0x hex), by a quorum at one block.

        `digest` is 32 bytes. Raises ChainUnavailableError.
        """
        ...


class AdminAccounts(Protocol):
    """Look-ups from a wallet to the ChainSecured account that it administers, read live."""

    async def account_of_admin(self, wallet: str) -> int | None:
        """Returns the master hash of the unmanaged account that this wallet (0x hex) administers.

        None for any other wallet, also for a former admin. Raises ChainUnavailableError.
        """
        ...

    async def mints_for(self, wallet: str) -> int | None:
        """Returns the hash that owns wallets minted for `wallet`, that of its account or its own.

        None if a managed account has the wallet's hash. Raises ChainUnavailableError.
        """
        ...


class AccountNames(Protocol):
    """Account names, which their owners chose."""

    async def account_name(self, account: int) -> str:
        """Returns the name of an account (master hash), or "" without one. It never changes.

        Raises ChainUnavailableError.
        """
        ...


MayReread: TypeAlias = Callable[[], bool]
"""Takes one of the client address's re-reads. Returns False if none is left at the moment."""


@dataclass(frozen=True, slots=True)
class WalletUse:
    """Decision on the use of a wallet, without its labels.

    `wallet` is None if it is not registered, and then nothing is allowed.
    """

    wallet: WalletRecord | None
    allowed: bool


class Authorisations(Protocol):
    """Decisions on executions, from the cache or else read at the head.

    A cached grant was on chain at most minutes ago, and no provider has reported a change of the
    account since. A denial is read at the head after the call, as far as `may_reread` allows. Each
    method raises ChainUnavailableError.
    """

    async def caller(self, key_hash: int) -> Caller | None:
        """Returns the caller of a key; None if unknown, removed or expired at the head."""
        ...

    async def execution(self, caller: Caller, action_hash: int, min_block: int, may_reread: MayReread) -> Authorisation:
        """Returns the decision on running this action with this key, at `min_block` or later.

        Raises ChainUnavailableError with `details` if the chain does not reach `min_block` in time.
        """
        ...

    async def wallet_use(
        self, caller: Caller, action_hash: int, wallet: str | int, min_block: int, may_reread: MayReread
    ) -> WalletUse:
        """Returns the decision on this wallet (EIP-55 address or running id) in this action.

        It is made at `min_block` or later, with the errors of `execution`.
        """
        ...


class ChainNews(Protocol):
    """Receiver of events that invalidate reads. An unnecessary event only costs a read."""

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Invalidates reads of the account before `block_number`, which has an event of it."""
        ...

    def reorganised(self, fork_number: int) -> None:
        """Invalidates reads after block `fork_number`, since those blocks were replaced."""
        ...


@dataclass(frozen=True, slots=True)
class ContractCall:
    """Write to the account contract, as function name and arguments for eth-abi."""

    function: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class WriteIntent:
    """Write that must happen on chain exactly once.

    `write_id` is unique and identifies the write in the journal and in the ledger. A repeated
    request finds the write by its `idempotency_id`. `answer` is returned to the client with
    transaction and block; it may hold a one-time secret, so the journal encrypts it. `charge` is
    for the observer, which settles the write; the journal does not read it. `caller_hash` is the
    caller's own key hash: `AccountDoesNotExist` of it is 401, not 404. `may_use_reserve` is False
    for unpaid writes (new accounts), which raise PayersOutOfGasError before they use the reserve.
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
    """Event of a receipt. Arguments are integers, 0x hex addresses, bytes, text or booleans."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Write that is on chain, with its events in order.

    A write's result, such as a new group's id, is read from its events, since a simulation
    returns another one if two writes of an account run at once. `write_id` and `answer` are those
    of the journaled intent, which an earlier request made if an `idempotency_id` led to it.
    """

    transaction_hash: str
    block_number: int
    events: tuple[ContractEvent, ...] = ()
    write_id: str = ""
    answer: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)

    def event(self, name: str) -> ContractEvent | None:
        """Returns the first event of that name; None without one."""
        return next((event for event in self.events if event.name == name), None)


@dataclass(frozen=True, slots=True)
class RecalledWrite:
    """Journaled write found again, with `result` if it is on chain, else `failure`.

    `journaled_at` is in unix seconds. It limits how long `answer` shows a one-time secret again.
    """

    answer: Mapping[str, JsonValue] = field(repr=False)
    result: WriteResult | None
    failure: WriteFailure | None
    journaled_at: float


class WriteRecall(Protocol):
    """Finds writes by the idempotency id they were journaled under."""

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:
        """Returns the write's outcome, after a wait as in `AccountWrites.write`; None without one.

        Raises WriteUnconfirmedError with `details.transaction_hash` if it is still undecided.
        """
        ...


BeforeSending: TypeAlias = Callable[[int], Awaitable[None]]
"""Called with a transaction's maximum cost (wei), after its simulation and before it is stored.

An error it raises reaches the caller of the write, and nothing is sent.
"""


async def send_at_any_cost(_: int) -> None:
    """Accepts any cost. It is the BeforeSending of paid writes."""


class AccountWrites(Protocol):
    """Administrative writes, signed by a payer."""

    async def earlier(self, idempotency_id: str) -> WriteResult | None:
        """Waits for the write of an earlier request with this id, and returns its result or None.

        Raises the errors of `write` for a sent write, also the mapped error of a failed one. If it
        failed since the chain was unavailable (503), it counts as none and may be done again.
        """
        ...

    async def write(self, intent: WriteIntent, before_sending: BeforeSending = send_at_any_cost) -> WriteResult:
        """Simulates, journals, sends, and waits for the receipt. Later reads of this node see it.

        If the `idempotency_id` is journaled already, that write's outcome is returned and nothing
        is done. Raises the error of `before_sending`, or ContractRefusedError or
        ChainUnavailableError if nothing was sent. Raises WriteUnconfirmedError with
        `details.transaction_hash` if it was sent and not confirmed in time; it is then followed in
        the background. Cancelling the caller does not cancel a journaled write.
        """
        ...

    async def is_journaled(self, write_id: str) -> bool:
        """Returns whether the write is journaled, so that it is or may get on chain despite errors.

        After `write` has raised, False is final. Raises DomainError if the journal cannot tell yet.
        """
        ...


class WriteObserver(Protocol):
    """Receiver of the outcome of every journaled write, also after a restart.

    Each outcome is delivered once, or again with the same `write_id` if the delivery failed or was
    not recorded before a crash. So the methods must be idempotent.
    """

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        """Settles the write. `result` is None if it failed finally and will never be on chain."""
        ...

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """Handles an unfinished write that a process has found at its start and will follow.

        `write_ended` comes later. An error is logged and does not stop the process.
        """
        ...

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Handles the revert of the write's transaction, whose gas is spent, after `write_ended`.

        An error is logged, and both methods are called again.
        """
        ...

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """Handles a replacement of the transaction that may cost `more_wei` more than before.

        An error is logged and does not stop the write from being followed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """Decision with its reasons, all read at one block. `groups` are the groups that decide."""

    caller: Caller
    decision: Authorisation
    groups: DecidingGroups


class Explanations(Protocol):
    """Reads for `explain`: live at the head, never from a cache. Raises ChainUnavailableError."""

    async def explanation(self, key_hash: int, action_hash: int, wallet: str | None) -> Explanation | None:
        """Returns the decision on this action, and on this wallet (EIP-55) in it if one is given.

        None for a key that is unknown, removed, or expired by clock or head.
        """
        ...
