"""Requests to a host that was verified over the connection that carries them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp
from yarl import URL

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.formats.strict_json import Json, parse_json
from svc_verifier.gathering.gather import Sources
from svc_verifier.gathering.gather import sources as usual_sources
from svc_verifier.gathering.host import plain_session, read_bounded, unverified_context, verified_context
from svc_verifier.session.attestation import DEFAULT_LIMITS, Attestation, SessionLimits, boot_time_s
from svc_verifier.session.connector import REACHED, AttestedConnector, NoAnswerError, Reached
from svc_verifier.session.verification import Verification
from svc_verifier.trust import Trust

_AS_WRITTEN: Final = re.compile(r"/(?!/)[!\"$-~]*")
"""Printable ASCII but `#`, after one slash (RFC 3986 4.2: two begin another authority)."""
NESTING: Final = 64


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response. Header names are in lower case; the last of equal ones counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """Returns the body as JSON. Raises VerifierError(NOT_JSON, TOO_LARGE)."""
        return parse_json(self.body, "answer", len(self.body), NESTING)


@dataclass(frozen=True, slots=True)
class Streamed:
    """A response with a body in parts. Header names are as in `Response`."""

    status: int
    headers: Mapping[str, str]
    parts: AsyncIterator[bytes]


class AttestedSession:
    """Requests to one attested host, any number at a time. Paths begin with a slash."""

    def __init__(
        self, attestation: Attestation, session: aiohttp.ClientSession, proxy_url: str | None, limits: SessionLimits
    ) -> None:
        self._attestation = attestation
        self._address = attestation.address
        self._session = session
        self._proxy_url = proxy_url
        self._limits = limits

    @property
    def verification(self) -> Verification | None:
        """The last verification, accepted or not; None before the first.

        An undecided one does not replace an accepted one whose key is in use.
        """
        return self._attestation.latest

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """GET a path. Raises VerifierError, and nothing else."""
        return await self.request("GET", path, headers=headers)

    async def post(self, path: str, value: Json, headers: Mapping[str, str] | None = None) -> Response:
        """POST a JSON value to a path. Raises VerifierError, and nothing else."""
        content = {"Content-Type": "application/json", **(headers or {})}
        return await self.request("POST", path, json.dumps(value).encode(), content)

    async def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Response:
        """Send a request and return its response, redirects too.

        Raises VerifierError alone: NotAcceptedError when the host is not accepted (any more),
        OTHER_HOST for an invalid path, NoAnswerError (UNREACHABLE), TOO_LARGE.
        """
        timeout = aiohttp.ClientTimeout(total=timeout_s or self._limits.request_timeout_s)
        # RFC 3986 §4.2: two slashes begin another authority.
        if not path.startswith("/") or path.startswith("//"):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, "name a path of the host that begins with one slash")
        response = await self._begin(method, URL(self._address.origin + path), body, headers, timeout)
        try:
            async with response:
                read = await read_bounded(response, self._limits.body_bytes)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise NoAnswerError(f"no answer ({type(error).__name__})", was_sent=True) from None
        if read is None:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"answer: more than {self._limits.body_bytes} bytes")
        return Response(response.status, _headers_of(response), read)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        body: AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        idle_s: float | None = None,
    ) -> AsyncIterator[Streamed]:
        """Send a request whose body is read as the host takes it; yield the response in parts.

        `path` is sent as written, in printable ASCII without `#`. `body` is read only after the
        host is attested. `idle_s` limits the wait for each part of the response, which has no
        largest size. Raises VerifierError as `request` does, also while parts are read.
        """
        timeout = aiohttp.ClientTimeout(total=None, connect=self._limits.request_timeout_s, sock_read=idle_s)
        if not _AS_WRITTEN.fullmatch(path):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, "name a path of the host in printable ASCII")
        # Encoded again it could be another path: `/a/../b` would be sent as `/b`, `%7e` as `~`.
        url = URL(self._address.origin + path, encoded=True)
        response = await self._begin(method, url, body, headers, timeout)
        try:
            yield Streamed(response.status, _headers_of(response), _parts_of(response))
        finally:
            # This closes the connection of an unfinished response, so that the host stops sending.
            response.release()

    async def _begin(
        self,
        method: str,
        url: URL,
        body: bytes | AsyncIterator[bytes] | None,
        headers: Mapping[str, str] | None,
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own limits, of each phase
    ) -> aiohttp.ClientResponse:
        """Send a request and return its response with an unread body. Raises VerifierError."""
        reached = Reached()
        token = REACHED.set(reached)
        try:
            return await self._session.request(
                method,
                url,
                data=body,
                headers=headers,
                timeout=timeout,
                proxy=self._proxy_url,
                allow_redirects=False,
            )
        except VerifierError as error:
            if error.code is not VerifierErrorCode.UNREACHABLE:
                raise
            raise NoAnswerError(error.message, was_sent=reached.is_proven) from None
        # Whether a byte may have left decides if the caller can safely send the request again.
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise NoAnswerError(f"no answer ({type(error).__name__})", was_sent=reached.is_proven) from None
        finally:
            REACHED.reset(token)


def _headers_of(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


async def _parts_of(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for part in response.content.iter_any():
            yield part
    except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
        raise NoAnswerError(f"the answer broke off ({type(error).__name__})", was_sent=True) from None


@asynccontextmanager
async def attested_session(
    host: str,
    trust: Trust,
    sources: Sources | None = None,
    limits: SessionLimits = DEFAULT_LIMITS,
    clock: Callable[[], float] = boot_time_s,
) -> AsyncIterator[AttestedSession]:
    """Verify `host` (https://NAME[:PORT]), then yield a session with it.

    `sources` names the source of collateral (by default Intel's) and the proxy. `clock` measures
    the age of an attestation. Raises NotAcceptedError, and VerifierError(BAD_HOST).
    """
    used = sources or usual_sources()
    attestation = Attestation(HostAddress.of(host), trust, used, limits, clock)
    await attestation.open()
    # Under Intel's root the Web PKI must accept too; under a development root the key decides.
    context = await asyncio.to_thread(verified_context if trust.development_root is None else unverified_context)
    connector = AttestedConnector(attestation, context)
    async with plain_session(connector=connector) as session:
        yield AttestedSession(attestation, session, used.proxy_url, limits)
