"""Endpoints that were outvoted, or kept a quorum from agreeing: counted, logged now and then, and asked last for a while."""

import collections
from collections.abc import Callable
from typing import Protocol

import structlog
from prometheus_client import CollectorRegistry, Counter

from node.chain.rpc import Endpoint, RpcLimits
from node.chain.seldom import Seldom

_log = structlog.get_logger(__name__)


class DisagreementObserver(Protocol):
    """Told of every endpoint that said something else than a quorum, or kept the endpoints from agreeing."""

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
        """How often this host has disagreed since the start."""
        return self._counts[host]


class Dissent:
    """Keeps who dissented. `clock` is monotonic seconds."""

    def __init__(self, observer: DisagreementObserver | None, limits: RpcLimits, clock: Callable[[], float]) -> None:
        self._observer = observer
        self._rest_s = limits.endpoint_rest_s
        self._clock = clock
        self._doubted_until: dict[Endpoint, float] = {}
        self._may_log = Seldom(limits.log_interval_s, clock)

    def is_doubted(self, endpoint: Endpoint) -> bool:
        """Whether it was of no use to a quorum lately, and is better asked after the others."""
        return self._clock() < self._doubted_until.get(endpoint, float("-inf"))

    def doubt(self, endpoint: Endpoint) -> None:
        """It was of no use just now, which may be no fault of its own."""
        self._doubted_until[endpoint] = self._clock() + self._rest_s

    def disagreed(self, endpoint: Endpoint, event: str, **facts: object) -> None:
        """It contradicts a quorum, or keeps the endpoints from agreeing; `event` names which in the log."""
        self.doubt(endpoint)
        if self._observer is not None:
            self._observer.disagreed(endpoint.host)
        if self._may_log((endpoint, event)):
            _log.error(event, host=endpoint.host, **facts)
