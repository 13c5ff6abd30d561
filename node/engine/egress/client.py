"""Client of one action that sends requests, follows redirects and reads bounded bodies."""

import asyncio
import zlib
from binascii import b2a_base64
from collections.abc import Iterator, Sequence
from typing import Final

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from node.engine.egress.messages import REDIRECTS, FetchAnswer, FetchRequest, Headers, Redirect, redirected
from node.engine.egress.parse_time import ReadingWork
from node.engine.egress.targets import AddressPolicy, FetchRefusedError
from node.engine.frames import PlainText
from node.runtime.limits import Held
from node.settings.execution import EgressSettings

ACCEPTED_CODINGS: Final = "gzip, deflate"
"""`Accept-Encoding` of every request, with codings that the standard library can decompress."""

_KNOWN_CODINGS: Final = frozenset({"gzip", "x-gzip", "deflate"})
_CODINGS_MAX: Final = 2
_CODINGS_CHARACTERS_MAX: Final = 256
"""Maximum `Content-Encoding`; the headers of one answer have room for 400,000 names."""
_PIECE_BYTES: Final = 64 * 1024
_MEMBERS_MAX: Final = 64
_ZLIB: Final = zlib.MAX_WBITS
_RAW_DEFLATE: Final = -zlib.MAX_WBITS
_GZIP: Final = 16 + zlib.MAX_WBITS
_GZIP_BEGINS: Final = b"\x1f"
_DEFLATED: Final = 8
_PIECES_BETWEEN_PAUSES: Final = 4
_GROUP_BYTES: Final = 3
"""Unit of base64. A piece of another length would be padded."""


class BodyReader:
    """Reads one body. Its memory counts in `holding`, which the caller releases."""

    def __init__(self, response: aiohttp.ClientResponse, bytes_max: int, work: ReadingWork, holding: Held) -> None:
        self._response = response
        self._bytes_max = bytes_max
        self._work = work
        self._holding = holding
        self._count = 0
        self._encoded: list[str] = []
        self._rest = b""

    async def read(self) -> PlainText:
        """Returns the whole body in base64.

        Raises FetchRefusedError for a body that is too long, damaged, or compressed too often,
        LimitReachedError when the bodies of the account, or of all, take too much memory.
        """
        decoder = ContentDecoder(self._response.headers.getall("Content-Encoding", ()), self._bytes_max)
        arrived, pieces = 0, 0
        async for data in self._response.content.iter_any():
            # Limit both the received and the decompressed size.
            arrived += len(data)
            self._check_size(arrived)
            for piece in self._work.counted(decoder.feed(data)):
                self._keep(piece)
                pieces += 1
                if pieces % _PIECES_BETWEEN_PAUSES == 0:
                    # Reading data that has arrived never waits, so let other tasks run.
                    await asyncio.sleep(0)
        for piece in self._work.counted(decoder.finish()):
            self._keep(piece)
        self._encode(self._rest)
        text = "".join(self._encoded)
        self._encoded.clear()
        return PlainText(text)

    def _keep(self, piece: bytes) -> None:
        self._count += len(piece)
        self._check_size(self._count)
        self._holding.add(len(piece))
        piece = self._rest + piece
        whole = len(piece) - len(piece) % _GROUP_BYTES
        self._rest = piece[whole:]
        self._encode(piece[:whole])

    def _encode(self, piece: bytes) -> None:
        self._encoded.append(b2a_base64(piece, newline=False).decode())

    def _check_size(self, count: int) -> None:
        if count > self._bytes_max:
            raise FetchRefusedError(_too_long(self._bytes_max))


def _too_long(bytes_max: int) -> str:
    return f"the answer has more than {bytes_max} bytes"


