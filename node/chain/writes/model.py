"""Values of chain writes: transactions, attempts, journaled and open writes, receipts, outcomes."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Final, TypeAlias

import structlog

from node.chain.abi import ContractAbi
from node.chain.errors import WriteFailure
from node.chain.port import ChainNews, ContractEvent, WriteIntent
from node.chain.quorum.client import QuorumClient, Tally
from node.chain.quorum.reader import MinimumBlock
from node.chain.rpc import Provider, RpcOutcome
from node.chain.rpc.receipts import IncompleteReceipt, Receipt, read_receipt

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Chain:
    """The contract on its chain, as writes see it.

    `client` reads by quorum. `floor` is the minimum block of reads. `news` receives the changes
    made by this node's own writes, before their callers get the result.
    """

    client: QuorumClient
    chain_id: int
    contract: str
    abi: ContractAbi
    floor: MinimumBlock
    news: ChainNews


class WriteStep(StrEnum):
    """Completed steps of a write, for metrics, traces and tests that kill the node at one."""

    SIMULATED = "simulated"
    SIGNED = "signed"
    STORED = "stored"
    SENT = "sent"
    MINED = "mined"
    NOTIFIED = "notified"
    ENDED = "ended"


NOT_ACCEPTED: Final = float("-inf")
"""`OpenWrite.accepted_at` of a write that no provider has; the tracker's next pass resends it."""

OnStep: TypeAlias = Callable[[WriteStep], None]
"""Called between steps; must return at once and not raise."""


def ignore_step(_step: WriteStep) -> None:
    """Do nothing: an OnStep for when nothing watches."""


class Reply(Enum):
    """Meaning of a provider's reply to a transaction."""

    ACCEPTED = auto()
    """The provider has the transaction, or its nonce is used; the receipt shows by which one."""
    UNDERPRICED = auto()
    NO_FUNDS = auto()
    """The payer cannot pay for the transaction."""
    OTHER = auto()


class Purpose(StrEnum):
    """Purpose of a transaction."""

    ACCOUNT = "account"
    """An administrative write of an API user, with an intent and an observer."""
    PAYERS = "payers"
    """The admin payer registers payers."""
    TOP_UP = "top_up"
    """The admin payer sends gas money."""
    FILLER = "filler"
    """Fills a nonce so that later ones can be mined."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction without nonce and fees. `to` is 0x hex, `value` in wei."""

    to: str
    data: bytes
    value: int
    gas_limit: int


@dataclass(frozen=True, slots=True)
class Fees:
    """EIP-1559 offer in wei per gas."""

    max_fee: int
    priority_fee: int


class CancelReason(StrEnum):
    """Reason why an empty transaction takes a write's nonce. The values are stored."""

    COMMIT_UNKNOWN = "commit_unknown"
    """The caller was answered that the write is not sent, since its commit had no known result."""
    OVERDUE = "overdue"
    NOT_AS_SIGNED = "not_as_signed"
    """The transaction in the database is another one than the payer signed."""
    LOST_AFTER_FAILURE = "lost_after_failure"
    """The chain lost the block of a write whose caller was answered that it failed."""
    NO_ROW = "no_row"
    """The nonce was counted long ago, and no row of its write is kept."""
    NOT_STORED = "not_stored"
    """Cancelled by a release that stored no reason."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Signed bytes, stored before they are sent, at `stored_at` in unix seconds.

    `cancels`: the reason, where it is an empty transaction under the write's nonce.
    """

    hash: str
    raw: bytes
    fees: Fees
    cancels: CancelReason | None
    stored_at: float


@dataclass(frozen=True, slots=True)
class Mined:
    """On chain and successful; `block_index` is its place in the block."""

    transaction_hash: str
    block_number: int
    events: tuple[ContractEvent, ...] = ()
    block_index: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """Without effect on chain: reverted, cancelled, or another transaction has its nonce."""

    error: WriteFailure
    transaction_hash: str | None = None
    block_number: int | None = None
    block_index: int = 0


Outcome: TypeAlias = Mined | Failed


@dataclass(frozen=True, slots=True)
class Draft:
    """A write about to be journaled, at `now` in unix seconds.

    `payer` is an address, `nonce_min` its next nonce as the chain counts it.
    """

    payer: str
    purpose: Purpose
    transaction: Transaction
    intent: WriteIntent | None
    nonce_min: int
    now: float


@dataclass(frozen=True, slots=True)
class JournaledWrite:
    """A row of the journal with its attempts, oldest first. `outcome` is None while undecided.

    `instance` owns `payer`, an address. `journaled_at` is in unix seconds. `notified` is set once
    the observer knows the outcome.
    """

    instance: str
    payer: str
    nonce: int
    purpose: Purpose
    transaction: Transaction
    attempts: tuple[Attempt, ...]
    intent: WriteIntent | None
    journaled_at: float
    outcome: Outcome | None = None
    notified: bool = False


