"""Value types of chain writes: transactions, signed attempts, journaled writes, how they end, and the steps between."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import TypeAlias

from node.chain.abi import ContractAbi
from node.chain.port import ChainNews, ContractEvent, WriteIntent
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.heads import MinimumBlock
from node.chain.rpc import Endpoint
from node.chain.writes.sightings import Sightings
from node.errors import NodeError


@dataclass(frozen=True, slots=True)
class Chain:
    """The contract on its chain, as writes see it.

    `floor` is the block that reads may not go below. `news` receives the changes made by this node's own writes, before
    their callers get the result.
    """

    witnesses: QuorumClient
    chain_id: int
    contract: str
    abi: ContractAbi
    floor: MinimumBlock
    news: ChainNews


class WriteStep(StrEnum):
    """Steps of a write that are just done. Metrics, traces and the tests that kill the node at a step watch these."""

    SIMULATED = "simulated"
    SIGNED = "signed"
    STORED = "stored"
    SENT = "sent"
    MINED = "mined"
    NOTIFIED = "notified"
    ENDED = "ended"


OnStep: TypeAlias = Callable[[WriteStep], None]
"""Called between steps; must return at once and not raise."""


def ignore_step(_step: WriteStep) -> None:
    """Do nothing: an OnStep for when nothing watches."""


class Reply(Enum):
    """Meaning of a provider's reply to a transaction."""

    ACCEPTED = auto()
    """The provider has it, or its nonce is used: the receipt tells whether by this very transaction."""
    UNDERPRICED = auto()
    NO_FUNDS = auto()
    """Its payer cannot pay for it."""
    OTHER = auto()


class Purpose(StrEnum):
    """Why a transaction is sent."""

    ACCOUNT = "account"
    """An administrative write of an API user; it has an intent and an observer."""
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


@dataclass(frozen=True, slots=True)
class Attempt:
    """Signed bytes, stored before they are sent. `cancels`: an empty transaction under the write's nonce."""

    hash: str
    raw: bytes
    fees: Fees
    cancels: bool
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
    """Not on chain and never to be: reverted, cancelled, or its nonce was used by another transaction."""

    error: NodeError
    transaction_hash: str | None = None
    block_number: int | None = None
    block_index: int = 0


Outcome: TypeAlias = Mined | Failed


@dataclass(frozen=True, slots=True)
class Draft:
    """A write about to be journaled. `payer` is an address, `nonce_min` its next nonce as the chain counts it."""

    payer: str
    purpose: Purpose
    transaction: Transaction
    intent: WriteIntent | None
    nonce_min: int
    now: float


@dataclass(frozen=True, slots=True)
class JournaledWrite:
    """One row of the journal with its attempts, oldest first; `outcome` None while undecided.

    `instance` owns the payer, which is an address. `notified`: the observer knows the outcome.
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


@dataclass(slots=True, eq=False)
class OpenWrite:
    """A journaled write that is tracked. `sent_at` is 0 while no provider has accepted its last attempt.

    `withdrawn`: the caller was answered that it is not sent, so only an empty transaction may take its nonce.
    `replies`: the last reply of each provider to the last attempt. `sightings`: the receipts each provider has shown.
    """

    row: JournaledWrite
    attempts: list[Attempt]
    ended: asyncio.Future[Outcome]
    notified: bool = False
    withdrawn: bool = False
    sent_at: float = 0.0
    underpriced: bool = False
    nonce_used_since: float | None = None
    finalising: bool = False
    polled_from: float = field(default=0.0)
    replies: dict[Endpoint, Reply] = field(default_factory=dict)
    sightings: Sightings = field(default_factory=Sightings)

    @classmethod
    def of(cls, row: JournaledWrite, now: float) -> "OpenWrite":
        """Begin to track a row. To be called inside a running event loop."""
        ended = asyncio.get_running_loop().create_future()
        return cls(row, list(row.attempts), ended, notified=row.notified, sent_at=now, polled_from=now)

    @property
    def latest(self) -> Attempt:
        """The attempt that should be mined."""
        return self.attempts[-1]

    @property
    def cost_max(self) -> int:
        """The most its payer can lose by it, in wei."""
        offered = max(attempt.fees.max_fee for attempt in self.attempts)
        return self.row.transaction.gas_limit * offered + self.row.transaction.value

    def replace(self, attempt: Attempt) -> None:
        """Send this attempt from now on. It must be in the journal already."""
        self.attempts.append(attempt)
        self.replies.clear()
