"""Nothing that a JSON-RPC provider answers holds the event loop of a whole node, nor makes it fail otherwise than 503."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio

from tests.http.test_stalls import answer
from tests.support.hostile_provider import Answer, Upstream, answers
from tests.support.hostile_requests import Operation, request
from tests.support.loop_meter import STALL_MAX_S, metered_loop
from tests.support.whole_node import NO_RATE_LIMITS, whole_node

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]

ANSWERS = answers()
SAMPLED = 71
"""Of so many answers `make test` tries one."""
QUESTIONS = (Operation("GET", "/core/v1/list_groups"), Operation("POST", "/core/v1/create_wallet"))
"""A view at a head, and a write, which is simulated."""


@dataclass(frozen=True)
class Asking:
    """A node behind one provider, and the key of an account."""

    port: int
    key: str
    upstream: Upstream


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    upstream = Upstream("")
    settings = {**NO_RATE_LIMITS, "rpc_call_timeout_s": 4.0}
    async with (
        whole_node(tmp_path_factory.mktemp("upstream"), settings, upstream.before) as whole,
        aiohttp.ClientSession(whole.running.api_url) as session,
    ):
        async with session.post("/core/v1/new_account", json={"account_name": "a", "account_description": ""}) as made:
            key = (await made.json())["api_key"]
        yield Asking(urlsplit(whole.running.api_url).port or 0, key, upstream)
        # The node's last writes are settled by a provider that answers.
        upstream.answer = None


async def faults_of(node: Asking, tried: Iterable[tuple[str, Answer]]) -> list[str]:
    """What held the loop for too long, and for how long; and what the node did not ask for."""
    faults = []
    async with metered_loop() as meter:
        for what, hostile in tried:
            node.upstream.answer, node.upstream.asked = hostile, 0
            meter.restart()
            for operation in QUESTIONS:
                received = await asyncio.to_thread(answer, node.port, request(operation, key=node.key))
                if received and not received.startswith(b"HTTP/1.1 503"):
                    faults.append(f"{received[:12]!r}: {what}")
            if meter.longest_s > STALL_MAX_S:
                faults.append(f"{meter.longest_s * 1000:.0f} ms: {what}")
            if not node.upstream.asked:
                faults.append(f"not asked: {what}")
    return faults


async def test_a_sample_of_hostile_answers_holds_nothing(node: Asking) -> None:
    assert await faults_of(node, itertools.islice(ANSWERS.items(), 0, None, SAMPLED)) == []


@pytest.mark.exhaustive
async def test_no_hostile_answer_of_a_provider_holds_anything(node: Asking) -> None:
    assert await faults_of(node, ANSWERS.items()) == []
