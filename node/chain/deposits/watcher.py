"""Follows the deposit contract: settles final deposits by range, stores later ones as pending."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NoReturn, Protocol

import structlog
from prometheus_client import CollectorRegistry, Gauge

from node.chain.deposits.port import Deposit, DepositBook, ReadTo
from node.chain.deposits.reader import EXCHANGE_TIMEOUT_S, DepositReader, Range, RangeDeposits, RangeRefusedError
from node.chain.port import Head
from node.chain.quorum.reader import QuorumReader
from node.chain.rpc.answers import LogRange
from node.errors import DomainError
from node.runtime.clock import Backoff
from node.runtime.tasks import TaskSet
from node.settings.credits import TokenPaymentSettings

WAKE_MIN_S: Final = 5.0
"""Shortest pause between two looks, however often heads change; at most half of `token_poll_s`."""

BACKOFF_MIN_S: Final = 1.0
BACKOFF_MAX_S: Final = 30.0
"""Pause after a look that failed, doubled each time."""

LOG_RANGE_BLOCKS: Final = 2000
"""Blocks whose logs are asked at once, halved if too few providers give them."""

RANGES_PER_LOOK_MAX: Final = 32
"""Ranges read in one look, so that progress is reported while the watcher catches up."""

OVERLAP_BLOCKS: Final = 64
"""Settled blocks that are read again each time, for providers that index logs late."""

REWIND_BLOCKS: Final = 1024
"""Distance of a step back when a settled block is gone: deeper than reorganisations are."""

BEHIND_MAX_POLLS: Final = 6
"""Polls for which a head stays below the settled blocks before the watcher goes back."""

STALLED_AFTER_S: Final = 120.0
"""Time without a successful look after which /health reports a problem: several retries failed."""

_log = structlog.get_logger(__name__)


class LookResult(Enum):
    """Result of a look."""

    AT_HEAD = auto()
    MORE = auto()
    """There are settled blocks left to read: the next look may follow at once."""


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """Last settled block and last seen head; None before the first look."""

    settled_number: int | None = None
    head_number: int | None = None


class DepositWatcher:
    """Reads deposits step by step, whenever `look` is called. `clock` is monotonic seconds."""

    def __init__(
        self,
        quorum: QuorumReader,
        reader: DepositReader,
        book: DepositBook,
        settings: TokenPaymentSettings,
        clock: Callable[[], float],
    ) -> None:
        self._quorum = quorum
        self._reader = reader
        self._book = book
        self._settings = settings
        self._clock = clock
        self._range = LogRange(LOG_RANGE_BLOCKS)
        self._behind_since: float | None = None
        self.progress = SyncProgress()

    async def look(self) -> LookResult:
        """Look once. Raises DomainError; the next look then repeats the step."""
        head = await self._quorum.look()
        before = await self._book.read_to() or ReadTo(self._settings.token_first_block - 1, "")
        self.progress = SyncProgress(before.number, head.number)
        # The block of a deposit is its first confirmation.
        final = head.number - self._settings.token_confirmations + 1
        if self._is_gone(before, head):
            await self._go_back(before, min(head.number, before.number))
            return LookResult.MORE
        for _ in range(RANGES_PER_LOOK_MAX):
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
        wanted, found = await self._read(before.number, final, OVERLAP_BLOCKS)
        # The block settled last is not on this branch any more, in spite of its confirmations.
        if before.hash and found.mark_hash != before.hash:
            await self._go_back(before, before.number)
            return None
        reached = ReadTo(wanted.last, found.last_hash)
        # Entries before the cursor: a crash in between reads again, and each deposit counts once.
        await self._book.settle(found.deposits, before, reached)
        return reached

    async def _read(self, number: int, end: int, overlap: int) -> tuple[Range, RangeDeposits]:
        """Reads deposits of `overlap` blocks up to `number` and on to `end`, or as far as given."""
        begun = self._clock()
        while True:
            wanted = self._window(number, end, overlap)
            try:
                found = await self._reader.agreed(wanted)
            except RangeRefusedError as refused:
                late = self._clock() - begun >= EXCHANGE_TIMEOUT_S
                if not self._range.refused() or late:
                    raise refused.error from None
            else:
                self._range.read(wanted.last - wanted.first + 1)
                return wanted, found

    def _window(self, number: int, end: int, overlap: int) -> Range:
        blocks = self._range.blocks
        least = min(self._settings.token_first_block, number + 1)
        # Some settled blocks are read again for late indexes; one block of the range is new.
        first = max(least, number + 1 - min(overlap, blocks - 1))
        return Range(first, min(end, first + blocks - 1), max(number, 0))

    async def _look_ahead(self, number: int, head: Head) -> None:
        """Stores the deposits after block `number` as pending: not final, they credit nothing."""
        pending: list[Deposit] = []
        while number < head.number:
            wanted, found = await self._read(number, head.number, 0)
            if wanted.last == head.number and found.last_hash != head.hash:
                # The chain was reorganised since; the next look reads again.
                return
            pending += found.deposits
            number = wanted.last
        await self._book.pending(pending, head.number)

    def _is_gone(self, before: ReadTo, head: Head) -> bool:
        """Whether the last settled block was replaced, or above the head for too long."""
        if head.number >= before.number:
            self._behind_since = None
            return head.number == before.number and before.hash not in {"", head.hash}
        # A lower head may be a lagging provider's: only a head that stays low has lost blocks.
        now = self._clock()
        self._behind_since = now if self._behind_since is None else self._behind_since
        if (
            now - self._behind_since < BEHIND_MAX_POLLS * self._settings.token_poll_s
            or before.number < self._settings.token_first_block
        ):
            return False
        self._behind_since = None
        return True

    async def _go_back(self, before: ReadTo, number: int) -> None:
        """Go back and read again: a settled deposit stays settled, a new one is credited."""
        back_to = max(self._settings.token_first_block - 1, number - REWIND_BLOCKS)
        _log.error("deposits_reorganised", settled=before.number, back_to=back_to)
        # No hash: the step back is not compared with a block of the lost branch.
        await self._book.move(before, ReadTo(back_to, ""))


class Watcher(Protocol):
    """Looks for deposits step by step."""

    @property
    def progress(self) -> SyncProgress:
        """Last settled block and last seen head."""
        ...

    async def look(self) -> LookResult:
        """Look once. Raises DomainError."""
        ...


class DepositRunner:
    """Runs a watcher while its context is open, and publishes its state (/health, Prometheus).

    Looks are at most `poll_s` apart. `clock` is monotonic seconds.
    """

    def __init__(
        self, watcher: Watcher, poll_s: float, clock: Callable[[], float], registry: CollectorRegistry
    ) -> None:
        self._watcher = watcher
        self._poll_s = poll_s
        self._clock = clock
        self._backoff = Backoff(BACKOFF_MIN_S, BACKOFF_MAX_S)
        self._woken = asyncio.Event()
        self._well_at = clock()
        self._catching_up = False
        self._why: str | None = None
        self._show(registry)

    def wake(self) -> None:
        """Look now, unless the last look failed: there may be a new head."""
        self._woken.set()

    def problem(self) -> str | None:
        """Returns the reason why deposits are not credited, or None. It holds no URL."""
        lag_s = self._clock() - self._well_at
        if lag_s <= STALLED_AFTER_S:
            return None
        if self._why is None and self._catching_up:
            return "token deposits are being caught up with; some are credited later"
        why = self._why or "the chain has not answered yet"
        return f"token deposits have not been looked for in {lag_s:.0f} s and wait: {why}"

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Begin to watch; on leaving, the task has ended."""
        tasks = TaskSet("token_deposits")
        tasks.start(self._run())
        try:
            yield
        finally:
            await tasks.stop()

    async def _run(self) -> NoReturn:
        while True:
            self._woken.clear()
            try:
                progress = await self._watcher.look()
            except DomainError as error:
                await self._failed(error.message)
            except Exception as error:  # noqa: BLE001 - no error ends the search for deposits
                await self._failed(type(error).__name__)
            else:
                await self._looked(progress)

    async def _failed(self, why: str) -> None:
        if self._why is None:
            _log.warning("deposits_not_read", why=why)
        self._why = why
        await asyncio.sleep(self._backoff.failed())

    async def _looked(self, progress: LookResult) -> None:
        if self._why is not None:
            _log.info("deposits_read_again")
        self._why = None
        self._backoff.succeeded()
        self._catching_up = progress is LookResult.MORE
        # Also after a wake: announced heads must not make the node read logs without a pause.
        await asyncio.sleep(min(WAKE_MIN_S, self._poll_s / 2))
        if progress is LookResult.MORE:
            return
        self._well_at = self._clock()
        # Not asyncio.wait_for: in Python 3.11 it swallows a cancellation that comes with a wake.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._poll_s):
                await self._woken.wait()

    def _show(self, registry: CollectorRegistry) -> None:
        """Publish the state to Prometheus; unknown values are NaN."""
        lag = Gauge("svc_token_deposits_lag_seconds", "Since deposits were last read to the head.", registry=registry)
        lag.set_function(lambda: self._clock() - self._well_at)
        settled = Gauge(
            "svc_token_deposits_settled_block", "The last block whose deposits are final.", registry=registry
        )
        settled.set_function(lambda: _number(self._watcher.progress.settled_number))
        head = Gauge("svc_token_deposits_head_block", "The head deposits were last read up to.", registry=registry)
        head.set_function(lambda: _number(self._watcher.progress.head_number))


def _number(number: int | None) -> float:
    return math.nan if number is None else number
