"""Ends writes: from a receipt to an outcome, to the observer, to the journal, to the caller.

The order of these steps makes a crash harmless. `WriteFinaliser` documents it and ends all writes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from node.chain.abi import AbiDecodeError, AbiParameter, ContractAbi, Decode, account_of, decoder_of
from node.chain.contract_errors import revert_to_error
from node.chain.errors import NOTHING_DONE, WriteFailure, WriteLostError
from node.chain.port import ContractEvent, WriteObserver, WriteResult
from node.chain.quorum.client import OUTVOTED, agreed, is_agreed
from node.chain.rpc import CallRevertedError, Provider, RpcError, eth_call_of, returned_bytes
from node.chain.rpc.receipts import Receipt, ReceiptLog
from node.chain.writes.journal import Journal
from node.chain.writes.model import (
    Attempt,
    CancelReason,
    Chain,
    Failed,
    JournaledWrite,
    Mined,
    OnStep,
    OpenWrite,
    Outcome,
    WriteStep,
)
from node.chain.writes.payer_accounts import PayerAccount, PayerAccounts
from node.errors import DomainError
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet

_log = structlog.get_logger(__name__)


class WriteFinaliser:
    """Ends writes, each once: minimum block, cache, observer, journal, caller, in this order.

    1. Minimum block and cache precede any notification, so a read after one sees the write.
    2. The observer, which settles the charge, precedes the journal. If the process is killed in
       between, its next start finds the receipt and notifies again. Observers accept that.
    3. The journal precedes the caller. A result that a client has (the id of a new group, say) is
       kept, and is restored in its place if the chain loses it.
    4. The caller comes last. If the journal is unavailable, the write stays open: its receipt is
       found and stored later.

    `observer` is set before the first write is tracked.
    """

    observer: WriteObserver

    def __init__(
        self,
        chain: Chain,
        journal: Journal,
        payers: PayerAccounts,
        clock: Clock,
        on_step: OnStep,
    ) -> None:
        self._reader = OutcomeReader(chain)
        self._chain = chain
        self._journal = journal
        self._payers = payers
        self._clock = clock
        self._on_step = on_step
        self._background = TaskSet("chain writes")

    def finalise(self, payer: PayerAccount, write: OpenWrite, receipt: Receipt) -> None:
        """Ends a write by its receipt, soon. A second receipt of the same write changes nothing."""
        if not write.finalising:
            # Set before the task starts: sender and poller may both report the receipt in one step.
            write.finalising = True
            self._reader.report_contradictions(write, receipt)
            self._background.start(self._finalise(payer, write, receipt))

    async def finalise_superseded(self, payer: PayerAccount, write: OpenWrite) -> None:
        """Ends a write of which it is proven that none of its bytes can be mined any more.

        Raises DomainError if the journal is unavailable, or another node owns the payer.
        """
        # Another owner may have signed attempts that are not known here, and one may be mined.
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
            except Exception as error:  # noqa: BLE001 - the write is tracked all the same, and its end notified
                _log.error("the observer of a write failed to resume it", error=type(error).__name__)

    async def notify_offer_raised(self, write: OpenWrite, more_wei: int) -> None:
        """Notify the observer that a write may cost this much more than before."""
        if write.row.intent is None or more_wei <= 0:
            return
        try:
            await self.observer.offer_raised(write.row.intent, more_wei)
        except Exception as error:  # noqa: BLE001 - the write is tracked all the same
            _log.error("the observer of a write could not count its higher fee", error=type(error).__name__)

    async def notify_pending(self) -> None:
        """Notifies the observer of ended writes that it does not know of. Raises DomainError."""
        for row in await self._journal.unnotified():
            # Notified first, stored after: a crash in between notifies again, which is accepted.
            if row.outcome is not None and await self._notify(row, row.outcome, row.attempts):
                await self._journal.finish(row, row.outcome, notified=True, now=self._clock.unix())

    async def stop(self, timeout_s: float) -> None:
        """Journal known outcomes for at most `timeout_s`. The next start finds the others again."""
        await self._background.finish(timeout_s)

    async def _finalise(self, payer: PayerAccount, write: OpenWrite, receipt: Receipt) -> None:
        try:
            outcome = await self._reader.read(write, receipt)
        except (RpcError, CallRevertedError):
            # The receipt stays on chain: the next poll finds it and tries again.
            write.finalising = False
            return
        self._on_step(WriteStep.MINED)
        await self._end(payer, write, outcome)

    async def _end(self, payer: PayerAccount, write: OpenWrite, outcome: Outcome) -> None:
        """Take the steps in the order of the class's docstring."""
        # 1. Minimum block and cache.
        if outcome.block_number is not None:
            self._chain.floor.raise_to(outcome.block_number)
            for master_hash in self._reader.accounts_of(outcome):
                self._chain.news.account_changed(master_hash, outcome.block_number)
        # 2. Observer. If it fails, the journal notes so, and `notify_pending` repeats it.
        if not write.notified:
            write.notified = await self._notify(write.row, outcome, write.attempts)
        # 3. Journal. The caller waits for it: a killed process would not remember the result.
        try:
            await self._store(write, outcome)
        except DomainError as error:
            _log.warning(
                "the outcome of a write could not be stored yet", error=type(error).__name__, nonce=write.row.nonce
            )
            write.finalising = False
            return
        # 4. Caller.
        payer.close(write)
        write.ended.set_result(outcome)
        await self._payers.wake_waiting()

    async def _store(self, write: OpenWrite, outcome: Outcome) -> None:
        earlier = write.row.outcome
        # The client was answered with the failure: a later success must not change what is stored.
        if isinstance(earlier, Failed):
            return  # reorg recovery filled its nonce again: it failed before and stays failed
        if isinstance(earlier, Mined) and isinstance(outcome, Failed):
            _log.error(
                "a write that had succeeded was lost by the chain for good",
                payer=write.row.payer,
                nonce=write.row.nonce,
            )
        await self._journal.finish(write.row, outcome, notified=write.notified, now=self._clock.unix())
        self._on_step(WriteStep.ENDED)

    async def _notify(self, row: JournaledWrite, outcome: Outcome, attempts: Sequence[Attempt]) -> bool:
        """Notifies the observer of the outcome. Returns False if it failed, to notify again."""
        if row.intent is None:
            return True
        try:
            await self.observer.write_ended(
                row.intent, None if isinstance(outcome, Failed) else result_of(row, outcome)
            )
            if is_reverted(outcome, attempts):
                await self.observer.write_reverted(row.intent)
        except Exception as error:  # noqa: BLE001 - the write has happened, whatever the observer makes of it
            _log.error("the observer of a write failed and will be notified again", error=type(error).__name__)
            return False
        self._on_step(WriteStep.NOTIFIED)
        return True


