"""One server, two accounts: managed, and converted, each with its account key and a usage key."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from node.permissions.grants import Caller, Grants
from node.values import hash_of_text, new_key
from tests.http.endpoints import Desk
from tests.support.http_server import Server, World, serving
from tests.support.postgres import postgres

__all__ = ["postgres"]


@dataclass(frozen=True)
class Keys:
    account: str
    usage: str
    converted_account: str
    converted_usage: str
    unknown: str


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def keys(world: World) -> Keys:
    made = Keys(*(new_key() for _ in range(5)))
    for key, account, managed, grants in (
        (made.account, 1, True, None),
        (made.usage, 1, True, Grants()),
        (made.converted_account, 2, False, None),
        (made.converted_usage, 2, False, Grants()),
    ):
        key_hash = hash_of_text(key)
        world.keys.callers[key_hash] = Caller(key_hash, account, managed, grants)
    return made


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def server(world: World, desk: Desk) -> AsyncIterator[Server]:
    async with serving(desk.endpoints(), world) as running:
        yield running
