"""Payers of this process: unfinished writes and nonces of each, and which of them can take a new write."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from node.chain.errors import (
    ChainUnavailableError,
    PayerBalancesUnknownError,
    PayersNotAdmittedError,
    PayersOutOfGasError,
)
from node.chain.writes.model import OpenWrite
from node.keyring.port import SigningKey
from node.settings.chain import PayerSettings

IN_FLIGHT_MAX: Final = 64
"""Unfinished writes of one payer. Mempools drop long queues of one sender: geth keeps 64 that are not executable yet."""
RESERVE_PART: Final = 10
"""A payer keeps this part of `payer_target_balance_wei` for writes that are paid for: free writes stop there."""


def reserve_wei(settings: PayerSettings) -> int:
    """Return the balance below which a payer takes no free write."""
    return settings.payer_target_balance_wei // RESERVE_PART


@dataclass(frozen=True, slots=True)
class Nonces:
    """Nonces of a payer. `next`: the nonce of the payer's next transaction. `used`: all nonces below it have been seen used on chain."""

    next: int
    used: int


class PayerAccount:
    """Single writer of one payer. Only this process signs with its key, and only through this object.

    `key` is None where it cannot be derived any more (another instance's payer): its stored bytes are still sent.
    `shared`: other instances sign with this key too (the admin payer). There a refusal as underpriced may mean that a
    transaction of theirs has the nonce, so it is not outbid at once. `nonces` are as the journal has them.
    `balance_wei`: as last read from the chain.
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
        """Return the unfinished writes by nonce."""
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
        """Whether balances and registrations were read since the start; until then no payer is known to be able."""

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
        """Return the payer of that address."""
        return self._all.get(address)

    def find(self, address: str, nonce: int) -> OpenWrite | None:
        """Return the unfinished write of that payer under that nonce."""
        payer = self._all.get(address)
        return payer.open.get(nonce) if payer else None

    def open_writes(self) -> Iterator[tuple[PayerAccount, OpenWrite]]:
        """Yield every unfinished write with its payer."""
        for payer in self:
            for write in payer.in_order():
                yield payer, write

    def oldest_first(self) -> Sequence[tuple[PayerAccount, OpenWrite]]:
        """Return every unfinished write with its payer in the order of the journal, and each payer's in nonce order."""
        placed: list[tuple[float, PayerAccount, OpenWrite]] = []
        for payer in self:
            at = 0.0
            for write in payer.in_order():
                at = max(at, write.row.journaled_at)
                placed.append((at, payer, write))
        return [(payer, write) for _, payer, write in sorted(placed, key=lambda each: each[0])]

    def usable(self, keep_wei: int) -> Sequence[PayerAccount]:
        """Return the admitted payers with gas money beyond `keep_wei`, least busy first."""
        able = (payer for payer in self._admitted if payer.available_wei > keep_wei)
        return sorted(able, key=lambda payer: payer.busy)

    async def acquire(self, keep_wei: int) -> PayerAccount | None:
        """Wait for the least busy payer below its limit; None when none has gas money beyond `keep_wei`.

        The caller calls `release` when its write is journaled or dropped.
        """
        # `preparing` is raised under the condition's lock: two waiters cannot take the same free place.
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
        """Return the error for when no payer can send. It tells three causes apart: different people remove them."""
        if not self.are_balances_known:
            return PayerBalancesUnknownError()
        return PayersOutOfGasError() if self._admitted else PayersNotAdmittedError()
