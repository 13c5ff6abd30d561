"""Answers that an action does not take: they hold up neither its end nor its neighbours, and count as its memory."""

import asyncio
import json
import socket
from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from node.engine.frames import HEADER, Kind
from node.engine.port import StopReason
from node.engine.process_engine import ProcessEngine
from node.engine.worker_socket import WorkerSocket
from tests.engine.bare import bare_zygote
from tests.engine.hosts import LIMITS, never, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

MIB = 1 << 20
DEAF = """async function main({ calls }) {
  if (!calls) { await new Promise((done) => setTimeout(done, 5000)); return 'fine'; }
  for (let n = 0; n < calls; n += 1) fetch('http://h/');
  await new Promise((done) => setTimeout(done, 100));
  for (;;);
}"""


class LongAnswers:
    """Answers ten megabytes each time; `given` of them so far."""

    def __init__(self) -> None:
        self.given = asyncio.Event()

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        assert (name, len(arguments)) == ("fetch", 1)
        self.given.set()
        return "x" * (10 * MIB)


@pytest.mark.exhaustive
async def test_an_action_is_ended_over_its_unread_answers_and_its_neighbour_goes_on(engine: ProcessEngine) -> None:
    """A worker that does not confirm an end in time is killed with everything in it."""
    host, stop = LongAnswers(), never()
    neighbour = asyncio.create_task(run(engine, DEAF, {"calls": 0}))
    deaf = asyncio.create_task(run(engine, DEAF, {"calls": 12}, host=host, stop=stop))
    await host.given.wait()
    await asyncio.sleep(0.5)
    stop.set_result(StopReason.OUT_OF_FUNDS)
    ended = await deaf
    assert ended.error is not None
    assert ended.error.name in {StopReason.OUT_OF_FUNDS, StopReason.OUT_OF_MEMORY}
    assert (await neighbour).response == "fine"


@pytest.mark.exhaustive
async def test_unread_answers_are_memory_of_the_action_alone() -> None:
    answer = "x" * (10 * MIB)
    with bare_zygote(LIMITS) as zygote, zygote.fork() as worker:
        worker.bind(DEAF)
        deaf = worker.begin({"calls": 20})
        neighbour = worker.begin({"calls": 1})
        calls = [json.loads(worker.receive()[2])[0] for _ in range(21)]
        for call in calls[:20]:
            worker.send("A", deaf, json.dumps([call, True, answer]).encode())
        assert worker.ending(deaf) == ("M", b"")
        worker.send("K", neighbour)
        assert worker.ending(neighbour)[0] == "K"


class Deaf:
    """Handles nothing."""

    def must_wait(self) -> bool:
        return False

    def take(self, kind: Kind, fiber: int, body: bytes) -> None:
        raise AssertionError((kind, fiber, body))

    def take_oversized(self, kind: Kind, fiber: int) -> None:
        raise AssertionError((kind, fiber))

    def broken(self) -> None:
        raise AssertionError

    def disconnected(self) -> None:
        """The test closes it."""


FREE = [(b"A", 1), (b"A", 2), (b"A", 1), (b"A", 3), (b"K", 1)]
OVERTAKEN = [(b"A", 1), (b"K", 1), (b"A", 2), (b"A", 1), (b"A", 3)]
"""The first was in the middle of being written."""
DROPPED = [(b"A", 1), (b"K", 1), (b"A", 2), (b"A", 3)]


@pytest.mark.parametrize(
    ("is_full", "is_last", "expected"), [(False, True, FREE), (True, True, DROPPED), (True, False, OVERTAKEN)]
)
async def test_what_ends_a_fiber_overtakes_what_waits_and_its_last_drops_what_is_its_own(
    *, is_full: bool, is_last: bool, expected: list[tuple[bytes, int]]
) -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    channel = WorkerSocket(ours, 4 * MIB, Deaf())
    body = bytes(MIB) if is_full else b""
    for fiber in (1, 2, 1, 3):
        channel.send(Kind.ANSWER, fiber, body)
    channel.send_ahead(Kind.KILL, 1, is_last=is_last)
    channel.send(Kind.ANSWER, 3, b"end")
    received = bytearray()
    while not received.endswith(b"end"):
        received += await asyncio.get_running_loop().sock_recv(theirs, MIB)
    frames = []
    while received:
        kind, fiber, length = HEADER.unpack_from(received)
        frames.append((kind, fiber))
        del received[: HEADER.size + length]
    assert frames[:-1] == expected
    await channel.few_unsent(0)
    channel.close()
    theirs.close()
