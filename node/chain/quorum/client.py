"""Puts one query to several providers, the best first, and counts the votes.

A quorum is more than the liars there are. So an honest voter gives each result that a quorum gives,
and reaches each number that a quorum reaches; no single voter decides. All queries share a
reputation of every provider: dissent is counted, logged, and moves it back in the order.
"""

import asyncio
import collections
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeAlias, TypeVar, cast

import structlog
from prometheus_client import CollectorRegistry, Counter

from node.chain.rpc import JsonRpc, Provider, RpcCall, RpcError, RpcUnavailableError, answers
from node.chain.rpc.client import LOG_INTERVAL_S
from node.errors import StartupRefusedError
from node.runtime.clock import Throttle
from node.settings.chain import RpcSettings

Voter = TypeVar("Voter", bound=Hashable)
Vote = TypeVar("Vote", bound=Hashable)
Answer = TypeVar("Answer")
Number = TypeVar("Number", int, float)

NO_ABSTENTION: Final = object()
"""Equal to no result."""


def quorum_size(wanted: int, providers: int) -> int:
    """Returns the quorum of `providers`: `wanted`, or for 0 the majority (1 of 1, 2 of 2, 2 of 3).

    Raises ValueError if more are wanted than there are.
    """
    if not 0 <= wanted <= providers:
        raise ValueError(f"a quorum of {wanted} cannot be had of {providers} endpoints")
    return wanted or providers // 2 + 1


class DisagreementError(RpcUnavailableError):
    """The providers that answer do not agree, so there is no result just now."""

    def __init__(self) -> None:
        super().__init__("of the quorum", "the endpoints contradict each other")


@dataclass(frozen=True, slots=True)
class Tally(Generic[Voter, Vote]):
    """Votes on a query with `parts`, each counted separately; `votes` may still grow.

    A voter with `abstention` for a part contradicts no vote. Without parts the voters are counted.
    """

    votes: Mapping[Voter, Sequence[Vote]]
    quorum: int
    parts: int = 1
    abstention: Hashable = NO_ABSTENTION

    @property
    def missing(self) -> int:
        """Least number of further votes needed; 0 when a quorum agrees on each part."""
        return max(0, self.quorum - min(map(_support, self._columns()), default=len(self.votes)))

    @property
    def agreed(self) -> tuple[Vote, ...] | None:
        """Result of a quorum for each part; None if there is a part without one.

        If the voters that do not abstain are too few but give one result, the part is abstention.
        """
        if len(self.votes) < self.quorum:
            return None
        found: list[Vote] = []
        for column in self._columns():
            counted = collections.Counter(column)
            answer, support = counted.most_common(1)[0]
            if support < self.quorum:
                abstained = counted.pop(cast("Vote", self.abstention), 0)
                # The voters with a result agree, and with the abstaining ones they are a quorum.
                # So no vote contradicts them.
                if not abstained or max(counted.values(), default=0) + abstained < self.quorum:
                    return None
                answer = cast("Vote", self.abstention)
            found.append(answer)
        return tuple(found)

    @property
    def is_divided(self) -> bool:
        """Whether two voters contradict each other about some part."""
        return any(len(set(column) - {self.abstention}) > 1 for column in self._columns())

    def contradicting(self, agreed: Sequence[Vote]) -> set[Voter]:
        """Returns the voters that give another answer than the agreed one to some part."""
        return {
            voter
            for voter, answers in self.votes.items()
            if any(
                # An abstention contradicts no vote, on either side.
                given != true and self.abstention not in {given, true}
                for given, true in zip(answers, agreed, strict=True)
            )
        }

    def _columns(self) -> list[list[Vote]]:
        return [[answers[part] for answers in self.votes.values()] for part in range(self.parts)]


def is_agreed(answers: Iterable[Hashable], quorum: int) -> bool:
    """Whether a quorum gives the same answer."""
    return _support(answers) >= quorum


def agreed(answers: Sequence[Vote], quorum: int) -> Vote:
    """Returns the answer of a quorum. Raises DisagreementError."""
    for answer, count in collections.Counter(answers).items():
        if count >= quorum:
            return answer
    raise DisagreementError


def at_least(numbers: Sequence[Number], quorum: int) -> Number:
    """Returns the highest number that a quorum reaches, of at least a quorum of `numbers`."""
    # A quorum of voters gives this number or more, so at least one honest one does.
    return sorted(numbers, reverse=True)[quorum - 1]


def at_most(numbers: Sequence[Number], quorum: int) -> Number:
    """Returns the lowest number that a quorum does not exceed, of a quorum of `numbers` or more."""
    # A quorum of voters gives this number or less, so at least one honest one does.
    return sorted(numbers)[quorum - 1]


def _support(answers: Iterable[Hashable]) -> int:
    """Returns the count of the most frequent answer."""
    return max(collections.Counter(answers).values(), default=0)


Question: TypeAlias = Callable[[Provider, float], Coroutine[None, None, Answer]]
"""Asks one provider, within a time in seconds. Raises an RpcError if there is no result."""

IsSettled: TypeAlias = Callable[[Sequence[Answer]], bool]
"""Returns whether further answers, beside these of a quorum at least, would change nothing."""

