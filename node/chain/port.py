"""What the rest of the node asks of the chain: typed records, live reads, and writes that happen exactly once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, Protocol, TypeAlias, TypeVar

from pydantic import JsonValue

from node.errors import NodeError
from node.permissions.decisions import DecidingGroups
from node.permissions.grants import Caller, Grants

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page:
    """A slice of a list: `number` counts from 0."""

    number: int
    size: int


@dataclass(frozen=True, slots=True)
class Slice(Generic[Item]):
    """One page of a list in creation order, and the length of the whole list, both at one block."""

    items: Sequence[Item]
    total: int


@dataclass(frozen=True, slots=True)
class UsageKeyRecord:
    """A usage key as listed: its hash, labels, expiry (unix seconds, 0 never), cap in cents (0 none), grants."""

    key_hash: int
    name: str
    description: str
    expiration: int
    cap_cents: int
    grants: Grants


@dataclass(frozen=True, slots=True)
class WalletRecord:
    """A registered wallet: running id (0 is the master wallet), EIP-55 address, derivation path."""

    id: int
    address: str
    derivation_path: int
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A group with its contents: hashed CIDs and EIP-55 wallet addresses."""

    id: int
    name: str
    description: str
    action_hashes: Sequence[int]
    wallets: Sequence[str]


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """A registered action; `cid` is None where only the hash is on chain."""

    action_hash: int
    name: str
    description: str
    cid: str | None


@dataclass(frozen=True, slots=True)
class Authorisation:
    """The contract's decision on one execution, taken at one block.

    `wallets` answers for each wallet asked, in order. `master_hash` is 0 for an unknown or removed key.
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
    """A block of the chain: `hash` and `parent_hash` are 0x and 64 lower-case hex digits, `timestamp` unix seconds."""

    number: int
    hash: str
    parent_hash: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class ScheduledAdminPayer:
    """The naming of another admin payer that the contract's owner may carry out from `effective_at` (unix seconds) on."""

    admin_payer: str
    effective_at: int


