"""A collector that takes log lines by OTLP over HTTP, for tests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from aiohttp import web


@dataclass
class Receiver:
    """OTLP receiver that answers `answers` one by one, then 200, and keeps the bodies of the lines it took."""

    answers: list[int] = field(default_factory=list)
    url: str = ""
    requests: int = 0
    bodies: list[str] = field(default_factory=list)
    cookies: list[dict[str, str]] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, request: web.Request) -> web.Response:
        self.requests += 1
        status = self.answers.pop(0) if self.answers else 200
        assert request.content_type == "application/json"
        sent = await request.json()
        self.cookies.append(dict(request.cookies))
        if status == 200:
            (resource,) = sent["resourceLogs"]
            (scope,) = resource["scopeLogs"]
            self.bodies += [record["body"]["stringValue"] for record in scope["logRecords"]]
        self.changed.set()
        response = web.json_response({}, status=status, headers={"Location": self.url} if status == 307 else {})
        response.set_cookie(f"seen-{self.requests}", "again")
        return response

    async def took(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.bodies) < count:
                self.changed.clear()
                await self.changed.wait()


@contextlib.asynccontextmanager
async def receiving(*answers: int) -> AsyncIterator[Receiver]:
    receiver = Receiver(list(answers))
    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/logs", receiver.receive)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1/logs"
    try:
        yield receiver
    finally:
        await runner.cleanup()
