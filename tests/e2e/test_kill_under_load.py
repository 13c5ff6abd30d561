"""SIGKILL under load, again and again: every write is there once and every run began once, as their clients were told."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.e2e.account import Account, new_account
from tests.e2e.conftest import client_of
from tests.support.node import NodeProcess, running_node

pytestmark = pytest.mark.exhaustive

ROUNDS = 3
WRITERS = 8
ANSWERS_BEFORE_THE_KILL = 25
RUNS_BEFORE_THE_KILL = 40
ASKS = "async function main({ url }) { await fetch(url); return Math.random(); }"
LOOPBACK = {"SVC_EGRESS_ALLOW_LOOPBACK": "1"}


def idempotency_key(name: str) -> str:
    return f"kill-under-load-{name:0>16}"


class Load:
    """Adds groups until the node is killed, and remembers what it was told."""

    def __init__(self, key: str) -> None:
        self._headers = {"X-Api-Key": key}
        self.told: dict[str, str] = {}
        self.unanswered: set[str] = set()
        self._next = 0
        self._enough = 0
        self._answered_enough = asyncio.Event()

    async def add(self, session: aiohttp.ClientSession, api: str, name: str) -> None:
        """Add one group, or ask again for one whose answer was lost."""
        self.unanswered.add(name)
        headers = self._headers | {"Idempotency-Key": idempotency_key(name)}
        async with session.post(f"{api}/add_group", json={"group_name": name}, headers=headers) as response:
            body = await response.json()
            assert response.status == 200, body
        self.told[name] = body["group_id"]
        self.unanswered.discard(name)
        if len(self.told) >= self._enough:
            self._answered_enough.set()

    async def until_killed(self, node: NodeProcess, kill_chain: bool) -> None:
        """Several writers at once; the node dies after so many answers, in the middle of the others' work."""
        self._enough = len(self.told) + ANSWERS_BEFORE_THE_KILL
        self._answered_enough = asyncio.Event()
        async with aiohttp.ClientSession() as session:

            async def writer() -> None:
                while True:
                    self._next += 1
                    try:
                        await self.add(session, node.api, f"group {self._next}")
                    except (aiohttp.ClientError, OSError):
                        return

            async def killer() -> None:
                await self._answered_enough.wait()
                await asyncio.to_thread(node.kill_with_chain if kill_chain else node.kill)

            await asyncio.gather(killer(), *(writer() for _ in range(WRITERS)))

    async def ask_again(self, node: NodeProcess) -> None:
        """Repeat every request that got no answer, with its Idempotency-Key."""
        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*(self.add(session, node.api, name) for name in sorted(self.unanswered)))


def listed(node: NodeProcess, account: Account) -> list[tuple[str, str]]:
    client = client_of(node).with_key(account.key)
    groups: list[dict[str, str]] = []
    while page := client.get("list_groups", page_number=len(groups) // 100, page_size=100).ok():
        groups += page
        if len(page) < 100:
            break
    return [(group["name"], group["id"]) for group in groups]


@pytest.mark.parametrize("kill_chain", [False, True], ids=["node killed", "node and chain killed"])
def test_every_write_is_there_once_and_as_told(tmp_path: Path, kill_chain: bool) -> None:
    with running_node(tmp_path) as node:
        account = new_account(client_of(node))
        load = Load(account.key)
    for _ in range(ROUNDS):
        with running_node(tmp_path) as node:
            asyncio.run(load.until_killed(node, kill_chain))
        with running_node(tmp_path) as node:
            asyncio.run(load.ask_again(node))
            groups = listed(node, account)
            names = [name for name, _ in groups]
            assert sorted(set(names)) == sorted(names), "a write happened twice"
            assert set(load.told) == set(names), "a write is missing, or one that nobody was told of is there"
            assert dict(groups) == load.told, "a client was told another id"


class Runs:
    """Actions with an Idempotency-Key, each of which asks a place outside for a path of its own."""

    def __init__(self, key: str, outside: str) -> None:
        self._headers = {"X-Api-Key": key}
        self._outside = outside
        self.told: dict[str, dict[str, object]] = {}
        self.unanswered: set[str] = set()
        self._next = 0

    async def run(self, session: aiohttp.ClientSession, api: str, name: str) -> None:
        """Run one, or ask again for one whose answer was lost; what was answered before must be answered again."""
        self.unanswered.add(name)
        headers = self._headers | {"Idempotency-Key": idempotency_key(name)}
        body = {"code": ASKS, "js_params": {"url": f"{self._outside}/{name}"}, "max_seconds": 30}
        async with session.post(f"{api}/svc_action", json=body, headers=headers) as response:
            answer = await response.json()
            assert response.status == 200 or answer["details"]["reason"] == "outcome_unknown", answer
        assert self.told.setdefault(name, answer) == answer
        self.unanswered.discard(name)

    async def until_killed(self, node: NodeProcess) -> None:
        """Several at a time; the node dies after so many answers, in the middle of the others' runs."""
        enough = len(self.told) + RUNS_BEFORE_THE_KILL
        async with aiohttp.ClientSession() as session:

            async def runner() -> None:
                while True:
                    self._next += 1
                    try:
                        await self.run(session, node.api, str(self._next))
                    except (aiohttp.ClientError, OSError):
                        return
                    if len(self.told) >= enough:
                        await asyncio.to_thread(node.kill)

            await asyncio.gather(*(runner() for _ in range(WRITERS)))

    async def ask_again(self, node: NodeProcess) -> None:
        """Repeat every request that got no answer, and all others."""
        async with aiohttp.ClientSession() as session:
            for name in sorted(self.unanswered | set(self.told)):
                await self.run(session, node.api, name)


def charged(answer: Mapping[str, Any]) -> int:
    return int(answer["charged_cents"] if "charged_cents" in answer else answer["details"]["charged_cents"])


def test_a_keyed_run_begins_once_and_is_charged_as_told(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()

    async def outside(request: web.Request) -> web.Response:
        asked[request.path] += 1
        await asyncio.sleep(0.02)  # so that some are under way at every moment
        return web.Response()

    async def rounds(url: str) -> None:
        def in_node(ask: Callable[[NodeProcess], Coroutine[None, None, None]]) -> None:
            with running_node(tmp_path, LOOPBACK) as node:
                asyncio.run(ask(node))

        def opened() -> tuple[str, int]:
            with running_node(tmp_path, LOOPBACK) as node:
                account = new_account(client_of(node))
                return account.key, int(account.client.get("billing/balance").ok()["credit_cents"])

        def left() -> tuple[int, int]:
            with running_node(tmp_path, LOOPBACK) as node:
                balance = client_of(node).with_key(key).get("billing/balance").ok()
                return int(balance["credit_cents"]), int(balance["reserved_cents"])

        key, credit = await asyncio.to_thread(opened)
        runs = Runs(key, url)
        for _ in range(ROUNDS):
            await asyncio.to_thread(in_node, runs.until_killed)
            await asyncio.to_thread(in_node, runs.ask_again)
        assert set(asked.values()) == {1}, "an action began twice"
        assert len(runs.told) >= ROUNDS * RUNS_BEFORE_THE_KILL
        assert any("details" in answer for answer in runs.told.values()), "no run was under way when the node died"
        assert await asyncio.to_thread(left) == (credit - sum(map(charged, runs.told.values())), 0)

    async def serve() -> None:
        application = web.Application()
        application.router.add_get("/{name}", outside)
        async with TestServer(application) as place:
            await rounds(str(place.make_url("")).rstrip("/"))

    asyncio.run(serve())
