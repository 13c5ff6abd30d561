"""Payers of this process: leases to sign for them, their unfinished writes and nonces, the choice.

The process that started last under an instance id has the leases. Two processes with one instance
id derive the same payers. Each acquires their leases when it starts (node.database.lease), and
every change of the journal requires the lease in its own transaction. So a second node with the
same id (or a machine thought dead that wakes) never makes another transaction under a nonce of the
first. The node that started earlier sends nothing new from then on, and reports why.
"""

import asyncio
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog

from node.chain.errors import (
    ChainUnavailableError,
    PayerBalancesUnknownError,
    PayersNotAdmittedError,
    PayersOutOfGasError,
    PayersTakenOverError,
)
from node.chain.writes.model import OpenWrite
from node.database.lease import ENDLESS_MS, required, take
from node.database.port import Database, RequirementError, Row, Statement, whole
from node.database.sqlite import SqliteDatabase
from node.keyring.port import SigningKey
from node.settings.chain import PayerSettings

_INSTANCE_MIGRATIONS: Final = (
    "CREATE TABLE instance (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT",
)


async def persisted_instance(database: SqliteDatabase) -> str:
    """Returns this instance's id, drawn at random once and kept in the database."""
    await database.migrate("instance", _INSTANCE_MIGRATIONS)

    def work(connection: sqlite3.Connection) -> str:
        # OR IGNORE: if two processes start together, both read the id of the first.
        connection.execute("INSERT OR IGNORE INTO instance (only, name) VALUES (1, ?)", (secrets.token_hex(16),))
        return str(connection.execute("SELECT name FROM instance").fetchone()[0])

    return await database.run(work)


SCOPE: Final = "payer"
"""Scope of the leases; the names are chain id, instance and address."""
TAKEN: Final = "Another node runs under this node's instance_id: give each node one of its own."

_log = structlog.get_logger(__name__)


