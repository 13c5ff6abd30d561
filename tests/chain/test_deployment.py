"""What the node refuses to start on: another chain, no contract, another contract, nobody there."""

from collections.abc import Sequence

import aiohttp
import pytest
import structlog

from node.chain.abi import account_config_abi
from node.chain.deployment import verify_deployment
from node.chain.rpc import JsonRpc, RpcLimits
from node.errors import StartupRefusedError
from tests.world.account_chain import AccountChain
from tests.world.populated_account import Bench
from tests.world.ports import free_port
from tests.world.rpc_proxy import changing, hang, refusing, saying

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAIN_ID = 31337
LIMITS = RpcLimits(attempt_timeout_s=3, call_timeout_s=60)


def nobody() -> str:
    return f"http://127.0.0.1:{free_port()}/SECRETKEY"


async def verify(endpoints: Sequence[str], contract: str, chain_id: int = CHAIN_ID) -> None:
    async with aiohttp.ClientSession() as session:
        quorum = len(endpoints) // 2 + 1
        await verify_deployment(JsonRpc(session, endpoints, LIMITS), account_config_abi(), chain_id, contract, quorum)


async def refused(endpoints: Sequence[str], contract: str, chain_id: int = CHAIN_ID) -> StartupRefusedError:
    with pytest.raises(StartupRefusedError) as caught:
        await verify(endpoints, contract, chain_id)
    return caught.value


async def test_the_right_chain_and_contract_pass(chain: AccountChain) -> None:
    await verify([chain.url], chain.contract.address)


async def test_another_chain_is_named(chain: AccountChain) -> None:
    error = await refused([chain.url], chain.contract.address, 1)
    assert error.setting == "chain_id"
    assert "31337" in error.message


async def test_every_endpoint_is_asked_not_just_the_first(bench: Bench) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": "0x1"}, *answers[1:]])
    error = await refused([bench.chain.url, bench.proxy.url], bench.chain.contract.address)
    assert error.setting == "chain_id"
    assert str(bench.proxy.port) in error.message


@pytest.mark.parametrize("chain_id", [None, "1", 31337, "0x", "0x7A69", {}])
async def test_a_chain_id_that_is_no_quantity_is_refused(bench: Bench, chain_id: object) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": chain_id}, *answers[1:]])
    assert (await refused([bench.proxy.url], bench.chain.contract.address)).setting == "chain_id"


async def test_no_code_at_the_address_is_named(chain: AccountChain) -> None:
    error = await refused([chain.url], "0x" + "12" * 20)
    assert error.setting == "contract_address"
    assert "0x" + "12" * 20 in error.message


@pytest.mark.parametrize("code", ["0x00", "0x60006000fd", "0x60016000526020600060003960206000f3"])
async def test_another_contract_at_the_address_is_named(bench: Bench, code: str) -> None:
    address = "0x" + "34" * 20
    await bench.chain.rpc.ask("anvil_setCode", address, code)
    error = await refused([bench.chain.url], address)
    assert error.setting == "contract_address"
    assert "not the account contract" in error.message


async def test_nobody_there_is_named_by_host_without_the_credential(chain: AccountChain) -> None:
    error = await refused([nobody(), nobody()], chain.contract.address)
    assert error.setting == "rpc_endpoints"
    assert "127.0.0.1" in error.message
    assert "SECRETKEY" not in str(error)


async def test_a_quorum_must_answer_and_the_others_may_be_out(chain: AccountChain) -> None:
    await verify([nobody(), chain.url, chain.url], chain.contract.address)
    for endpoints in ([nobody(), chain.url], [nobody(), nobody(), chain.url]):
        error = await refused(endpoints, chain.contract.address)
        assert error.setting == "rpc_endpoints"
        assert "SECRETKEY" not in str(error)


async def test_one_wrong_endpoint_of_three_is_logged_loudly_and_outvoted(bench: Bench) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": "0x1"}, *answers[1:]])
    endpoints = [bench.proxy.url, bench.chain.url, bench.chain.url]
    with structlog.testing.capture_logs() as logs:
        await verify(endpoints, bench.chain.contract.address)
    (logged,) = logs
    assert (logged["event"], logged["log_level"], logged["setting"]) == ("rpc_endpoint_wrong", "error", "chain_id")
    assert str(bench.proxy.port) in logged["why"]


async def test_a_wrong_endpoint_that_a_quorum_needs_is_refused(bench: Bench) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": "0x1"}, *answers[1:]])
    error = await refused([bench.proxy.url, bench.chain.url, nobody()], bench.chain.contract.address)
    assert error.setting == "chain_id"


@pytest.mark.parametrize("behaviour", [hang, saying(b"no"), refusing(-32005, "limit exceeded")])
async def test_an_endpoint_that_does_not_answer_sensibly_counts_as_out(bench: Bench, behaviour: object) -> None:
    bench.proxy.behaviour = behaviour  # type: ignore[assignment]
    assert (await refused([bench.proxy.url], bench.chain.contract.address)).setting == "rpc_endpoints"
    await verify([bench.proxy.url, bench.chain.url, bench.chain.url], bench.chain.contract.address)
