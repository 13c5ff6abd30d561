"""The reputation of each endpoint, shared by all questions: dissent is counted, logged, and moves it back in the order."""

import collections
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import structlog
from prometheus_client import CollectorRegistry, Counter

from node.chain.rpc import Endpoint, RpcLimits
from node.runtime.throttle import Throttle

OUTVOTED: Final = "rpc_endpoint_outvoted"
"""Logged of an endpoint that contradicts a quorum."""
DISAGREE: Final = "rpc_endpoints_disagree"
"""Logged of each endpoint that keeps the endpoints from agreeing."""

_log = structlog.get_logger(__name__)


class DisagreementObserver(Protocol):
    """Counts the endpoints that contradict a quorum, or keep the endpoints from agreeing."""

    def disagreed(self, host: str) -> None:
        """`host` names the endpoint without any credential of its URL."""
        ...


class DisagreementMetrics:
    """A DisagreementObserver that shows its counts to Prometheus."""

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
        """Number of times this host has disagreed since the start."""
        return self._counts[host]


class EndpointReputation:
    """Which endpoints dissented lately. `clock` is monotonic seconds."""

    def __init__(self, observer: DisagreementObserver | None, limits: RpcLimits, clock: Callable[[], float]) -> None:
        self._observer = observer
        self._rest_s = limits.endpoint_rest_s
        self._clock = clock
        self._doubted_until: dict[Endpoint, float] = {}
        self._may_log = Throttle(limits.log_interval_s, clock)

    def best_first(self, endpoints: Iterable[Endpoint]) -> list[Endpoint]:
        """Order endpoints: those that are well and agree first, then the faster; those that failed lately last."""

        def rank(endpoint: Endpoint) -> tuple[bool, bool, float]:
            rests, is_slow, latency_s = endpoint.score
            return rests, is_slow or self.is_doubted(endpoint), latency_s

        return sorted(endpoints, key=rank)

    def is_doubted(self, endpoint: Endpoint) -> bool:
        """Whether it was of no use to a quorum lately, and is better asked after the others."""
        return self._clock() < self._doubted_until.get(endpoint, float("-inf"))

    def doubt(self, endpoint: Endpoint) -> None:
        """Ask it after the others for a while; it was of no use just now, which may be no fault of its own."""
        self._doubted_until[endpoint] = self._clock() + self._rest_s

    def disagreed(self, endpoint: Endpoint, event: str, *, what: str, **facts: object) -> None:
        """Count and log, under `event`, an endpoint that contradicts a quorum or keeps the endpoints from agreeing.

        `what` names the kind of answer it dissents about: each kind is logged once in a while.
        """
        self.doubt(endpoint)
        if self._observer is not None:
            self._observer.disagreed(endpoint.host)
        if self._may_log((endpoint, event, what)):
            _log.error(event, host=endpoint.host, what=what, **facts)
