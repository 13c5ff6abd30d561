"""HTTP servers on loopback in front of a proven node: addresses, checks of requests, headers.

A foreign web page must gain nothing: a foreign `Host` (DNS rebinding) and CORS are refused.

Each connection carries one request. A client repeats a request, with its key, if a used connection
closes without a response; another user's program may listen there by then. For the same reason the
server refuses requests for a moment after its end (_LINGER_S).
"""

import asyncio
import errno
import ipaddress
import json
import logging
import re
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from svc_client.errors import InvalidArgument, NodeNotAccepted, SvcError
from svc_client.transport import Transport, TrustIn
from svc_verifier.errors import VerifierError

if TYPE_CHECKING:
    from svc_client.profile import Profile
    from svc_verifier.session import Streamed

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_BODY_BYTES: Final = 16 * 1024 * 1024
"""Longest body of a request, the node's own limit."""
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
# Headers of one connection, those the session sets itself, and those that reveal this machine.
_NOT_SENT: Final = _HOP_BY_HOP | {
    "accept-encoding",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "via",
    "x-real-ip",
}
_TARGET: Final = re.compile(r"/(?![/\\])[!\"$-~]*")
"""ASCII target without `#`. `//`, to some `/\\` too, begins an authority (RFC 3986 4.2)."""
_NOT_PASSED: Final = _HOP_BY_HOP | {
    "alt-svc",
    "date",
    "server",
    "set-cookie",
    "strict-transport-security",
}
"""Headers about the connection to the node, or a promise of TLS that loopback cannot keep."""
_NO_DESCRIPTOR: Final = frozenset({errno.EMFILE, errno.ENFILE})
_LINGER_S: Final = 1.0
"""Time of refusals before another program can listen here. A browser queues requests beyond six
connections and sends them, with keys, when one closes. Pages learn of the end and cancel theirs."""


@dataclass(frozen=True, slots=True)
class Listen:
    """Address on loopback. Port 0 is any."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Listen":
        """Reads HOST:PORT. Raises InvalidArgument for an address that is not on loopback."""
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

    @classmethod
    def own(cls) -> "Listen":
        """Returns a fresh address and port, an origin whose storage no other program has used.

        Only the port is fresh where the system has just 127.0.0.1 (macOS).
        """
        number = int(ipaddress.IPv4Address("127.1.0.0")) + secrets.randbelow(0xFE_0000)
        host = str(ipaddress.IPv4Address(number))
        with socket.socket() as probe:
            try:
                probe.bind((host, 0))
            except OSError:
                host = "127.0.0.1"
        return cls(host, 0)

    def url(self, port: int) -> str:
        """Returns the origin of a server that listens here, with the real port."""
        return f"http://[{self.host}]:{port}" if ":" in self.host else f"http://{self.host}:{port}"


class Refusal(Exception):  # noqa: N818 - an answer, not an error
    """A response of the server itself."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def require_own_host(request: web.BaseRequest, *allowed: str) -> None:
    """Raises Refusal unless the request's Host is one of these, each with its port."""
    # A page whose host name was pointed at loopback sends its own name here (DNS rebinding).
    hosts = request.headers.getall("Host", [])
    if len(hosts) != 1 or hosts[0].lower() not in allowed:
        raise Refusal(403, "forbidden_host", f"The Host header is not {allowed[0]}.")


def require_plain_path(target: str) -> None:
    """Raises Refusal unless every reader sees the same path of the node in a request's target.

    Some servers and libraries resolve a dot segment, also an encoded one, and others do not
    (RFC 3986 5.2.4). A check of the written path would then be about another path than the node's.
    """
    path = target.partition("?")[0].lower()
    if not _TARGET.fullmatch(target):
        raise Refusal(400, "bad_request", "Name a path of the node that begins with one slash.")
    segments = path.replace("%2f", "/").replace("%5c", "/").replace("\\", "/").split("/")
    if "%2e" in path or "." in segments or ".." in segments:
        raise Refusal(400, "bad_request", "A path with a dot segment or an encoded dot is not passed.")


def require_method(request: web.BaseRequest, *methods: str) -> None:
    """Raises Refusal unless the request has one of these methods."""
    if request.method not in methods:
        raise Refusal(405, "method_not_allowed", f"{', '.join(methods)} alone are passed.")


def sent_headers(request: web.BaseRequest) -> dict[str, str]:
    """Returns the headers of a request that go to the node."""
    # Headers that Connection names end here too (RFC 9110 7.6.1).
    dropped = _NOT_SENT | _named_by_connection(request.headers.getall("Connection", []))
    return {
        name: value
        for name, value in request.headers.items()
        if name.lower() not in dropped and not name.lower().startswith(("x-forwarded-", "sec-"))
    }


class _Upload:
    """Body of a request, read as fast as the node takes it. `refusal` says why reading stopped."""

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self.refusal: Refusal | None = None

    def is_any(self) -> bool:
        """Returns whether there is a body. Raises Refusal for a body too long or out of place."""
        if (self._request.content_length or 0) > _BODY_BYTES:
            raise self._too_long()
        if not self._request.can_read_body:
            return False
        # A GET's body means nothing (RFC 9110 9.3.1), and a library could not resend it.
        if self._request.method != "POST":
            raise Refusal(400, "bad_request", f"{self._request.method} has no body here.")
        return True

    async def parts(self) -> AsyncIterator[bytes]:
        """Reads the body. The session asks for it after the node is proven."""
        if self._request.headers.get("Expect", "").lower() == "100-continue":
            await self._request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._request.writer.output_size = 0
        length = 0
        async for part in self._request.content.iter_any():
            # Count while reading: a chunked body has no Content-Length.
            length += len(part)
            if length > _BODY_BYTES:
                self.refusal = self._too_long()
                raise self.refusal
            yield part

    @staticmethod
    def _too_long() -> Refusal:
        return Refusal(413, "payload_too_large", f"The body is longer than {_BODY_BYTES} bytes.")


