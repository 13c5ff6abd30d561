"""Sessions with verified connections, for threads without an event loop."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager

from svc_verifier.formats.strict_json import Json
from svc_verifier.gathering.gather import Sources
from svc_verifier.session import DEFAULT_LIMITS, AttestedSession, Response, SessionLimits, attested_session, boot_time_s
from svc_verifier.trust import Trust


class SyncSession:
    """`AttestedSession` for one request after the other."""

    def __init__(self, runner: asyncio.Runner, session: AttestedSession) -> None:
        self._runner = runner
        self._session = session

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        """GET a path. Raises VerifierError, and nothing else."""
        return self._runner.run(self._session.get(path, headers))

    def post(self, path: str, value: Json, headers: Mapping[str, str] | None = None) -> Response:
        """POST a JSON value to a path. Raises VerifierError, and nothing else."""
        return self._runner.run(self._session.post(path, value, headers))

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Response:
        """Send a request. Raises VerifierError, and nothing else."""
        return self._runner.run(self._session.request(method, path, body, headers, timeout_s))


@contextmanager
def attested_sync_session(
    host: str,
    trust: Trust,
    sources: Sources | None = None,
    limits: SessionLimits = DEFAULT_LIMITS,
    clock: Callable[[], float] = boot_time_s,
) -> Iterator[SyncSession]:
    """See `attested_session`. Raises NotAcceptedError, VerifierError(BAD_HOST)."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        session = runner.run(stack.enter_async_context(attested_session(host, trust, sources, limits, clock)))
        try:
            yield SyncSession(runner, session)
        finally:
            runner.run(stack.aclose())