@dataclass(frozen=True, slots=True)
class _Event:
    name: str
    indexed: tuple[str, ...]
    topics: Decode
    data_names: tuple[str, ...]
    data: Decode
    account: str | None
    """Name of the argument that is an account's hash."""


class EventDecoder:
    """Decodes the account contract's logs in a receipt. Logs of other contracts are skipped.

    Indexed arguments of the contract are all of one word, which a test checks in its ABI.
    """

    def __init__(self, abi: ContractAbi, address: str) -> None:
        self._address = address.lower()
        inputs = abi.event_inputs
        self._events = {"0x" + topic.hex(): _event(name, inputs[name]) for name, topic in abi.events.items()}
        self._accounts = {event.name: event.account for event in self._events.values() if event.account is not None}

    def decode(self, logs: Iterable[ReceiptLog]) -> tuple[ContractEvent, ...]:
        """Returns the known events among `logs`, in order. Undecodable ones are left out."""
        found = map(self._decode, logs)
        return tuple(event for event in found if event is not None)

    def accounts_of(self, events: Iterable[ContractEvent]) -> frozenset[int]:
        """Returns the hashes of the accounts that `events` name."""
        named = [event.arguments[self._accounts[event.name]] for event in events if event.name in self._accounts]
        return frozenset(each for each in named if isinstance(each, int))

    def _decode(self, log: ReceiptLog) -> ContractEvent | None:
        # Any contract may emit an event with the same topic, so the emitting address decides.
        if log.address != self._address or not log.topics:
            return None
        event = self._events.get(log.topics[0])
        if event is None:
            return None
        try:
            words = bytes.fromhex("".join(topic.removeprefix("0x") for topic in log.topics[1:]))
            indexed = event.topics(words)
            rest = event.data(bytes.fromhex(log.data.removeprefix("0x")))
        except AbiDecodeError:
            return None
        named = zip((*event.indexed, *event.data_names), (*indexed, *rest), strict=True)
        return ContractEvent(event.name, dict(named))


def _event(name: str, inputs: Sequence[AbiParameter]) -> _Event:
    indexed = [each for each in inputs if each.indexed]
    rest = [each for each in inputs if not each.indexed]
    topics, data, account = decoder_of(indexed), decoder_of(rest), account_of(inputs)
    return _Event(name, _names(indexed), topics, _names(rest), data, None if account is None else account.name)


