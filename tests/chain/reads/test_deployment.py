"""What the node refuses to start on: another chain, no contract, other code, too short a delay, nobody there."""

from collections.abc import Sequence
from typing import Any

import aiohttp
import pytest
import structlog
from eth_utils.crypto import keccak

from node.chain.abi import account_config_abi
from node.chain.contract.artifacts import contract_code_hash, published_identity
from node.chain.deployment import attested_contract, verify_deployment
from node.chain.rpc import JsonRpc
from node.errors import StartupRefusedError
from node.settings.chain import RpcSettings
from node.values import checksum_address
from tests.support.account_chain import OWNER_CHANGE_DELAY_S, AccountChain
from tests.support.contract import ARTIFACT, deploy
from tests.support.populated_account import Bench
from tests.support.ports import free_port
from tests.support.rpc_proxy import Behaviour, RpcProxy, changing, hang, refusing, saying, taking_no_batches
from tests.support.views import views_over

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAIN_ID = 31337
RPC = RpcSettings(rpc_attempt_timeout_s=3, rpc_call_timeout_s=60)


def nobody() -> str:
    return f"http://127.0.0.1:{free_port()}/SECRETKEY"


async def verify(
    providers: Sequence[str], contract: str, chain_id: int = CHAIN_ID, min_delay_s: int = 0, quorum: int = 0
) -> None:
    async with aiohttp.ClientSession() as session:
        quorum = quorum or len(providers) // 2 + 1
        rpc = JsonRpc(session, providers, RPC)
        await verify_deployment(rpc, account_config_abi(), chain_id, contract, min_delay_s, quorum)


async def refused(
    providers: Sequence[str], contract: str, chain_id: int = CHAIN_ID, min_delay_s: int = 0, quorum: int = 0
) -> StartupRefusedError:
    with pytest.raises(StartupRefusedError) as caught:
        await verify(providers, contract, chain_id, min_delay_s, quorum)
    return caught.value


async def code_at(chain: AccountChain, address: str) -> bytearray:
    return bytearray.fromhex((await chain.rpc.ask("eth_getCode", address, "latest"))[2:])


async def put(chain: AccountChain, address: str, code: bytes | bytearray) -> str:
    await chain.rpc.ask("anvil_setCode", address, "0x" + code.hex())
    return address


