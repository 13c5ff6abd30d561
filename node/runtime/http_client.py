"""HTTP client for the node's requests to other servers.

A session takes nothing from the environment, which the host can forge, and keeps no cookies.
It follows no redirects, bounds bodies, and describes failures in its own words, since the
library's error texts contain the URL.
"""

import ssl
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import Final

import aiohttp
from pydantic import JsonValue
from yarl import URL

from node.runtime.tls_trust import built_in_trust

CONNECTIONS_MAX: Final = 100
"""Connections of a session by default, the library's own default."""
FAILURES: Final = (aiohttp.ClientError, OSError, ValueError)
"""Errors of an exchange. Time-outs are OSErrors; a name that DNS cannot hold is a ValueError."""


class NoResponse(StrEnum):
    """Reason why an exchange gave no response."""

    LATE = "did not answer in time"
    TLS = "TLS failed: its certificate is not trusted, or it speaks no TLS"
    UNREACHABLE = "cannot be connected to"
    BROKEN = "broke off its answer, or does not speak HTTP"
    TOO_LARGE = "answered more than is read"


def plain_session(
    trust: ssl.SSLContext | None = None,
    *,
    connections: int = CONNECTIONS_MAX,
    timeout: aiohttp.ClientTimeout | None = None,
    trace_configs: Sequence[aiohttp.TraceConfig] = (),
) -> aiohttp.ClientSession:
    """Returns a session that trusts these certificate authorities, or else the built-in ones.

    Needs a running event loop.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trust or built_in_trust(), limit=connections),
        timeout=timeout,
        trace_configs=list(trace_configs),
        # Cookies would let a server recognise the node, and the library logs invalid ones.
        cookie_jar=aiohttp.DummyCookieJar(),
        # HTTPS_PROXY would send requests to a proxy; `.netrc` would replace Authorization.
        trust_env=False,
    )


def request(
    session: aiohttp.ClientSession,
    method: str,
    url: URL | str,
    *,
    data: bytes | str | None = None,
    json: JsonValue = None,
    headers: Mapping[str, str] | None = None,
) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
    """Returns a request to be entered. A redirect is returned as the response.

    If it were followed, another host would see the headers and the body.
    """
    return session.request(method, url, data=data, json=json, headers=headers, allow_redirects=False)


async def bounded_body(response: aiohttp.ClientResponse, bytes_max: int) -> bytes | NoResponse:
    """Returns the whole body, decompressed, or TOO_LARGE. Raises one of `FAILURES`."""
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        # Content-Length may be missing or wrong, and counts the compressed body.
        if len(body) > bytes_max:
            response.close()
            return NoResponse.TOO_LARGE
    return bytes(body)


def no_response(error: Exception) -> NoResponse:
    """Returns the reason for one of `FAILURES`."""
    match error:
        case TimeoutError():
            return NoResponse.LATE
        case aiohttp.ClientSSLError():
            return NoResponse.TLS
        case aiohttp.ClientConnectorError():
            return NoResponse.UNREACHABLE
        case _:
            return NoResponse.BROKEN
