"""Tracks unfinished writes until each has ended and none blocks its payer; recovers lost blocks.

A local chain that is killed forgets its last second, and other chains reorganise. Both show in a
payer's transaction count below a nonce that this process has seen used. Finished writes are kept
long enough to be sent again: the same bytes, in the order in which they were mined.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import structlog

from node.chain.rpc import RpcCall, RpcError
from node.chain.rpc.answers import HEIGHT
from node.chain.writes.fees import bump, capped
from node.chain.writes.journal import block_position
from node.chain.writes.model import CancelReason, Failed, Fees, JournaledWrite, OpenWrite, Outcome, WriteStep
from node.chain.writes.payer_accounts import PayerAccount
from node.chain.writes.simulation import PreparedTransaction
from node.chain.writes.transactor import Transactor
from node.errors import DomainError
from node.runtime.tasks import TaskSet

IN_ORDER_WAIT_S: Final = 0.05
"""Wait for one transaction: far longer than a chain that mines at once takes."""

RECOVERY_WAIT_S: Final = 10.0
"""Longest wait of a start or a restore for resent writes: most chains mine within it."""

FILLERS_MAX: Final = 1000
"""Nonces filled after a chain lost blocks. More are missing only if it is another chain."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HeadNonces:
    """Number of the head and each payer's next nonce there.

    `counts` has nonces that a quorum reaches, `counts_at_most` those that a quorum does not exceed.
    They differ only if providers contradict each other and too few answer to outvote one of them.
    `expected` is the lowest count that agrees with what this process had seen before it asked.
    """

    number: int
    counts: Mapping[str, int]
    counts_at_most: Mapping[str, int]
    expected: Mapping[str, int]

    @property
    def is_behind(self) -> bool:
        """Whether a quorum shows less than this process had seen on the chain before it asked."""
        return any(self.counts_at_most[address] < nonce for address, nonce in self.expected.items())


@dataclass(frozen=True, slots=True)
class _LostWrite:
    """Write that the chain has lost. `position` (block, index) is never before earlier writes'."""

    payer: PayerAccount
    row: JournaledWrite
    position: tuple[int, int]