class PayerLeases:
    """Leases that this process holds on the payers of one instance on one chain.

    Changes of a payer's rows are executed here, in transactions that require its lease.
    """

    def __init__(self, books: Database, chain_id: int, instance: str) -> None:
        self.chain_id: Final = chain_id
        self.instance: Final = instance
        self.lost = False
        self._books = books
        # Drawn at each start: a process that was replaced cannot pass for its successor.
        self._holder = secrets.token_hex(16)
        self._tokens: dict[str, int] = {}

    def key(self, payer: str) -> tuple[int, str, str]:
        """Returns the first columns of every row of this payer."""
        return (self.chain_id, self.instance, payer)

    async def acquire(self, payer: str, *then: Statement) -> Sequence[Sequence[Row]]:
        """Take the payer from any process and run `then` with it. Returns the rows of each."""
        # Unconditional: a crashed process cannot give its lease back, so the latest start wins.
        taking = take(SCOPE, self._name(payer), self._holder, ENDLESS_MS)
        _, ((token, _),), *gave = await self._books.execute(*taking, *then)
        self._tokens[payer] = whole(token)
        return gave

    async def execute(self, payer: str, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Run these in one transaction under the payer's lease. Returns the rows of each.

        Raises PayersTakenOverError once another process has the lease.
        """
        held = required(SCOPE, self._name(payer), self._holder, self._tokens.get(payer, 0))
        try:
            _, *gave = await self._books.execute(held, *statements)
        except RequirementError:
            # Logged once: every later write fails for the same reason.
            if not self.lost:
                self.lost = True
                _log.error("this node sends no more writes", reason=TAKEN, instance=self.instance)
            raise PayersTakenOverError from None
        return gave

    def require(self) -> None:
        """Raise PayersTakenOverError once it is known that another node has the leases."""
        if self.lost:
            raise PayersTakenOverError

    def _name(self, payer: str) -> str:
        return f"{self.chain_id}/{self.instance}/{payer}"


IN_FLIGHT_MAX: Final = 64
"""Unfinished writes of one payer. Geth's mempool keeps 64 of a sender that cannot execute yet."""
RESERVE_PART: Final = 10
"""Divisor of `payer_target_balance_wei` for the reserve of paid writes, where free ones stop."""


def reserve_wei(settings: PayerSettings) -> int:
    """Returns the balance below which a payer takes no free write."""
    return settings.payer_target_balance_wei // RESERVE_PART


@dataclass(frozen=True, slots=True)
class Nonces:
    """Nonces of a payer: `next` is its next transaction's, all below `used` are used on chain."""

    next: int
    used: int


class PayerAccount:
    """Single writer of one payer. Only this process signs with its key, and only by this object.

    `key` is None for another instance's payer, whose stored bytes are still sent. A `shared` key is
    also used by other instances (the admin payer). If it is refused as underpriced, a transaction
    of theirs may have the nonce, so it is not outbid at once. `nonces` are as the journal has them,
    `balance_wei` as last read from the chain.
    """

    def __init__(self, address: str, key: SigningKey | None, nonces: Nonces, *, shared: bool = False) -> None:
        self.address: Final = address
        self.key: Final = key
        self.shared: Final = shared
        self._nonces = nonces
        self.open: dict[int, OpenWrite] = {}
        self.preparing = 0
        self.balance_wei = 0

    @property
    def busy(self) -> int:
        """Number of writes under way, those in preparation included."""
        return len(self.open) + self.preparing

    @property
    def settled_nonce(self) -> int:
        """Lowest nonce not yet seen used on chain. Nonces are consumed in order."""
        # Writes end in any order; below the lowest open nonce every one has ended.
        return max(self._nonces.used, min(self.open, default=self._nonces.next))

    @property
    def available_wei(self) -> int:
        """Balance that no unfinished transaction may take."""
        return self.balance_wei - sum(write.cost_max for write in self.open.values())

    def track(self, write: OpenWrite) -> None:
        """Add a journaled write to the unfinished ones."""
        nonce = write.row.nonce
        self.open[nonce] = write
        self._nonces = replace(self._nonces, next=max(self._nonces.next, nonce + 1))

    def close(self, write: OpenWrite) -> None:
        """Remove a write that has ended: its nonce is used."""
        nonce = write.row.nonce
        self.open.pop(nonce, None)
        self._nonces = replace(self._nonces, used=max(self._nonces.used, nonce + 1))

    def in_order(self) -> Sequence[OpenWrite]:
        """Returns the unfinished writes by nonce."""
        return [self.open[nonce] for nonce in sorted(self.open)]


class PayerAccounts:
    """Every payer of this process, and the choice of one for a new write.

    A payer has at most `IN_FLIGHT_MAX` unfinished writes. A new write waits until one has ended.
    """

    def __init__(self) -> None:
        self._all: dict[str, PayerAccount] = {}
        self._admitted: list[PayerAccount] = []
        self._freed = asyncio.Condition()
        self.are_balances_known = False
        """Whether balances and registrations were read since the start, as sending requires."""

    def __iter__(self) -> Iterator[PayerAccount]:
        return iter(self._all.values())

    @property
    def admitted(self) -> Sequence[PayerAccount]:
        """Payers that account writes are sent from."""
        return self._admitted

    def add(self, payer: PayerAccount) -> None:
        """Track what this payer has sent."""
        self._all[payer.address] = payer

    def admit(self, payer: PayerAccount) -> None:
        """Send account writes from this payer: the contract has it registered."""
        if payer not in self._admitted:
            self._admitted.append(payer)

    def dismiss(self, payer: PayerAccount) -> None:
        """Send no further account write from this payer: the contract has removed it.

        Its unfinished writes are tracked to their end.
        """
        # It stays in `_all`: its open transactions may still be mined.
        if payer in self._admitted:
            self._admitted.remove(payer)

    def get(self, address: str) -> PayerAccount | None:
        """Returns the payer of that address."""
        return self._all.get(address)

    def find(self, address: str, nonce: int) -> OpenWrite | None:
        """Returns the unfinished write of that payer under that nonce."""
        payer = self._all.get(address)
        return payer.open.get(nonce) if payer else None

    def open_writes(self) -> Iterator[tuple[PayerAccount, OpenWrite]]:
        """Yields every unfinished write with its payer."""
        for payer in self:
            for write in payer.in_order():
                yield payer, write

    def oldest_first(self) -> Sequence[tuple[PayerAccount, OpenWrite]]:
        """Returns every unfinished write in journal order, and each payer's in nonce order."""
        placed: list[tuple[float, PayerAccount, OpenWrite]] = []
        for payer in self:
            at = 0.0
            for write in payer.in_order():
                at = max(at, write.row.journaled_at)
                placed.append((at, payer, write))
        return [(payer, write) for _, payer, write in sorted(placed, key=lambda each: each[0])]

    def usable(self, keep_wei: int) -> Sequence[PayerAccount]:
        """Returns the admitted payers with gas money beyond `keep_wei`, least busy first."""
        able = (payer for payer in self._admitted if payer.available_wei > keep_wei)
        return sorted(able, key=lambda payer: payer.busy)

    async def acquire(self, keep_wei: int) -> PayerAccount | None:
        """Waits for the least busy payer below its limit; None if none has gas above `keep_wei`.

        The caller calls `release` when its write is journaled or dropped.
        """
        # `preparing` grows under the condition's lock, so two waiters cannot take one free place.
        async with self._freed:
            while usable := self.usable(keep_wei):
                if usable[0].busy < IN_FLIGHT_MAX:
                    usable[0].preparing += 1
                    return usable[0]
                await self._freed.wait()
        return None

    async def release(self, payer: PayerAccount) -> None:
        """End what `acquire` began."""
        payer.preparing -= 1
        await self.wake_waiting()

    async def wake_waiting(self) -> None:
        """Wake the callers of `acquire`: a write has ended, or a balance has changed."""
        async with self._freed:
            self._freed.notify_all()

    def refusal(self) -> ChainUnavailableError:
        """Returns the error for when no payer can send, by cause: different people remove each."""
        if not self.are_balances_known:
            return PayerBalancesUnknownError()
        return PayersOutOfGasError() if self._admitted else PayersNotAdmittedError()
