"""SIGKILL under load, again and again: every write that was asked for is there once, and is what its client was told."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.account import Account, new_account
from tests.e2e.conftest import client_of
from tests.support.node import NodeProcess, running_node

pytestmark = pytest.mark.exhaustive

ROUNDS = 3
WRITERS = 8
ANSWERS_BEFORE_THE_KILL = 25


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
