"""Ends writes: from a receipt to an outcome, to the observer, to the journal, to the caller.

The order of these steps is what makes a crash harmless. It is written down at `WriteFinaliser`, and nowhere else is a
write ended.
"""

from collections.abc import Callable, Mapping, Sequence

import structlog
from pydantic import JsonValue

from node.chain.port import WriteObserver
from node.chain.rpc import CallRevertedError, RpcError
from node.chain.writes.journal import Journal
from node.chain.writes.model import (
    Attempt,
    Chain,
    Failed,
    JournaledWrite,
    Mined,
    OnStep,
    OpenWrite,
    Outcome,
    WriteStep,
)
from node.chain.writes.outcomes import OutcomeReader, is_reverted, result_of, retryable_failure
from node.chain.writes.payer_accounts import PayerAccount, PayerAccounts
from node.errors import NodeError
from node.runtime.tasks import TaskSet

_log = structlog.get_logger(__name__)


class WriteFinaliser:
    """Ends writes, each once: block floor, cache, observer, journal, caller, in this order.

    1. Block floor and cache come before any notification. So a read that follows one sees the write.
    2. The observer, which settles the charge, comes before the journal. A process that is killed in between finds the
       receipt again at its next start and notifies the observer again; observers accept that.
    3. The journal comes before the caller. What a client was answered (the id of a new group, say) is kept, and is
       restored in its place should the chain lose it.
    4. The caller comes last. If the journal is out, the write stays open: its receipt is found and stored later.

    `observer` is set before the first write is tracked.
    """

    observer: WriteObserver

    def __init__(
        self,
        chain: Chain,
        journal: Journal,
        payers: PayerAccounts,
        clock: Callable[[], float],
        on_step: OnStep,
    ) -> None:
        self._reader = OutcomeReader(chain)
        self._chain = chain
        self._journal = journal
        self._payers = payers
        self._clock = clock
        self._on_step = on_step
        self._background = TaskSet("chain writes")

    def finalise(self, payer: PayerAccount, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> None:
        """End a write by its receipt, soon; a second receipt of the same write changes nothing."""
        if not write.finalising:
            write.finalising = True
            self._reader.report_contradictions(write, receipt)
            self._background.start(self._finalise(payer, write, receipt))

    async def finalise_superseded(self, payer: PayerAccount, write: OpenWrite) -> None:
        """End a write of which it is proven that none of its bytes can be mined any more.

        Raises NodeError when the journal is out, or when another node owns the payer and may have signed others.
        """
        await self._journal.require_lease(payer.address)
        if write.finalising:  # its receipt came meanwhile
            return
        write.finalising = True
        await self._end(payer, write, Failed(retryable_failure("Another transaction took the place of this write")))

    async def notify_taken_up(self) -> None:
        """Notify the observer of every unfinished write that an earlier process journaled."""
        for _, write in list(self._payers.open_writes()):
            if write.row.intent is None:
                continue
            try:
                await self.observer.write_taken_up(write.row.intent)
            except Exception as error:  # noqa: BLE001 - the write is tracked all the same, and its end is notified
                _log.error("the observer of a write could not take it up again", error=type(error).__name__)

    async def notify_offer_raised(self, write: OpenWrite, more_wei: int) -> None:
        """Notify the observer that a write may cost this much more than before."""
        if write.row.intent is None or more_wei <= 0:
            return
        try:
            await self.observer.offer_raised(write.row.intent, more_wei)
        except Exception as error:  # noqa: BLE001 - the write is tracked all the same
            _log.error("the observer of a write could not count its higher fee", error=type(error).__name__)

    async def notify_pending(self) -> None:
        """Notify the observer of every ended write that it does not know of. Raises NodeError when the journal is out."""
        for row in await self._journal.unnotified():
            if row.outcome is not None and await self._notify(row, row.outcome, row.attempts):
                await self._journal.finish(row, row.outcome, notified=True, now=self._clock())

    async def stop(self, timeout_s: float) -> None:
        """Journal the outcomes that are known, for so long; the next start finds the others again."""
        await self._background.finish(timeout_s)

    async def _finalise(self, payer: PayerAccount, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> None:
        try:
            outcome = await self._reader.read(write, receipt)
        except (RpcError, CallRevertedError):
            write.finalising = False
            return
        self._on_step(WriteStep.MINED)
        await self._end(payer, write, outcome)

    async def _end(self, payer: PayerAccount, write: OpenWrite, outcome: Outcome) -> None:
        """Take the steps in the order of the class's docstring."""
        if outcome.block_number is not None:
            self._chain.floor.raise_to(outcome.block_number)
            for master_hash in self._reader.accounts_of(outcome):
                self._chain.news.account_changed(master_hash, outcome.block_number)
        if not write.notified:
            write.notified = await self._notify(write.row, outcome, write.attempts)
        if not await self._is_journaled(write, outcome):
            write.finalising = False
            return
        payer.close(write)
        write.ended.set_result(outcome)
        await self._payers.wake_waiting()

    async def _is_journaled(self, write: OpenWrite, outcome: Outcome) -> bool:
        """Store the outcome; False when the journal is out. The write stays open then, and its receipt is found again."""
        try:
            await self._store(write, outcome)
        except NodeError as error:
            _log.warning("the end of a write could not be noted yet", error=error.code, nonce=write.row.nonce)
            return False
        return True

    async def _store(self, write: OpenWrite, outcome: Outcome) -> None:
        earlier = write.row.outcome
        if isinstance(earlier, Failed):
            return  # its nonce was filled again after the chain had lost it; it failed before and stays failed
        if isinstance(earlier, Mined) and isinstance(outcome, Failed):
            _log.error(
                "a write that had succeeded was lost by the chain for good",
                payer=write.row.payer,
                nonce=write.row.nonce,
            )
        await self._journal.finish(write.row, outcome, notified=write.notified, now=self._clock())
        self._on_step(WriteStep.ENDED)

    async def _notify(self, row: JournaledWrite, outcome: Outcome, attempts: Sequence[Attempt]) -> bool:
        """Notify the observer of the outcome; False when it failed, and is to be notified again."""
        if row.intent is None:
            return True
        try:
            await self.observer.write_ended(row.intent, result_of(row, outcome))
            if is_reverted(outcome, attempts):
                await self.observer.write_reverted(row.intent)
        except Exception as error:  # noqa: BLE001 - the write has happened, whatever the observer makes of it
            _log.error("the observer of a write failed and will be notified again", error=type(error).__name__)
            return False
        self._on_step(WriteStep.NOTIFIED)
        return True
