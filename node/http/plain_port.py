"""HTTP port of a node that ends TLS. The API is not served here, since keys would be sent in clear.

The port answers the certificate authority (RFC 8555, 8.3) and `/health`, and redirects the start
page to HTTPS. Other requests are refused: after a redirect, clients would keep sending clear keys.
"""

from collections.abc import Callable
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from node.api.errors import ErrorCode, NodeError
from node.http.answers import COMMON_HEADERS
from node.http.server import ENVELOPE, LIMITS

CHALLENGE_PATH: Final = "/.well-known/acme-challenge/{token}"
HEALTH_PATH: Final = "/health"
METRICS_CONNECTIONS_MAX: Final = 32
"""Most open connections of the metrics port, half of them of one address. They are counted apart
from the API's, so that a flood there does not hide the metrics."""


def create_plain_application(
    application: web.Application, public_url: str, proof_of: Callable[[str], str | None]
) -> web.Application:
    """Returns the HTTP port's application beside `application`, which is on HTTPS at `public_url`.

    `proof_of` returns the body of a proof for its token, None for an unknown token.
    """
    envelope = application[ENVELOPE]
    # A separate application, so that later routes of the API are not served here by mistake.
    plain = web.Application(middlewares=[envelope.handle])
    plain[ENVELOPE], plain[LIMITS] = envelope, application[LIMITS]

    async def prove(request: web.Request) -> web.Response:
        proof = proof_of(request.match_info["token"])
        if proof is None:
            raise NodeError(
                ErrorCode.NOT_FOUND, "There is no such proof.", fix="Only a certificate authority asks here."
            )
        headers = {**COMMON_HEADERS, "Content-Type": "application/octet-stream", "Cache-Control": "no-store"}
        return web.Response(body=proof.encode(), headers=headers)

    async def move(_: web.Request) -> web.Response:
        return web.Response(status=308, headers={**COMMON_HEADERS, "Location": f"{public_url}/"})

    async def refuse(_: web.Request) -> web.Response:
        raise NodeError(
            ErrorCode.FORBIDDEN,
            "This port takes no API calls: what is sent to it can be read on the way.",
            fix=f"Use {public_url}. If a key was sent, replace it.",
        )

    plain.router.add_get(CHALLENGE_PATH, prove)
    plain.router.add_get("/", move)
    plain.router.add_get(HEALTH_PATH, _handler_of(application, HEALTH_PATH))
    plain.router.add_route("*", "/{path:.*}", refuse)
    return plain


def _handler_of(application: web.Application, path: str) -> Handler:
    """Returns the handler of GET `path` in the application."""
    for route in application.router.routes():
        if route.resource is not None and route.resource.canonical == path and route.method == "GET":
            return route.handler
    raise ValueError(f"{path} is not served.")


def create_metrics_application(application: web.Application, registry: CollectorRegistry) -> web.Application:
    """Returns the application of the metrics port: `GET /metrics`, without authentication.

    Other containers may reach it, so `create_runner` serves it with bounds (docs/monitoring.md).
    """

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    # No envelope, since frequent scrapes should not be counted and logged as API requests.
    beside = web.Application()
    beside[ENVELOPE] = application[ENVELOPE]
    beside[LIMITS] = application[LIMITS].model_copy(update={"http_max_connections": METRICS_CONNECTIONS_MAX})
    beside.router.add_get("/metrics", metrics)
    return beside
