"""Goes over the unfinished writes at intervals, so that none is forgotten and none blocks its payer for ever."""

import asyncio
from collections.abc import Callable

import structlog

from node.chain.quorum.client import QuorumClient
from node.chain.quorum.tally import is_agreed
from node.chain.rpc import Endpoint, RpcCall, RpcError, answers
from node.chain.writes.conclusion import Conclusion
from node.chain.writes.envelope import empty_transaction, is_as_signed, sign_attempt
from node.chain.writes.fees import bump
from node.chain.writes.journal import Journal
from node.chain.writes.lane import Lane, Lanes
from node.chain.writes.limits import WriteLimits
from node.chain.writes.model import Fees, OpenWrite
from node.chain.writes.preflight import Preflight
from node.chain.writes.receipts import ReceiptWatch
from node.chain.writes.restoration import PayersAtHead, Restoration
from node.chain.writes.sending import Sender
from node.errors import NodeError
from node.keyring.port import SigningKey

_log = structlog.get_logger(__name__)


class Follower:
    """Sends again, offers more, cancels, and gives up what is proven dead."""

    def __init__(
        self,
        witnesses: QuorumClient,
        journal: Journal,
        lanes: Lanes,
        preflight: Preflight,
        sender: Sender,
        watch: ReceiptWatch,
        conclusion: Conclusion,
        restoration: Restoration,
        limits: WriteLimits,
        chain_id: int,
        clock: Callable[[], float],
    ) -> None:
        self._witnesses = witnesses
        self._journal = journal
        self._lanes = lanes
        self._preflight = preflight
        self._sender = sender
        self._watch = watch
        self._conclusion = conclusion
        self._restoration = restoration
        self._limits = limits
        self._chain_id = chain_id
        self._clock = clock

    async def run(self) -> None:
        """Go over everything for ever; cancelled at the end of the process."""
        while True:
            await asyncio.sleep(self._limits.follow_interval_s)
            try:
                await self.round()
            except (RpcError, NodeError) as error:
                _log.warning("unfinished writes could not be gone over", error=str(error))

    async def round(self) -> None:
        """One pass. Raises RpcRefusedError, RpcUnavailableError, or NodeError when the journal is out.

        The next pass takes it up again.
        """
        await self._journal.settle_doubts()
        head = await self._restoration.head()
        if head.is_behind:
            head = await self._restoration.restore()
        fees: Fees | None = None
        for lane, write in list(self._lanes.open_writes()):
            if write.concluding:
                continue
            if write.withdrawn and not write.latest.cancels:
                await self._cancel_unsent(lane, write)
                continue
            if write.row.nonce < head.counts.get(lane.address, 0):
                await self._prove_lost(lane, write)
                continue
            write.nonce_used_since = None
            if self._wants_replacement(lane, write, head):
                fees = fees or await self._preflight.price()
                await self._replace(lane, write, fees)
            elif self._wants_resending(write):
                self._sender.push(lane, write)
        await self._conclusion.tell_untold()

    async def prune(self) -> None:
        """Forget what ended longer ago than `keep_finished_s`."""
        await self._journal.prune(self._clock() - self._limits.keep_finished_s)

    def _wants_resending(self, write: OpenWrite) -> bool:
        return self._clock() - write.sent_at > self._limits.resend_after_s

    def _wants_replacement(self, lane: Lane, write: OpenWrite, head: PayersAtHead) -> bool:
        """Only the payer's next nonce can be mined, so only that one is offered more: or one that was called too cheap."""
        stale = self._clock() - write.latest.stored_at > self._limits.replace_after_s
        is_next = write.row.nonce == head.counts.get(lane.address)
        too_cheap = write.underpriced and not lane.shared
        return lane.key is not None and (too_cheap or (stale and is_next))

    async def _replace(self, lane: Lane, write: OpenWrite, now: Fees | None) -> None:
        """Store and send a better offer under the same nonce; without one, the same bytes again."""
        fees = bump(write.latest.fees, now, self._limits.fees) if now else None
        write.underpriced = False
        if fees is not None and lane.key is not None:
            cancels = write.latest.cancels or self._is_overdue(write) or self._is_forged(lane.key, write)
            transaction = empty_transaction(lane.address) if cancels else write.row.transaction
            sign = (lane.key, self._chain_id, write.row.nonce, transaction, fees)
            attempt = sign_attempt(*sign, cancels=cancels, now=self._clock())
            await self._journal.add_attempt(write.row, attempt)
            offered_wei = write.cost_max
            write.renew(attempt)
            if not cancels:  # an empty transaction burns less than the write would have
                await self._conclusion.tell_raised(write, write.cost_max - offered_wei)
            _log.info("a transaction is replaced", payer=lane.address, nonce=write.row.nonce, cancels=cancels)
        self._sender.push(lane, write)

    async def _cancel_unsent(self, lane: Lane, write: OpenWrite) -> None:
        """Fill the nonce of a write that nobody was given: its own offer is enough, there is nothing to outbid."""
        if lane.key is None:
            return
        transaction, now = empty_transaction(lane.address), self._clock()
        sign = (lane.key, self._chain_id, write.row.nonce, transaction, write.latest.fees)
        attempt = sign_attempt(*sign, cancels=True, now=now)
        await self._journal.add_attempt(write.row, attempt)
        write.renew(attempt)
        _log.warning("a write is cancelled whose journaling was in doubt", payer=lane.address, nonce=write.row.nonce)
        self._sender.push(lane, write)
        self._watch.want()

    def _is_overdue(self, write: OpenWrite) -> bool:
        return write.row.outcome is None and self._clock() - write.row.journaled_at > self._limits.cancel_after_s

    def _is_forged(self, key: SigningKey, write: OpenWrite) -> bool:
        forged = not is_as_signed(key, self._chain_id, write.row)
        if forged:
            _log.error(
                "a journaled transaction is not the one that was signed", payer=key.address, nonce=write.row.nonce
            )
        return forged

    async def _prove_lost(self, lane: Lane, write: OpenWrite) -> None:
        """The nonce is used: by one of our attempts, whose receipt then comes, or, seen for long enough, by none."""
        now = self._clock()
        if write.nonce_used_since is None:
            write.nonce_used_since = now
        await self._watch.look([(lane, write)])
        if write.concluding or now - write.nonce_used_since < self._limits.nonce_proof_s:
            return
        if await self._is_lost(lane, write):
            _log.error("another transaction used a payer's nonce", payer=lane.address, nonce=write.row.nonce)
            await self._conclusion.as_lost(lane, write)

    async def _is_lost(self, lane: Lane, write: OpenWrite) -> bool:
        """Whether a quorum says that the nonce is used and, each at the same time, that none of our attempts used it."""
        calls = [RpcCall("eth_getTransactionCount", [lane.address, "latest"])]
        calls += [RpcCall("eth_getTransactionReceipt", [attempt.hash]) for attempt in write.attempts]

        async def question(endpoint: Endpoint, timeout_s: float) -> bool:
            count, *receipts = await endpoint.send(calls, timeout_s)
            return answers.quantity(count) > write.row.nonce and not any(isinstance(each, dict) for each in receipts)

        quorum = self._witnesses.quorum
        said = await self._witnesses.ask(question, lambda said: is_agreed(said, quorum))
        return list(said).count(True) >= quorum
