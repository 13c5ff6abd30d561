"""One of three providers lies in every way of the catalogue: never a wrong grant, at most a 503."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final

import pytest
import pytest_asyncio

from node.database.sqlite import SqliteDatabase
from tests.chain.freshness.bench import Key, Node, proxies, watching
from tests.support.account_chain import AccountChain
from tests.support.contract import key_hash
from tests.support.lying_rpc import LIES, WRITE_LIES, Lie, Stage
from tests.support.lying_sockets import SOCKET_LIES
from tests.support.rpc_proxy import honest, slow

pytestmark = [pytest.mark.exhaustive, pytest.mark.asyncio(loop_scope="module")]
READ_LIES: Final[Mapping[str, Lie]] = {name: lie for name, lie in LIES.items() if name not in WRITE_LIES}
PLACES: Final = {name: place % 3 for place, name in enumerate(READ_LIES)}
STRANGER: Final = key_hash("nobody's key")
ASKED_TIMES: Final = 3
SLOW_S: Final = 0.01
"""Who is slower is asked last: the liar is asked first."""


@dataclass(frozen=True)
class Keys:
    """One that is revoked in every test, and one that never is."""

    revoked: Key
    granted: Key


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def keys(chain: AccountChain) -> AsyncIterator[Keys]:
    made = Keys(await Key.made(chain), await Key.made(chain))
    await made.granted.switch(granted=True)
    yield made


async def answers(node: Node, key: Key | int) -> set[int]:
    """What a few questions at once, and one after another, are answered."""
    at_once = await asyncio.gather(*(node.says(key) for _ in range(ASKED_TIMES)))
    return {*at_once, *[await node.says(key) for _ in range(ASKED_TIMES)]}


async def judge(node: Node, keys: Keys) -> None:
    """What holds while the liar lies, once the revocation is known."""
    assert await answers(node, keys.revoked) <= {403, 503}
    assert await answers(node, STRANGER) <= {401, 503}
    assert await node.may_use_wallet(keys.revoked) in {403, 503}
    await keys.granted.switch(granted=True)  # an event: the cache must read again
    assert await answers(node, keys.granted) <= {200, 503}
    await node.until_says(keys.granted, 200)


@pytest.mark.parametrize("name", READ_LIES)
async def test_never_a_wrong_grant(chain: AccountChain, database: SqliteDatabase, keys: Keys, name: str) -> None:
    past = await keys.revoked.switch(granted=True)
    async with proxies(chain, 3) as providers:
        liar, *others = providers[PLACES[name] :] + providers[: PLACES[name]]
        for each in others:
            each.behaviour = slow(SLOW_S)
        async with watching(chain, providers, database) as node:
            assert await node.says(keys.revoked) == 200
            liar.behaviour = READ_LIES[name](Stage(past, chain.contract.address, keys.granted.master))
            heard = len(liar.seen)
            await keys.revoked.switch(granted=False)
            await node.until_says(keys.revoked, 403)
            await judge(node, keys)
            assert len(liar.seen) > heard

            liar.behaviour = honest
            await keys.revoked.switch(granted=True)
            assert await node.says(keys.revoked) == 200
            head = int(await chain.rpc.ask("eth_blockNumber"), 16)
            await node.until(lambda: [each.head_number for each in node.listener.status()] == [head] * 3)


@pytest.mark.parametrize("name", SOCKET_LIES)
async def test_a_lying_websocket_grants_nothing(
    chain: AccountChain, database: SqliteDatabase, keys: Keys, name: str
) -> None:
    await keys.revoked.switch(granted=True)
    async with proxies(chain, 3) as providers:
        providers[0].socket_behaviour = SOCKET_LIES[name]
        async with watching(chain, providers, database) as node:
            assert await node.says(keys.revoked) == 200
            await keys.revoked.switch(granted=False)
            await node.until_says(keys.revoked, 403)
            await judge(node, keys)
