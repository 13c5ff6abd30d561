"""How a write ends: from a receipt to an outcome, to the observer, to the caller, to the journal."""

from collections.abc import Callable, Collection, Mapping, Sequence

import structlog
from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.block_floor import BlockFloor
from node.chain.contract_errors import revert_to_node_error
from node.chain.port import ChainNews, WriteObserver, WriteResult
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.tally import agreed, is_agreed
from node.chain.rpc import CallRevertedError, Endpoint, RpcError, answers, eth_call_of, returned_bytes
from node.chain.writes.background import Background
from node.chain.writes.events import EventDecoder
from node.chain.writes.journal import Journal
from node.chain.writes.lane import Lane, Lanes
from node.chain.writes.model import Attempt, Failed, JournaledWrite, Mined, OpenWrite, Outcome
from node.chain.writes.steps import OnStep, WriteStep
from node.errors import ErrorCode, NodeError

_log = structlog.get_logger(__name__)


def failed_for_now(message: str) -> NodeError:
    """A write that will not happen, though another one like it may."""
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"{message}; nothing was changed and nothing was charged.",
        fix="Send the request again.",
        retry_after_s=1,
    )


class OutcomeReader:
    """Reads what became of a write off its receipt."""

    def __init__(self, witnesses: QuorumClient, abi: ContractAbi, events: EventDecoder) -> None:
        self._witnesses = witnesses
        self._abi = abi
        self._events = events

    async def read(self, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> Outcome:
        """Success with its events, or why not. Raises RpcError when the reason of a revert cannot be read just now."""
        mined_hash, block = str(receipt.get("transactionHash")), answers.field(receipt, "blockNumber")
        index = answers.field(receipt, "transactionIndex")
        attempt = next((each for each in write.attempts if each.hash == mined_hash), write.latest)
        if attempt.cancels:
            return Failed(failed_for_now("The chain did not take this write in time"), mined_hash, block, index)
        if answers.field(receipt, "status"):
            logs = receipt.get("logs")
            return Mined(mined_hash, block, self._events.decode(logs if isinstance(logs, list) else []), index)
        return Failed(await self._reason(write.row, block), mined_hash, block, index)

    def tell_contradictions(self, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> None:
        """Name the endpoints that tell of another end than this, which a quorum has seen."""
        for endpoint in write.sightings.contradicting(receipt):
            self._witnesses.reputation.disagreed(endpoint, "rpc_endpoint_outvoted", what="receipt")

    def accounts_of(self, outcome: Outcome) -> Collection[int]:
        """The master hashes of the accounts it changed."""
        return self._events.accounts_of(outcome.events) if isinstance(outcome, Mined) else ()

    async def _reason(self, row: JournaledWrite, block: int) -> NodeError:
        """Run it again after its block and, failing that, before it: something in between was in its way."""
        caller = row.intent.caller_hash if row.intent else None
        for number in (block, block - 1):
            if (data := await self._revert_at(row, number)) is not None:
                return revert_to_node_error(self._abi, data, caller)
        return failed_for_now("The account changed while this write was under way")

    async def _revert_at(self, row: JournaledWrite, block: int) -> bytes | None:
        """What it reverts with after that block; None when it does not, or when the endpoints contradict each other."""
        call = eth_call_of(row.transaction.to, row.transaction.data, hex(block), sender=row.payer)

        async def question(endpoint: Endpoint, timeout_s: float) -> bytes | None:
            (outcome,) = await endpoint.send([call], timeout_s)
            try:
                returned_bytes(endpoint, outcome)
            except CallRevertedError as reverted:
                return reverted.data
            return None

        quorum = self._witnesses.quorum
        said = await self._witnesses.ask(question, lambda said: is_agreed(said, quorum))
        return agreed(said, quorum) if is_agreed(said, quorum) else None


class Conclusion:
    """Ends writes, each once: floor, cache, observer, journal, caller, in this order.

    The cache comes before whoever is told: what they ask next is answered by what they have just written.
    The observer comes before the journal: killed in between, the next start finds the receipt again and tells again.
    The journal comes before the caller: what a client was told of (the id of a new group, say) is restored in its
    place, should the chain lose it.
    """

    def __init__(
        self,
        reader: OutcomeReader,
        journal: Journal,
        lanes: Lanes,
        floor: BlockFloor,
        news: ChainNews,
        observer: WriteObserver,
        clock: Callable[[], float],
        on_step: OnStep,
    ) -> None:
        self._reader = reader
        self._journal = journal
        self._lanes = lanes
        self._floor = floor
        self._news = news
        self._observer = observer
        self._clock = clock
        self._on_step = on_step
        self._background = Background()

    def by_receipt(self, lane: Lane, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> None:
        """End a write whose receipt is here, soon; a second receipt of the same write changes nothing."""
        if not write.concluding:
            write.concluding = True
            self._reader.tell_contradictions(write, receipt)
            self._background.start(self._conclude(lane, write, receipt))

    async def as_lost(self, lane: Lane, write: OpenWrite) -> None:
        """End a write of which it is proven that none of its bytes can be mined any more.

        Raises NodeError when the journal is out, or belongs to another node, which may have signed others.
        """
        await self._journal.require_held(lane.address)
        if write.concluding:  # its receipt came meanwhile
            return
        write.concluding = True
        await self._end(lane, write, Failed(failed_for_now("Another transaction took the place of this write")))

    async def tell_taken_up(self) -> None:
        """Tell the observer of every unfinished write that a process before this one journaled."""
        for _, write in list(self._lanes.open_writes()):
            if write.row.intent is None:
                continue
            try:
                await self._observer.write_taken_up(write.row.intent)
            except Exception as error:  # noqa: BLE001 - it is followed all the same, and its end is told
                _log.error("the observer of a write could not take it up again", error=type(error).__name__)

    async def tell_raised(self, write: OpenWrite, more_wei: int) -> None:
        """Tell the observer that a write may cost more than it was told before."""
        if write.row.intent is None or more_wei <= 0:
            return
        try:
            await self._observer.offer_raised(write.row.intent, more_wei)
        except Exception as error:  # noqa: BLE001 - it is followed all the same
            _log.error("the observer of a write could not count its higher fee", error=type(error).__name__)

    async def tell_untold(self) -> None:
        """Tell the observer of every ended write it does not know of. Raises NodeError when the journal is out."""
        for row in await self._journal.untold():
            if row.outcome is not None and await self._tell(row, row.outcome, row.attempts):
                await self._journal.finish(row, row.outcome, told=True, now=self._clock())

    async def stop(self, timeout_s: float) -> None:
        """Note the ends that are known, for so long; one that is not noted is found again at the next start."""
        await self._background.settle(timeout_s)

    async def _conclude(self, lane: Lane, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> None:
        try:
            outcome = await self._reader.read(write, receipt)
        except (RpcError, CallRevertedError):
            write.concluding = False
            return
        self._on_step(WriteStep.MINED)
        await self._end(lane, write, outcome)

    async def _end(self, lane: Lane, write: OpenWrite, outcome: Outcome) -> None:
        if outcome.block_number is not None:
            self._floor.raise_to(outcome.block_number)
            for account in self._reader.accounts_of(outcome):
                self._news.account_changed(account, outcome.block_number)
        if not write.told:
            write.told = await self._tell(write.row, outcome, write.attempts)
        if not await self._noted(write, outcome):
            write.concluding = False
            return
        lane.close(write)
        write.ended.set_result(outcome)
        await self._lanes.changed()

    async def _noted(self, write: OpenWrite, outcome: Outcome) -> bool:
        """Whether the journal has it. When it is out the write stays open: its receipt is found and noted later."""
        try:
            await self._note(write, outcome)
        except NodeError as error:
            _log.warning("the end of a write could not be noted yet", error=error.code, nonce=write.row.nonce)
            return False
        return True

    async def _note(self, write: OpenWrite, outcome: Outcome) -> None:
        earlier = write.row.outcome
        if isinstance(earlier, Failed):
            return  # its nonce was filled again after the chain had lost it; it failed before and stays so
        if isinstance(earlier, Mined) and isinstance(outcome, Failed):
            _log.error(
                "a write that had succeeded was lost by the chain for good",
                payer=write.row.payer,
                nonce=write.row.nonce,
            )
        await self._journal.finish(write.row, outcome, told=write.told, now=self._clock())
        self._on_step(WriteStep.ENDED)

    async def _tell(self, row: JournaledWrite, outcome: Outcome, attempts: Sequence[Attempt]) -> bool:
        if row.intent is None:
            return True
        try:
            await self._observer.write_ended(row.intent, result_of(row, outcome))
            if is_reverted(outcome, attempts):
                await self._observer.write_reverted(row.intent)
        except Exception as error:  # noqa: BLE001 - the write has happened; whoever fails to hear of it is told again
            _log.error("the observer of a write failed and will be told again", error=type(error).__name__)
            return False
        self._on_step(WriteStep.TOLD)
        return True


def is_reverted(outcome: Outcome, attempts: Sequence[Attempt]) -> bool:
    """Whether the write is on chain and failed there. An empty transaction in its place is no reverted write."""
    cancelled = {attempt.hash for attempt in attempts if attempt.cancels}
    return (
        isinstance(outcome, Failed) and outcome.block_number is not None and outcome.transaction_hash not in cancelled
    )


def result_of(row: JournaledWrite, outcome: Outcome) -> WriteResult | None:
    """What is told of a journaled write; None for one that failed."""
    if isinstance(outcome, Failed):
        return None
    return WriteResult(
        transaction_hash=outcome.transaction_hash,
        block_number=outcome.block_number,
        events=outcome.events,
        write_id=row.intent.write_id if row.intent else "",
        answer=row.intent.answer if row.intent else {},
    )
