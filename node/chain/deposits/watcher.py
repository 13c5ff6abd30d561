"""Follows the deposit contract: final deposits are settled range by range, later ones are noted as pending."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

import structlog

from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.port import Deposit, DepositBook, ReadTo
from node.chain.deposits.reader import Range, RangeDeposits, RangeRefusedError
from node.chain.logs import LogRange
from node.chain.port import Head

_log = structlog.get_logger(__name__)


class Heads(Protocol):
    """Agrees on heads."""

    async def look(self) -> Head:
        """Agree on the head. Raises NodeError `chain_unavailable`."""
        ...


class RangeReader(Protocol):
    """The deposits of a range, agreed on."""

    async def agreed(self, wanted: Range) -> RangeDeposits:
        """Raises RangeRefusedError, NodeError `chain_unavailable`."""
        ...


class LookResult(Enum):
    """Result of a look."""

    AT_HEAD = auto()
    MORE = auto()
    """There are settled blocks left to read: the next look may follow at once."""


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """The last settled block and the head that was seen; None before the first look."""

    settled_number: int | None = None
    head_number: int | None = None


class DepositWatcher:
    """Reads deposits step by step, whenever `look` is called. `clock` is monotonic seconds."""

    def __init__(
        self, heads: Heads, reader: RangeReader, book: DepositBook, limits: TokenLimits, clock: Callable[[], float]
    ) -> None:
        self._heads = heads
        self._reader = reader
        self._book = book
        self._limits = limits
        self._clock = clock
        self._range = LogRange(limits.token_log_range_blocks)
        self._behind_since: float | None = None
        self.progress = SyncProgress()

    async def look(self) -> LookResult:
        """Look once. Raises NodeError; nothing is lost then, the next look takes it up again."""
        head = await self._heads.look()
        before = await self._book.read_to() or ReadTo(self._limits.token_first_block - 1, "")
        self.progress = SyncProgress(before.number, head.number)
        final = head.number - self._limits.token_confirmations + 1
        if self._is_gone(before, head):
            await self._go_back(before, min(head.number, before.number))
            return LookResult.MORE
        for _ in range(self._limits.token_chunks_max):
            if before.number >= final:
                await self._look_ahead(max(final, before.number, -1), head)
                return LookResult.AT_HEAD
            after = await self._settle_next(before, final)
            if after is None:
                return LookResult.MORE
            before = after
            self.progress = SyncProgress(before.number, head.number)
        return LookResult.MORE

    async def _settle_next(self, before: ReadTo, final: int) -> ReadTo | None:
        """Settle the next range and return its last block; None when the watcher had to go back."""
        wanted, found = await self._read(before.number, final, self._limits.token_overlap_blocks)
        if before.hash and found.mark_hash != before.hash:
            await self._go_back(before, before.number)
            return None
        reached = ReadTo(wanted.last, found.last_hash)
        await self._book.settle(found.deposits, before, reached)
        return reached

    async def _read(self, number: int, end: int, overlap: int) -> tuple[Range, RangeDeposits]:
        """The deposits after block `number`, and of the `overlap` before, up to `end` or as far as endpoints give them."""
        begun = self._clock()
        while True:
            wanted = self._window(number, end, overlap)
            try:
                found = await self._reader.agreed(wanted)
            except RangeRefusedError as refused:
                late = self._clock() - begun >= self._limits.token_exchange_timeout_s
                if not self._range.refused() or late:
                    raise refused.error from None
            else:
                self._range.read(wanted.last - wanted.first + 1)
                return wanted, found

    def _window(self, number: int, end: int, overlap: int) -> Range:
        blocks = self._range.blocks
        least = min(self._limits.token_first_block, number + 1)
        first = max(least, number + 1 - min(overlap, blocks - 1))
        return Range(first, min(end, first + blocks - 1), max(number, 0))

    async def _look_ahead(self, number: int, head: Head) -> None:
        """Note the deposits after block `number`, which are not final yet; none of them counts."""
        pending: list[Deposit] = []
        while number < head.number:
            wanted, found = await self._read(number, head.number, 0)
            if wanted.last == head.number and found.last_hash != head.hash:
                return  # reorganised since: the next look will tell
            pending += found.deposits
            number = wanted.last
        await self._book.pending(pending, head.number)

    def _is_gone(self, before: ReadTo, head: Head) -> bool:
        """Whether the last settled block is another by now, or has been above the head for too long."""
        if head.number >= before.number:
            self._behind_since = None
            return head.number == before.number and before.hash not in {"", head.hash}
        now = self._clock()
        self._behind_since = now if self._behind_since is None else self._behind_since
        if now - self._behind_since < self._limits.token_behind_max_s or before.number < self._limits.token_first_block:
            return False
        self._behind_since = None
        return True

    async def _go_back(self, before: ReadTo, number: int) -> None:
        """Read again what may have changed: a settled deposit stays settled, one that is new is credited."""
        back_to = max(self._limits.token_first_block - 1, number - self._limits.token_rewind_blocks)
        _log.error("deposits_reorganised", settled=before.number, back_to=back_to)
        await self._book.move(before, ReadTo(back_to, ""))
