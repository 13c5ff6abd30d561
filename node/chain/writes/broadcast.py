"""Sends stored bytes to every provider and polls for receipts.

Each payer's transactions are sent in nonce order. A receipt counts once it is complete
(`node/chain/rpc/receipts.py`) and a quorum of providers shows it. Each exchange asks for receipts
first and for the provider's head last, so the head is no older than a receipt's block.
"""

import asyncio
import contextlib
import functools
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Final, TypeAlias

import structlog

from node.chain.quorum.client import QuorumClient
from node.chain.rpc import Provider, RpcCall, RpcError, RpcOutcome, RpcRefusedError, answers, parse_quantity
from node.chain.rpc.answers import HEIGHT
from node.chain.rpc.receipts import IncompleteReceipt, Receipt, read_receipt, receipt_of
from node.chain.writes.model import NOT_ACCEPTED, OnStep, OpenWrite, Reply, WriteStep
from node.chain.writes.payer_accounts import PayerAccount, PayerAccounts
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet

TrackedWrites: TypeAlias = Sequence[tuple[PayerAccount, OpenWrite]]
OnReceipt: TypeAlias = Callable[[PayerAccount, OpenWrite, Receipt], None]

SEND_BATCH_MAX: Final = 45
"""Transactions in one exchange, two calls each; hosted providers limit batches to some 100."""

RECEIPT_BATCH_MAX: Final = 90
"""Receipts requested in one exchange; hosted providers limit batches to about a hundred calls."""

POLL_MIN_S: Final = 0.001
"""Shortest pause between two polls, for chains that mine at once."""

POLL_MAX_S: Final = 1.0
"""Longest pause between two polls: a caller would notice more, and blocks take seconds."""

WAITED_PER_POLL: Final = 12
"""Part of the time waited that a pause takes: a receipt comes at most some 8 % later for it."""

DIRECT_MAX: Final = 10
"""Unfinished writes above which receipts are requested only once there is a new block."""

IN_MEMPOOL: Final = frozenset({Reply.ACCEPTED, Reply.UNDERPRICED})
"""Replies of a provider that has the transaction, or another under its nonce."""

_log = structlog.get_logger(__name__)

_MEANINGS: Final = (
    (Reply.UNDERPRICED, ("underpriced", "less than block base fee", "fee too low", "feetoolow", "fee cap")),
    (Reply.ACCEPTED, ("already", "known transaction", "nonce too low", "nonce is too low", "oldnonce")),
    (Reply.NO_FUNDS, ("insufficient funds", "insufficientfunds", "insufficient balance", "upfront cost")),
    (Reply.OTHER, ("nonce too high", "block gas limit", "invalid signature")),
)
"""Words of geth, Erigon, Nethermind, Besu, reth and anvil, whose error codes differ."""

_WORDS: Final = tuple(word for _, words in _MEANINGS for word in words)


def classify_reply(sent: RpcOutcome) -> Reply:
    """Returns whether a transaction was accepted, or why not."""
    # Any result is acceptance: the hash is computed here and not taken from the provider.
    if not isinstance(sent, RpcRefusedError):
        return Reply.ACCEPTED
    text = sent.message.lower()
    return next((meaning for meaning, words in _MEANINGS if any(word in text for word in words)), Reply.OTHER)


