"""What the writes room passes around: transactions, what was signed of them, and how they ended."""

import asyncio
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import TypeAlias

from node.chain.port import ContractEvent, WriteIntent
from node.chain.rpc import Endpoint
from node.chain.writes.sightings import Sightings
from node.errors import NodeError


class Reply(Enum):
    """What an endpoint means by its answer to a transaction."""

    TAKEN = auto()
    """It has it, or its nonce is used: whether by this very transaction the receipt tells."""
    UNDERPRICED = auto()
    POOR = auto()
    """Its payer has not the money."""
    OTHER = auto()


class Purpose(StrEnum):
    """Why a transaction is sent."""

    ACCOUNT = "account"
    """An administrative write of an API user; it has an intent and an observer."""
    PAYERS = "payers"
    """The admin payer names payers."""
    TOP_UP = "top_up"
    """The admin payer sends gas money."""
    FILLER = "filler"
    """Fills a nonce so that later ones can be mined."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """What is to be signed, but for nonce and fees. `to` is 0x hex, `value` in wei."""

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
    """Not on chain and never to be: reverted, cancelled, or its nonce was used by another."""

    error: NodeError
    transaction_hash: str | None = None
    block_number: int | None = None
    block_index: int = 0


Outcome: TypeAlias = Mined | Failed


@dataclass(frozen=True, slots=True)
class Draft:
    """A write about to be journaled. `nonce_min` is the payer's next nonce as the chain counts it."""

    payer: str
    purpose: Purpose
    transaction: Transaction
    intent: WriteIntent | None
    nonce_min: int
    now: float


@dataclass(frozen=True, slots=True)
class JournaledWrite:
    """One row of the journal with its attempts, oldest first; `outcome` None while undecided.

    `instance` is whose payer it is. `told`: the observer knows the outcome.
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
    told: bool = False


@dataclass(slots=True, eq=False)
class OpenWrite:
    """A journaled write being followed. `sent_at` is 0 where no endpoint has taken its last attempt.

    `withdrawn`: whoever asked for it was told that it is not sent, so only an empty transaction may take its nonce.
    `replies`: what each endpoint last said to the last attempt. `sightings`: which receipts each says there are.
    """

    row: JournaledWrite
    attempts: list[Attempt]
    ended: asyncio.Future[Outcome]
    told: bool = False
    withdrawn: bool = False
    sent_at: float = 0.0
    underpriced: bool = False
    nonce_used_since: float | None = None
    concluding: bool = False
    polled_from: float = field(default=0.0)
    replies: dict[Endpoint, Reply] = field(default_factory=dict)
    sightings: Sightings = field(default_factory=Sightings)

    @property
    def latest(self) -> Attempt:
        """The attempt that should be mined."""
        return self.attempts[-1]

    @property
    def cost_max(self) -> int:
        """The most its payer can lose by it, in wei."""
        offered = max(attempt.fees.max_fee for attempt in self.attempts)
        return self.row.transaction.gas_limit * offered + self.row.transaction.value

    def renew(self, attempt: Attempt) -> None:
        """From now on this attempt is the one to be sent."""
        self.attempts.append(attempt)
        self.replies.clear()