def _names(parameters: Sequence[AbiParameter]) -> tuple[str, ...]:
    return tuple(each.name for each in parameters)


_CANCELLED: Final[Mapping[CancelReason, str]] = {
    CancelReason.COMMIT_UNKNOWN: "The database did not say whether this write was stored, so that it was cancelled",
    CancelReason.OVERDUE: "The chain did not take this write in time",
    CancelReason.NOT_AS_SIGNED: "The transaction of this write was changed in the node's database, and was cancelled",
    CancelReason.LOST_AFTER_FAILURE: "The chain lost the block in which this write had failed",
    CancelReason.NO_ROW: "The node no longer had this write when the chain lost its block",
    CancelReason.NOT_STORED: "This write was cancelled before the chain took it",
}
"""Message to the caller of a cancelled write."""


class OutcomeReader:
    """Reads the outcome of a write from its receipt."""

    def __init__(self, chain: Chain) -> None:
        self._client: Final = chain.client
        self._abi: Final = chain.abi
        self._events: Final = EventDecoder(chain.abi, chain.contract)

    async def read(self, write: OpenWrite, receipt: Receipt) -> Outcome:
        """Returns success with its events, or the failure with its reason.

        Raises RpcError when the reason of a revert cannot be read just now.
        """
        mined_hash, block, index = receipt.transaction_hash, receipt.block_number, receipt.block_index
        attempt = next((each for each in write.attempts if each.hash == mined_hash), write.latest)
        # The mined transaction is the empty one: a status of 1 says nothing about the write.
        if attempt.cancels:
            return Failed(retryable_failure(_CANCELLED[attempt.cancels]), mined_hash, block, index)
        if receipt.status:
            return Mined(mined_hash, block, self._events.decode(receipt.logs), index)
        return Failed(await self._reason(write.row, block), mined_hash, block, index)

    def report_contradictions(self, write: OpenWrite, receipt: Receipt) -> None:
        """Report the providers that show another receipt than this one, which a quorum shows."""
        for provider in write.receipts.contradicting(receipt):
            self._client.reputation.disagreed(provider, OUTVOTED, what="receipt")

    def accounts_of(self, outcome: Outcome) -> Collection[int]:
        """Returns the master hashes of the accounts that the write changed."""
        return self._events.accounts_of(outcome.events) if isinstance(outcome, Mined) else ()

    async def _reason(self, row: JournaledWrite, block: int) -> WriteFailure:
        """Find the revert reason: replay the call at its block, then at the parent block."""
        caller, function = (row.intent.caller_hash, row.intent.call.function) if row.intent else (None, "")
        # The state after the block has what its later transactions changed; the parent's state has
        # nothing of the block.
        for number in (block, block - 1):
            if (data := await self._revert_at(row, number)) is not None:
                return revert_to_error(self._abi, data, caller, function)
        return retryable_failure("The account changed while this write was under way")

    async def _revert_at(self, row: JournaledWrite, block: int) -> bytes | None:
        """Returns the revert data after that block; None without a revert or an agreement."""
        call = eth_call_of(row.transaction.to, row.transaction.data, hex(block), sender=row.payer)

        async def query(provider: Provider, timeout_s: float) -> bytes | None:
            (outcome,) = await provider.send([call], timeout_s)
            try:
                returned_bytes(provider, outcome)
            except CallRevertedError as reverted:
                return reverted.data
            return None

        quorum = self._client.quorum
        said = await self._client.ask(query, lambda said: is_agreed(said, quorum))
        return agreed(said, quorum) if is_agreed(said, quorum) else None


def is_reverted(outcome: Outcome, attempts: Sequence[Attempt]) -> bool:
    """Whether the write failed on chain. An empty transaction under its nonce does not count."""
    cancelled = {attempt.hash for attempt in attempts if attempt.cancels}
    return (
        isinstance(outcome, Failed) and outcome.block_number is not None and outcome.transaction_hash not in cancelled
    )


def result_of(row: JournaledWrite, outcome: Mined) -> WriteResult:
    """Returns the result of a successful write for observer and caller."""
    return WriteResult(
        transaction_hash=outcome.transaction_hash,
        block_number=outcome.block_number,
        events=outcome.events,
        write_id=row.intent.write_id if row.intent else "",
        answer=row.intent.answer if row.intent else {},
    )


def retryable_failure(message: str) -> WriteLostError:
    """Returns the error of a write that will not happen, though another one like it may."""
    return WriteLostError(f"{message}; {NOTHING_DONE}")