async def pass_on(
    transport: Transport, request: web.BaseRequest, sent: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> web.StreamResponse:
    """Passes a request to the node and the response back. `headers` replace those of the response.

    Raises Refusal and SvcError, and neither after the response has begun.
    """
    require_plain_path(request.raw_path)
    upload = _Upload(request)
    body = upload.parts() if upload.is_any() else None
    try:
        # Pass the path as written: decoding and encoding it could make another path.
        async with transport.forward(request.method, request.raw_path, sent, body) as answer:
            return await _passed(request, answer, headers or {})
    except SvcError:
        if upload.refusal is not None:
            raise upload.refusal from None
        raise


async def _passed(request: web.BaseRequest, answer: "Streamed", headers: Mapping[str, str]) -> web.StreamResponse:
    """Passes a response on, as fast as the program takes it."""
    own = {name.lower(): value for name, value in headers.items()}
    dropped = _NOT_PASSED | _named_by_connection([answer.headers.get("connection", "")])
    kept = {
        name: value
        for name, value in answer.headers.items()
        # Without CORS headers no browser gives a response to a foreign page.
        if name not in dropped and not name.startswith("access-control-")
    }
    passing = web.StreamResponse(status=answer.status, headers={**kept, **own})
    await begin(request, passing)
    try:
        async for part in answer.parts:
            await passing.write(part)
    except VerifierError:
        # The status is sent. Abort the connection, so that the program sees the body is incomplete.
        if request.transport is not None:
            request.transport.abort()
    return passing


async def begin(request: web.BaseRequest, answer: web.StreamResponse) -> None:
    """Sends status and headers of a response in parts. The connection ends with it."""
    answer.force_close()
    await answer.prepare(request)


async def answered(handler: Handler, request: web.BaseRequest) -> web.StreamResponse:
    """Returns the handler's response, with refusals and errors as JSON. The connection ends."""
    answer = await _answer_of(handler, request)
    if not answer.prepared:
        # aiohttp then writes `Connection: close`.
        answer.force_close()
    return answer


async def _answer_of(handler: Handler, request: web.BaseRequest) -> web.StreamResponse:
    try:
        return await handler(request)
    except Refusal as refusal:
        return _own(refusal.status, refusal.code, str(refusal))
    except NodeNotAccepted as error:
        return _own(502, "node_not_accepted", str(error))
    except SvcError as error:
        return _own(502, "no_answer", str(error))


def _named_by_connection(values: list[str]) -> set[str]:
    return {each.strip().lower() for each in ",".join(values).split(",")}


def _own(status: int, code: str, message: str) -> web.Response:
    body = json.dumps({"error": code, "message": message}).encode()
    return web.Response(status=status, body=body, content_type="application/json")


def _silent() -> logging.Logger:
    """Returns a silent logger. aiohttp's would print a malformed request, perhaps with a key."""
    logger = logging.getLogger("svc_client.loopback")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


def trust_of(profile: "Profile") -> TrustIn:
    """Returns the trust of a profile."""
    return TrustIn(
        trust=None if profile.trust is None else Path(profile.trust),
        app_id=profile.app_id,
        rpc_urls=profile.rpc_urls,
        chain_id=profile.chain_id,
        account_contract=profile.account_contract,
        insecure_dev_root=None if profile.insecure_dev_root is None else Path(profile.insecure_dev_root),
        proxy_url=profile.proxy_url,
    )


def interrupted() -> asyncio.Event:
    """Returns an event of the running loop that SIGINT and SIGTERM set."""
    stopped = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    return stopped


def server_of(handler: Handler) -> web.Server:
    """Returns an HTTP server with this handler."""
    # Cancel when the program hangs up, so that the node learns of it. Bodies stay compressed.
    return web.Server(handler, access_log=None, logger=_silent(), handler_cancellation=True, auto_decompress=False)


async def serve(handler: Handler, listen: Listen, started: Callable[[int], None], stopped: asyncio.Event) -> None:
    """Serves until `stopped` is set. `started` gets the real port before the first request.

    Raises InvalidArgument if the address is not available.
    """

    async def until_stopped(request: web.BaseRequest) -> web.StreamResponse:
        return await (answered(_ended, request) if stopped.is_set() else handler(request))

    asyncio.get_running_loop().set_exception_handler(_tell_fault)
    server = server_of(until_stopped)
    runner = web.ServerRunner(server, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, listen.host, listen.port)
        try:
            await site.start()
        except OSError as error:
            raise InvalidArgument(f"--listen {listen.host}:{listen.port}: {error.strerror}") from None
        # No await here: port 0 is any, and every Host header is compared with the real one.
        started(runner.addresses[0][1])
        await stopped.wait()
        if server.connections:
            await asyncio.sleep(_LINGER_S)
    finally:
        await runner.cleanup()


def _tell_fault(loop: asyncio.AbstractEventLoop, fault: dict[str, Any]) -> None:
    """Reports a fault of the loop, unless no file descriptor is left for a connection.

    Any user of the machine can cause that, and a trace for each try would fill terminal or pipe.
    """
    error = fault.get("exception")
    if not (isinstance(error, OSError) and error.errno in _NO_DESCRIPTOR):
        loop.default_exception_handler(fault)


async def _ended(_: web.BaseRequest) -> web.StreamResponse:
    raise Refusal(503, "ended", "This server is ending. Nothing was sent to the node.")
