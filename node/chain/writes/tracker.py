"""Tracks unfinished writes until each has ended, so that none is forgotten and none blocks its payer."""

import asyncio
from typing import Final

import structlog

from node.chain.rpc import RpcError
from node.chain.writes.model import Fees, OpenWrite, WriteStep
from node.chain.writes.payer_accounts import PayerAccount
from node.chain.writes.recovery import RECOVERY_WAIT_S, HeadNonces, ReorgRecovery
from node.chain.writes.simulation import PreparedTransaction, bump
from node.chain.writes.transactor import Transactor
from node.errors import DomainError
from node.runtime.tasks import TaskSet

TRANSACTION_GAS_MAX: Final = 16_000_000
"""Chains refuse a transaction of more than 2^24 gas (EIP-7825). Bounds the admin payer's, which no user shapes."""

CHECK_INTERVAL_S: Final = 1.0
"""Pause between two passes over unfinished writes: no chain that is in use makes blocks much faster."""

RESEND_AFTER_S: Final = 5.0
"""The same bytes are sent again after so long: providers forget transactions when they restart."""

NONCE_PROOF_S: Final = 3.0
"""Time for which a nonce must be seen used by no transaction of ours before a write is given up: providers index late."""

_log = structlog.get_logger(__name__)


class WriteTracker:
    """Resends, replaces or cancels unfinished writes, recovers lost blocks, and ends writes proven superseded."""

    def __init__(self, transactor: Transactor) -> None:
        self.transactor: Final = transactor
        self._recovery = ReorgRecovery(transactor)
        self._settings = transactor.settings
        self._clock = transactor.clock
        self._background = TaskSet("chain writes")

    async def start(self) -> None:
        """Recover: restore what the chain lost, send every unfinished write again, and track from then on.

        Returns when all writes have ended, or after `RECOVERY_WAIT_S`. Raises RpcRefusedError, RpcUnavailableError, and
        DomainError as the journal does.
        """
        transactor = self.transactor
        # Before anything is sent: the charge is reserved again before other requests can spend the credit.
        await transactor.finaliser.notify_taken_up()
        self._background.keep(transactor.receipts.run)
        try:
            await self._recovery.restore()
            unfinished = transactor.payers.oldest_first()
            # Same bytes: a provider that has them already answers so, and nothing is executed twice.
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
        """Simulate and price, after recovery of blocks that the chain has lost. Raises as Simulator.simulate."""
        simulator = self.transactor.simulator
        # Read before the exchange: writes that end during it would otherwise look like a reorganisation.
        expected, floor = payer.settled_nonce, self.transactor.chain.floor.value
        prepared = await simulator.simulate(payer.address, to, data, value, gas_max)
        if prepared.count_at_most < expected or prepared.block_number < floor:
            await self._recovery.restore()
            prepared = await simulator.simulate(payer.address, to, data, value, gas_max)
        payer.balance_wei = prepared.balance_wei
        self.transactor.on_step(WriteStep.SIMULATED)
        return prepared

    async def check_unfinished(self) -> None:
        """Check every unfinished write once. Raises RpcRefusedError, RpcUnavailableError, or DomainError (journal out).

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
        """Whether to offer more. Only the payer's next nonce can be mined, so only it is replaced, or an underpriced one."""
        is_stale = self._clock.unix() - write.latest.stored_at > self._settings.write_replace_after_s
        is_next = write.row.nonce == head.counts.get(payer.address)
        # Another instance may have used the nonce of a shared payer; outbidding it would replace its transaction.
        is_underpriced = write.underpriced and not payer.shared
        return payer.key is not None and (is_underpriced or (is_stale and is_next))

    async def _replace(self, payer: PayerAccount, write: OpenWrite, now: Fees | None) -> None:
        """Store and send a better offer under the same nonce; without an offer, the same bytes again."""
        fees = bump(write.latest.fees, now, self._settings) if now else None
        write.underpriced = False
        if fees is not None and payer.key is not None:
            # Once cancelled, always cancelled: a later attempt with the write itself could still be mined.
            cancels = write.latest.cancels or self._is_overdue(write) or self._is_forged(payer, write)
            offered_wei = write.cost_max
            await self.transactor.replace(payer, write, fees, cancels=cancels)
            if not cancels:  # an empty transaction burns less gas than the write would have
                await self.transactor.finaliser.notify_offer_raised(write, write.cost_max - offered_wei)
            _log.info("a transaction is replaced", payer=payer.address, nonce=write.row.nonce, cancels=cancels)
        self.transactor.sender.push(payer, write)

    async def _cancel_unsent(self, payer: PayerAccount, write: OpenWrite) -> None:
        """Fill the nonce of a write that no provider has. Its own offer is enough, since there is nothing to outbid."""
        if payer.key is None:
            return
        await self.transactor.replace(payer, write, write.latest.fees, cancels=True)
        _log.warning(
            "a write is cancelled, since the result of its journal commit was unknown",
            payer=payer.address,
            nonce=write.row.nonce,
        )
        self.transactor.sender.push(payer, write)
        self.transactor.receipts.wake()

    def _is_overdue(self, write: OpenWrite) -> bool:
        age_s = self._clock.unix() - write.row.journaled_at
        return write.row.outcome is None and age_s > self._settings.write_cancel_after_s

    def _is_forged(self, payer: PayerAccount, write: OpenWrite) -> bool:
        is_forged = not self.transactor.is_as_signed(payer, write.row)
        if is_forged:
            _log.error(
                "a journaled transaction is not the one that was signed", payer=payer.address, nonce=write.row.nonce
            )
        return is_forged

    async def _prove_superseded(self, payer: PayerAccount, write: OpenWrite) -> None:
        """End a write whose nonce is used, once none of its attempts has had a receipt for `NONCE_PROOF_S`.

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
        if await receipts.is_superseded(payer, write):
            _log.error("another transaction used a payer's nonce", payer=payer.address, nonce=write.row.nonce)
            await self.transactor.finaliser.finalise_superseded(payer, write)
