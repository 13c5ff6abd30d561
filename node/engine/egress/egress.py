"""State that all actions' outbound requests share, and the host calls of one action."""

import asyncio
import resource
import ssl
from collections.abc import Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Final, Self

from pydantic import JsonValue

from node.engine.egress.client import FetchClient
from node.engine.egress.connector import CheckedResolver, Resolver, SystemResolver, checked_connector
from node.engine.egress.messages import FetchAnswer, FetchRequest, answer_message, parse_request
from node.engine.egress.parse_time import ReadingWork, meter
from node.engine.egress.targets import AddressPolicy, FetchRefusedError
from node.engine.port import HostCallError, HostCalls, StopReason
from node.runtime.limits import Gate, Held, LimitReachedError
from node.runtime.tls_trust import built_in_trust
from node.settings.execution import EgressSettings

_MANY_BODIES: Final = "too many bodies are on their way at once; fetch them one after the other"
_MANY_SOCKETS: Final = "too many connections are open at once; try again, or fetch one after the other"
HELD_BYTES_PER_ACCOUNT: Final = 32 * 1024 * 1024
"""Maximum bytes held for one account, enough for three of the largest bodies."""
SOCKETS_PER_ACCOUNT: Final = 96
"""Maximum connections of one account, six for each of its 16 actions."""
READING_CPU_S: Final = 2.0
"""Processor time to parse one action's responses. 10 MiB take 0.01 s plain, 0.03 s compressed."""
_LOOKUPS_MAX: Final = 64
"""Maximum names looked up at a time, each in a thread."""
_LOOKUPS_PER_ACCOUNT_MAX: Final = 16
"""Maximum look-ups of one account, whose name server can delay each by half a minute."""
_SHARE_OF_DESCRIPTORS: Final = 6
"""Divisor for the sockets of actions. Half of the descriptors are for clients, a third here."""


class Egress:
    """State for all actions of a node: address policy, resolver, certificates and budgets.

    `resolver` defaults to the system's, `tls` to the certificates that the machine was built with.
    Create it in a running event loop.
    """

    def __init__(
        self,
        settings: EgressSettings | None = None,
        policy: AddressPolicy | None = None,
        *,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.settings = settings or EgressSettings()
        self._policy = policy or AddressPolicy()
        self._resolver = resolver or SystemResolver(_LOOKUPS_MAX, _LOOKUPS_PER_ACCOUNT_MAX)
        self._tls = tls or built_in_trust()
        self._bodies = Gate(_MANY_BODIES, self.settings.egress_held_bytes, HELD_BYTES_PER_ACCOUNT)
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        sockets_max = self.settings.egress_sockets
        if descriptors >= 0:
            sockets_max = min(sockets_max, descriptors // _SHARE_OF_DESCRIPTORS)
        self._sockets = Gate(_MANY_SOCKETS, sockets_max, SOCKETS_PER_ACCOUNT)

    def client(self, account: int) -> FetchClient:
        """Returns a client for one action of the account. It shares no connection with another."""
        resolver = CheckedResolver(self._resolver, self._policy, account)
        connector = checked_connector(
            resolver,
            self._policy,
            self.settings.egress_concurrent_requests,
            self._tls,
            partial(Held, self._sockets, account),
        )
        work = ReadingWork(READING_CPU_S)
        meter(connector, work)
        return FetchClient(self.settings, self._policy, connector, work)

    def body(self, account: int) -> Held:
        """Returns the memory of one body, empty yet. The caller releases it after use."""
        return Held(self._bodies, account)


class FetchCalls:
    """The `HostCalls` of one run, with `fetch` and `fetchAbort` before those of `host`.

    Use it as an async context manager around the run. `stop` ends a run that fetches too often.
    """

    def __init__(self, host: HostCalls, egress: Egress, account: int, stop: "asyncio.Future[StopReason]") -> None:
        self._host = host
        self._egress = egress
        self._account = account
        self._stop = stop
        self._client: FetchClient | None = None
        self._running: dict[int, asyncio.Task[FetchAnswer]] = {}
        self.requests = 0

    async def __aenter__(self) -> Self:
        """Opens nothing before the first fetch."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes every connection."""
        if self._client is not None:
            # An open connection counts against the account's sockets until it is closed.
            await self._client.close()

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        """Runs one call. A failed fetch is a `TypeError`, an aborted one an `AbortError`.

        The message is the bare reason, before which the prelude puts `fetch failed: `.
        """
        if name not in {"fetch", "fetchAbort"}:
            return await self._host.call(name, arguments)
        match arguments:
            case [{"call": int() as call} as message] if isinstance(message, dict):
                return await self._fetch(call, message) if name == "fetch" else self._abort(call)
            case _:
                raise HostCallError("TypeError", "the request is not one that fetch makes")

    async def _fetch(self, call: int, message: Mapping[str, JsonValue]) -> JsonValue:
        # Count first, so that every request is counted.
        self.requests += 1
        if self.requests > self._egress.settings.egress_requests:
            if not self._stop.done():
                self._stop.set_result(StopReason.FETCH_LIMIT)
            raise HostCallError(StopReason.FETCH_LIMIT, "The action made more outbound requests than it may.")
        try:
            request = parse_request(message, self._egress.settings.egress_request_body_bytes)
            return answer_message(await self._held(call, request))
        except FetchRefusedError as error:
            # The reason alone, since its cause may name addresses that the action must not learn.
            raise HostCallError("TypeError", error.reason) from None
        except LimitReachedError as error:
            raise HostCallError("TypeError", error.message) from None

    async def _held(self, call: int, request: FetchRequest) -> FetchAnswer:
        """Returns the response, whose memory counts until the caller's task has ended.

        That task passes it to the action, which may take it late or never.
        """
        # A repeated number would hide the first request from `fetchAbort`.
        if call in self._running:
            raise FetchRefusedError("the request is not one that fetch makes")
        if self._client is None:
            self._client = self._egress.client(self._account)
        holding = self._egress.body(self._account)
        caller = asyncio.current_task()
        if caller is not None:
            caller.add_done_callback(lambda _: holding.release())
        task = self._running[call] = asyncio.create_task(self._client.fetch(request, holding))
        try:
            # `wait` instead of await, since an abort cancels the task but not this call.
            await asyncio.wait({task})
        finally:
            del self._running[call]
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if task.cancelled():
            raise HostCallError("AbortError", "The operation was aborted.")
        return task.result()

    def _abort(self, call: int) -> JsonValue:
        """Ends a fetch. Returns False if none with this number is in progress."""
        task = self._running.get(call)
        return task is not None and task.cancel()
