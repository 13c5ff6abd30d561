"""Client of the dstack guest agent, which speaks JSON over HTTP/1.1 on a unix socket."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

import aiohttp
from pydantic import BaseModel, JsonValue, ValidationError

from attest.errors import AttestError, AttestErrorCode
from attest.responses import REPORT_DATA_LENGTH_BYTES, DerivedKey, Info, Quote, TlsKey, Version, report_data_of
from attest.tls import trusted_context

ResponseT = TypeVar("ResponseT", bound=BaseModel)
URL_SCHEMES: Final = ("http://", "https://")
READ_BLOCK_BYTES: Final = 65_536
CONNECT_TIMEOUT_S: Final = 2.0
"""Longest wait for a connection. A local agent accepts at once or not at all."""
CALL_TIMEOUT_S: Final = 10.0
"""Longest call of every method but GetQuote, repetitions included."""
QUOTE_TIMEOUT_S: Final = 30.0
"""Longest call of GetQuote, for which the hardware makes the quote and the host signs it."""
RESPONSE_MAX_BYTES: Final = 4 * 1024 * 1024
"""Largest response. A boot log with its compose text has some 100 KiB."""
RETRY_ATTEMPTS: Final = 3
"""Attempts of one call whose connection breaks, the first included."""
RETRY_PAUSE_MAX_S: Final = 0.05
"""Longest pause before the second attempt. It doubles, and a random share of it is taken."""
RETRY_BUDGET: Final = 10
"""Repetitions in a row for all calls together."""
RETRY_BUDGET_PER_CALL: Final = 0.1
"""Share of a repetition that a successful call gives back. It bounds retries of a failing agent."""


def random_share() -> float:
    """Returns a random number from 0 to 1."""
    return random.random()  # noqa: S311 - spreads attempts, protects nothing


class RetryBudget:
    """Repetitions left for all calls together. `share` returns a random number from 0 to 1."""

    def __init__(self, share: Callable[[], float] = random_share) -> None:
        self._share = share
        self._left = float(RETRY_BUDGET)

    def succeeded(self) -> None:
        """Give a part of a repetition back, up to the first budget."""
        self._left = min(self._left + RETRY_BUDGET_PER_CALL, float(RETRY_BUDGET))

    def pause_s(self, attempts: int) -> float | None:
        """Returns the pause after that many failed attempts; None means give up."""
        # One budget for all calls, so that retries do not multiply the load on a failing agent.
        if attempts >= RETRY_ATTEMPTS or self._left < 1:
            return None
        self._left -= 1
        return float(RETRY_PAUSE_MAX_S * 2 ** (attempts - 1) * self._share())


class GuestAgent:
    """Client of the platform under this node. `endpoint` is a unix socket's path or an http(s) URL.

    An async context manager; else call `close()`. Every method raises AttestError alone.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        call_timeout_s: float = CALL_TIMEOUT_S,
        quote_timeout_s: float = QUOTE_TIMEOUT_S,
    ) -> None:
        self._connect_timeout_s = connect_timeout_s
        self._call_timeout_s = call_timeout_s
        self._quote_timeout_s = quote_timeout_s
        self._socket = None if endpoint.startswith(URL_SCHEMES) else endpoint
        self._base = "http://guest-agent" if self._socket else endpoint.rstrip("/")
        self._session: aiohttp.ClientSession | None = None
        self._budget = RetryBudget()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def info(self) -> Info:
        """Returns the identity of this TD with measurements and compose text."""
        return await self._call("Info", {}, Info, self._call_timeout_s)

    async def version(self) -> Version:
        """Returns the guest agent's own version. Agents before 0.5.7 refuse the call."""
        return await self._call("Version", {}, Version, self._call_timeout_s)

    async def get_key(self, path: str, purpose: str, algorithm: str = "secp256k1") -> DerivedKey:
        """Returns 32 bytes for this app and `path`. The rest only enters the signature."""
        parameters = {"path": path, "purpose": purpose, "algorithm": algorithm}
        return await self._call("GetKey", parameters, DerivedKey, self._call_timeout_s)

    async def get_tls_key(self, subject: str, alternative_names: Sequence[str] = ()) -> TlsKey:
        """Returns a new key and its certificate from the platform's CA. Never repeated."""
        names: list[JsonValue] = list(alternative_names)
        parameters: dict[str, JsonValue] = {"subject": subject, "alt_names": names, "usage_server_auth": True}
        return await self._call("GetTlsKey", parameters, TlsKey, self._call_timeout_s, repeatable=False)

    async def get_quote(self, report_data: bytes) -> Quote:
        """Returns a quote over these 64 bytes. The platform makes one at a time (`QuoteQueue`)."""
        if len(report_data) != REPORT_DATA_LENGTH_BYTES:
            raise AttestError(
                AttestErrorCode.BAD_REQUEST, f"Report data must be exactly {REPORT_DATA_LENGTH_BYTES} bytes."
            )
        parameters = {"report_data": report_data.hex()}
        quote = await self._call("GetQuote", parameters, Quote, self._quote_timeout_s, repeatable=False)
        # The response and the quote itself are checked: a mix-up would bind another client's nonce.
        if quote.report_data != report_data or report_data_of(quote.quote) != report_data:
            raise AttestError(AttestErrorCode.MALFORMED_ANSWER, "GetQuote: the answer is over other report data.")
        return quote

    async def _call(
        self,
        method: str,
        parameters: Mapping[str, JsonValue],
        model: type[ResponseT],
        timeout_s: float,
        *,
        repeatable: bool = True,
    ) -> ResponseT:
        try:
            async with asyncio.timeout(timeout_s):
                status, body = await self._exchange(method, parameters, repeatable=repeatable)
        except TimeoutError:
            raise AttestError(AttestErrorCode.TIMEOUT, f"{method}: no whole answer within {timeout_s:g} s.") from None
        if status != 200:
            raise AttestError(AttestErrorCode.REFUSED, f"{method}: the guest agent answered {status}.")
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            # Names of fields and rules only, since the values may be keys.
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc']))} {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False, include_context=False)[:4]
            )
            raise AttestError(AttestErrorCode.MALFORMED_ANSWER, f"{method}: {faults}.") from None

    async def _exchange(
        self, method: str, parameters: Mapping[str, JsonValue], *, repeatable: bool
    ) -> tuple[int, bytes]:
        """Returns status and body. A broken connection is retried.

        A call that is not `repeatable` is retried only if no connection was made.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                answer = await self._attempt(method, parameters)
            except TimeoutError:
                raise
            except (aiohttp.ClientError, OSError, ValueError) as error:
                # The agent may have seen the request; GetQuote and GetTlsKey must not run twice.
                seen = not isinstance(error, aiohttp.ClientConnectorError)
                pause_s = None if seen and not repeatable else self._budget.pause_s(attempts)
                if pause_s is None:
                    message = f"{method}: the guest agent cannot be reached ({type(error).__name__})."
                    raise AttestError(AttestErrorCode.UNREACHABLE, message) from None
                await asyncio.sleep(pause_s)
            else:
                self._budget.succeeded()
                return answer

    async def _attempt(self, method: str, parameters: Mapping[str, JsonValue]) -> tuple[int, bytes]:
        if self._session is None:
            self._session = self._new_session()
        body = bytearray()
        async with self._session.post(f"{self._base}/{method}", json=parameters, allow_redirects=False) as response:
            async for block in response.content.iter_chunked(READ_BLOCK_BYTES):
                body += block
                # The agent is another process, whose fault must not exhaust our memory.
                if len(body) > RESPONSE_MAX_BYTES:
                    message = f"{method}: the answer is longer than {RESPONSE_MAX_BYTES} bytes."
                    raise AttestError(AttestErrorCode.ANSWER_TOO_LARGE, message)
        return response.status, bytes(body)

    def _new_session(self) -> aiohttp.ClientSession:
        # One connection a call, since the agent may close an idle one just as it is used again.
        connector = (
            aiohttp.UnixConnector(self._socket, force_close=True)
            if self._socket
            else aiohttp.TCPConnector(
                force_close=True, ssl=trusted_context() if self._base.startswith("https:") else False
            )
        )
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._connect_timeout_s)
        return aiohttp.ClientSession(
            connector=connector, timeout=timeout, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()
        )