class ReorgRecovery:
    """Finds the transactions that the chain has lost, and sends them again."""

    def __init__(self, transactor: Transactor) -> None:
        self._transactor = transactor
        self._chain = transactor.chain
        self._payers = transactor.payers
        self._settings = transactor.settings
        self._clock = transactor.clock
        self._one_at_a_time = asyncio.Lock()

    async def head(self) -> HeadNonces:
        """Reads all counts at once. Raises RpcRefusedError or RpcUnavailableError."""
        expected = {payer.address: payer.settled_nonce for payer in self._payers}
        calls = [RpcCall("eth_getTransactionCount", [address, "latest"]) for address in expected]
        client = self._chain.client
        # The number comes first in the batch: the counts are of that block or a later one.
        numbers, *said = await client.numbers([HEIGHT, *calls])
        counts = dict(zip(expected, map(client.at_least, said), strict=True))
        at_most = dict(zip(expected, map(client.at_most, said), strict=True))
        return HeadNonces(client.at_least(numbers), counts, at_most, expected)

    async def restore(self) -> HeadNonces:
        """Sends lost writes again, if any, and waits for them, up to `RECOVERY_WAIT_S`.

        Once no write is missing, the minimum block of reads returns to the head, even a lower one.
        Raises RpcRefusedError or RpcUnavailableError.
        """
        # Two recoveries at once would send the lost writes in two orders.
        async with self._one_at_a_time:
            head = await self.head()
            if head.is_behind:
                deadline = self._clock.monotonic() + RECOVERY_WAIT_S
                blocks = await self._lost_blocks(head)
                self._announce_reorg(blocks)
                for block in blocks:
                    await self._send_block(block, deadline)
                head = await self.head()
            # While a write is missing the minimum stays: lower reads would lack results of clients.
            if all(head.counts.get(payer.address, 0) >= payer.settled_nonce for payer in self._payers):
                self._chain.floor.rewind_to(head.number)
            return head

    async def _lost_blocks(self, head: HeadNonces) -> Sequence[Sequence[_LostWrite]]:
        lost: list[_LostWrite] = []
        for payer in list(self._payers):
            if payer.address in head.expected:
                nonces = range(head.counts_at_most[payer.address], head.expected[payer.address])
                lost += await self._lost_writes(payer, nonces)
        if lost:
            _log.warning("the chain has lost transactions; they are sent again", count=len(lost))
        ordered = sorted(lost, key=lambda each: (each.position, each.row.nonce))
        return [list(block) for _, block in groupby(ordered, key=lambda each: each.position[0])]

    def _announce_reorg(self, blocks: Sequence[Sequence[_LostWrite]]) -> None:
        """Invalidates reads since the first of these blocks: they may depend on what is lost."""
        numbers = [block[0].position[0] for block in blocks]
        if (first := min(filter(None, numbers), default=None)) is not None:
            self._chain.news.reorganised(first - 1)

    async def _lost_writes(self, payer: PayerAccount, nonces: range) -> Sequence[_LostWrite]:
        """Returns the payer's writes at the lost nonces."""
        if not nonces:
            return []
        rows = {row.nonce: row for row in await self._transactor.journal.from_nonce(payer.address, nonces.start)}
        rows.update(await self._fill_gaps(payer, [nonce for nonce in nonces if nonce not in rows]))
        position, lost = (0, 0), []
        for nonce in nonces:
            if (row := rows.get(nonce)) is not None:
                # A filler has no block: it goes with the write before it, which keeps nonce order.
                position = max(position, block_position(row))
                lost.append(_LostWrite(payer, row, position))
        return lost

    async def _fill_gaps(self, payer: PayerAccount, gaps: Sequence[int]) -> Mapping[int, JournaledWrite]:
        if not gaps:
            return {}
        if len(gaps) > FILLERS_MAX or payer.key is None:
            _log.error(
                "the chain lacks more of a payer's transactions than are kept", payer=payer.address, gaps=len(gaps)
            )
            return {}
        return await self._transactor.fill(payer, gaps, await self._offer())

    async def _send_block(self, block: Sequence[_LostWrite], deadline: float) -> None:
        """Sends in the order they were mined, since results (the id of a new group) depend on it.

        A chain that mines at once gets time to mine each before the next. Any other orders the
        block as before, since the offers and their order of arrival are the same.
        """
        ends: list[asyncio.Future[Outcome]] = []
        for each in block:
            write = await self._reopened(each)
            await self._transactor.sender.send([(each.payer, write)])
            self._transactor.receipts.wake()
            await asyncio.wait([write.ended], timeout=IN_ORDER_WAIT_S)
            ends.append(write.ended)
        await asyncio.wait(ends, timeout=max(0.0, deadline - self._clock.monotonic()))

    async def _reopened(self, lost: _LostWrite) -> OpenWrite:
        """Tracks a write again. One that had failed must not succeed now: its nonce is filled."""
        row, payer = lost.row, lost.payer
        if (tracked := payer.open.get(row.nonce)) is not None:
            return tracked
        write = OpenWrite.of(row, self._clock.monotonic())
        # The client was answered that it failed and may have repeated it.
        if isinstance(row.outcome, Failed) and not write.latest.cancels and payer.key is not None:
            earlier = write.latest.fees
            fees = bump(earlier, await self._offer(), self._settings) or capped(earlier, self._settings)
            await self._transactor.replace(payer, write, fees, CancelReason.LOST_AFTER_FAILURE)
        payer.track(write)
        return write

    async def _offer(self) -> Fees:
        highest = Fees(self._settings.fee_max_fee_cap_wei, self._settings.fee_priority_fee_min_wei)
        return await self._transactor.simulator.current_offer() or highest


