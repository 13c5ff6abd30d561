"""`svc proxy`: the node as plain HTTP on loopback, for programs that cannot attest it themselves.

A web page must gain nothing by it: a foreign `Host` is refused (DNS rebinding), so is any `Origin`, no CORS header passes, and
the profile's key goes out only with requests that carry the token of this very run.
"""

import asyncio
import hmac
import ipaddress
import json
import logging
import secrets
import signal
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from aiohttp import web

from svc_client.cli_context import tell
from svc_client.errors import InvalidArgument, NodeNotAccepted, SvcError
from svc_client.transport import Transport, TrustIn
from svc_verifier.errors import VerifierError

if TYPE_CHECKING:
    from svc_client.profile import Profile
    from svc_verifier.session import Streamed

TOKEN_HEADER: Final = "X-Svc-Proxy-Token"  # noqa: S105 - a name
_TOKEN_BYTES: Final = 32
_BODY_BYTES: Final = 16 * 1024 * 1024
"""Of a request: the node takes no longer one."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST"})
_HOP_BY_HOP: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""RFC 9110 section 7.6.1."""
# Besides the headers of one connection: those that the session sets itself, and what tells the node about this machine.
_NOT_SENT: Final = _HOP_BY_HOP | {
    "accept-encoding",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "via",
    "x-real-ip",
    TOKEN_HEADER.lower(),
}
_NOT_PASSED: Final = _HOP_BY_HOP | {
    "alt-svc",
    "date",
    "server",
    "set-cookie",
    "strict-transport-security",
}
"""About the connection to the node, or a promise of TLS that plain HTTP on loopback cannot keep."""


