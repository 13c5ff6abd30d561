"""The library's HTTP client over a session of ours: bounded in size and time, to one place, and with nothing of ours but what is asked.

The library's own follows redirects, reads answers of any size, lets aiohttp's errors (which hold the URL) through while
it reads, and says in headers what machine it runs on.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import aiohttp
import stripe

from node.processor.faults import NoAnswer
from node.processor.limits import ProcessorLimits
from node.processor.pace import Pace
from node.runtime.json_size import require_few_values

SENT: Final = frozenset({"authorization", "content-type", "idempotency-key", "stripe-version"})
"""Headers of the library that are sent on."""
HEARD: Final = ("stripe-should-retry", "request-id")
"""Headers of an answer that the library may see: another makes it warn with the processor's words."""
USER_AGENT: Final = "svc-node"
TOO_MANY: Final = 429


def own_session(limits: ProcessorLimits, trust: ssl.SSLContext) -> aiohttp.ClientSession:
    """A client session with nothing from the environment, no cookies, and these certificate authorities."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trust, limit=limits.concurrent_max),
        timeout=aiohttp.ClientTimeout(total=limits.attempt_timeout_s, connect=limits.connect_timeout_s),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        headers={"User-Agent": USER_AGENT},
    )


class BoundedClient(stripe.AIOHTTPClient):
    """One attempt of a call; the library repeats it where it may."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        pace: Pace,
        limits: ProcessorLimits,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        super().__init__(session=session)
        self._own_session = session
        self._pace = pace
        self._limits = limits
        self._sleep = sleep

    def sleep_async(self, secs: float) -> Awaitable[None]:
        """The wait before a repetition."""
        return self._sleep(secs)

    async def request_async(
        self, method: str, url: str, headers: Mapping[str, str], post_data: str | None = None
    ) -> tuple[bytes, int, Mapping[str, str]]:
        """Body, status and headers of one exchange. Raises stripe.APIConnectionError."""
        try:
            async with self._pace.turn():
                answer = await self._exchange(method, url, headers, post_data)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            why = _why(error)
        else:
            if answer is not None:
                return answer
            why = NoAnswer.TOO_LARGE
        raise _no_answer(why)

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], post_data: str | None
    ) -> tuple[bytes, int, Mapping[str, str]] | None:
        sent = {name: value for name, value in headers.items() if name.lower() in SENT}
        request = self._own_session.request(method.upper(), url, headers=sent, data=post_data, allow_redirects=False)
        async with request as response:
            body = bytearray()
            async for chunk in response.content.iter_any():
                body += chunk
                if len(body) > self._limits.response_max_bytes:
                    response.close()
                    return None
            if response.status == TOO_MANY:
                self._pace.rest(response.headers.get("Retry-After"))
            heard = {name: response.headers[name] for name in HEARD if name in response.headers}
            return (bytes(body), response.status, heard) if self._holds_few_values(body) else None

    def _holds_few_values(self, body: bytearray) -> bool:
        try:
            require_few_values(bytes(body), self._limits.response_max_values)
        except ValueError:
            return False
        return True


def _why(error: Exception) -> NoAnswer:
    if isinstance(error, TimeoutError):
        return NoAnswer.LATE
    if isinstance(error, aiohttp.ClientSSLError):
        return NoAnswer.TLS
    if isinstance(error, aiohttp.ClientConnectorError):
        return NoAnswer.UNREACHABLE
    return NoAnswer.BROKEN


def _no_answer(why: NoAnswer) -> stripe.APIConnectionError:
    """Raised outside of the handler, so that aiohttp's error, which holds the URL, is not its context."""
    again = why not in {NoAnswer.TLS, NoAnswer.TOO_LARGE}
    return stripe.APIConnectionError(why.value, should_retry=again)  # type: ignore[no-untyped-call]
