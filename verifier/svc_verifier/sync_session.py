"""The attested session for programs without an event loop: it runs one of its own, in the caller's thread."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json
from svc_verifier.gathering.gather import Sources
from svc_verifier.gathering.rpc import read_bounded
from svc_verifier.session import DEFAULT_LIMITS, SessionLimits, attested_session
from svc_verifier.trust import Trust

BODY_LIMIT_BYTES: Final = 16_777_216
NESTING: Final = 64


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer. Header names are in lower case; of one that comes twice the last counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Json:
        """The body as JSON. Raises VerifierError(NOT_JSON, TOO_LARGE)."""
        return parse_json(self.body, "answer", BODY_LIMIT_BYTES, NESTING)


class SyncSession:
    """Requests one after the other to the attested host."""

    def __init__(self, runner: asyncio.Runner, session: aiohttp.ClientSession, limit_bytes: int) -> None:
        self._runner = runner
        self._session = session
        self._limit_bytes = limit_bytes

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """GET a path. Raises VerifierError, and nothing else."""
        return self.request("GET", path, headers=headers)

    def post(self, path: str, value: Json, headers: Mapping[str, str] | None = None) -> Response:
        """POST a JSON value to a path. Raises VerifierError, and nothing else."""
        content = {"Content-Type": "application/json", **(headers or {})}
        return self.request("POST", path, json.dumps(value).encode(), content)

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Any request. Raises VerifierError, and nothing else."""
        return self._runner.run(self._request(method, path, body, headers))

    async def _request(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str] | None) -> Response:
        try:
            async with self._session.request(
                method, path, data=body, headers=headers, allow_redirects=False
            ) as response:
                read = await read_bounded(response, self._limit_bytes)
        except VerifierError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise VerifierError(VerifierErrorCode.UNREACHABLE, f"no answer ({type(error).__name__})") from None
        if read is None:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"answer: more than {self._limit_bytes} bytes")
        return Response(response.status, {name.lower(): value for name, value in response.headers.items()}, read)


@contextmanager
def attested_sync_session(
    host: str,
    trust: Trust,
    sources: Sources | None = None,
    limits: SessionLimits = DEFAULT_LIMITS,
    body_limit_bytes: int = BODY_LIMIT_BYTES,
) -> Iterator[SyncSession]:
    """As `attested_session`, for a thread that runs no event loop. Raises NotAcceptedError, VerifierError(BAD_HOST)."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        session = runner.run(stack.enter_async_context(attested_session(host, trust, sources, limits)))
        try:
            yield SyncSession(runner, session, body_limit_bytes)
        finally:
            runner.run(stack.aclose())
