"""An HTTP session that speaks with an attested TD or not at all.

    async with attested_session("https://HOST", trust) as session:
        response = await session.post("/core/v1/svc_action", {"code": "…"}, headers)

Nothing but the verifier's own questions is written to a connection before its other end is proven; see
`attested_connections.py`. Redirects are never followed, cookies never kept, and the environment is not asked for proxies.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp

from svc_verifier.attested_connections import (
    DEFAULT_LIMITS,
    Attestation,
    AttestedConnector,
    SessionLimits,
    boot_time_s,
)
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json
from svc_verifier.gathering.gather import Sources
from svc_verifier.gathering.host import plain_session, unverified_context, verified_context
from svc_verifier.gathering.rpc import read_bounded
from svc_verifier.gathering.sources import sources as usual_sources
from svc_verifier.host_address import HostAddress
from svc_verifier.trust import Trust

NESTING: Final = 64


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer. Header names are in lower case; of one that comes twice the last counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """The body as JSON. Raises VerifierError(NOT_JSON, TOO_LARGE)."""
        return parse_json(self.body, "answer", len(self.body), NESTING)


class AttestedSession:
    """Requests to one attested host, any number at a time. Paths begin with a slash."""

    def __init__(
        self, address: HostAddress, session: aiohttp.ClientSession, proxy_url: str | None, limits: SessionLimits
    ) -> None:
        self._address = address
        self._session = session
        self._proxy_url = proxy_url
        self._limits = limits

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
        """Any request; its answer as it is, redirects too.

        Raises VerifierError, and nothing else: NotAcceptedError where the host is not accepted (any more), OTHER_HOST
        for a path that is none, UNREACHABLE, TOO_LARGE.
        """
        if not path.startswith("/") or path.startswith("//"):
            raise VerifierError(VerifierErrorCode.OTHER_HOST, "name a path of the host that begins with one slash")
        timeout = aiohttp.ClientTimeout(total=timeout_s or self._limits.request_timeout_s)
        try:
            async with self._session.request(
                method,
                self._address.origin + path,
                data=body,
                headers=headers,
                timeout=timeout,
                proxy=self._proxy_url,
                allow_redirects=False,
            ) as response:
                read = await read_bounded(response, self._limits.body_bytes)
        except VerifierError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise VerifierError(VerifierErrorCode.UNREACHABLE, f"no answer ({type(error).__name__})") from None
        if read is None:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"answer: more than {self._limits.body_bytes} bytes")
        return Response(response.status, {name.lower(): value for name, value in response.headers.items()}, read)


@asynccontextmanager
async def attested_session(
    host: str,
    trust: Trust,
    sources: Sources | None = None,
    limits: SessionLimits = DEFAULT_LIMITS,
    clock: Callable[[], float] = boot_time_s,
) -> AsyncIterator[AttestedSession]:
    """Verify `host` (https://NAME[:PORT]), then speak with it.

    `sources` says where collateral comes from (Intel's service unless named), and through which proxy. `clock` measures
    how old an attestation is. Raises NotAcceptedError, and VerifierError(BAD_HOST).
    """
    used = sources or usual_sources()
    attestation = Attestation(HostAddress.of(host), trust, used, limits, clock)
    await attestation.open()
    context = verified_context() if trust.development_root is None else unverified_context()
    connector = AttestedConnector(attestation, context)
    async with plain_session(connector=connector) as session:
        yield AttestedSession(attestation.address, session, used.proxy_url, limits)
