"""The DevTools protocol: commands and events of a browser and of its pages over one socket."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import aiohttp

COMMAND_TIMEOUT_S: Final = 60.0

Handler = Callable[[dict[str, Any]], None]


class CommandError(Exception):
    """A command that the browser could not do, for instance with an element that has gone."""


class Session:
    """The commands and events of one target; without an id, of the browser itself."""

    def __init__(self, connection: "Connection", session_id: str | None = None) -> None:
        self._connection = connection
        self._id = session_id
        self._handlers: dict[str, list[Handler]] = {}

    async def command(self, method: str, **parameters: object) -> Any:
        """The result of a command."""
        return await self._connection.command(self._id, method, parameters)

    def on(self, method: str, handler: Handler) -> None:
        """Call this with the parameters of every event of that name."""
        self._handlers.setdefault(method, []).append(handler)

    def happened(self, method: str, parameters: dict[str, Any]) -> None:
        for handler in self._handlers.get(method, ()):
            handler(parameters)


class Connection:
    """Socket to a browser, shared by the sessions of all its targets."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._calls = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._sessions: dict[str | None, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def session(self, session_id: str | None = None) -> Session:
        """The session of that id."""
        return self._sessions.setdefault(session_id, Session(self, session_id))

    async def command(self, session_id: str | None, method: str, parameters: dict[str, Any]) -> Any:
        """The result of a command."""
        self._calls += 1
        call = self._calls
        message = {"id": call, "method": method, "params": parameters}
        self._waiting[call] = asyncio.get_running_loop().create_future()
        await self._socket.send_json(message if session_id is None else message | {"sessionId": session_id})
        async with asyncio.timeout(COMMAND_TIMEOUT_S):
            answer = await self._waiting[call]
        if "error" in answer:
            raise CommandError(method, answer["error"])
        return answer["result"]

    async def read(self) -> None:
        """Hand over what arrives until the socket closes."""
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                waiting = self._waiting.pop(told["id"])
                if not waiting.done():
                    waiting.set_result(told)
            else:
                self.session(told.get("sessionId")).happened(told["method"], told.get("params", {}))
        for waiting in self._waiting.values():
            waiting.cancel()

    def run(self, work: Any) -> None:
        """Run a coroutine that an event calls for; what it raises ends the test at the end."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)

    async def end(self) -> None:
        """Cancel what events called for and raise what it raised."""
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        raised = [each for each in ended if isinstance(each, Exception)]
        assert not raised, raised


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    """A connection to the browser at this DevTools address."""
    async with aiohttp.ClientSession() as session, session.ws_connect(url, max_msg_size=0) as socket:
        connection = Connection(socket)
        reader = asyncio.create_task(connection.read())
        try:
            yield connection
        finally:
            await connection.end()
            await socket.close()
            await reader