Ask: TypeAlias = Callable[[Provider], Coroutine[None, None, None]]
"""Asks one provider and notes its answer. Raises RpcUnavailableError when there is none."""


BEHIND_TIMEOUT_S: Final = 3.0
"""Wait of a read for a head that this node's writes have passed: 1.5 blocks of a slow chain."""

BEHIND_POLL_S: Final = 0.05
"""First pause before such a read asks again."""

DISSENTER_REST_S: Final = 5.0
"""Time for which a provider that was of no use to a quorum is asked after the others."""

TIE_BREAK_TIMEOUT_S: Final = 2.0
"""Time for further providers to decide if a quorum has answered about a write and disagrees."""

OUTVOTED: Final = "rpc_endpoint_outvoted"
"""Log event for a provider that contradicts a quorum."""
DISAGREE: Final = "rpc_endpoints_disagree"
"""Log event for each provider that keeps the providers from agreeing."""

_log = structlog.get_logger(__name__)


class DisagreementObserver(Protocol):
    """Counts the providers that contradict a quorum, or keep the providers from agreeing."""

    def disagreed(self, host: str) -> None:
        """`host` names the provider without any credential of its URL."""
        ...


class DisagreementMetrics:
    """DisagreementObserver that publishes its counts to Prometheus."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._disagreements = Counter(
            "svc_rpc_disagreements",
            "How often an RPC endpoint contradicted a quorum, or kept the endpoints from agreeing.",
            ["host"],
            registry=registry,
        )
        self._counts = collections.Counter[str]()

    def disagreed(self, host: str) -> None:
        """Count one more."""
        self._disagreements.labels(host).inc()
        self._counts[host] += 1

    def count_of(self, host: str) -> int:
        """Returns the number of times this host has disagreed since the start."""
        return self._counts[host]


class ProviderReputation:
    """Providers that dissented lately. `clock` is monotonic seconds."""

    def __init__(self, observer: DisagreementObserver | None, clock: Callable[[], float]) -> None:
        self._observer = observer
        self._clock = clock
        self._demoted_until: dict[Provider, float] = {}
        self._may_log = Throttle(LOG_INTERVAL_S, clock)

    def best_first(self, providers: Iterable[Provider]) -> list[Provider]:
        """Orders providers: healthy and agreeing ones first, then the faster; failed ones last."""

        def rank(provider: Provider) -> tuple[bool, bool, float]:
            rests, is_slow, latency_s = provider.score
            return rests, is_slow or self.is_demoted(provider), latency_s

        return sorted(providers, key=rank)

    def is_demoted(self, provider: Provider) -> bool:
        """Whether a provider was of no use to a quorum lately, and is asked after the others."""
        return self._clock() < self._demoted_until.get(provider, float("-inf"))

    def demote(self, provider: Provider) -> None:
        """Asks a provider after the others for a while. It need not be at fault."""
        # Asked later, never excluded: enough liars could otherwise rule out the honest ones.
        self._demoted_until[provider] = self._clock() + DISSENTER_REST_S

    def disagreed(self, provider: Provider, event: str, *, what: str, **facts: object) -> None:
        """Counts and logs, under `event`, a provider that contradicts a quorum or prevents one.

        `what` names the kind of result: each kind is logged once in a while.
        """
        self.demote(provider)
        if self._observer is not None:
            self._observer.disagreed(provider.host)
        if self._may_log((provider, event, what)):
            _log.error(event, host=provider.host, what=what, **facts)


class BehindError(RpcUnavailableError):
    """The provider answers, but of a block older than one that this process has used."""

    def __init__(self, host: str) -> None:
        super().__init__(host, "is behind this node's own writes")


class QuorumClient:
    """The providers of `rpc`, believed if a quorum of them agrees. `clock` is monotonic seconds.

    All queries of a node go through one client, so that they share the providers' reputation.
    `settings` are by default those of `rpc`. Raises StartupRefusedError (`rpc_quorum`) if there
    are fewer providers than a quorum.
    """

    def __init__(
        self,
        rpc: JsonRpc,
        settings: RpcSettings | None = None,
        observer: DisagreementObserver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rpc: Final = rpc
        self.settings: Final = settings or rpc.settings
        self.clock: Final = clock
        self.reputation: Final = ProviderReputation(observer, clock)
        try:
            self.quorum: Final = quorum_size(self.settings.rpc_quorum, len(rpc.providers))
        except ValueError as error:
            raise StartupRefusedError("rpc_quorum", f"{error}.") from None

    async def vote(self, question: Question[Vote], hedge_delay_s: float) -> Tally[Provider, Vote]:
        """Asks until a quorum gives the same result or all are asked; returns the votes.

        A provider that raises RpcUnavailableError casts no vote; any other error is raised.
        """
        votes: dict[Provider, tuple[Vote]] = {}
        tally = Tally(votes, self.quorum)

        async def ask(provider: Provider) -> None:
            votes[provider] = (await question(provider, self.rpc.settings.rpc_attempt_timeout_s),)

        order = self.reputation.best_first(self.rpc.providers)
        await self.poll(order, ask, lambda: tally.missing, hedge_delay_s=hedge_delay_s)
        return tally

    async def ask(self, question: Question[Answer], is_settled: IsSettled[Answer]) -> Sequence[Answer]:
        """Returns the results of at least a quorum; of more providers if these do not settle it.

        With a quorum of one it is the result of the first provider, in the order given. Raises
        one provider's BehindError, RpcUnavailableError or RpcRefusedError if too few answer.
        """

        async def checked(provider: Provider, timeout_s: float) -> Answer:
            try:
                return await question(provider, timeout_s)
            except answers.MalformedResultError as malformed:
                raise provider.fault(malformed.why) from None

        # One provider is believed: the first in the operator's order that answers, not the fastest.
        if self.quorum == 1:
            return [await self.rpc.first(checked)]
        return await self._ask_several(checked, is_settled)

    async def numbers(self, calls: Sequence[RpcCall]) -> Sequence[Sequence[int]]:
        """Returns the providers' numbers for each of these quantities. Raises as `ask`."""

        async def question(provider: Provider, timeout_s: float) -> Sequence[int]:
            return [answers.quantity(outcome) for outcome in await provider.send(calls, timeout_s)]

        def is_settled(rows: Sequence[Sequence[int]]) -> bool:
            return all(self.at_least(column) == self.at_most(column) for column in zip(*rows, strict=True))

        return list(zip(*await self.ask(question, is_settled), strict=True))

    def at_least(self, numbers: Sequence[int]) -> int:
        """Returns the highest number that a quorum reaches."""
        return at_least(numbers, self.quorum)

    def at_most(self, numbers: Sequence[int]) -> int:
        """Returns the lowest number that a quorum does not exceed."""
        return at_most(numbers, self.quorum)

    async def poll(
        self,
        order: Sequence[Provider],
        ask: Ask,
        missing: Callable[[], int],
        *,
        hedge_delay_s: float | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Calls `ask` on providers in order until `missing()`, the results needed, is 0 or all ran.

        A result that takes longer than `hedge_delay_s` is not waited for alone, and none longer
        than `timeout_s`. Requests that are open at the end, or on cancellation, are cancelled and
        have ended on return. An RpcUnavailableError of `ask` is no result; other errors are raised.
        """
        delay_s = self.settings.rpc_hedge_delay_s if hedge_delay_s is None else hedge_delay_s
        requests = _Requests(order, ask, delay_s, self.clock)
        until = None if timeout_s is None else self.clock() + timeout_s
        try:
            while (wanted := missing()) and requests.start(wanted):
                if until is not None and self.clock() >= until:
                    return
                await requests.next(until)
        finally:
            await requests.close()

    async def _ask_several(self, question: Question[Answer], is_settled: IsSettled[Answer]) -> Sequence[Answer]:
        given: dict[Provider, Answer] = {}
        failures: list[RpcError] = []

        async def ask(provider: Provider) -> None:
            try:
                given[provider] = await question(provider, self.rpc.settings.rpc_attempt_timeout_s)
            except RpcError as failure:
                failures.append(failure)

        def is_open() -> bool:
            return not is_settled(list(given.values()))

        order = self.reputation.best_first(self.rpc.providers)
        await self.poll(order, ask, lambda: max(0, self.quorum - len(given)))
        if len(given) < self.quorum:
            # Lag is the one failure that passes, and callers wait for it.
            raise next((each for each in failures if isinstance(each, BehindError)), failures[-1])
        if is_open():
            # An unhealthy provider would only hold up the caller.
            others = [each for each in order if each not in given and not each.rests and not each.is_slow]
            await self.poll(others, ask, lambda: len(others) if is_open() else 0, timeout_s=TIE_BREAK_TIMEOUT_S)
        return list(given.values())


class _Requests:
    """Requests of one poll, each a task of its own."""

    def __init__(self, order: Sequence[Provider], ask: Ask, delay_s: float, clock: Callable[[], float]) -> None:
        self._left = list(reversed(order))
        self._ask = ask
        self._delay_s = delay_s
        self._clock = clock
        self._open: dict[asyncio.Task[None], tuple[Provider, float]] = {}

    def start(self, wanted: int) -> bool:
        """Starts requests until `wanted` are not late, or none is left; returns if any is open."""
        now = self._clock()
        prompt = sum(now - since < self._delay_s for _, since in self._open.values())
        # A late request stays open: its answer still counts when it comes.
        while self._left and prompt < wanted:
            provider = self._left.pop()
            self._open[asyncio.create_task(self._answered(provider))] = provider, now
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
            # Raises the error of `ask`: any but a missing result is a bug and must not be lost.
            task.result()

    async def close(self) -> None:
        """Cancels the open requests. Late providers come after the others from now on."""
        now = self._clock()
        for task, (provider, since) in self._open.items():
            if now - since >= self._delay_s:
                provider.passed_over(now - since)
            task.cancel()
        # Awaited: no request outlives its query, also if the caller was cancelled.
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _answered(self, provider: Provider) -> None:
        try:
            await self._ask(provider)
        except RpcUnavailableError:
            return