TRANSACTION_GAS_MAX: Final = 16_000_000
"""Gas limit of an admin payer's transaction: chains refuse more than 2^24 (EIP-7825)."""

CHECK_INTERVAL_S: Final = 1.0
"""Pause between two passes over unfinished writes: few chains make blocks faster."""

RESEND_AFTER_S: Final = 5.0
"""Time after which the same bytes are sent again: providers forget transactions at a restart."""

NONCE_PROOF_S: Final = 60.0
"""Time for which a nonce must be seen used, but not by us, before a write is given up. Servers
behind one name are some blocks apart; five of Ethereum's blocks take this long."""


class WriteTracker:
    """Resends, replaces, cancels unfinished writes, recovers lost blocks, ends superseded ones."""

    def __init__(self, transactor: Transactor) -> None:
        self.transactor: Final = transactor
        self._recovery = ReorgRecovery(transactor)
        self._settings = transactor.settings
        self._clock = transactor.clock
        self._background = TaskSet("chain writes")

    async def start(self) -> None:
        """Restores what the chain lost, sends every unfinished write again, and begins to track.

        Returns when all have ended, or after `RECOVERY_WAIT_S`. Raises RpcRefusedError,
        RpcUnavailableError, and DomainError as the journal does.
        """
        transactor = self.transactor
        # Before anything is sent: reserve the charges before other requests can spend the credit.
        await transactor.finaliser.notify_taken_up()
        self._background.keep(transactor.receipts.run)
        try:
            await self._recovery.restore()
            unfinished = transactor.payers.oldest_first()
            # Same bytes: a provider that has them says so, and nothing is executed twice.
            await transactor.sender.send(unfinished)
            transactor.receipts.wake()
            if unfinished:
                ends = [write.ended for _, write in unfinished]
                await asyncio.wait(ends, timeout=RECOVERY_WAIT_S)
            await transactor.finaliser.notify_pending()
            await transactor.prune()
        except BaseException:
            await self.stop()
            raise
        self._background.keep(self._run)

    async def stop(self) -> None:
        """Stop. Unfinished writes are in the journal, and the next start tracks them again."""
        await self._background.stop()
        await self.transactor.stop()

    async def prepare(
        self, payer: PayerAccount, to: str, data: bytes, value: int = 0, gas_max: int = TRANSACTION_GAS_MAX
    ) -> PreparedTransaction:
        """Simulates and prices, after recovery of lost blocks. Raises as Simulator.simulate."""
        simulator = self.transactor.simulator
        # Read before the exchange: writes that end during it would look like a reorganisation.
        expected, floor = payer.settled_nonce, self.transactor.chain.floor.value
        prepared = await simulator.simulate(payer.address, to, data, value, gas_max)
        if prepared.count_at_most < expected or prepared.block_number < floor:
            await self._recovery.restore()
            prepared = await simulator.simulate(payer.address, to, data, value, gas_max)
        payer.balance_wei = prepared.balance_wei
        self.transactor.on_step(WriteStep.SIMULATED)
        return prepared

    async def check_unfinished(self) -> None:
        """Checks every unfinished write once. Raises RpcError, or DomainError as the journal does.

        The next pass does what this one could not.
        """
        transactor = self.transactor
        # First: a withdrawn write blocks the nonces behind it until it is cancelled.
        await transactor.journal.resolve_unknown_commits()
        head = await self._recovery.head()
        if head.is_behind:
            head = await self._recovery.restore()
        fees: Fees | None = None
        for payer, write in list(transactor.payers.open_writes()):
            if write.finalising:
                continue
            if write.withdrawn and not write.latest.cancels:
                await self._cancel_unsent(payer, write)
                continue
            if write.row.nonce < head.counts.get(payer.address, 0):
                await self._prove_superseded(payer, write)
                continue
            write.nonce_used_since = None
            if self._needs_replacement(payer, write, head):
                fees = fees or await transactor.simulator.current_offer()
                await self._replace(payer, write, fees)
            elif self._clock.monotonic() - write.accepted_at > RESEND_AFTER_S:
                transactor.sender.push(payer, write)
        await transactor.finaliser.notify_pending()

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(CHECK_INTERVAL_S)
            try:
                await self.check_unfinished()
            except (RpcError, DomainError) as error:
                _log.warning("unfinished writes could not be checked", error=str(error))

    def _needs_replacement(self, payer: PayerAccount, write: OpenWrite, head: HeadNonces) -> bool:
        """Whether to offer more: if underpriced, or if stale and the payer's next nonce."""
        is_stale = self._clock.unix() - write.latest.stored_at > self._settings.write_replace_after_s
        is_next = write.row.nonce == head.counts.get(payer.address)
        # Another instance may have used a shared payer's nonce; its transaction must not be outbid.
        is_underpriced = write.underpriced and not payer.shared
        return payer.key is not None and (is_underpriced or (is_stale and is_next))

    async def _replace(self, payer: PayerAccount, write: OpenWrite, now: Fees | None) -> None:
        """Stores and sends a better offer under the same nonce; without one, the same bytes."""
        fees = bump(write.latest.fees, now, self._settings) if now else None
        write.underpriced = False
        if fees is not None and payer.key is not None:
            cancels = self._cancel_reason(payer, write)
            offered_wei = write.cost_max
            await self.transactor.replace(payer, write, fees, cancels)
            if cancels is None:  # an empty transaction burns less gas than the write would have
                await self.transactor.finaliser.notify_offer_raised(write, write.cost_max - offered_wei)
            _log.info("a transaction is replaced", payer=payer.address, nonce=write.row.nonce, cancels=cancels)
        self.transactor.sender.push(payer, write)

    async def _cancel_unsent(self, payer: PayerAccount, write: OpenWrite) -> None:
        """Fills the nonce of a write that no provider has. Its own offer is enough to be mined."""
        if payer.key is None:
            return
        await self.transactor.replace(payer, write, write.latest.fees, CancelReason.COMMIT_UNKNOWN)
        self.transactor.sender.push(payer, write)
        self.transactor.receipts.wake()

    def _cancel_reason(self, payer: PayerAccount, write: OpenWrite) -> CancelReason | None:
        # Once cancelled, always cancelled: a later attempt could still mine the write itself.
        if write.latest.cancels is not None:
            return write.latest.cancels
        age_s = self._clock.unix() - write.row.journaled_at
        if write.row.outcome is None and age_s > self._settings.write_cancel_after_s:
            return CancelReason.OVERDUE
        if self.transactor.is_as_signed(payer, write.row):
            return None
        _log.error("a journaled transaction is not the one that was signed", payer=payer.address, nonce=write.row.nonce)
        return CancelReason.NOT_AS_SIGNED

    async def _prove_superseded(self, payer: PayerAccount, write: OpenWrite) -> None:
        """Ends a write whose nonce is used, if no attempt gets a receipt within `NONCE_PROOF_S`.

        Usually one of its attempts used the nonce, and its receipt comes.
        """
        now = self._clock.monotonic()
        if write.nonce_used_since is None:
            write.nonce_used_since = now
        receipts = self.transactor.receipts
        # The nonce may have been used by an attempt whose receipt no provider has indexed yet.
        await receipts.poll([(payer, write)])
        if write.finalising or now - write.nonce_used_since < NONCE_PROOF_S:
            return
        # For the payers' own transactions, too, which no caller waits for.
        write.log_incomplete()
        if await receipts.is_superseded(payer, write):
            _log.error("another transaction used a payer's nonce", payer=payer.address, nonce=write.row.nonce)
            await self.transactor.finaliser.finalise_superseded(payer, write)