class ContentDecoder:
    """Decodes a body by its `Content-Encoding`. With an unknown coding the body stays as it is.

    Raises FetchRefusedError for more than two codings, or a list of them that is too long.
    """

    def __init__(self, codings: Sequence[str], bytes_max: int) -> None:
        text = ",".join(codings)
        if len(text) > _CODINGS_CHARACTERS_MAX:
            raise FetchRefusedError(f"the server names codings in more than {_CODINGS_CHARACTERS_MAX} characters")
        names = [name.strip().lower() for name in text.split(",")]
        names = [name for name in names if name not in {"", "identity"}]
        if not _KNOWN_CODINGS.issuperset(names):
            names = []
        if len(names) > _CODINGS_MAX:
            raise FetchRefusedError(f"the server's answer is compressed more than {_CODINGS_MAX} times")
        # The last coding is the outermost (RFC 9110 §8.4).
        self._layers = [_Layer(name, bytes_max) for name in reversed(names)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decodes `data`, at most 64 KiB at a time. Raises FetchRefusedError if it is damaged."""
        return self._through(data, 0)

    def finish(self) -> Iterator[bytes]:
        """Returns the rest. Raises FetchRefusedError if the end is missing."""
        for place, layer in enumerate(self._layers):
            yield from self._through(layer.finish(), place + 1)

    def _through(self, data: bytes, place: int) -> Iterator[bytes]:
        if place == len(self._layers):
            yield data
            return
        for piece in self._layers[place].feed(data):
            yield from self._through(piece, place + 1)


class _Layer:
    """Decompresses one coding to at most `bytes_max` bytes, so also what is between two layers."""

    def __init__(self, coding: str, bytes_max: int) -> None:
        self._coding = coding
        self._left = bytes_max
        self._bytes_max = bytes_max
        self._inflater: zlib._Decompress | None = None
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decompresses `data`, at most 64 KiB at a time. Raises FetchRefusedError."""
        while data:
            inflater = self._current(data)
            if inflater is None:
                return
            try:
                # Without a maximum length one call would decompress a whole bomb.
                piece = inflater.decompress(data, _PIECE_BYTES)
            except zlib.error:
                raise FetchRefusedError("the server's answer is compressed and damaged") from None
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            self._left -= len(piece)
            if self._left < 0:
                raise FetchRefusedError(_too_long(self._bytes_max))
            yield piece

    def finish(self) -> bytes:
        """Returns the rest. Raises FetchRefusedError if the end is missing."""
        if self._inflater is None:
            return b""
        rest = self._inflater.flush()
        if not self._inflater.eof:
            raise FetchRefusedError("the server's answer is compressed and ends too early")
        return rest

    def _current(self, data: bytes) -> "zlib._Decompress | None":
        """Returns the decompressor; None at the end, after which only gzip may follow."""
        if self._inflater is None or (self._inflater.eof and self._coding != "deflate"):
            if self._inflater is not None and not data.startswith(_GZIP_BEGINS):
                return None
            self._members += 1
            # Empty members cost work without output, so the size alone does not limit them.
            if self._members > _MEMBERS_MAX:
                raise FetchRefusedError("the server's answer is compressed in too many parts")
            self._inflater = zlib.decompressobj(self._window(data[0]))
        return None if self._inflater.eof else self._inflater

    def _window(self, first: int) -> int:
        if self._coding != "deflate":
            return _GZIP
        # RFC 9110 means zlib format by `deflate`, but some servers send the bare stream.
        return _ZLIB if first & 0x0F == _DEFLATED else _RAW_DEFLATE


RESPONSE_HEADERS_MAX: Final = 100
"""Maximum headers of a response."""
RESPONSE_HEADER_BYTES_MAX: Final = 8_192
"""Maximum bytes of a response header and status line, as in aiohttp and common proxies."""
_DEFAULT_HEADERS: Final = {"Accept": "*/*", "User-Agent": "svc-node"}
_UNASKED_HEADERS: Final = ("Accept-Encoding", "Content-Type", "User-Agent")
_FIRST_STATUS: Final = 200


class FetchClient:
    """Sends the outbound requests of one action. Close it when the action has ended."""

    def __init__(
        self,
        settings: EgressSettings,
        policy: AddressPolicy,
        connector: aiohttp.TCPConnector,
        work: ReadingWork,
    ) -> None:
        self._settings = settings
        self._policy = policy
        self._work = work
        self._slots = asyncio.Semaphore(settings.egress_concurrent_requests)
        self._client = aiohttp.ClientSession(
            connector=connector,
            # Cookies would carry state between requests without the action's code.
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            # BodyReader decompresses within limits, since a small body can unpack to gigabytes.
            auto_decompress=False,
            # The environment could name a proxy, which would see every request.
            trust_env=False,
            skip_auto_headers=_UNASKED_HEADERS,
            max_line_size=RESPONSE_HEADER_BYTES_MAX,
            max_field_size=RESPONSE_HEADER_BYTES_MAX,
            max_headers=RESPONSE_HEADERS_MAX,
        )

    async def close(self) -> None:
        """Closes every connection."""
        await self._client.close()

    async def fetch(self, request: FetchRequest, holding: Held) -> FetchAnswer:
        """Makes the request and its redirects. Raises FetchRefusedError, LimitReachedError."""
        async with self._slots:
            # Check in the slot, since earlier requests may have used up the action's time.
            self._work.require_some_left()
            try:
                async with asyncio.timeout(self._settings.egress_timeout_s):
                    return await self._follow(request, holding)
            except TimeoutError:
                raise FetchRefusedError(f"it took longer than {self._settings.egress_timeout_s:g} seconds") from None
            except (aiohttp.ClientError, OSError, ValueError) as error:
                self._work.require_some_left()
                raise FetchRefusedError(_reason(error)) from None

    async def _follow(self, request: FetchRequest, holding: Held) -> FetchAnswer:
        for hops in range(self._settings.egress_redirects + 1):
            outcome = await self._once(request, holding, hops > 0)
            if isinstance(outcome, FetchAnswer):
                return outcome
            request = outcome
        raise FetchRefusedError(f"it was redirected more than {self._settings.egress_redirects} times")

    async def _once(self, request: FetchRequest, holding: Held, was_redirected: bool) -> FetchAnswer | FetchRequest:
        """Make one exchange. Return its answer, or the request that must follow."""
        target = request.target
        # Check before the look-up, since a private name must not reach a resolver.
        if target.address is None:
            self._policy.check_name(target)
        else:
            self._policy.check_addresses(target.host, [target.address])
        # Send it as checked, since a second normalisation could change the host.
        url = URL(target.url, encoded=True)
        async with self._client.request(
            request.method, url, headers=_sent(request.headers), data=request.body, allow_redirects=False
        ) as response:
            # 1xx is interim (RFC 9110 §15.2), so a final 1xx is malformed or another protocol.
            if response.status < _FIRST_STATUS:
                raise FetchRefusedError("the server did not answer as HTTP has it")
            following = self._redirected(request, response)
            if following is not None:
                return following
            body = await BodyReader(response, self._settings.egress_response_body_bytes, self._work, holding).read()
            return FetchAnswer(
                url=target.url,
                status=response.status,
                status_text=_latin1((response.reason or "").encode("utf-8", "surrogateescape")),
                headers=tuple((_latin1(name), _latin1(value)) for name, value in response.raw_headers),
                body=body,
                redirected=was_redirected,
            )

    def _redirected(self, request: FetchRequest, response: aiohttp.ClientResponse) -> FetchRequest | None:
        if response.status not in REDIRECTS or request.redirect is Redirect.MANUAL:
            return None
        if request.redirect is Redirect.ERROR:
            raise FetchRefusedError("it was redirected, and the request says that this is an error")
        location = response.headers.get("Location")
        if location is None:
            return None
        return redirected(request, response.status, location)


def _sent(headers: Headers) -> CIMultiDict[str]:
    sent = CIMultiDict(headers)
    for name, value in _DEFAULT_HEADERS.items():
        sent.setdefault(name, value)
    # Only codings whose decompression BodyReader can limit.
    sent["Accept-Encoding"] = ACCEPTED_CODINGS
    return sent


def _latin1(value: bytes) -> str:
    """Decodes for a script, a character a byte (Fetch Standard, "isomorphic decode")."""
    return value.decode("latin-1")


def _reason(error: Exception) -> str:
    """Returns the kind of failure. Error texts have addresses that the action must not learn."""
    match error:
        case aiohttp.ClientSSLError():
            return "no TLS connection with a certificate of that name could be made"
        case aiohttp.ClientConnectionError() if isinstance(error, OSError):
            return "no connection could be made"
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return "the server did not answer as HTTP has it, or with headers that are too long"
        case aiohttp.ClientConnectionError():
            return "the connection ended before the answer was whole"
        case _:
            return "the request could not be made"
