"""The deposits of a range of blocks as a quorum of endpoints tells them: every one of them the same, and at the same end."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.logs import DepositEvents
from node.chain.deposits.port import Deposit
from node.chain.listener.logs import MalformedLogsError
from node.chain.quorum.asking import Hedge, ask_best_first
from node.chain.quorum.dissent import Dissent
from node.chain.quorum.heads import header_at, reported_head
from node.chain.quorum.refusals import contradicted, too_few_answer
from node.chain.rpc import Endpoint, JsonRpc, RpcCall, RpcOutcome, RpcRefusedError, RpcUnavailableError
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
    """Asks the endpoints of `rpc`; `quorum` of them must tell the same. `clock` is monotonic seconds."""

    def __init__(
        self,
        rpc: JsonRpc,
        events: DepositEvents,
        quorum: int,
        dissent: Dissent,
        limits: TokenLimits,
        clock: Callable[[], float],
    ) -> None:
        self._rpc = rpc
        self._events = events
        self._quorum = quorum
        self._dissent = dissent
        self._limits = limits
        self._hedge = Hedge(limits.token_hedge_delay_s, clock)

    async def agreed(self, wanted: Range) -> Told:
        """What a quorum tells of this range.

        Raises RangeRefusedError when too few endpoints tell anything, NodeError `chain_unavailable` when they
        contradict one another.
        """
        told: dict[Endpoint, Told] = {}

        async def ask(endpoint: Endpoint) -> None:
            told[endpoint] = await self._told_by(endpoint, wanted)

        def missing() -> int:
            return max(0, self._quorum - max(Counter(told.values()).values(), default=0))

        order = sorted(self._rpc.endpoints, key=self._preference)
        await ask_best_first(order, ask, missing, self._hedge)
        if missing():
            raise self._without_agreement(told, wanted)
        agreed = Counter(told.values()).most_common(1)[0][0]
        self._blame(told, agreed, wanted)
        return agreed

    def _preference(self, endpoint: Endpoint) -> tuple[bool, bool, float]:
        rests, is_slow, latency_s = endpoint.score
        return rests, is_slow or self._dissent.is_doubted(endpoint), latency_s

    def _without_agreement(self, told: dict[Endpoint, Told], wanted: Range) -> NodeError | RangeRefusedError:
        if len(set(told.values())) > 1 and len(told) >= self._quorum:
            for endpoint in told:
                self._dissent.disagreed(
                    endpoint, "rpc_endpoints_disagree", what="deposits", first=wanted.first, last=wanted.last
                )
            return contradicted()
        return RangeRefusedError(too_few_answer())

    def _blame(self, told: dict[Endpoint, Told], agreed: Told, wanted: Range) -> None:
        """Who tells other deposits up to the very same block."""
        for endpoint, each in told.items():
            if each != agreed and each.last_hash == agreed.last_hash:
                self._dissent.disagreed(
                    endpoint, "rpc_endpoint_outvoted", what="deposits", first=wanted.first, last=wanted.last
                )

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
