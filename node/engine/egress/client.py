"""HTTP client of one action: checks each request, makes it, and follows redirects."""

import asyncio
from collections.abc import Sequence
from typing import Final

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from node.engine.egress.addresses import AddressPolicy
from node.engine.egress.body import ACCEPTED_CODINGS, BodyReader
from node.engine.egress.budget import Budget, Holding
from node.engine.egress.messages import REDIRECTS, FetchAnswer, FetchRequest, Headers, Redirect, redirected
from node.engine.egress.reading_work import ReadingWork
from node.engine.egress.targets import FetchRefusedError
from node.settings.execution import EgressSettings

RESPONSE_HEADERS_MAX: Final = 100
"""Headers of an answer."""
RESPONSE_HEADER_BYTES_MAX: Final = 8_192
"""A single header of an answer, and its status line: what aiohttp and common proxies allow."""
_DEFAULT_HEADERS: Final = {"Accept": "*/*", "User-Agent": "svc-node"}
_UNASKED_HEADERS: Final = ("Accept-Encoding", "Content-Type", "User-Agent")
_FIRST_STATUS: Final = 200


class FetchClient:
    """Makes the outbound requests of one action. Must be closed when the action has ended."""

    def __init__(
        self,
        settings: EgressSettings,
        policy: AddressPolicy,
        connector: aiohttp.TCPConnector,
        budget: Budget,
        work: ReadingWork,
    ) -> None:
        self._settings = settings
        self._policy = policy
        self._budget = budget
        self._work = work
        self._slots = asyncio.Semaphore(settings.egress_concurrent_requests)
        self._client = aiohttp.ClientSession(
            connector=connector,
            # Cookies would carry state from one request of the action to another without its code asking for it.
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            # Decompressed by BodyReader, within limits: a small body can unpack to gigabytes.
            auto_decompress=False,
            # The environment could name a proxy, to which every request would be disclosed.
            trust_env=False,
            skip_auto_headers=_UNASKED_HEADERS,
            max_line_size=RESPONSE_HEADER_BYTES_MAX,
            max_field_size=RESPONSE_HEADER_BYTES_MAX,
            max_headers=RESPONSE_HEADERS_MAX,
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    def holding(self) -> Holding:
        """Return the memory of one body, empty yet. The caller releases it when the body has been handed over or given up."""
        return Holding(self._budget)

    async def fetch(self, request: FetchRequest, holding: Holding) -> FetchAnswer:
        """Make the request and those it redirects to. Raises FetchRefusedError with the reason."""
        async with self._slots:
            # Checked once the slot is free: earlier requests of the action may have used its time up.
            self._work.require_some_left()
            try:
                async with asyncio.timeout(self._settings.egress_timeout_s):
                    return await self._follow(request, holding)
            except TimeoutError:
                raise FetchRefusedError(f"it took longer than {self._settings.egress_timeout_s:g} seconds") from None
            except (aiohttp.ClientError, OSError, ValueError) as error:
                self._work.require_some_left()
                raise FetchRefusedError(_reason(error)) from None

    async def _follow(self, request: FetchRequest, holding: Holding) -> FetchAnswer:
        for hops in range(self._settings.egress_redirects + 1):
            outcome = await self._once(request, holding, hops > 0)
            if isinstance(outcome, FetchAnswer):
                return outcome
            request = outcome
        raise FetchRefusedError(f"it was redirected more than {self._settings.egress_redirects} times")

    async def _once(self, request: FetchRequest, holding: Holding, was_redirected: bool) -> FetchAnswer | FetchRequest:
        """Make one exchange. Return its answer, or the request that must follow."""
        target = request.target
        # Before the look-up: the name itself must not reach a resolver if it is private.
        if target.address is None:
            self._policy.check_name(target)
        else:
            self._policy.check_addresses(target.host, [target.address])
        # Sent exactly as it was checked: a second normalisation could change the host.
        url = URL(target.url, encoded=True)
        async with self._client.request(
            request.method, url, headers=_sent(request.headers), data=request.body, allow_redirects=False
        ) as response:
            # 1xx is interim (RFC 9110 §15.2): as a final status it is malformed, or another protocol.
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
                headers=_received(response.raw_headers),
                body=body,
                redirected=was_redirected,
            )

    def _redirected(self, request: FetchRequest, response: aiohttp.ClientResponse) -> FetchRequest | None:
        location = response.headers.get("Location")
        if response.status not in REDIRECTS or location is None or request.redirect is Redirect.MANUAL:
            return None
        if request.redirect is Redirect.ERROR:
            raise FetchRefusedError("it was redirected, and the request says that this is an error")
        return redirected(request, response.status, location)


def _sent(headers: Headers) -> CIMultiDict[str]:
    sent = CIMultiDict(headers)
    for name, value in _DEFAULT_HEADERS.items():
        sent.setdefault(name, value)
    # Only codings whose unpacking BodyReader can bound.
    sent["Accept-Encoding"] = ACCEPTED_CODINGS
    return sent


def _received(raw: Sequence[tuple[bytes, bytes]]) -> Headers:
    """Decode headers as a script sees them, a character a byte (Fetch Standard, "isomorphic decode")."""
    return tuple((_latin1(name), _latin1(value)) for name, value in raw)


def _latin1(value: bytes) -> str:
    return value.decode("latin-1")


def _reason(error: Exception) -> str:
    """Return the kind of a failure. The texts of errors hold addresses, which the action must not learn."""
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
