"""Client of the dstack guest agent: JSON over HTTP/1.1 on a unix socket (attestation.md section 5)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self, TypeVar

import aiohttp
from pydantic import BaseModel, JsonValue, ValidationError

from attest.answers import DerivedKey, Info, Quote, TlsKey, Version
from attest.errors import AttestError, AttestErrorCode
from attest.quote_bytes import REPORT_DATA_LENGTH_BYTES, report_data_of
from attest.retries import RetryBudget, RetryLimits

AnswerT = TypeVar("AnswerT", bound=BaseModel)
URL_SCHEMES: Final = ("http://", "https://")
READ_BLOCK_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class GuestAgentLimits:
    """How long and how much the node waits for. A quote costs the hardware a round trip; the rest is local."""

    connect_timeout_s: float = 2.0
    call_timeout_s: float = 10.0
    """Everything but GetQuote: from the call to the last byte, repetitions included."""
    quote_timeout_s: float = 30.0
    """GetQuote: likewise."""
    response_bytes: int = 4 * 1024 * 1024
    retries: RetryLimits = field(default_factory=RetryLimits)


class GuestAgent:
    """The platform under this node. `endpoint` is the path of a unix socket or an http(s) URL.

    Use as an async context manager, or `await close()`. Every method raises AttestError and nothing else.
    """

    def __init__(self, endpoint: str, limits: GuestAgentLimits | None = None) -> None:
        self._limits = limits or GuestAgentLimits()
        self._socket = None if endpoint.startswith(URL_SCHEMES) else endpoint
        self._base = "http://guest-agent" if self._socket else endpoint.rstrip("/")
        self._session: aiohttp.ClientSession | None = None
        self._budget = RetryBudget(self._limits.retries)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the agent may be used again afterwards."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def info(self) -> Info:
        """Who this TD is: app id, instance id, measurements, compose text."""
        return await self._call("Info", {}, Info, self._limits.call_timeout_s)

    async def version(self) -> Version:
        """The guest agent's own version; agents before 0.5.7 refuse the question."""
        return await self._call("Version", {}, Version, self._limits.call_timeout_s)

    async def get_key(self, path: str, purpose: str, algorithm: str = "secp256k1") -> DerivedKey:
        """32 bytes that only this app gets. `path` alone separates keys; purpose and algorithm only enter the signature."""
        asked = {"path": path, "purpose": purpose, "algorithm": algorithm}
        return await self._call("GetKey", asked, DerivedKey, self._limits.call_timeout_s)

    async def get_tls_key(self, subject: str, alternative_names: Sequence[str] = ()) -> TlsKey:
        """A fresh key with a certificate of the platform's own CA, another one each time: asked at most once."""
        names: list[JsonValue] = list(alternative_names)
        asked: dict[str, JsonValue] = {"subject": subject, "alt_names": names, "usage_server_auth": True}
        return await self._call("GetTlsKey", asked, TlsKey, self._limits.call_timeout_s, repeatable=False)

    async def get_quote(self, report_data: bytes) -> Quote:
        """A quote over exactly these 64 bytes. The platform makes one at a time: ask through a `QuoteQueue`."""
        if len(report_data) != REPORT_DATA_LENGTH_BYTES:
            raise AttestError(
                AttestErrorCode.BAD_REQUEST, f"Report data must be exactly {REPORT_DATA_LENGTH_BYTES} bytes."
            )
        asked = {"report_data": report_data.hex()}
        quote = await self._call("GetQuote", asked, Quote, self._limits.quote_timeout_s, repeatable=False)
        if quote.report_data != report_data or report_data_of(quote.quote) != report_data:
            raise AttestError(AttestErrorCode.MALFORMED_ANSWER, "GetQuote: the answer is over other report data.")
        return quote

    async def _call(
        self,
        method: str,
        asked: Mapping[str, JsonValue],
        model: type[AnswerT],
        timeout_s: float,
        *,
        repeatable: bool = True,
    ) -> AnswerT:
        try:
            async with asyncio.timeout(timeout_s):
                status, body = await self._exchange(method, asked, repeatable=repeatable)
        except TimeoutError:
            raise AttestError(AttestErrorCode.TIMEOUT, f"{method}: no whole answer within {timeout_s:g} s.") from None
        if status != 200:
            raise AttestError(AttestErrorCode.REFUSED, f"{method}: the guest agent answered {status}.")
        return _read(method, body, model)

    async def _exchange(self, method: str, asked: Mapping[str, JsonValue], *, repeatable: bool) -> tuple[int, bytes]:
        """One answer. A broken connection is tried again; for what must not be done twice, only one that never was."""
        attempts = 0
        while True:
            attempts += 1
            try:
                answer = await self._attempt(method, asked)
            except TimeoutError:
                raise
            except (aiohttp.ClientError, OSError, ValueError) as error:
                seen = not isinstance(error, aiohttp.ClientConnectorError)
                pause_s = None if seen and not repeatable else self._budget.pause_s(attempts)
                if pause_s is None:
                    message = f"{method}: the guest agent cannot be reached ({type(error).__name__})."
                    raise AttestError(AttestErrorCode.UNREACHABLE, message) from None
                await asyncio.sleep(pause_s)
            else:
                self._budget.succeeded()
                return answer

    async def _attempt(self, method: str, asked: Mapping[str, JsonValue]) -> tuple[int, bytes]:
        if self._session is None:
            self._session = self._new_session()
        async with self._session.post(f"{self._base}/{method}", json=asked, allow_redirects=False) as response:
            return response.status, await self._bounded_body(method, response)

    async def _bounded_body(self, method: str, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for block in response.content.iter_chunked(READ_BLOCK_BYTES):
            body += block
            if len(body) > self._limits.response_bytes:
                message = f"{method}: the answer is longer than {self._limits.response_bytes} bytes."
                raise AttestError(AttestErrorCode.ANSWER_TOO_LARGE, message)
        return bytes(body)

    def _new_session(self) -> aiohttp.ClientSession:
        # a connection a call: an agent that closes an idle one just as it is used again would fail the call for nothing
        connector = (
            aiohttp.UnixConnector(self._socket, force_close=True)
            if self._socket
            else aiohttp.TCPConnector(force_close=True)
        )
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect_timeout_s)
        return aiohttp.ClientSession(
            connector=connector, timeout=timeout, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()
        )


def _read(method: str, body: bytes, model: type[AnswerT]) -> AnswerT:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        # names of fields and rules only: the values may be keys
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))} {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False, include_context=False)[:4]
        )
        raise AttestError(AttestErrorCode.MALFORMED_ANSWER, f"{method}: {faults}.") from None
