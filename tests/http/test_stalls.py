"""Nothing that a client sends holds the event loop: hostile text at every place of every operation of a whole node.

The node runs in the loop of the test, and a thread sends the bytes.
"""

import asyncio
import contextlib
import itertools
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
import structlog

from tests.support.hostile_requests import (
    INLINE_MAX,
    LARGE,
    LARGE_ELSEWHERE,
    TAKES_CODE,
    Attack,
    Operation,
    body_attacks,
    header_attacks,
    operations,
    target_attacks,
)
from tests.support.loop_meter import STALL_MAX_S, metered_loop
from tests.support.whole_node import NO_RATE_LIMITS, whole_node

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]

ANSWER_S = 1.0
"""Some of these requests wait for a body that never comes."""
LENGTH = re.compile(rb"\r\ncontent-length: ([0-9]+)", re.IGNORECASE)
BEHIND_A_PROXY = {**NO_RATE_LIMITS, "trusted_proxies": ["127.0.0.0/8"]}

Attacks = Callable[[Operation, str | None], Iterator[Attack]]


def inline_bodies(operation: Operation, key: str | None) -> Iterator[Attack]:
    return body_attacks(operation, key, INLINE_MAX)


def large_bodies(operation: Operation, key: str | None) -> Iterator[Attack]:
    return body_attacks(operation, key, LARGE if operation.path in TAKES_CODE else LARGE_ELSEWHERE)


SAMPLED: dict[Attacks, int] = {header_attacks: 599, target_attacks: 587, inline_bodies: 127, large_bodies: 607}
"""Of so many requests of each kind `make test` sends one, in turns with and without a key."""

WHOLE: dict[Attacks, int] = {header_attacks: 5, target_attacks: 1, inline_bodies: 1, large_bodies: 4}
"""Of so many requests of each kind `make test-all` sends one. It starts elsewhere with each operation, so every shape is sent
in every header to a dozen operations. All of them would take an hour, and headers are read alike for all."""

PARTS = 6
"""Of the operations: one test for all of them would end at its deadline on a busy machine."""
ONCE_SLOW = (": Content-Type: ", ": authority: ")
"""Places at which the loop was held for seconds; `make test` tries every shape there, on one operation."""


@dataclass(frozen=True)
class Target:
    """A running node, its operations, and the key of an account with credit."""

    port: int
    operations: list[Operation]
    key: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Target]:
    directory = tmp_path_factory.mktemp("stalls")
    async with whole_node(directory, BEHIND_A_PROXY) as whole, aiohttp.ClientSession(whole.running.api_url) as session:
        async with session.get("/core/v1/openapi.json") as response:
            found = operations(await response.json())
        async with session.post("/core/v1/new_account", json={"account_name": "a", "account_description": ""}) as made:
            key = (await made.json())["api_key"]
        yield Target(urlsplit(whole.running.api_url).port or 0, found, key)


def is_whole(received: bytes) -> bool:
    """Whether a whole answer is there; one without a body ends where the connection does."""
    head, end, body = received.partition(b"\r\n\r\n")
    length = LENGTH.search(head)
    return bool(end) and length is not None and len(body) >= int(length[1])


def answer(port: int, sent: bytes) -> bytes:
    """What is answered until it is whole or the server hangs up, or for ANSWER_S."""
    received = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(ANSWER_S)
        # A server that has answered and closed takes no more of it.
        with contextlib.suppress(OSError):
            connection.sendall(sent)
        while not is_whole(received) and (more := connection.recv(65_536)):
            received += more
    return received


async def faults_of(port: int, attacks: Iterable[Attack]) -> list[str]:
    """What held the loop for too long, and for how long; and whatever the node took for a bug of its own."""
    faults = []
    with structlog.testing.capture_logs() as logs:
        async with metered_loop() as meter:
            for attack in attacks:
                sent = attack.sent()
                meter.restart()
                received = await asyncio.to_thread(answer, port, sent)
                if meter.longest_s > STALL_MAX_S:
                    faults.append(f"{meter.longest_s * 1000:.0f} ms: {attack.what}")
                errors = [str(line["event"]) for line in logs if line["log_level"] == "error"]
                if errors or received.startswith(b"HTTP/1.1 500"):
                    faults.append(f"{received[:12]!r} {errors}: {attack.what}")
                logs.clear()
    return faults


async def test_a_sample_of_hostile_requests_holds_nothing(node: Target) -> None:
    keys = itertools.cycle([node.key, None])
    sampled: list[Iterable[Attack]] = [
        itertools.islice(attacks(operation, key), number % every, None, every)
        for attacks, every in SAMPLED.items()
        for number, (operation, key) in enumerate(zip(node.operations * 2, keys, strict=False))
    ]
    signing_up = next(each for each in node.operations if each.path.endswith("/new_account"))
    known = itertools.chain(header_attacks(signing_up, None), target_attacks(signing_up, None))
    sampled.append(each for each in known if any(place in each.what for place in ONCE_SLOW))
    assert await faults_of(node.port, itertools.chain.from_iterable(sampled)) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("with_key", [True, False], ids=["with a key", "without"])
@pytest.mark.parametrize("attacks", SAMPLED, ids=lambda attacks: attacks.__name__)
async def test_no_hostile_request_holds_anything(node: Target, attacks: Attacks, with_key: bool, part: int) -> None:
    key = node.key if with_key else None
    numbered = list(enumerate(node.operations))[part::PARTS]
    sent = [
        itertools.islice(attacks(operation, key), number % WHOLE[attacks], None, WHOLE[attacks])
        for number, operation in numbered
    ]
    assert await faults_of(node.port, itertools.chain.from_iterable(sent)) == []