def telling_code(code: str) -> Behaviour:
    """A provider that lies of the contract's code alone."""

    def lie(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
        tells_the_chain = answers[0].get("result") == hex(CHAIN_ID)
        return [answers[0], {**answers[1], "result": code}] if tells_the_chain else answers

    return changing(lie)


async def test_the_right_chain_and_contract_pass(chain: AccountChain) -> None:
    await verify([chain.url], chain.contract.address)


async def test_another_chain_is_named(chain: AccountChain) -> None:
    error = await refused([chain.url], chain.contract.address, 1)
    assert error.setting == "chain_id"
    assert "31337" in error.message


@pytest.mark.parametrize("quorum", [1, 2])
async def test_of_two_endpoints_none_may_be_wrong(bench: Bench, quorum: int) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": "0x1"}, *answers[1:]])
    providers = [bench.chain.url, bench.proxy.url]
    error = await refused(providers, bench.chain.contract.address, quorum=quorum)
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


async def test_a_contract_that_answers_as_ours_does_is_refused_for_its_code(bench: Bench) -> None:
    """A proxy delegates to the real contract: every view answers as it should, and its owner changes it at will."""
    chain = bench.chain
    proxy = "363d3d373d3d3d363d73" + chain.contract.address[2:] + "5af43d82803e903d91602b57fd5bf3"  # EIP-1167
    error = await refused([chain.url], await put(chain, "0x" + "35" * 20, bytes.fromhex(proxy)))
    assert error.setting == "contract_address"
    assert published_identity().code_hash in error.message


IMMUTABLE_PLACES = [
    place["start"] for places in ARTIFACT["immutableReferences"].values() if len(places) > 1 for place in places
]


@pytest.mark.parametrize("place", IMMUTABLE_PLACES)
async def test_an_immutable_that_holds_two_values_is_refused(bench: Bench, place: int) -> None:
    """By hand: the getter names the published views module or a long delay, and the code uses another."""
    code = await code_at(bench.chain, bench.chain.contract.address)
    code[place : place + 32] = bytes(32)
    error = await refused([bench.chain.url], await put(bench.chain, "0x" + "37" * 20, code))
    assert (error.setting, "different values of one immutable" in error.message) == ("contract_address", True)


@pytest.mark.parametrize("place", ["first", "last"])
async def test_one_byte_of_other_code_is_seen(bench: Bench, place: str) -> None:
    code = await code_at(bench.chain, bench.chain.contract.address)
    code[0 if place == "first" else -1] ^= 1
    error = await refused([bench.chain.url], await put(bench.chain, "0x" + "36" * 20, code))
    assert error.setting == "contract_address"


@pytest.mark.parametrize("change", [b"\x00", b""])
async def test_code_that_is_longer_or_shorter_is_seen(bench: Bench, change: bytes) -> None:
    code = bytes(await code_at(bench.chain, bench.chain.contract.address))
    other = code + change if change else code[:100]
    assert (await refused([bench.chain.url], await put(bench.chain, "0x" + "37" * 20, other))).setting == (
        "contract_address"
    )


async def test_an_immutable_that_leads_to_another_views_module_is_seen(bench: Bench) -> None:
    """Immutables are masked in the code's hash, so the module they name is looked at too."""
    chain = bench.chain
    module = (await chain.contract.call("viewsModule")).lower()
    code = bytes(await code_at(chain, chain.contract.address))
    assert bytes.fromhex(module[2:]) in code
    for other, found in (
        ("0x" + "38" * 20, b"\x00"),
        ("0x" + "39" * 20, bytes(await code_at(chain, module))[:-1] + b"\x01"),
    ):
        await put(chain, other, found)
        contract = await put(chain, "0x" + "3a" * 20, code.replace(bytes.fromhex(module[2:]), bytes.fromhex(other[2:])))
        error = await refused([chain.url], contract)
        assert error.setting == "contract_address"
        assert "views module" in error.message


async def test_a_contract_of_the_same_code_and_another_delay_passes(chain: AccountChain) -> None:
    other = await deploy(chain.rpc, chain.owner, chain.owner, chain.admin_payer, 86_400)
    await verify([chain.url], other.address, min_delay_s=86_400)


async def test_a_delay_that_is_too_short_is_named_with_its_setting(chain: AccountChain) -> None:
    await verify([chain.url], chain.contract.address, min_delay_s=OWNER_CHANGE_DELAY_S)
    error = await refused([chain.url], chain.contract.address, min_delay_s=OWNER_CHANGE_DELAY_S + 1)
    assert error.setting == "min_owner_change_delay_s"
    assert f"{OWNER_CHANGE_DELAY_S} s" in error.message


async def test_code_is_what_a_quorum_says_it_is(bench: Bench) -> None:
    """One provider that tells of the right code does not help a contract of other code, nor one liar a right one."""
    chain, code = bench.chain, bytes(await code_at(bench.chain, bench.chain.contract.address))
    contract = await put(chain, "0x" + "3b" * 20, code + b"\x00")
    bench.proxy.behaviour = telling_code("0x" + code.hex())
    error = await refused([bench.proxy.url, chain.url, chain.url], contract)
    assert error.setting == "contract_address"
    bench.proxy.behaviour = telling_code("0x00")
    await verify([bench.proxy.url, chain.url, chain.url], chain.contract.address)
    assert (await refused([bench.proxy.url, chain.url], chain.contract.address)).setting == "contract_address"


async def test_the_published_identity_follows_from_the_artifact_alone() -> None:
    """As a stranger computes it: the runtime code of the artifact has zeros where solc says that immutables are."""
    published = published_identity()
    for part, found in (
        ("deployedBytecode", published.code_hash),
        ("viewsDeployedBytecode", published.views_code_hash),
    ):
        assert found == "0x" + keccak(bytes.fromhex(ARTIFACT[part][2:])).hex()
    masked = bytes.fromhex(ARTIFACT["deployedBytecode"][2:])
    places = [place for places in ARTIFACT["immutableReferences"].values() for place in places]
    assert places
    assert not any(any(masked[place["start"] : place["start"] + place["length"]]) for place in places)


async def test_what_a_node_attests_of_the_contract_is_what_anybody_finds_on_the_chain(chain: AccountChain) -> None:
    async with aiohttp.ClientSession() as session:
        views = views_over(JsonRpc(session, [chain.url], RPC), chain.contract.address)
        attested = await attested_contract(views, CHAIN_ID, chain.contract.address.lower())
    module = await chain.contract.call("viewsModule")
    assert attested == {
        "address": checksum_address(chain.contract.address),
        "chain_id": CHAIN_ID,
        "code_hash": contract_code_hash(bytes(await code_at(chain, chain.contract.address))),
        "owner_change_delay_s": OWNER_CHANGE_DELAY_S,
        "views_code_hash": "0x" + keccak(bytes(await code_at(chain, module))).hex(),
        "views_module": checksum_address(module),
    }


async def test_nobody_there_is_named_by_host_without_the_credential(chain: AccountChain) -> None:
    error = await refused([nobody(), nobody()], chain.contract.address)
    assert error.setting == "rpc_endpoints"
    assert "127.0.0.1" in error.message
    assert "SECRETKEY" not in str(error)


async def test_a_quorum_must_answer_and_the_others_may_be_out(chain: AccountChain) -> None:
    await verify([nobody(), chain.url, chain.url], chain.contract.address)
    for providers in ([nobody(), chain.url], [nobody(), nobody(), chain.url]):
        error = await refused(providers, chain.contract.address)
        assert error.setting == "rpc_endpoints"
        assert "SECRETKEY" not in str(error)


async def test_one_wrong_endpoint_of_three_is_logged_loudly_and_outvoted(bench: Bench) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": "0x1"}, *answers[1:]])
    providers = [bench.proxy.url, bench.chain.url, bench.chain.url]
    with structlog.testing.capture_logs() as logs:
        await verify(providers, bench.chain.contract.address)
    (logged,) = logs
    assert (logged["event"], logged["log_level"], logged["setting"]) == ("rpc_endpoint_wrong", "error", "chain_id")
    assert str(bench.proxy.port) in logged["why"]


async def test_a_wrong_endpoint_that_a_quorum_needs_is_refused(bench: Bench) -> None:
    bench.proxy.behaviour = changing(lambda answers: [{**answers[0], "result": "0x1"}, *answers[1:]])
    error = await refused([bench.proxy.url, bench.chain.url, nobody()], bench.chain.contract.address)
    assert error.setting == "chain_id"


BATCHLESS = taking_no_batches(-32600, "batch requests are not supported")


async def test_an_endpoint_that_takes_no_batches_is_refused_by_its_settings_name(bench: Bench) -> None:
    contract, bench.proxy.behaviour = bench.chain.contract.address, BATCHLESS
    for providers in ([bench.proxy.url], [bench.chain.url, bench.proxy.url]):
        error = await refused(providers, contract, quorum=1)
        assert error.setting == "rpc_endpoints"
        assert f"127.0.0.1:{bench.proxy.port} answers a batch of requests with error -32600" in error.message
    with structlog.testing.capture_logs() as logs:
        await verify([bench.proxy.url, bench.chain.url, bench.chain.url], contract)
    wrong = [(line["event"], line["setting"]) for line in logs if line["log_level"] == "error"]
    assert wrong == [("rpc_endpoint_wrong", "rpc_endpoints")]
    async with RpcProxy(bench.chain.url).running() as second:
        second.behaviour = BATCHLESS
        assert (await refused([bench.proxy.url, second.url, bench.chain.url], contract)).setting == "rpc_endpoints"
    # Who does not answer may do so later, and is no mistake in the settings.
    await verify([nobody(), bench.chain.url], contract, quorum=1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("behaviour", [hang, saying(b"no"), refusing(-32005, "limit exceeded")])
async def test_an_endpoint_that_does_not_answer_sensibly_counts_as_out(bench: Bench, behaviour: object) -> None:
    bench.proxy.behaviour = behaviour  # type: ignore[assignment]
    assert (await refused([bench.proxy.url], bench.chain.contract.address)).setting == "rpc_endpoints"
    await verify([bench.proxy.url, bench.chain.url, bench.chain.url], bench.chain.contract.address)