@dataclass(frozen=True, slots=True)
class Listen:
    """Address on loopback. Port 0 is any."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Listen":
        """Read HOST:PORT. Raises InvalidArgument for what is not on loopback."""
        host, _, port = text.rpartition(":")
        named = "127.0.0.1" if host == "localhost" else host.removeprefix("[").removesuffix("]")
        try:
            is_loopback = ipaddress.ip_address(named).is_loopback
        except ValueError:
            is_loopback = False
        if not is_loopback:
            raise InvalidArgument(
                f"--listen {text}: only loopback, for instance 127.0.0.1:9000; what it serves is plain HTTP"
            )
        if not (port.isascii() and port.isdigit() and int(port) <= 0xFFFF):
            raise InvalidArgument(f"--listen {text}: names no port")
        return cls(named, int(port))


class Refusal(Exception):  # noqa: N818 - an answer, not an error
    """An answer of the proxy's own."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Proxy:
    """Passes requests of one machine to one node. `port` is known once it listens."""

    def __init__(self, transport: Transport, api_key: str) -> None:
        self._transport = transport
        self._api_key = api_key
        self.token: Final = secrets.token_urlsafe(_TOKEN_BYTES)
        self.port = 0

    def server(self) -> web.Server:
        """Return the HTTP server that answers by this proxy."""
        # Cancelled when the program hangs up, so that the node learns of it. Bodies pass as they are packed.
        return web.Server(
            self.answer, access_log=None, logger=_silent(), handler_cancellation=True, auto_decompress=False
        )

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        upload = _Upload(request)
        try:
            # As it was written: an address that is decoded and encoded again may be another one to the node.
            path = request.raw_path
            self._check(request, path)
            headers = self._headers(request)
            body = upload.parts() if upload.is_any() else None
            async with self._transport.forward(request.method, path, headers, body) as answer:
                return await _passed(request, answer)
        except Refusal as refusal:
            return _own(refusal.status, refusal.code, str(refusal))
        except SvcError as error:
            if upload.refusal is not None:
                return _own(upload.refusal.status, upload.refusal.code, str(upload.refusal))
            return _own(502, "node_not_accepted" if isinstance(error, NodeNotAccepted) else "no_answer", str(error))

    def _check(self, request: web.BaseRequest, path: str) -> None:
        # The port too: a page of another service on loopback is foreign as well.
        allowed = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        # A page whose name was pointed at loopback sends its own name here.
        hosts = request.headers.getall("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in allowed:
            raise Refusal(403, "forbidden_host", f"The Host header is not 127.0.0.1:{self.port}.")
        # Browsers add it to requests that a page makes across origins; other programs have no reason to.
        if "Origin" in request.headers:
            raise Refusal(403, "forbidden_origin", "Web pages may not use this proxy.")
        if request.method not in _METHODS:
            raise Refusal(405, "method_not_allowed", "GET, HEAD and POST alone are passed.")
        # RFC 3986 4.2: two slashes begin another authority.
        if not path.startswith("/") or path.startswith("//"):
            raise Refusal(400, "bad_request", "Name a path of the node.")

    def _headers(self, request: web.BaseRequest) -> dict[str, str]:
        # RFC 9110 7.6.1: headers that Connection names end here too.
        named = {each.strip().lower() for each in ",".join(request.headers.getall("Connection", [])).split(",")}
        dropped = _NOT_SENT | named
        sent = {
            name: value
            for name, value in request.headers.items()
            if name.lower() not in dropped and not name.lower().startswith(("x-forwarded-", "sec-"))
        }
        given = request.headers.get(TOKEN_HEADER)
        if given is None:
            return sent
        # In constant time: other users of this machine can reach the port and could guess by the time it takes.
        if not hmac.compare_digest(given.encode(errors="replace"), self.token.encode()):
            raise Refusal(401, "wrong_token", f"{TOKEN_HEADER} is not the token that was printed at this start.")
        if not self._api_key:
            raise Refusal(401, "no_key", "The profile has no key.")
        # A key that the program brings itself is not replaced by the profile's.
        if "X-Api-Key" not in request.headers and "Authorization" not in request.headers:
            sent["X-Api-Key"] = self._api_key
        return sent


class _Upload:
    """The body of a request, read no faster than the node takes it. `refusal` is why it was not read to its end."""

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self.refusal: Refusal | None = None

    def is_any(self) -> bool:
        """Return whether there is a body. Raises Refusal for one that is too long, or at a place where none belongs."""
        if (self._request.content_length or 0) > _BODY_BYTES:
            raise self._too_long()
        if not self._request.can_read_body:
            return False
        # RFC 9110 9.3.1: it would mean nothing, and a library that sends a GET again has no second copy of it.
        if self._request.method != "POST":
            raise Refusal(400, "bad_request", f"{self._request.method} has no body here.")
        return True

    async def parts(self) -> AsyncIterator[bytes]:
        """Read the body. The node is proven by then: the session asks for it when it has where to send it."""
        if self._request.headers.get("Expect", "").lower() == "100-continue":
            await self._request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._request.writer.output_size = 0
        length = 0
        async for part in self._request.content.iter_any():
            # Counted as it arrives: a chunked body names no length.
            length += len(part)
            if length > _BODY_BYTES:
                self.refusal = self._too_long()
                raise self.refusal
            yield part

    @staticmethod
    def _too_long() -> Refusal:
        return Refusal(413, "payload_too_large", f"The body is longer than {_BODY_BYTES} bytes.")


async def _passed(request: web.BaseRequest, answer: "Streamed") -> web.StreamResponse:
    """Pass an answer on, no faster than the program takes it."""
    named = {each.strip().lower() for each in answer.headers.get("connection", "").split(",")}
    dropped = _NOT_PASSED | named
    kept = {
        name: value
        for name, value in answer.headers.items()
        # Without CORS headers no browser hands an answer to a page, whatever the node allows.
        if name not in dropped and not name.startswith("access-control-")
    }
    passing = web.StreamResponse(status=answer.status, headers=kept)
    await passing.prepare(request)
    try:
        async for part in answer.parts:
            await passing.write(part)
    except VerifierError:
        # The status has left. A connection that ends before the body does tells the program that the rest is missing.
        if request.transport is not None:
            request.transport.abort()
    return passing


def _own(status: int, code: str, message: str) -> web.Response:
    # The connection ends: a body that was not read must not be taken for the next request.
    answer = web.Response(
        status=status,
        body=json.dumps({"error": code, "message": message}).encode(),
        content_type="application/json",
        headers={"Connection": "close"},
    )
    answer.force_close()
    return answer


def _silent() -> logging.Logger:
    """Return a logger that writes nothing: aiohttp's would print the bytes of a malformed request, perhaps a key."""
    logger = logging.getLogger("svc_client.proxy")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


def trust_of(profile: "Profile") -> TrustIn:
    """Return what a profile trusts."""
    return TrustIn(
        trust=None if profile.trust is None else Path(profile.trust),
        app_id=profile.app_id,
        rpc_urls=profile.rpc_urls,
        chain_id=profile.chain_id,
        account_contract=profile.account_contract,
        insecure_dev_root=None if profile.insecure_dev_root is None else Path(profile.insecure_dev_root),
        proxy_url=profile.proxy_url,
    )


def serve(profile: "Profile", listen: str, *, as_json: bool = False) -> None:
    """Verify the node, then serve until SIGINT or SIGTERM. Raises SvcError where the node is not accepted."""
    address = Listen.of(listen)
    if profile.insecure_dev_root is not None:
        tell(f"svc: INSECURE development root: no hardware vouches for {profile.url}")
    asyncio.run(_serve(profile, address, as_json=as_json))


async def _serve(profile: "Profile", listen: Listen, *, as_json: bool) -> None:
    stopped = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    # Without the key: it is added to a request only when that carries the token.
    transport = Transport(profile.url, None, trust_of(profile))
    try:
        # Before it listens: a program that can connect can rely on a node that was proven.
        await transport.open()
        await _listen(Proxy(transport, profile.api_key), listen, stopped, as_json=as_json)
    finally:
        await transport.close()


async def _listen(proxy: Proxy, listen: Listen, stopped: asyncio.Event, *, as_json: bool) -> None:
    runner = web.ServerRunner(proxy.server(), shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, listen.host, listen.port)
        try:
            await site.start()
        except OSError as error:
            raise InvalidArgument(f"--listen {listen.host}:{listen.port}: {error.strerror}") from None
        # Before the address is printed: port 0 is any, and every Host header is held against the real one.
        proxy.port = runner.addresses[0][1]
        host = f"[{listen.host}]" if ":" in listen.host else listen.host
        started: Mapping[str, str] = {"url": f"http://{host}:{proxy.port}", "token": proxy.token}
        click.echo(json.dumps(started) if as_json else f"{started['url']}\n{TOKEN_HEADER}: {proxy.token}")
        await stopped.wait()
    finally:
        await runner.cleanup()