class ReceiptVotes:
    """Last reply of each provider for each attempt of a write.

    None is a missing or incomplete receipt, which contradicts no other.
    """

    def __init__(self) -> None:
        self._votes: dict[str, dict[Provider, tuple[Receipt | None]]] = {}
        self._incomplete: dict[str, dict[Provider, str]] = {}

    @property
    def incomplete(self) -> Mapping[str, str]:
        """Field that each incomplete receipt lacks, by the provider's host that showed it last."""
        return {provider.host: lacking for shown in self._incomplete.values() for provider, lacking in shown.items()}

    def note(self, provider: Provider, attempt_hash: str, outcome: RpcOutcome, height: int | None) -> None:
        """Notes a provider's reply for an attempt's receipt, and its head's `height` then."""
        seen, incomplete = read_receipt(outcome, attempt_hash, height), self._incomplete.setdefault(attempt_hash, {})
        incomplete.pop(provider, None)
        if isinstance(seen, IncompleteReceipt):
            incomplete[provider], seen = seen.field, None
        # The last reply replaces an earlier one: after a reorganisation the receipt differs.
        self._votes.setdefault(attempt_hash, {})[provider] = (seen,)

    def agreed(self, quorum: int) -> Receipt | None:
        """Returns the receipt that a quorum shows."""
        for votes in self._votes.values():
            # Providers without a receipt must not hide a quorum that is no majority.
            seen = Tally({provider: vote for provider, vote in votes.items() if vote != (None,)}, quorum).agreed
            if seen is not None and seen[0] is not None:
                return seen[0]
        return None

    def contradicting(self, receipt: Receipt) -> Sequence[Provider]:
        """Returns the providers that show another receipt of this attempt, missing ones aside."""
        votes = self._votes.get(receipt.transaction_hash, {})
        return list(Tally(votes, quorum=1, abstention=None).contradicting([receipt]))

    def is_settled(self, attempt_hash: str, asked: Collection[Provider], quorum: int) -> bool:
        """Whether a quorum agrees on an attempt. Missing receipts count only if from `asked`."""
        votes = self._votes.get(attempt_hash, {}).items()
        said = {provider: vote for provider, vote in votes if vote != (None,) or provider in asked}
        return Tally(said, quorum).missing == 0


@dataclass(slots=True, eq=False)
class OpenWrite:
    """A journaled write that is tracked until its nonce is used. Times are monotonic seconds.

    `tracked_since`: begin of polling. `accepted_at`: a provider last accepted the latest attempt.
    `notified`: the observer knows the outcome. `withdrawn`: the caller got an error, so only an
    empty transaction may take its nonce. `replies`: providers' last replies to the latest attempt.
    """

    row: JournaledWrite
    attempts: list[Attempt]
    ended: asyncio.Future[Outcome]
    tracked_since: float
    accepted_at: float
    notified: bool = False
    withdrawn: bool = False
    underpriced: bool = False
    nonce_used_since: float | None = None
    finalising: bool = False
    replies: dict[Provider, Reply] = field(default_factory=dict)
    receipts: ReceiptVotes = field(default_factory=ReceiptVotes)
    incomplete_logged: bool = False

    @classmethod
    def of(cls, row: JournaledWrite, now: float) -> "OpenWrite":
        """Begins to track a row, at `now` in monotonic seconds. Needs a running event loop."""
        ended = asyncio.get_running_loop().create_future()
        return cls(row, list(row.attempts), ended, tracked_since=now, accepted_at=now, notified=row.notified)

    @property
    def latest(self) -> Attempt:
        """Attempt that should be mined."""
        return self.attempts[-1]

    @property
    def cost_max(self) -> int:
        """Most that its payer can lose by it, in wei."""
        # Any of the attempts may be mined, so the dearest counts.
        offered = max(attempt.fees.max_fee for attempt in self.attempts)
        return self.row.transaction.gas_limit * offered + self.row.transaction.value

    def log_incomplete(self) -> None:
        """Logs, once, providers that show only an incomplete receipt, and the field it lacks."""
        if self.incomplete_logged or not (lacking := self.receipts.incomplete):
            return
        self.incomplete_logged = True
        _log.warning("the receipts of a write are incomplete", transaction_hash=self.latest.hash, lacking=dict(lacking))

    def replace(self, attempt: Attempt) -> None:
        """Send this attempt from now on. It must be in the journal already."""
        self.attempts.append(attempt)
        # Replies to older bytes say nothing about these.
        self.replies.clear()