class Sender:
    """Sends transactions to every provider. One that accepts is enough, and none waits for another.

    The same exchange requests the receipt, since a chain that mines at once has it. `on_receipt`
    gets it once a quorum shows it. `on_payer_problem` is called if a payer has no gas money.
    """

    def __init__(
        self,
        client: QuorumClient,
        clock: Clock,
        on_receipt: OnReceipt,
        on_payer_problem: Callable[[], None],
        on_step: OnStep,
    ) -> None:
        self._client = client
        self._clock = clock
        self._on_receipt = on_receipt
        self._on_payer_problem = on_payer_problem
        self._on_step = on_step
        self._outboxes: dict[tuple[Provider, str], _Outbox] = {}
        self._in_order = {provider: asyncio.Lock() for provider in client.rpc.providers}
        self._background = TaskSet("chain writes")

    def push(self, payer: PayerAccount, write: OpenWrite) -> None:
        """Send soon. Returns at once."""
        for provider in self._client.rpc.providers:
            if (outbox := self._outboxes.get((provider, payer.address))) is None:
                outbox = _Outbox(functools.partial(self._exchange, provider), self._background)
                self._outboxes[provider, payer.address] = outbox
            outbox.push(payer, write)

    async def send(self, writes: TrackedWrites) -> None:
        """Sends now, in order, until some provider has answered. The tracker resends the rest."""
        for chunk in _chunks(writes):
            under_way = {
                self._background.begin(self._exchange_in_order(provider, chunk))
                for provider in self._client.rpc.providers
            }
            while under_way:
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                if any(task.result() for task in done):
                    break

    async def stop(self) -> None:
        """Stop sending. Everything is in the journal."""
        await self._background.stop()

    async def _exchange_in_order(self, provider: Provider, writes: TrackedWrites) -> bool:
        # One exchange at a time for each provider: recovery depends on the order of arrival.
        async with self._in_order[provider]:
            return await self._exchange(provider, writes)

    async def _exchange(self, provider: Provider, writes: TrackedWrites) -> bool:
        """Send to one provider. Returns whether it answered."""
        attempts = [write.latest for _, write in writes]
        sends = [RpcCall("eth_sendRawTransaction", ["0x" + attempt.raw.hex()], answers=_WORDS) for attempt in attempts]
        receipts = [receipt_of(attempt.hash) for attempt in attempts]
        try:
            timeout_s = self._client.rpc.settings.rpc_attempt_timeout_s
            *outcomes, head = await provider.send([*sends, *receipts, HEIGHT], timeout_s)
        except RpcError as error:
            _log.warning("transactions could not be sent and will be again", count=len(writes), error=str(error))
            for _, write in writes:
                # The bytes may have arrived all the same: nothing is known of this provider now.
                write.replies.pop(provider, None)
                _note_whether_sent(write)
            return False
        self._on_step(WriteStep.SENT)
        height, replies = parse_quantity(head), zip(outcomes, outcomes[len(writes) :], strict=False)
        for (payer, write), attempt, (sent, receipt) in zip(writes, attempts, replies, strict=True):
            # A replacement may have been stored meanwhile; the reply is then to older bytes.
            if attempt is write.latest and not write.finalising:
                self._note(provider, payer, write, sent)
            write.receipts.note(provider, attempt.hash, receipt, height)
            if (agreed := write.receipts.agreed(self._client.quorum)) is not None:
                self._on_receipt(payer, write, agreed)
        return True

    def _note(self, provider: Provider, payer: PayerAccount, write: OpenWrite, sent: RpcOutcome) -> None:
        """Notes a reply. Acting on "underpriced" or "no funds" costs money, so a quorum decides."""
        reply = write.replies[provider] = classify_reply(sent)
        _note_whether_sent(write)
        if reply in IN_MEMPOOL:
            write.accepted_at = self._clock.monotonic()
        elif isinstance(sent, RpcRefusedError):
            said = {"host": provider.host, "said": sent.message[:200]}
            _log.warning("a transaction was refused", payer=payer.address, nonce=write.row.nonce, **said)
        # A single provider that lies must not make the node outbid itself or stop a payer.
        if list(write.replies.values()).count(reply) < self._client.quorum:
            return
        if reply is Reply.UNDERPRICED:
            write.underpriced = True
        if reply is Reply.NO_FUNDS:
            # No write takes this payer until the next round has read its balance.
            payer.balance_wei = 0
            self._on_payer_problem()


class _Outbox:
    """Transactions of one payer for one provider. An exchange takes what came during the last."""

    def __init__(self, exchange: Callable[[TrackedWrites], Coroutine[None, None, bool]], background: TaskSet) -> None:
        self._exchange = exchange
        self._background = background
        self._waiting: list[tuple[PayerAccount, OpenWrite]] = []
        self._draining = False

    def push(self, payer: PayerAccount, write: OpenWrite) -> None:
        """Send with the next exchange, once."""
        # By identity: a write that waits already goes out with its latest attempt.
        if all(write is not each for _, each in self._waiting):
            self._waiting.append((payer, write))
        if not self._draining:
            self._draining = True
            self._background.start(self._drain())

    async def _drain(self) -> None:
        try:
            while self._waiting:
                # Taken out before the await: a write pushed meanwhile goes with the next exchange.
                waiting, self._waiting = sorted(self._waiting, key=lambda each: each[1].row.nonce), []
                for chunk in _chunks(waiting):
                    await self._exchange(chunk)
        finally:
            self._draining = False


def _chunks(writes: TrackedWrites) -> Iterator[TrackedWrites]:
    return (writes[start : start + SEND_BATCH_MAX] for start in range(0, len(writes), SEND_BATCH_MAX))


def _note_whether_sent(write: OpenWrite) -> None:
    # In no mempool: the tracker's next pass sends it again.
    if not IN_MEMPOOL.intersection(write.replies.values()):
        write.accepted_at = NOT_ACCEPTED


