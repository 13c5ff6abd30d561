"""Hands stored bytes to every endpoint, each payer's in nonce order, and reads what they say to them."""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Final

import structlog
from pydantic import JsonValue

from node.chain.quorum.client import QuorumClient
from node.chain.rpc import Endpoint, RpcCall, RpcError, RpcOutcome, RpcRefusedError
from node.chain.writes.background import Background
from node.chain.writes.lane import Lane
from node.chain.writes.model import OpenWrite, Reply
from node.chain.writes.steps import OnStep, WriteStep

Sent = Sequence[tuple[Lane, OpenWrite]]
OnReceipt = Callable[[Lane, OpenWrite, Mapping[str, JsonValue]], None]

BATCH_MAX: Final = 50
"""Transactions in one exchange; hosted endpoints limit batches to about a hundred calls."""

HELD: Final = frozenset({Reply.TAKEN, Reply.UNDERPRICED})
"""Replies of an endpoint that has the transaction, or another under its nonce."""

_log = structlog.get_logger(__name__)


_MEANINGS: Final = (
    (Reply.UNDERPRICED, ("underpriced", "less than block base fee", "fee too low", "feetoolow", "fee cap")),
    (Reply.TAKEN, ("already", "known transaction", "nonce too low", "nonce is too low", "oldnonce")),
    (Reply.POOR, ("insufficient funds", "insufficientfunds", "insufficient balance", "upfront cost")),
)
"""Words of geth, Erigon, Nethermind, Besu, reth and anvil; codes differ and say nothing."""


def meaning_of(sent: RpcOutcome) -> Reply:
    """Whether a transaction was taken, or why not."""
    if not isinstance(sent, RpcRefusedError):
        return Reply.TAKEN
    text = sent.message.lower()
    return next((meaning for meaning, words in _MEANINGS if any(word in text for word in words)), Reply.OTHER)


class Sender:
    """Sends what is pushed to every endpoint. One that takes it is enough, and none of them waits for another.

    The receipt is asked for in the same exchange: a chain that mines at once has it there already.
    `on_receipt` gets it when a quorum has it. `on_poor` is told when a payer has no gas money.
    """

    def __init__(
        self,
        witnesses: QuorumClient,
        clock: Callable[[], float],
        on_receipt: OnReceipt,
        on_poor: Callable[[], None],
        on_step: OnStep,
    ) -> None:
        self._witnesses = witnesses
        self._clock = clock
        self._on_receipt = on_receipt
        self._on_poor = on_poor
        self._on_step = on_step
        self._outboxes: dict[tuple[Endpoint, str], _Outbox] = {}
        self._in_order = {endpoint: asyncio.Lock() for endpoint in witnesses.rpc.endpoints}
        self._background = Background()

    def push(self, lane: Lane, write: OpenWrite) -> None:
        """Send soon; returns at once."""
        for endpoint in self._witnesses.rpc.endpoints:
            if (outbox := self._outboxes.get((endpoint, lane.address))) is None:
                outbox = _Outbox(functools.partial(self._exchange, endpoint), self._background)
                self._outboxes[endpoint, lane.address] = outbox
            outbox.push(lane, write)

    async def send(self, writes: Sent) -> None:
        """Send now, in the order given, until some endpoint has answered. What none takes stays for the follower."""
        for chunk in _chunks(writes):
            under_way = {
                self._background.begin(self._exchange_in_order(endpoint, chunk))
                for endpoint in self._witnesses.rpc.endpoints
            }
            while under_way:
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                if any(task.result() for task in done):
                    break

    async def stop(self) -> None:
        """Stop sending; everything is in the journal."""
        await self._background.stop()

    async def _exchange_in_order(self, endpoint: Endpoint, writes: Sent) -> bool:
        async with self._in_order[endpoint]:
            return await self._exchange(endpoint, writes)

    async def _exchange(self, endpoint: Endpoint, writes: Sent) -> bool:
        """Send to one endpoint; whether it answered."""
        attempts = [write.latest for _, write in writes]
        sends = [RpcCall("eth_sendRawTransaction", ["0x" + attempt.raw.hex()]) for attempt in attempts]
        looks = [RpcCall("eth_getTransactionReceipt", [attempt.hash]) for attempt in attempts]
        try:
            outcomes = await endpoint.send([*sends, *looks], self._witnesses.rpc.limits.attempt_timeout_s)
        except RpcError as error:
            _log.warning("transactions could not be sent and will be again", count=len(writes), error=str(error))
            for _, write in writes:
                write.replies.pop(endpoint, None)
                _note_whether_sent(write)
            return False
        self._on_step(WriteStep.SENT)
        answers = zip(outcomes, outcomes[len(writes) :], strict=False)
        for (lane, write), attempt, (sent, receipt) in zip(writes, attempts, answers, strict=True):
            if attempt is write.latest and not write.concluding:
                self._note(endpoint, lane, write, sent)
            write.sightings.note(endpoint, attempt.hash, receipt)
            if (believed := write.sightings.believed(self._witnesses.quorum)) is not None:
                self._on_receipt(lane, write, believed)
        return True

    def _note(self, endpoint: Endpoint, lane: Lane, write: OpenWrite, sent: RpcOutcome) -> None:
        """That a transaction is too cheap, or its payer poor, costs money: a quorum must say so."""
        reply = write.replies[endpoint] = meaning_of(sent)
        _note_whether_sent(write)
        if reply in HELD:
            write.sent_at = self._clock()
        elif isinstance(sent, RpcRefusedError):
            said = {"host": endpoint.host, "said": sent.message[:200]}
            _log.warning("a transaction was refused", payer=lane.address, nonce=write.row.nonce, **said)
        if list(write.replies.values()).count(reply) < self._witnesses.quorum:
            return
        if reply is Reply.UNDERPRICED:
            write.underpriced = True
        if reply is Reply.POOR:
            lane.balance_wei = 0
            self._on_poor()


class _Outbox:
    """What one payer has for one endpoint. While one exchange is under way, more gathers for the next."""

    def __init__(self, exchange: Callable[[Sent], Coroutine[None, None, bool]], background: Background) -> None:
        self._exchange = exchange
        self._background = background
        self._waiting: list[tuple[Lane, OpenWrite]] = []
        self._draining = False

    def push(self, lane: Lane, write: OpenWrite) -> None:
        """Send with the next exchange, once."""
        if all(write is not each for _, each in self._waiting):
            self._waiting.append((lane, write))
        if not self._draining:
            self._draining = True
            self._background.start(self._drain())

    async def _drain(self) -> None:
        try:
            while self._waiting:
                waiting, self._waiting = sorted(self._waiting, key=lambda each: each[1].row.nonce), []
                for chunk in _chunks(waiting):
                    await self._exchange(chunk)
        finally:
            self._draining = False


def _chunks(writes: Sent) -> Iterator[Sent]:
    return (writes[start : start + BATCH_MAX] for start in range(0, len(writes), BATCH_MAX))


def _note_whether_sent(write: OpenWrite) -> None:
    # In nobody's mempool: the follower tries again at its next round.
    if not HELD.intersection(write.replies.values()):
        write.sent_at = 0.0