@dataclass(frozen=True, slots=True)
class Administration:
    """The parties that the contract trusts, read at one block; addresses are EIP-55.

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
    """Live reads of the account contract; each raises NodeError `chain_unavailable` when no quorum of endpoints agrees.

    `account` arguments take the account's master hash or an alias of it.
    """

    async def caller(self, key_hash: int) -> Caller | None:
        """Who a key is; None when unknown, removed or expired (later of the clock and the head's timestamp)."""
        ...

    async def usage_keys(self, account: int, page: Page) -> Slice[UsageKeyRecord]:
        """The account's usage keys in creation order."""
        ...

    async def usage_key(self, account: int, key_hash: int) -> UsageKeyRecord | None:
        """One usage key of this account; None when it has none of that hash."""
        ...

    async def wallets(self, account: int, page: Page) -> Slice[WalletRecord]:
        """The account's wallets in creation order."""
        ...

    async def wallet(self, account: int, address: str) -> WalletRecord | None:
        """One registered wallet by address; None when it is not registered to this account."""
        ...

    async def wallet_by_id(self, account: int, wallet_id: int) -> WalletRecord | None:
        """One registered wallet by running id."""
        ...

    async def groups(self, account: int, page: Page) -> Slice[GroupRecord]:
        """The account's groups in creation order."""
        ...

    async def is_action_in_group(self, account: int, group_id: int, action_hash: int) -> bool:
        """Whether the group lists this very action; False also when the account has no such group."""
        ...

    async def is_wallet_in_group(self, account: int, group_id: int, address: str) -> bool:
        """Whether the group lists this very wallet; False also when the account has no such group."""
        ...

    async def group_wallets(self, account: int, group_id: int, page: Page) -> Slice[WalletRecord]:
        """The wallets listed in a group. Raises NodeError `not_found` for an unknown group."""
        ...

    async def actions(self, account: int, page: Page) -> Slice[ActionRecord]:
        """The account's registered actions in creation order."""
        ...

    async def group_actions(self, account: int, group_id: int, page: Page) -> Slice[ActionRecord]:
        """The actions listed in a group. Raises NodeError `not_found` for an unknown group."""
        ...

    async def action(self, account: int, action_hash: int) -> ActionRecord | None:
        """One registered action; None when the account has not registered it."""
        ...

    async def api_payers(self) -> Sequence[str]:
        """The contract's payers, EIP-55."""
        ...

    async def admin_api_payer(self) -> str:
        """The contract's admin payer, EIP-55."""
        ...

    async def administration(self) -> Administration:
        """Read the admin payer, the payers and the owner's scheduled change, all at one block."""
        ...


class ContractVerdict(Enum):
    """What became of asking a contract wallet about a signature (ERC-1271)."""

    NO_CODE = 0
    """There is no contract at the address: not deployed (yet), or a plain wallet."""
    REJECTED = 1
    """It reverts, ran out of the gas it may burn, or answered anything but the magic value in 32 bytes."""
    ACCEPTED = 2
    """Exactly the magic value in a 32-byte answer."""


class WalletContracts(Protocol):
    """Contract wallets at arbitrary addresses of the node's chain, which nobody has reason to trust."""

    async def verdict(self, wallet: str, digest: bytes, signature: bytes) -> ContractVerdict:
        """`isValidSignature(digest, signature)` of the contract at `wallet` (0x hex), asked of a quorum at one block.

        `digest` is 32 bytes. Raises NodeError `chain_unavailable`.
        """
        ...


class AdminAccounts(Protocol):
    """Whose ChainSecured account a wallet administers."""

    async def account_of_admin(self, wallet: str) -> int | None:
        """The master hash of the unmanaged account whose current admin this wallet (0x hex) is, read live.

        None for any other wallet, a former admin included. Raises NodeError `chain_unavailable`.
        """
        ...

    async def mints_for(self, wallet: str) -> int | None:
        """Under whose hash this wallet's (0x hex) wallets are minted, read live: its account's, or the one it will have.

        None when a managed account stands under the latter: its keys could use them. Raises NodeError `chain_unavailable`.
        """
        ...


MayReread: TypeAlias = Callable[[], bool]
"""Takes one of the client address's re-reads; False when it has none left just now."""


@dataclass(frozen=True, slots=True)
class WalletUse:
    """May this wallet be used: `wallet` is None when the account has none of that name, and then nothing is allowed.

    The labels of the wallet are left empty.
    """

    wallet: WalletRecord | None
    allowed: bool


class Authorisations(Protocol):
    """Who may run what, for the execute path: from the cache while nothing has changed, else read at the head.

    What is granted here was granted on chain at a block this node has seen, at most minutes ago, and no endpoint has
    told of a change of the account since. What is denied was read at the head after the call was made, as long
    as `may_reread` allows. Each raises NodeError `chain_unavailable`.
    """

    async def caller(self, key_hash: int) -> Caller | None:
        """Who a key is; None when unknown, removed or expired, at the head."""
        ...

    async def execution(self, caller: Caller, action_hash: int, min_block: int, may_reread: MayReread) -> Authorisation:
        """May this key run this action, decided at `min_block` or later.

        Raises NodeError `chain_unavailable` with `details` when the chain does not reach `min_block` in time.
        """
        ...

    async def wallet_use(
        self, caller: Caller, action_hash: int, wallet: str | int, min_block: int, may_reread: MayReread
    ) -> WalletUse:
        """May this key use this wallet of its account (EIP-55 address, or running id) in this action.

        Decided at `min_block` or later, and raises, as `execution` does.
        """
        ...


class ChainNews(Protocol):
    """Whoever keeps what was read from the chain is told here what has changed. Telling too much costs only a read."""

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """An event of this account stands in this block: what was read of it before that block is void."""
        ...

    def reorganised(self, fork_number: int) -> None:
        """Blocks after `fork_number` are no longer those that were there: what was read at them is void."""
        ...


@dataclass(frozen=True, slots=True)
class ContractCall:
    """One write to the account contract: function name and arguments as eth-abi takes them."""

    function: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class WriteIntent:
    """What is to happen on chain, once.

    `write_id` is unique; the journal knows the write by it, and so does whoever charges for it.
    `idempotency_id`, when given, lets a repeated request find this very write again; `answer` is what
    the client is to be told besides transaction and block (it may hold a one-time secret: the journal
    seals it). `caller_hash` is the caller's own key hash, so that `AccountDoesNotExist` of that hash
    is 401 and not 404. `charge` is what the observer needs to settle it,
    opaque to the journal.
    `may_use_reserve` is False for what nobody pays for (new accounts): such a write is refused with
    `chain_unavailable` when it would touch the gas that the payers keep for paid writes (decisions.md section 6).
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
    """One event of a receipt: its name and its arguments by name (integers, 0x hex addresses, bytes, text, booleans)."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """A write that is on chain: its transaction hash (0x hex), block, and the events it emitted, in order.

    What a write decides (the id of a new group, say) is read from its events: a value returned in simulation
    would be another one when two writes of an account run at once. `write_id` and `answer` are those of the
    intent that was journaled: of an earlier request where an `idempotency_id` led to it.
    """

    transaction_hash: str
    block_number: int
    events: tuple[ContractEvent, ...] = ()
    write_id: str = ""
    answer: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)

    def event(self, name: str) -> ContractEvent | None:
        """The first event of that name."""
        return next((event for event in self.events if event.name == name), None)


@dataclass(frozen=True, slots=True)
class RecalledWrite:
    """The end of a journaled write, found again: `result` when it is on chain, else `failure`; `answer` as in WriteResult.

    `journaled_at` is in unix seconds, for whoever bounds how long a one-time secret is shown again.
    """

    answer: Mapping[str, JsonValue] = field(repr=False)
    result: WriteResult | None
    failure: NodeError | None
    journaled_at: float


class WriteRecall(Protocol):
    """Finds writes again by the idempotency id they were journaled under."""

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:
        """The end of the write journaled under this id, waited for as in `AccountWrites.write`; None without one.

        Raises NodeError `chain_timeout` with `details.transaction_hash` when it is still undecided.
        """
        ...


BeforeSending: TypeAlias = Callable[[int], Awaitable[None]]
"""Called with the most that a transaction can cost (wei), after its simulation and before it is stored.

What it raises is raised to the caller of the write, and nothing is sent.
"""


async def send_at_any_cost(_: int) -> None:
    """The BeforeSending of writes that somebody pays for."""


class AccountWrites(Protocol):
    """Administrative writes, signed by a payer."""

    async def earlier(self, idempotency_id: str) -> WriteResult | None:
        """The end of the write an earlier request with this id journaled, waited for as in `write`; None without one.

        Raises what `write` raises once a write is sent, also the mapped error of one that failed for good. One that
        failed for want of the chain (503) counts as none: that is no final answer, and the request may be done anew.
        """
        ...

    async def write(self, intent: WriteIntent, before_sending: BeforeSending = send_at_any_cost) -> WriteResult:
        """Simulate, journal, send and wait for the receipt; later reads of this node see it.

        An intent whose `idempotency_id` is journaled already is not done again: the end of that write is answered.
        Raises the mapped contract error (400, 401, 403, 404, 409) when simulation reverts: nothing was sent;
        what `before_sending` raises; NodeError `chain_unavailable` when nothing was sent; `chain_timeout` with `details.transaction_hash`
        when it was sent and is not confirmed in time: it is followed further in the background.
        Cancelling the caller does not cancel a write that is journaled.
        """
        ...

    async def is_journaled(self, write_id: str) -> bool:
        """Whether the write of this id is journaled: it may come to be on chain, or is, whatever `write` raised.

        False says that it never will be, once `write` has raised. Raises NodeError when the journal cannot tell (yet).
        """
        ...


class WriteObserver(Protocol):
    """Told of the end of every journaled write, however late, also after a restart.

    Once, unless the node was killed between being told and noting so, or telling failed: then again, with the same
    `write_id`. Ending a write twice must therefore change nothing.
    """

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        """`result` is None when the write failed for good: it is not and will never be on chain."""
        ...

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """A process that has just started found the write journaled and unfinished, and is about to follow it.

        `write_ended` comes later. What this raises is logged and keeps nobody from following the write.
        """
        ...

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Its transaction is on chain and has reverted, so that its gas is spent. Called after `write_ended`.

        What this raises is logged, and both are called again.
        """
        ...

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """The transaction was replaced by a dearer one, which may cost `more_wei` more than the earlier ones.

        What this raises is logged and keeps nobody from following the write.
        """
        ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision with what it rests on, all read at one block: who the key is there, and the groups that count."""

    caller: Caller
    decision: Authorisation
    groups: DecidingGroups


class Explanations(Protocol):
    """Reads for `explain`: live at the head, never from a cache. Raises NodeError `chain_unavailable`."""

    async def explanation(self, key_hash: int, action_hash: int, wallet: str | None) -> Explanation | None:
        """Of running this action, and of using this wallet (EIP-55) in it where one is named.

        None for a key that is unknown, removed or expired (later of the clock and the head's timestamp).
        """
        ...