class ReceiptPoller:
    """Polls until every open write has a receipt that a quorum shows. `on_receipt` gets each."""

    def __init__(
        self,
        client: QuorumClient,
        payers: PayerAccounts,
        clock: Clock,
        on_receipt: OnReceipt,
    ) -> None:
        self._client = client
        self._payers = payers
        self._clock = clock
        self._on_receipt = on_receipt
        self._wanted = asyncio.Event()
        self._usual_s = 0.0
        self._polled_blocks: Sequence[int] = ()
        self._polled_at = float("-inf")

    def wake(self) -> None:
        """Poll soon, since there is a new write."""
        self._wanted.set()

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            self._wanted.clear()
            if not self._waiting():
                await self._wanted.wait()
            await self._pause()
            if len(self._waiting()) <= DIRECT_MAX or await self._is_due():
                waiting = self._waiting()  # only now: what was sent before the block may be in it
                await self.poll(waiting)
                self._learn([write for _, write in waiting if write.finalising])

    async def poll(self, writes: TrackedWrites) -> None:
        """Requests the receipts of all attempts once. Silent providers are asked at the next poll.

        `on_receipt` gets them in the order of the chain, none before those mined earlier. So a
        write that was mined during the first request is requested again.
        """
        found = await self._receipts(writes)
        # A provider may have mined an earlier write meanwhile; results depend on the chain's order.
        if found:
            seen = [write for _, write, _ in found]
            found += await self._receipts([each for each in self._waiting() if each[1] not in seen])
        for payer, write, receipt in sorted(found, key=lambda each: (each[2].block_number, each[2].block_index)):
            self._on_receipt(payer, write, receipt)

    async def is_superseded(self, payer: PayerAccount, write: OpenWrite) -> bool:
        """Whether a quorum says that the nonce is used, and not by our attempts, in one exchange.

        False while any provider shows an incomplete receipt of an attempt, which may have used it.
        """
        hashes = [attempt.hash for attempt in write.attempts]
        # Count and receipts in one exchange: between two, one of our attempts may use the nonce.
        calls = [RpcCall("eth_getTransactionCount", [payer.address, "latest"]), *map(receipt_of, hashes), HEIGHT]

        async def query(provider: Provider, timeout_s: float) -> bool | None:
            """Returns None for an incomplete receipt."""
            count, *outcomes, head = await provider.send(calls, timeout_s)
            height = answers.quantity(head)
            shown = [read_receipt(outcome, each, height) for outcome, each in zip(outcomes, hashes, strict=True)]
            if any(isinstance(each, IncompleteReceipt) for each in shown):
                return None
            return answers.quantity(count) > write.row.nonce and not any(shown)

        # Never settled early: a provider that has not answered yet may forbid it.
        said = await self._client.ask(query, lambda _: False)
        return None not in said and list(said).count(True) >= self._client.quorum

    async def _receipts(self, writes: TrackedWrites) -> list[tuple[PayerAccount, OpenWrite, Receipt]]:
        wanted = [(write, attempt.hash) for _, write in writes for attempt in write.attempts]
        # Receipts that were noted before a failure count all the same.
        with contextlib.suppress(RpcError):
            for start in range(0, len(wanted), RECEIPT_BATCH_MAX):
                await self._ask(wanted[start : start + RECEIPT_BATCH_MAX])
        agreed = [(payer, write, write.receipts.agreed(self._client.quorum)) for payer, write in writes]
        return [(payer, write, receipt) for payer, write, receipt in agreed if receipt is not None]

    async def _ask(self, wanted: Sequence[tuple[OpenWrite, str]]) -> None:
        """Notes receipts that providers show, until a quorum agrees on each. Raises RpcError."""
        calls = [*(receipt_of(attempt_hash) for _, attempt_hash in wanted), HEIGHT]

        async def query(provider: Provider, timeout_s: float) -> Provider:
            *outcomes, head = await provider.send(calls, timeout_s)
            height = answers.quantity(head)
            for (write, attempt_hash), outcome in zip(wanted, outcomes, strict=True):
                write.receipts.note(provider, attempt_hash, outcome, height)
            return provider

        def is_settled(asked: Sequence[Provider]) -> bool:
            quorum = self._client.quorum
            return all(write.receipts.is_settled(attempt_hash, asked, quorum) for write, attempt_hash in wanted)

        await self._client.ask(query, is_settled)

    def _waiting(self) -> TrackedWrites:
        return [(payer, write) for payer, write in self._payers.open_writes() if not write.finalising]

    async def _is_due(self) -> bool:
        """Whether a block is not polled yet, or `POLL_MAX_S` is over (a block may be replaced)."""

        async def query(provider: Provider, timeout_s: float) -> int:
            return answers.quantity(*await provider.send([HEIGHT], timeout_s))

        try:
            blocks = sorted(await self._client.ask(query, lambda _: True))
        except RpcError:
            return False
        if blocks == self._polled_blocks and self._clock.monotonic() - self._polled_at < POLL_MAX_S:
            return False
        self._polled_blocks, self._polled_at = blocks, self._clock.monotonic()
        return True

    def _learn(self, ended: Sequence[OpenWrite]) -> None:
        """Averages how long receipts take, so that slow chains cause no needless polls."""
        now = self._clock.monotonic()
        for write in ended:
            self._usual_s += (now - write.tracked_since - self._usual_s) / 8

    async def _pause(self) -> None:
        """Wait for a fraction of the time waited so far or, if longer, of the usual time."""
        now = self._clock.monotonic()
        youngest = min((now - write.tracked_since for _, write in self._waiting()), default=0.0)
        pause_s = max(youngest, self._usual_s / 2) / WAITED_PER_POLL
        await self._clock.sleep(min(max(pause_s, POLL_MIN_S), POLL_MAX_S))
