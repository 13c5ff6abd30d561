"""`fetch` and `fetchAbort` among the host calls of one action."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from node.engine.egress.client import FetchClient
from node.engine.egress.egress import Egress
from node.engine.egress.messages import FetchAnswer, FetchRequest, answer_message, parse_request
from node.engine.egress.targets import FetchRefusedError
from node.engine.port import HostCallError, HostCalls, StopReason


class FetchCalls:
    """The `HostCalls` of one run with `fetch` and `fetchAbort` before those of `host`.

    Use as an async context manager around the run. `stop` ends the run when it fetches too often.
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
        """Nothing is opened before the first fetch."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.close()

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        """Answer one call; see `HostCalls`. A failed fetch is a `TypeError`, an aborted one an `AbortError`.

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
        self._count()
        try:
            request = parse_request(message, self._egress.settings.egress_request_body_bytes)
            return answer_message(await self._held(call, request))
        except FetchRefusedError as error:
            raise HostCallError("TypeError", error.reason) from None

    def _count(self) -> None:
        self.requests += 1
        if self.requests > self._egress.settings.egress_requests:
            if not self._stop.done():
                self._stop.set_result(StopReason.FETCH_LIMIT)
            raise HostCallError(StopReason.FETCH_LIMIT, "The action made more outbound requests than it may.")

    async def _held(self, call: int, request: FetchRequest) -> FetchAnswer:
        """Return the answer, whose memory counts until the caller's task has ended.

        That task hands it to the action, which may take it late or never.
        """
        if self._client is None:
            self._client = self._egress.client(self._account)
        holding = self._client.holding()
        caller = asyncio.current_task()
        if caller is not None:
            caller.add_done_callback(lambda _: holding.release())
        return await self._abortable(call, self._client.fetch(request, holding))

    async def _abortable(self, call: int, fetch: Coroutine[None, None, FetchAnswer]) -> FetchAnswer:
        if call in self._running:
            fetch.close()
            raise FetchRefusedError("the request is not one that fetch makes")
        task = self._running[call] = asyncio.create_task(fetch)
        try:
            await asyncio.wait({task})
        finally:
            del self._running[call]
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if task.cancelled():
            raise HostCallError("AbortError", "The operation was aborted.")
        return task.result()

    def _abort(self, call: int) -> JsonValue:
        """End a fetch. Return False where none of this number is under way."""
        task = self._running.get(call)
        return task is not None and task.cancel()
