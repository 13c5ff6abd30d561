"""Metrics of requests, and the loopback application that shows all metrics to Prometheus."""

from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from node.runtime.counts import Counts, Durations

_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0)
_METHODS: Final = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"})


class HttpMetrics:
    """Requests by method, route template and status, and how long they took; labels never hold what a client chose."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counts("svc_http_requests", "Requests answered.", ["method", "route", "status"], registry)
        self._duration = Durations(
            "svc_http_request_duration_seconds", "Time from the headers to the answer.", _BUCKETS_S, registry, "route"
        )
        self.in_progress = 0
        gauge = Gauge("svc_http_requests_in_progress", "Requests being answered.", registry=registry)
        gauge.set_function(lambda: self.in_progress)

    def observe(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Count one answered request."""
        self._requests.add(method if method in _METHODS else "other", route, str(status))
        self._duration.add(duration_s, route)


def create_metrics_application(registry: CollectorRegistry) -> web.Application:
    """Return an application with `GET /metrics`, to be served on a loopback port of its own: it has no authentication."""

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    application = web.Application()
    application.router.add_get("/metrics", metrics)
    return application
