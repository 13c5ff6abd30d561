"""`svc proxy` serves the node as plain HTTP on loopback, for programs that cannot attest it.

A web page must gain nothing: `Origin` and `Sec-Fetch-Site` are refused. The profile's key goes out
only with requests that carry the token of this run.
"""

import asyncio
import hmac
import json
import secrets
from typing import TYPE_CHECKING, Final

import click
from aiohttp import web

from svc_client.cli_context import tell_root
from svc_client.loopback import (
    Listen,
    Refusal,
    answered,
    interrupted,
    pass_on,
    require_method,
    require_own_host,
    sent_headers,
    serve,
    trust_of,
)
from svc_client.transport import Transport

if TYPE_CHECKING:
    from svc_client.profile import Profile

TOKEN_HEADER: Final = "X-Svc-Proxy-Token"  # noqa: S105 - a name
_TOKEN_BYTES: Final = 32
_OF_BROWSERS: Final = ("Origin", "Sec-Fetch-Site")
"""Headers of browsers that other programs need not send. Node.js also sends `Sec-Fetch-Mode`."""
_NOT_SENT: Final = {TOKEN_HEADER.lower(), "referer"}
"""Headers dropped besides those that no loopback server passes."""


class Proxy:
    """Passes requests of one machine to one node. Set `origin` once it listens."""

    def __init__(self, transport: Transport, api_key: str) -> None:
        self._transport = transport
        self._api_key = api_key
        self.token: Final = secrets.token_urlsafe(_TOKEN_BYTES)
        self.origin = ""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answers one request."""
        return await answered(self._pass, request)

    async def _pass(self, request: web.BaseRequest) -> web.StreamResponse:
        self._check(request)
        headers = self._headers(request)
        return await pass_on(self._transport, request, headers)

    def _check(self, request: web.BaseRequest) -> None:
        # The port too: a page of another service on loopback is foreign as well.
        own = self.origin.removeprefix("http://")
        require_own_host(request, own, f"localhost:{own.rpartition(':')[2]}")
        if any(name in request.headers for name in _OF_BROWSERS):
            raise Refusal(403, "forbidden_origin", "Web pages may not use this proxy.")
        require_method(request, "GET", "HEAD", "POST")

    def _headers(self, request: web.BaseRequest) -> dict[str, str]:
        sent = {name: value for name, value in sent_headers(request).items() if name.lower() not in _NOT_SENT}
        given = request.headers.get(TOKEN_HEADER)
        if given is None:
            return sent
        # Compare in constant time: other users of this machine could guess the token by timing.
        if not hmac.compare_digest(given.encode(errors="replace"), self.token.encode()):
            raise Refusal(401, "wrong_token", f"{TOKEN_HEADER} is not the token that was printed at this start.")
        if not self._api_key:
            raise Refusal(401, "no_key", "The profile has no key.")
        # A key that the program brings itself is not replaced by the profile's.
        if "X-Api-Key" not in request.headers and "Authorization" not in request.headers:
            sent["X-Api-Key"] = self._api_key
        return sent


def run_proxy(profile: "Profile", listen: str, *, as_json: bool = False) -> None:
    """Verifies the node, then serves until SIGINT or SIGTERM. Raises SvcError if it is refused."""
    address = Listen.of(listen)
    tell_root(profile)
    asyncio.run(_run(profile, address, as_json=as_json))


async def _run(profile: "Profile", listen: Listen, *, as_json: bool) -> None:
    stopped = interrupted()
    # Without the key, which is added only to requests with the token.
    transport = Transport(profile.url, None, trust_of(profile))
    proxy = Proxy(transport, profile.api_key)

    def started(port: int) -> None:
        proxy.origin = listen.url(port)
        told = {"url": proxy.origin, "token": proxy.token}
        click.echo(json.dumps(told) if as_json else f"{told['url']}\n{TOKEN_HEADER}: {proxy.token}")

    try:
        # Prove the node before listening: a program that can connect can rely on it.
        await transport.open()
        await serve(proxy.answer, listen, started, stopped)
    finally:
        await transport.close()
