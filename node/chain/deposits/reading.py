"""The deposits of a range of blocks as a quorum of endpoints tells them: every one of them the same, and at the same end."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.logs import DepositEvents
from node.chain.deposits.port import Deposit
from node.chain.logs import MalformedLogsError
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.heads import header_at, reported_head
from node.chain.quorum.refusals import contradicted, too_few_answer
from node.chain.quorum.reputation import DISAGREE, OUTVOTED
from node.chain.quorum.tally import Tally
from node.chain.rpc import Endpoint, RpcCall, RpcOutcome, RpcRefusedError, RpcUnavailableError
from node.errors import NodeError


class RangeRefusedError(Exception):
    """Too few endpoints give the logs of this range; they may give those of a smaller one. `error` is what to raise else."""

    def __init__(self, error: NodeError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Range:
    """Blocks `first` to `last`; `mark` is a block up to `last` whose hash is told along with them."""

    first: int
    last: int
    mark: int


@dataclass(frozen=True, slots=True)
class Told:
    """The deposits of a range, the hash of its last block, and of its mark: empty where an endpoint has no such block."""

    deposits: tuple[Deposit, ...]
    last_hash: str
    mark_hash: str


class DepositReading:
    """Asks the endpoints of `client`, of which a quorum must tell the same deposits."""

    def __init__(self, client: QuorumClient, events: DepositEvents, limits: TokenLimits) -> None:
        self._client = client
        self._events = events
        self._limits = limits

    async def agreed(self, wanted: Range) -> Told:
        """What a quorum tells of this range.

        Raises RangeRefusedError when too few endpoints tell anything, NodeError `chain_unavailable` when they
        contradict one another.
        """

        async def question(endpoint: Endpoint, _: float) -> Told:
            return await self._told_by(endpoint, wanted)

        tally = await self._client.vote(question, self._limits.token_hedge_delay_s)
        if tally.agreed is None:
            raise self._without_agreement(tally, wanted)
        (told,) = tally.agreed
        # An endpoint whose last block is another one is on another branch: it may well be honest.
        lying = (each for each in tally.contradicting([told]) if tally.votes[each][0].last_hash == told.last_hash)
        self._blame(lying, OUTVOTED, wanted)
        return told

    def _without_agreement(self, tally: Tally[Endpoint, Told], wanted: Range) -> NodeError | RangeRefusedError:
        # Of a smaller range more endpoints may tell: only when a quorum has answered is there nothing more to be had.
        if tally.is_divided and len(tally.votes) >= tally.quorum:
            self._blame(tally.votes, DISAGREE, wanted)
            return contradicted()
        return RangeRefusedError(too_few_answer())

    def _blame(self, endpoints: Iterable[Endpoint], event: str, wanted: Range) -> None:
        for endpoint in endpoints:
            self._client.reputation.disagreed(endpoint, event, what="deposits", first=wanted.first, last=wanted.last)

    async def _told_by(self, endpoint: Endpoint, wanted: Range) -> Told:
        """One endpoint's word. Raises RpcUnavailableError."""
        asked: JsonValue = self._events.filter(wanted.first, wanted.last)
        # The last block goes with the logs: an endpoint that has it not, or not yet, would leave out logs without a word.
        calls = [RpcCall("eth_getLogs", [asked]), header_at(wanted.last), header_at(wanted.mark)]
        logs, last, mark = await endpoint.send(calls, self._limits.token_exchange_timeout_s)
        head = reported_head(endpoint, last)
        if head is None or head.number != wanted.last:
            raise RpcUnavailableError(endpoint.host, "has not the last block of the range")
        return Told(self._deposits(endpoint, logs, wanted), head.hash, _hash(endpoint, mark, wanted.mark))

    def _deposits(self, endpoint: Endpoint, logs: RpcOutcome, wanted: Range) -> tuple[Deposit, ...]:
        if isinstance(logs, RpcRefusedError):
            raise RpcUnavailableError(endpoint.host, f"refused the logs of a range with error {logs.code}")
        if isinstance(logs, list) and len(logs) > self._limits.token_logs_max:
            raise RpcUnavailableError(endpoint.host, "gave more logs than are taken at once")
        try:
            return self._events.deposits(logs, wanted.first, wanted.last)
        except MalformedLogsError as malformed:
            raise endpoint.fault(str(malformed)) from None


def _hash(endpoint: Endpoint, outcome: RpcOutcome, number: int) -> str:
    head = reported_head(endpoint, outcome)
    return head.hash if head is not None and head.number == number else ""
