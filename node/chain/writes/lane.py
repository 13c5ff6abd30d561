"""One payer's transactions: what is unfinished, which nonces are settled, what its gas money allows."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from node.chain.writes.model import OpenWrite
from node.keyring.port import SigningKey


@dataclass(frozen=True, slots=True)
class Nonces:
    """`next`: what the payer's next transaction takes. `used`: all below it were seen used on chain."""

    next: int
    used: int


class Lane:
    """The single writer of one payer. Only this process signs with its key, and only through here.

    `key` is None where it cannot be derived any more (another instance's payer): its stored bytes are still sent.
    `shared`: other instances sign with this key too (the admin payer), so a refusal as too cheap may mean that one of
    theirs has the nonce: it is not outbid at once. `nonces` are as the journal has them. `balance_wei`: as last seen
    on chain.
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
        """How many writes are under way."""
        return len(self.open) + self.preparing

    @property
    def settled_nonce(self) -> int:
        """All nonces below it were seen used on chain: where one was, so was every one before it."""
        return max(self._nonces.used, min(self.open, default=self._nonces.next))

    @property
    def available_wei(self) -> int:
        """What no unfinished transaction may take."""
        return self.balance_wei - sum(write.cost_max for write in self.open.values())

    def track(self, write: OpenWrite) -> None:
        """Follow a journaled write."""
        nonce = write.row.nonce
        self.open[nonce] = write
        self._nonces = replace(self._nonces, next=max(self._nonces.next, nonce + 1))

    def close(self, write: OpenWrite) -> None:
        """A write has ended: its nonce is used."""
        nonce = write.row.nonce
        self.open.pop(nonce, None)
        self._nonces = replace(self._nonces, used=max(self._nonces.used, nonce + 1))

    def in_order(self) -> Sequence[OpenWrite]:
        """The unfinished writes by nonce."""
        return [self.open[nonce] for nonce in sorted(self.open)]


class Lanes:
    """Every lane of this process, and where a new write finds one.

    `in_flight_max` bounds the unfinished writes of a lane; a write waits for room.
    """

    def __init__(self, in_flight_max: int) -> None:
        self._in_flight_max = in_flight_max
        self._all: dict[str, Lane] = {}
        self._payers: list[Lane] = []
        self._freed = asyncio.Condition()
        self.looked_at = False
        """Whether the payers' balances and names were read since the start; until then nobody is known to be able."""

    def __iter__(self) -> Iterator[Lane]:
        return iter(self._all.values())

    @property
    def payers(self) -> Sequence[Lane]:
        """The lanes account writes are sent from."""
        return self._payers

    def add(self, lane: Lane) -> None:
        """Follow what this lane has sent."""
        self._all[lane.address] = lane

    def admit(self, lane: Lane) -> None:
        """Send account writes from this lane: the contract knows its payer."""
        if lane not in self._payers:
            self._payers.append(lane)

    def dismiss(self, lane: Lane) -> None:
        """Send no further account write from this lane: the contract knows its payer no longer.

        Unfinished writes of the lane are followed to their end.
        """
        if lane in self._payers:
            self._payers.remove(lane)

    def of(self, payer: str) -> Lane | None:
        """The lane of that payer."""
        return self._all.get(payer)

    def find(self, payer: str, nonce: int) -> OpenWrite | None:
        """The unfinished write of that payer under that nonce."""
        lane = self._all.get(payer)
        return lane.open.get(nonce) if lane else None

    def open_writes(self) -> Iterator[tuple[Lane, OpenWrite]]:
        """Every unfinished write with its lane."""
        for lane in self:
            for write in lane.in_order():
                yield lane, write

    def oldest_first(self) -> Sequence[tuple[Lane, OpenWrite]]:
        """Every unfinished write with its lane, as they were journaled, and none before its payer's earlier ones."""
        placed: list[tuple[float, Lane, OpenWrite]] = []
        for lane in self:
            at = 0.0
            for write in lane.in_order():
                at = max(at, write.row.journaled_at)
                placed.append((at, lane, write))
        return [(lane, write) for _, lane, write in sorted(placed, key=lambda each: each[0])]

    def usable(self, keep_wei: int) -> Sequence[Lane]:
        """The payers with gas money beyond `keep_wei`, least busy first."""
        able = (lane for lane in self._payers if lane.available_wei > keep_wei)
        return sorted(able, key=lambda lane: lane.busy)

    async def take(self, keep_wei: int) -> Lane | None:
        """The least busy payer that has room, waited for; None when none has gas money beyond `keep_wei`.

        The caller gives it back with `give_back` when its write is journaled or dropped.
        """
        async with self._freed:
            while usable := self.usable(keep_wei):
                if usable[0].busy < self._in_flight_max:
                    usable[0].preparing += 1
                    return usable[0]
                await self._freed.wait()
        return None

    async def give_back(self, lane: Lane) -> None:
        """End what `take` began."""
        lane.preparing -= 1
        await self.changed()

    async def changed(self) -> None:
        """Wake who waits for room: a write ended, or money came."""
        async with self._freed:
            self._freed.notify_all()
