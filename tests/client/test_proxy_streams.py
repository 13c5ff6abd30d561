"""`svc proxy` holds no body: parts pass as they come, either end's pace is the other's, and an end that goes is noticed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from tests.support.instances import Instance
from tests.support.local_proxy import Around, around, raw

PART = b"x" * 65_536
MANY = 4_096
"""Parts of an answer that nobody could hold by accident: 256 MiB."""


@dataclass
class Streaming(Instance):
    """A node that answers in parts, when the test says so. `sent` are the parts that left, `got` those that came."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """The request is over, by its answer or because the other end went."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int = 0
    got: list[bytes] = field(default_factory=list)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if not request.path.startswith("/stream"):
            return await super().answer(request)
        self.requests.append((request.method, request.path_qs, dict(request.headers)))
        try:
            return await self._streamed(request)
        finally:
            self.ended.set()

    async def _streamed(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/stream/refused":
            return web.Response(status=413, body=b"too long")
        if request.method == "POST":
            async for part in request.content.iter_any():
                self.got.append(part)
                self.begun.set()
            return web.Response(body=str(sum(map(len, self.got))).encode())
        response = web.StreamResponse(headers={"Content-Length": "12"} if request.path == "/stream/short" else None)
        await response.prepare(request)
        await response.write(b"first,")
        self.begun.set()
        if request.path == "/stream/endless":
            for _ in range(MANY):
                await response.write(PART)
                self.sent += 1
            return response
        await self.go_on.wait()
        if request.path.startswith("/stream/broken") or request.path == "/stream/short":
            assert request.transport is not None
            request.transport.abort()
        else:
            await response.write(b"second")
        return response


@pytest.fixture
async def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Around]:
    async with around(tmp_path, monkeypatch, Streaming("a")) as made:
        yield made


def node_of(there: Around) -> Streaming:
    assert isinstance(there.node, Streaming)
    return there.node


async def test_an_answer_passes_in_parts(there: Around) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{there.url}/stream") as response:
        assert await response.content.readexactly(6) == b"first,"
        assert not node_of(there).ended.is_set()
        node_of(there).go_on.set()
        assert await response.content.read() == b"second"


@pytest.mark.parametrize("sends_length", [False, True])
async def test_a_request_passes_in_parts(sends_length: bool, there: Around) -> None:
    node = node_of(there)

    async def parts() -> AsyncIterator[bytes]:
        yield b"first,"
        async with asyncio.timeout(30):
            await node.begun.wait()
        assert b"".join(node.got) == b"first,"
        yield b"second"

    headers = {"Content-Length": "12"} if sends_length else {}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{there.url}/stream", data=parts(), headers=headers) as response,
    ):
        assert (response.status, await response.read()) == (200, b"12")
    ((_, _, told),) = node.told
    assert ("Content-Length" in told, told.get("Transfer-Encoding")) == (
        sends_length,
        None if sends_length else "chunked",
    )


@pytest.mark.exhaustive
async def test_a_node_is_read_no_faster_than_the_program_reads(there: Around) -> None:
    """The bytes under way are bounded by the buffers of some sockets, however long the answer is."""
    node = node_of(there)
    async with aiohttp.ClientSession() as session, session.get(f"{there.url}/stream/endless") as response:
        assert await response.content.readexactly(6) == b"first,"
        stood, sent = 0, -1
        while stood < 10:
            await asyncio.sleep(0.05)
            stood, sent = (stood + 1, sent) if node.sent == sent else (0, node.sent)
        assert node.sent < MANY // 4
        length = 0
        async for part in response.content.iter_any():
            length += len(part)
        assert length == MANY * len(PART)


@pytest.mark.parametrize("path", ["/stream/broken", "/stream/short"])
async def test_an_answer_that_breaks_off_is_not_taken_for_whole(path: str, there: Around) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{there.url}{path}") as response:
        assert await response.content.readexactly(6) == b"first,"
        node_of(there).go_on.set()
        with pytest.raises(aiohttp.ClientError):
            await response.content.read()


async def test_a_program_that_goes_ends_its_request_at_the_node(there: Around) -> None:
    async with aiohttp.ClientSession() as session:
        response = await session.get(f"{there.url}/stream")
        assert await response.content.readexactly(6) == b"first,"
        response.close()
    await asyncio.sleep(0)
    node = node_of(there)
    node.go_on.set()
    async with asyncio.timeout(30):
        await node.ended.wait()


async def test_a_program_that_goes_in_the_middle_of_its_body_is_not_answered_for(there: Around) -> None:
    node = node_of(there)
    reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
    head = f"POST /stream HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nContent-Length: 100\r\n\r\n"
    writer.write(head.encode() + b"some")
    async with asyncio.timeout(30):
        await node.begun.wait()
        writer.transport.abort()
        # The node sees a connection that ended, and no body that did.
        await node.ended.wait()
    assert b"".join(node.got) == b"some"
    del reader


BODIES = [
    ("as long as may be", b"a" * 1_000, 200),
    ("too long, by its length", b"a" * 1_001, 413),
    ("too long, which shows as it comes", None, 413),
]


@pytest.mark.parametrize(("body", "status"), [each[1:] for each in BODIES], ids=[each[0] for each in BODIES])
async def test_requests_are_bounded(
    body: bytes | None, status: int, there: Around, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("svc_client.loopback._BODY_BYTES", 1_000)

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b"a" * 100

    data = chunks() if body is None else body
    async with aiohttp.ClientSession() as session, session.post(f"{there.url}/stream", data=data) as response:
        assert (response.status, await response.read() == b"1000") == (status, status == 200)
    assert sum(map(len, node_of(there).got)) <= 1_000
    assert len(node_of(there).told) <= (body is None or status == 200)


async def test_an_answer_before_the_end_of_the_request_passes(there: Around) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{there.url}/stream/refused", data=b"a" * 1_000_000) as response,
    ):
        assert (response.status, await response.read()) == (413, b"too long")


async def test_a_head_tells_the_length_and_sends_nothing(there: Around) -> None:
    said = await raw(there.port, f"HEAD /who HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nConnection: close\r\n\r\n")
    head, _, body = said.partition(b"\r\n\r\n")
    assert (b"content-length: 17\r\n" in head.lower() + b"\r\n", body) == (True, b"")


async def test_a_get_with_a_body_is_refused(there: Around) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{there.url}/stream", data=b"x") as response:
        assert response.status == 400
    assert not node_of(there).told


async def test_a_program_that_waits_for_leave_to_send_gets_it(there: Around) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{there.url}/stream", data=b"a" * 10, expect100=True) as response,
    ):
        assert (response.status, await response.read()) == (200, b"10")


async def test_a_packed_body_passes_as_it_is(there: Around) -> None:
    packed = b"\x1f\x8b no gzip at all"
    headers = {"Content-Encoding": "gzip"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{there.url}/core/v1/who", data=packed, headers=headers) as response,
    ):
        assert response.status == 200
    ((_, _, sent),) = node_of(there).told
    assert (sent["Content-Encoding"], sent["Content-Length"]) == ("gzip", str(len(packed)))
