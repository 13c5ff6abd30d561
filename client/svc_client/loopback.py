"""HTTP servers on loopback, in front of a proven node: addresses, checks of requests, and what passes of headers.

A foreign web page must gain nothing by such a server: a foreign `Host` is refused (DNS rebinding), and no CORS header passes.

Each connection carries one request. Browsers and libraries send a request again, with its key, when a connection that they used
before closes without an answer; when this program ends, another user's program may listen there by then. For the same reason it
listens for a moment after its end, and refuses what comes (_LINGER_S).
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
"""Of a request: the node takes no longer one."""
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
}
_TARGET: Final = re.compile(r"/(?![/\\])[!\"$-~]*")
"""Target of a request: printable ASCII but `#`. Two slashes begin another authority (RFC 3986 4.2), for some also `/\\`."""
_NOT_PASSED: Final = _HOP_BY_HOP | {
    "alt-svc",
    "date",
    "server",
    "set-cookie",
    "strict-transport-security",
}
"""About the connection to the node, or a promise of TLS that plain HTTP on loopback cannot keep."""
_NO_DESCRIPTOR: Final = frozenset({errno.EMFILE, errno.ENFILE})
_LINGER_S: Final = 1.0
"""From the end to the moment at which another program can listen at the address. A browser holds calls back while it has six
connections, and sends them, with their keys, as soon as one closes; pages are told of the end meanwhile and take their calls back."""


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

    @classmethod
    def own(cls) -> "Listen":
        """Return an address and a port that no other run has: an origin whose storage and cache no other program has used.

        127.0.0.1 where the system has no other address of loopback (macOS): there the port alone is another one.
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
        """Return the origin under which programs reach a server that listens here, on the real port."""
        return f"http://[{self.host}]:{port}" if ":" in self.host else f"http://{self.host}:{port}"


class Refusal(Exception):  # noqa: N818 - an answer, not an error
    """An answer of the server's own."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def require_own_host(request: web.BaseRequest, *allowed: str) -> None:
    """Raise Refusal unless the request's Host is one of these, each with its port."""
    # A page whose name was pointed at loopback sends its own name here.
    hosts = request.headers.getall("Host", [])
    if len(hosts) != 1 or hosts[0].lower() not in allowed:
        raise Refusal(403, "forbidden_host", f"The Host header is not {allowed[0]}.")


def require_plain_path(target: str) -> None:
    """Raise Refusal unless a request's target names one path of the node, whoever reads it.

    A dot segment, also an encoded one, is resolved by some servers and libraries and not by others (RFC 3986 5.2.4): a check of
    the path as it is written would be of another path than the node's.
    """
    path = target.partition("?")[0].lower()
    if not _TARGET.fullmatch(target):
        raise Refusal(400, "bad_request", "Name a path of the node that begins with one slash.")
    segments = path.replace("%2f", "/").replace("%5c", "/").replace("\\", "/").split("/")
    if "%2e" in path or "." in segments or ".." in segments:
        raise Refusal(400, "bad_request", "A path with a dot segment or an encoded dot is not passed.")


def require_method(request: web.BaseRequest, *methods: str) -> None:
    """Raise Refusal unless the request has one of these methods."""
    if request.method not in methods:
        raise Refusal(405, "method_not_allowed", f"{', '.join(methods)} alone are passed.")


def sent_headers(request: web.BaseRequest) -> dict[str, str]:
    """Return the headers of a request that go to the node."""
    # RFC 9110 7.6.1: headers that Connection names end here too.
    dropped = _NOT_SENT | _named_by_connection(request.headers.getall("Connection", []))
    return {
        name: value
        for name, value in request.headers.items()
        if name.lower() not in dropped and not name.lower().startswith(("x-forwarded-", "sec-"))
    }


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


async def pass_on(
    transport: Transport, request: web.BaseRequest, sent: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> web.StreamResponse:
    """Pass a request on to the node, and its answer back, in parts; `headers` replace those of the same names in the answer.

    Raises Refusal and SvcError, and neither after the answer has begun.
    """
    require_plain_path(request.raw_path)
    upload = _Upload(request)
    body = upload.parts() if upload.is_any() else None
    try:
        # As it was written: an address that is decoded and encoded again may be another one to the node.
        async with transport.forward(request.method, request.raw_path, sent, body) as answer:
            return await _passed(request, answer, headers or {})
    except SvcError:
        if upload.refusal is not None:
            raise upload.refusal from None
        raise


async def _passed(request: web.BaseRequest, answer: "Streamed", headers: Mapping[str, str]) -> web.StreamResponse:
    """Pass an answer on, no faster than the program takes it."""
    own = {name.lower(): value for name, value in headers.items()}
    dropped = _NOT_PASSED | _named_by_connection([answer.headers.get("connection", "")])
    kept = {
        name: value
        for name, value in answer.headers.items()
        # Without CORS headers no browser hands an answer to a page, whatever the node allows.
        if name not in dropped and not name.startswith("access-control-")
    }
    passing = web.StreamResponse(status=answer.status, headers={**kept, **own})
    await begin(request, passing)
    try:
        async for part in answer.parts:
            await passing.write(part)
    except VerifierError:
        # The status has left. A connection that ends before the body does tells the program that the rest is missing.
        if request.transport is not None:
            request.transport.abort()
    return passing


async def begin(request: web.BaseRequest, answer: web.StreamResponse) -> None:
    """Send the status and headers of an answer whose body follows in parts; the connection ends with it."""
    answer.force_close()
    await answer.prepare(request)


async def answered(handler: Handler, request: web.BaseRequest) -> web.StreamResponse:
    """Return the handler's response, with which the connection ends; a refusal and an error of the node become JSON."""
    answer = await _answer_of(handler, request)
    if not answer.prepared:
        # aiohttp writes the `Connection: close` that goes with it.
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
    """Return a logger that writes nothing: aiohttp's would print the bytes of a malformed request, perhaps a key."""
    logger = logging.getLogger("svc_client.loopback")
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


def interrupted() -> asyncio.Event:
    """Return an event of the running loop that SIGINT and SIGTERM set."""
    stopped = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    return stopped


def server_of(handler: Handler) -> web.Server:
    """Return the HTTP server that answers by this handler."""
    # Cancelled when the program hangs up, so that the node learns of it. Bodies pass as they are packed.
    return web.Server(handler, access_log=None, logger=_silent(), handler_cancellation=True, auto_decompress=False)


async def serve(handler: Handler, listen: Listen, started: Callable[[int], None], stopped: asyncio.Event) -> None:
    """Serve until `stopped` is set. `started` gets the real port before the first request is taken from it.

    Raises InvalidArgument when the address is not available.
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
        # No await in between: port 0 is any, and every Host header is held against the real one.
        started(runner.addresses[0][1])
        await stopped.wait()
        if server.connections:
            await asyncio.sleep(_LINGER_S)
    finally:
        await runner.cleanup()


def _tell_fault(loop: asyncio.AbstractEventLoop, fault: dict[str, Any]) -> None:
    """Tell a fault of the loop, unless it is that no descriptor is left for a connection.

    Any user of the machine can open so many; the trace of every try would fill the terminal, and a pipe that nobody reads.
    """
    error = fault.get("exception")
    if not (isinstance(error, OSError) and error.errno in _NO_DESCRIPTOR):
        loop.default_exception_handler(fault)


async def _ended(_: web.BaseRequest) -> web.StreamResponse:
    raise Refusal(503, "ended", "This server is ending. Nothing was sent to the node.")
