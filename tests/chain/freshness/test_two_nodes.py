"""Two real nodes on one chain: what is changed through one, or directly on the chain, holds on both in time."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from aiohttp import web

from tests.support.client import Client
from tests.support.rpc_proxy import Behaviour, Forward, honest
from tests.support.two_nodes import SwitchedKey, TwoNodes, run, two_nodes, wallet_account

pytestmark = pytest.mark.exhaustive

POLL_S: Final = 1.0
SELDOM_S: Final = 30.0
"""Between polls where a websocket announces each block: a change that only a poll shows is far too late."""
WEBSOCKET_BOUND_S: Final = 5.0
POLLING_BOUND_S: Final = POLL_S + 4.0
"""A poll later, and what it takes to ask and to answer on a busy machine."""
GRANTS: Final = 20
REVOCATIONS: Final = 3
"""Of which the median counts: once in a while a busy machine takes seconds for anything."""


@pytest.fixture(scope="module", params=[True, False], ids=["websocket", "polling"])
def websocket(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, websocket: bool) -> Iterator[TwoNodes]:
    directory = tmp_path_factory.mktemp("nodes")
    poll_s = SELDOM_S if websocket else POLL_S
    with two_nodes(directory, {"listener_poll_s": poll_s}, websocket=websocket) as running:
        yield running


@pytest.fixture
def bound_s(websocket: bool) -> float:
    return WEBSOCKET_BOUND_S if websocket else POLLING_BOUND_S


def allowed_for(ask: Callable[[], int]) -> float:
    """How long a node goes on allowing what it must refuse, in seconds; the clock starts now."""
    begun = time.monotonic()
    while ask() == 200:
        assert time.monotonic() - begun < 30
    assert ask() == 403
    return time.monotonic() - begun


def test_a_grant_through_a_holds_on_b_at_the_first_call(nodes: TwoNodes) -> None:
    """Each time B has just refused the key; it reads so many denials of one address again, and no more (60 a minute)."""
    key = SwitchedKey.made(nodes)
    assert key.status_on(nodes.b) == 403
    for _ in range(GRANTS):
        key.switch(granted=True)
        assert key.status_on(nodes.b) == 200
        block_number = key.switch(granted=False)
        assert key.status_on(nodes.b, min_block=block_number) == 403


def test_a_revocation_through_a_holds_on_a_at_once_and_on_b_in_time(nodes: TwoNodes, bound_s: float) -> None:
    key, delays = SwitchedKey.made(nodes), []
    for _ in range(REVOCATIONS):
        key.switch(granted=True)
        assert (key.status_on(nodes.a), key.status_on(nodes.b)) == (200, 200)
        key.switch(granted=False)
        assert key.status_on(nodes.a) == 403
        delays.append(allowed_for(lambda: key.status_on(nodes.b)))
    assert statistics.median(delays) <= bound_s


def test_the_block_of_a_write_takes_b_there(nodes: TwoNodes) -> None:
    key = SwitchedKey.made(nodes)
    block_number = key.switch(granted=True)
    assert key.status_on(nodes.b, min_block=block_number) == 200
    block_number = key.switch(granted=False)
    assert key.status_on(nodes.b, min_block=block_number) == 403, "whatever B had cached"


def one_block_behind(looks: int) -> Behaviour:
    """The provider has not got the newest block yet, as often as its head is looked at; then it has."""
    left = looks

    async def behaviour(_: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        nonlocal left
        newest = (await forward({"jsonrpc": "2.0", "id": 0, "method": "eth_blockNumber", "params": []}))["result"]
        calls = asked if isinstance(asked, list) else [asked]
        named = [call["params"][0] for call in calls if call["method"] == "eth_getBlockByNumber"]
        left -= "latest" in named
        if left < 0:
            return web.json_response(await forward())
        shown = {"latest": hex(int(newest, 16) - 1), newest: hex(10**9)}
        told = [
            call | {"params": [shown.get(call["params"][0], call["params"][0]), False]}
            if "Block" in call["method"]
            else call
            for call in calls
        ]
        return web.json_response(await forward(told if isinstance(asked, list) else told[0]))

    return behaviour


def test_a_key_made_through_a_is_known_to_b_at_the_block_it_was_made_in(nodes: TwoNodes) -> None:
    """Though B's provider comes to that block only after B was asked."""
    owner = SwitchedKey.made(nodes).owner
    nodes.proxy_of_b.behaviour = one_block_behind(looks=12)
    try:
        made = owner.client.post("add_usage_api_key", {"name": "new", "execute_in_groups": [0]}).ok()
        on_b = nodes.b.with_key(made["usage_api_key"])
        assert run(on_b) == 401
        assert run(on_b, min_block=made["block_number"]) == 200
    finally:
        nodes.proxy_of_b.behaviour = honest


def test_a_transaction_of_a_wallet_is_seen_by_both(nodes: TwoNodes, websocket: bool, bound_s: float) -> None:
    account, group = wallet_account(nodes, f"a wallet {websocket}")
    on_a = account.usage_key(execute=[group])
    on_b: Client = nodes.b.with_key(on_a.key)
    delays = []
    for _ in range(REVOCATIONS):
        assert (run(on_a), run(on_b)) == (200, 200)
        account.usage_key(on_a.key)
        delays += [allowed_for(lambda: run(on_b)), allowed_for(lambda: run(on_a))]
        account.usage_key(on_a.key, execute=[group])
        assert (run(on_a), run(on_b)) == (200, 200), "a grant is seen at once"
    assert statistics.median(delays[::2]) <= bound_s
    assert statistics.median(delays[1::2]) <= bound_s
