"""Hands stored bytes to the chain, each payer's in nonce order, and reads what the endpoint says to them."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Final

import structlog
from pydantic import JsonValue

from node.chain.rpc import JsonRpc, RpcCall, RpcError, RpcOutcome, RpcRefusedError
from node.chain.writes.background import Background
from node.chain.writes.lane import Lane
from node.chain.writes.model import OpenWrite
from node.chain.writes.steps import OnStep, WriteStep

Sent = Sequence[tuple[Lane, OpenWrite]]
OnReceipt = Callable[[Lane, OpenWrite, Mapping[str, JsonValue]], None]

BATCH_MAX: Final = 50
"""Transactions in one exchange; hosted endpoints limit batches to about a hundred calls."""

_log = structlog.get_logger(__name__)


class Refusal(Enum):
    """What an endpoint means by refusing a transaction."""

    KNOWN = auto()
    """It has it already, or its nonce is used: whether by this very transaction the receipt tells."""
    UNDERPRICED = auto()
    POOR = auto()
    OTHER = auto()


_MEANINGS: Final = (
    (Refusal.UNDERPRICED, ("underpriced", "less than block base fee", "fee too low", "feetoolow", "fee cap")),
    (Refusal.KNOWN, ("already", "known transaction", "nonce too low", "nonce is too low", "oldnonce")),
    (Refusal.POOR, ("insufficient funds", "insufficientfunds", "insufficient balance", "upfront cost")),
)
"""Words of geth, Erigon, Nethermind, Besu, reth and anvil; codes differ and say nothing."""


def meaning_of(refused: RpcRefusedError) -> Refusal:
    """Why a transaction was not taken."""
    text = refused.message.lower()
    return next((meaning for meaning, words in _MEANINGS if any(word in text for word in words)), Refusal.OTHER)


class Sender:
    """Sends what is pushed. While one exchange of a lane is under way, more of that lane gathers for the next.

    The receipt is asked for in the same exchange: a chain that mines at once has it there already.
    `on_receipt` gets it. `on_poor` is told when a payer has no gas money.
    """

    def __init__(
        self,
        rpc: JsonRpc,
        clock: Callable[[], float],
        on_receipt: OnReceipt,
        on_poor: Callable[[], None],
        on_step: OnStep,
    ) -> None:
        self._rpc = rpc
        self._clock = clock
        self._on_receipt = on_receipt
        self._on_poor = on_poor
        self._on_step = on_step
        self._outboxes: dict[str, list[OpenWrite]] = {}
        self._background = Background()

    def push(self, lane: Lane, write: OpenWrite) -> None:
        """Send soon; returns at once."""
        if (outbox := self._outboxes.get(lane.address)) is not None:
            outbox.append(write)
            return
        self._outboxes[lane.address] = [write]
        self._background.start(self._drain(lane))

    async def send(self, writes: Sent) -> None:
        """Send now, in the order given. What an endpoint does not take stays for the follower."""
        for start in range(0, len(writes), BATCH_MAX):
            await self._exchange(writes[start : start + BATCH_MAX])

    async def stop(self) -> None:
        """Stop sending; everything is in the journal."""
        await self._background.stop()

    async def _drain(self, lane: Lane) -> None:
        try:
            while outbox := self._outboxes[lane.address]:
                self._outboxes[lane.address] = []
                await self.send([(lane, write) for write in sorted(outbox, key=lambda write: write.row.nonce)])
        finally:
            del self._outboxes[lane.address]

    async def _exchange(self, writes: Sent) -> None:
        attempts = [write.latest for _, write in writes]
        sends = [RpcCall("eth_sendRawTransaction", ["0x" + attempt.raw.hex()]) for attempt in attempts]
        looks = [RpcCall("eth_getTransactionReceipt", [attempt.hash]) for attempt in attempts]
        try:
            outcomes = await self._rpc.batch([*sends, *looks])
        except RpcError as error:
            _log.warning("transactions could not be sent and will be again", count=len(writes), error=str(error))
            for _, write in writes:
                write.sent_at = 0.0
            return
        self._on_step(WriteStep.SENT)
        for (lane, write), sent, receipt in zip(writes, outcomes, outcomes[len(writes) :], strict=False):
            self._note(lane, write, sent)
            if isinstance(receipt, dict):
                self._on_receipt(lane, write, receipt)

    def _note(self, lane: Lane, write: OpenWrite, sent: RpcOutcome) -> None:
        meaning = meaning_of(sent) if isinstance(sent, RpcRefusedError) else Refusal.KNOWN
        if meaning in {Refusal.POOR, Refusal.OTHER}:
            write.sent_at = 0.0  # in nobody's mempool: the follower tries again at its next round
            message = sent.message if isinstance(sent, RpcRefusedError) else ""
            _log.warning("a transaction was refused", payer=lane.address, nonce=write.row.nonce, said=message[:200])
        else:
            write.sent_at = self._clock()
        if meaning is Refusal.UNDERPRICED:
            write.underpriced = True
        if meaning is Refusal.POOR:
            lane.balance_wei = 0
            self._on_poor()
