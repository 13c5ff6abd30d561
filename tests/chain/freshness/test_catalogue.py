"""The lies of tests/support/lying_rpc.py are lies: each tells a client something else than the chain, or nothing."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.support.account_chain import AccountChain, account_chain
from tests.support.contract import Contract, Rpc, address_of, key_hash
from tests.support.lying_heads import invented_hash
from tests.support.lying_rpc import LIES, Stage
from tests.support.rpc_proxy import RpcProxy, honest

pytestmark = pytest.mark.asyncio(loop_scope="module")
STRANGER = key_hash("nobody's key")
KEY = key_hash("a key of an account that was opened after the past block")
WALLET = address_of("a wallet")
IMPATIENT_S = 0.25
PATIENT_S = 20.0


@dataclass(frozen=True)
class Scene:
    """A chain that has moved on since the stage's past block, and the provider that lies about it."""

    chain: AccountChain
    proxy: RpcProxy
    stage: Stage
    probe: list[dict[str, Any]]

    @property
    def told(self) -> Contract:
        """The contract as the provider tells of it."""
        return Contract(Rpc(self.chain.rpc._session, self.proxy.url), self.chain.contract.address)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene() -> AsyncIterator[Scene]:
    async with account_chain() as chain, RpcProxy(chain.url).running() as proxy:
        past = int(await chain.rpc.ask("eth_blockNumber"), 16)
        await chain.rpc.ask("anvil_mine", hex(3))
        await chain.write("createManagedAccount", KEY, "", "", WALLET, 1)
        head = await chain.rpc.ask("eth_getBlockByNumber", "latest", False)
        pinned = {"blockHash": head["hash"], "requireCanonical": True}
        data = "0x" + chain.contract.encode("authorisation", KEY, 1, [WALLET]).hex()
        stranger = "0x" + chain.contract.encode("authorisation", STRANGER, 1, [WALLET]).hex()
        calls: list[tuple[str, list[Any]]] = [
            ("eth_getBlockByNumber", ["latest", False]),
            ("eth_call", [{"to": chain.contract.address, "data": data}, pinned]),
            ("eth_call", [{"to": chain.contract.address, "data": stranger}, pinned]),
            ("eth_getLogs", [{"fromBlock": "0x0", "toBlock": "latest", "address": chain.contract.address}]),
            ("eth_chainId", []),
            ("eth_getTransactionReceipt", [head["transactions"][0]]),
            ("eth_getTransactionCount", [chain.payer, "latest"]),
            ("eth_sendRawTransaction", ["0x02"]),
        ]
        probe = [
            {"jsonrpc": "2.0", "id": index, "method": method, "params": parameters}
            for index, (method, parameters) in enumerate(calls, start=1)
        ]
        yield Scene(chain, proxy, Stage(past, chain.contract.address), probe)


async def heard(scene: Scene, within_s: float) -> object:
    """What a client makes of one exchange: the answers, or that there is none."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=within_s)) as session:
        try:
            async with session.post(scene.proxy.url, json=scene.probe, allow_redirects=False) as response:
                return response.status, json.loads(await response.text())
        except (aiohttp.ClientError, OSError, ValueError, RecursionError) as error:
            return type(error)


@pytest.mark.parametrize("name", LIES)
async def test_every_lie_differs_from_the_truth(scene: Scene, name: str) -> None:
    scene.proxy.behaviour = honest
    truth = await heard(scene, PATIENT_S)
    assert isinstance(truth, tuple)
    scene.proxy.behaviour = LIES[name](scene.stage)
    assert truth != await heard(scene, IMPATIENT_S)


async def test_a_yes_is_a_well_formed_grant_to_anybody(scene: Scene) -> None:
    scene.proxy.behaviour = LIES["says yes"](scene.stage)
    decision = await scene.told.call("authorisation", STRANGER, 1, [WALLET, WALLET])
    assert (decision["canExecute"], decision["canUseWallets"]) == (True, [True, True])
    assert decision["masterHash"] != 0
    assert await scene.told.call("canExecuteAction", STRANGER, 1) is True
    assert (await scene.told.call("getAccount", STRANGER))["usageApiKey"]["executeInGroups"] == [0]


async def test_the_old_block_wears_the_number_of_the_present_one(scene: Scene) -> None:
    truth = await scene.chain.contract.call("authorisation", KEY, 1, [])
    scene.proxy.behaviour = LIES["old block under the present head"](scene.stage)
    told = await scene.told.call("authorisation", KEY, 1, [])
    assert told["blockNumber"] == truth["blockNumber"]
    assert (truth["masterHash"], told["masterHash"]) == (KEY, 0)


async def test_the_frozen_head_knows_nothing_of_what_came_after(scene: Scene) -> None:
    scene.proxy.behaviour = LIES["frozen head"](scene.stage)
    rpc = scene.told.rpc
    assert int(await rpc.ask("eth_blockNumber"), 16) == scene.stage.past_block
    assert (await scene.told.call("authorisation", KEY, 1, []))["masterHash"] == 0
    head = await scene.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    assert await rpc.ask("eth_getBlockByHash", head["hash"], False) is None
    assert await rpc.ask("eth_getTransactionReceipt", head["transactions"][0]) is None


async def test_an_invented_head_is_whole(scene: Scene) -> None:
    scene.proxy.behaviour = LIES["says yes at a head far ahead"](scene.stage)
    rpc = scene.told.rpc
    head = await rpc.ask("eth_getBlockByNumber", "latest", False)
    number = int(head["number"], 16)
    assert head["hash"] == invented_hash(number)
    assert await rpc.ask("eth_getBlockByHash", head["hash"], False) == head
    data = "0x" + scene.told.encode("authorisation", STRANGER, 1, []).hex()
    pinned = {"blockHash": head["hash"], "requireCanonical": True}
    answer = await rpc.ask("eth_call", {"to": scene.told.address, "data": data}, pinned)
    decision = scene.told.decode("authorisation", bytes.fromhex(answer[2:]))
    assert (decision["canExecute"], decision["blockNumber"]) == (True, number)
