"""Asks several endpoints the same, so that no single one's word moves a write.

With a quorum of one this is the client's own way: the first endpoint that answers, in one exchange.
"""

import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from node.chain.quorum.asking import Hedge, ask_best_first
from node.chain.quorum.dissent import DisagreementObserver, Dissent
from node.chain.rpc import Endpoint, JsonRpc, RpcCall, RpcError, RpcUnavailableError
from node.chain.writes import answers
from node.chain.writes.agreed import at_least, at_most
from node.errors import StartupRefusedError

Answer = TypeVar("Answer")
Question: TypeAlias = Callable[[Endpoint, float], Coroutine[None, None, Answer]]
"""Asks one endpoint, within so many seconds. What is no answer is raised as an RpcError."""

IsSettled: TypeAlias = Callable[[Sequence[Answer]], bool]
"""Whether further answers, beside these of a quorum at least, would change nothing."""


class BehindError(RpcUnavailableError):
    """The endpoint answers, but of a block older than one this process has already relied on."""

    def __init__(self, host: str) -> None:
        super().__init__(host, "is behind this node's own writes")


@dataclass(frozen=True, slots=True)
class WitnessLimits:
    """How endpoints are asked together.

    `hedge_delay_s`: an answer later than this is not waited for alone: the next endpoint is asked.
    `dissent_wait_s`: when a quorum has answered and does not agree, the others are given so long to decide it.
    """

    hedge_delay_s: float = 0.25
    dissent_wait_s: float = 2.0


class Witnesses:
    """The endpoints of `rpc`, of which `quorum` must say a thing before it is believed. `clock` is monotonic seconds.

    `observer` is told of those that disagree. Raises StartupRefusedError (`rpc_quorum`) when there are not so many.
    """

    def __init__(
        self,
        rpc: JsonRpc,
        quorum: int,
        limits: WitnessLimits | None = None,
        observer: DisagreementObserver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not 1 <= quorum <= len(rpc.endpoints):
            raise StartupRefusedError("rpc_quorum", f"{quorum} of {len(rpc.endpoints)} endpoints can never agree.")
        self.rpc: Final = rpc
        self.quorum: Final = quorum
        self._limits = limits or WitnessLimits()
        self._clock = clock
        self._dissent = Dissent(observer, rpc.limits, clock)

    async def ask(self, question: Question[Answer], is_settled: IsSettled[Answer]) -> Sequence[Answer]:
        """The answers of at least a quorum; of more of them where the first do not settle it.

        Raises BehindError, RpcUnavailableError or RpcRefusedError when fewer than a quorum answer: the reason of one.
        """

        async def heard(endpoint: Endpoint, timeout_s: float) -> Answer:
            try:
                return await question(endpoint, timeout_s)
            except answers.NonsenseError as nonsense:
                raise endpoint.fault(nonsense.why) from None

        if self.quorum == 1:
            return [await self.rpc.first(heard)]
        return await self._hear(heard, is_settled)

    async def numbers(self, calls: Sequence[RpcCall]) -> Sequence[Sequence[int]]:
        """For each of these quantities, what the endpoints say it is. Raises as `ask`."""

        async def question(endpoint: Endpoint, timeout_s: float) -> Sequence[int]:
            return [answers.quantity(outcome) for outcome in await endpoint.send(calls, timeout_s)]

        def is_settled(rows: Sequence[Sequence[int]]) -> bool:
            return all(self.at_least(column) == self.at_most(column) for column in zip(*rows, strict=True))

        return list(zip(*await self.ask(question, is_settled), strict=True))

    def disagreed(self, endpoint: Endpoint, event: str, **facts: object) -> None:
        """Count and log, under this event, that an endpoint contradicts a quorum, or others where there was none."""
        self._dissent.disagreed(endpoint, event, **facts)

    def at_least(self, said: Sequence[int]) -> int:
        """The highest number that a quorum reaches."""
        return at_least(said, self.quorum)

    def at_most(self, said: Sequence[int]) -> int:
        """The lowest number that a quorum does not exceed."""
        return at_most(said, self.quorum)

    async def _hear(self, question: Question[Answer], is_settled: IsSettled[Answer]) -> Sequence[Answer]:
        given: dict[Endpoint, Answer] = {}
        failures: list[RpcError] = []

        async def ask(endpoint: Endpoint) -> None:
            try:
                given[endpoint] = await question(endpoint, self.rpc.limits.attempt_timeout_s)
            except RpcError as failure:
                failures.append(failure)

        def is_open() -> bool:
            return not is_settled(list(given.values()))

        best_first = sorted(self.rpc.endpoints, key=lambda each: (self._dissent.is_doubted(each), each.score))
        hedge = Hedge(self._limits.hedge_delay_s, self._clock)
        await ask_best_first(best_first, ask, lambda: max(0, self.quorum - len(given)), hedge)
        if len(given) < self.quorum:
            raise next((each for each in failures if isinstance(each, BehindError)), failures[-1])
        if is_open():
            # Who is not well would only hold everybody up.
            others = [each for each in best_first if each not in given and not each.rests and not each.is_slow]
            patience = Hedge(self._limits.hedge_delay_s, self._clock, self._limits.dissent_wait_s)
            await ask_best_first(others, ask, lambda: len(others) if is_open() else 0, patience)
        return list(given.values())
