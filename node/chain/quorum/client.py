"""Puts one question to several endpoints: the best first, the next one where one fails or is late."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import Final, TypeAlias, TypeVar

from node.chain.quorum.limits import QuorumLimits
from node.chain.quorum.reputation import DisagreementObserver, EndpointReputation
from node.chain.quorum.tally import Tally, at_least, at_most
from node.chain.rpc import Endpoint, JsonRpc, RpcCall, RpcError, RpcUnavailableError, answers
from node.errors import StartupRefusedError

Answer = TypeVar("Answer")
Vote = TypeVar("Vote", bound=Hashable)

Question: TypeAlias = Callable[[Endpoint, float], Coroutine[None, None, Answer]]
"""Asks one endpoint, within so many seconds. What is no answer is raised as an RpcError."""

IsSettled: TypeAlias = Callable[[Sequence[Answer]], bool]
"""Whether further answers, beside these of a quorum at least, would change nothing."""

Ask: TypeAlias = Callable[[Endpoint], Coroutine[None, None, None]]
"""Asks one endpoint and notes its answer. Raises RpcUnavailableError when there is none."""


class BehindError(RpcUnavailableError):
    """The endpoint answers, but of a block older than one this process has already relied on."""

    def __init__(self, host: str) -> None:
        super().__init__(host, "is behind this node's own writes")


class QuorumClient:
    """The endpoints of `rpc`, of which a quorum must give an answer before it is believed. `clock` is monotonic seconds.

    All questions of a node go through one client, so that they share the reputation of each endpoint. Raises
    StartupRefusedError (`rpc_quorum`) when there are fewer endpoints than a quorum.
    """

    def __init__(
        self,
        rpc: JsonRpc,
        limits: QuorumLimits | None = None,
        observer: DisagreementObserver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rpc: Final = rpc
        self.limits: Final = limits or QuorumLimits()
        self.clock: Final = clock
        self.reputation: Final = EndpointReputation(observer, rpc.limits, clock)
        try:
            self.quorum: Final = self.limits.size_of(len(rpc.endpoints))
        except ValueError as error:
            raise StartupRefusedError("rpc_quorum", f"{error}.") from None

    async def vote(self, question: Question[Vote], hedge_delay_s: float) -> Tally[Endpoint, Vote]:
        """Ask until a quorum gives the same answer, or every endpoint has been asked; the votes there are then.

        An endpoint that raises RpcUnavailableError casts no vote; any other error is raised.
        """
        votes: dict[Endpoint, tuple[Vote]] = {}
        tally = Tally(votes, self.quorum)

        async def ask(endpoint: Endpoint) -> None:
            votes[endpoint] = (await question(endpoint, self.rpc.limits.attempt_timeout_s),)

        order = self.reputation.best_first(self.rpc.endpoints)
        await self.poll(order, ask, lambda: tally.missing, hedge_delay_s=hedge_delay_s)
        return tally

    async def ask(self, question: Question[Answer], is_settled: IsSettled[Answer]) -> Sequence[Answer]:
        """The answers of at least a quorum; of more endpoints where the first do not settle it.

        With a quorum of one it is the answer of the first endpoint, in the order given, that answers. Raises
        BehindError, RpcUnavailableError or RpcRefusedError when fewer than a quorum answer: the reason of one.
        """

        async def checked(endpoint: Endpoint, timeout_s: float) -> Answer:
            try:
                return await question(endpoint, timeout_s)
            except answers.MalformedResultError as malformed:
                raise endpoint.fault(malformed.why) from None

        if self.quorum == 1:
            return [await self.rpc.first(checked)]
        return await self._ask_several(checked, is_settled)

    async def numbers(self, calls: Sequence[RpcCall]) -> Sequence[Sequence[int]]:
        """For each of these quantities, the numbers that the endpoints answer. Raises as `ask`."""

        async def question(endpoint: Endpoint, timeout_s: float) -> Sequence[int]:
            return [answers.quantity(outcome) for outcome in await endpoint.send(calls, timeout_s)]

        def is_settled(rows: Sequence[Sequence[int]]) -> bool:
            return all(self.at_least(column) == self.at_most(column) for column in zip(*rows, strict=True))

        return list(zip(*await self.ask(question, is_settled), strict=True))

    def at_least(self, numbers: Sequence[int]) -> int:
        """The highest number that a quorum reaches."""
        return at_least(numbers, self.quorum)

    def at_most(self, numbers: Sequence[int]) -> int:
        """The lowest number that a quorum does not exceed."""
        return at_most(numbers, self.quorum)

    async def poll(
        self,
        order: Sequence[Endpoint],
        ask: Ask,
        missing: Callable[[], int],
        *,
        hedge_delay_s: float | None = None,
        patience_s: float | None = None,
    ) -> None:
        """`ask` endpoints in this order until `missing()`, the answers still needed, is 0 or all have been asked.

        An answer that takes longer than `hedge_delay_s` is not waited for alone. With `patience_s` no answer is waited
        for longer than that. What is still open at the end, also when the caller is cancelled, is cancelled and has
        ended when this returns. An RpcUnavailableError of `ask` is no answer; any other error is raised.
        """
        delay_s = self.limits.rpc_hedge_delay_s if hedge_delay_s is None else hedge_delay_s
        requests = _Requests(order, ask, delay_s, self.clock)
        until = None if patience_s is None else self.clock() + patience_s
        try:
            while (wanted := missing()) and requests.start(wanted):
                if until is not None and self.clock() >= until:
                    return
                await requests.next(until)
        finally:
            await requests.close()

    async def _ask_several(self, question: Question[Answer], is_settled: IsSettled[Answer]) -> Sequence[Answer]:
        given: dict[Endpoint, Answer] = {}
        failures: list[RpcError] = []

        async def ask(endpoint: Endpoint) -> None:
            try:
                given[endpoint] = await question(endpoint, self.rpc.limits.attempt_timeout_s)
            except RpcError as failure:
                failures.append(failure)

        def is_open() -> bool:
            return not is_settled(list(given.values()))

        order = self.reputation.best_first(self.rpc.endpoints)
        await self.poll(order, ask, lambda: max(0, self.quorum - len(given)))
        if len(given) < self.quorum:
            raise next((each for each in failures if isinstance(each, BehindError)), failures[-1])
        if is_open():
            # An endpoint that is not well would only hold up the caller.
            others = [each for each in order if each not in given and not each.rests and not each.is_slow]
            patience_s = self.limits.rpc_dissent_wait_s
            await self.poll(others, ask, lambda: len(others) if is_open() else 0, patience_s=patience_s)
        return list(given.values())


class _Requests:
    """The requests of one poll, each a task of its own."""

    def __init__(self, order: Sequence[Endpoint], ask: Ask, delay_s: float, clock: Callable[[], float]) -> None:
        self._left = list(reversed(order))
        self._ask = ask
        self._delay_s = delay_s
        self._clock = clock
        self._open: dict[asyncio.Task[None], tuple[Endpoint, float]] = {}

    def start(self, wanted: int) -> bool:
        """Have `wanted` endpoints at work that are not late, as far as there are more; whether any is at work."""
        now = self._clock()
        prompt = sum(now - since < self._delay_s for _, since in self._open.values())
        while self._left and prompt < wanted:
            endpoint = self._left.pop()
            self._open[asyncio.create_task(self._answered(endpoint))] = endpoint, now
            prompt += 1
        return bool(self._open)

    async def next(self, until: float | None) -> None:
        """Wait until one has answered, or one is late, or the clock shows `until`."""
        now = self._clock()
        ends = [since + self._delay_s for _, since in self._open.values()] if self._left else []
        ends = [end for end in ends if end > now] + ([until] if until is not None else [])
        timeout_s = min(ends) - now if ends else None
        done, _ = await asyncio.wait(self._open, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            del self._open[task]
            task.result()

    async def close(self) -> None:
        """Cancel what is open; an endpoint that was late is ordered behind the others from now on."""
        now = self._clock()
        for task, (endpoint, since) in self._open.items():
            if now - since >= self._delay_s:
                endpoint.passed_over(now - since)
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _answered(self, endpoint: Endpoint) -> None:
        try:
            await self._ask(endpoint)
        except RpcUnavailableError:
            return
