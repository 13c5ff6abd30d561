"""The contract's face: names, argument types, sizes, and an artifact that is what the sources give."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.chain.contract.world import ADMIN_PAYER, OWNER, PAYER, ZERO, World
from tests.support.contract import ARTIFACT, ARTIFACT_FILE, REPOSITORY, Revert, canonical, deploy, signature

pytestmark = pytest.mark.asyncio(loop_scope="module")

USAGE_KEY = "uint256,uint256,uint256,uint256,string,string,bool,bool,bool,uint256[],uint256[],uint256[],uint256[]"
WRITES = {
    "newAccount(uint256,bool,string,string,address)",
    "newChainSecuredAccount(string,string)",
    "clearUsageApiKeys(uint256)",
    f"updateUsageApiKey({USAGE_KEY})",
    "createManagedAccount(uint256,string,string,address,uint256)",
    "convertToChainSecuredAccount(uint256,address)",
    "transferChainSecuredAccountOwnership(uint256,address)",
    f"setUsageApiKey({USAGE_KEY})",
    "removeUsageApiKey(uint256,uint256)",
    "updateUsageApiKeyMetadata(uint256,uint256,string,string)",
    "addGroup(uint256,string,string,uint256[],address[])",
    "updateGroup(uint256,uint256,string,string,uint256[],address[])",
    "updateGroupMetadata(uint256,uint256,string,string)",
    "removeGroup(uint256,uint256)",
    "addAction(uint256,string,string,uint256)",
    "addActionWithCid(uint256,string,string,string)",
    "removeAction(uint256,uint256)",
    "updateActionMetadata(uint256,uint256,uint256,string,string)",
    "addActionToGroup(uint256,uint256,uint256)",
    "removeActionFromGroup(uint256,uint256,uint256)",
    "addPkpToGroup(uint256,uint256,address)",
    "removePkpFromGroup(uint256,uint256,address)",
    "registerWalletDerivation(uint256,address,uint256,string,string)",
    "multicall(bytes[])",
    "addApiPayers(address[])",
    "removeApiPayers(address[])",
    "setApiPayers(address[])",
    "setAdminApiPayerAccount(address)",
    "setRequestedApiPayerCount(uint256)",
    "setRebalanceAmount(uint256)",
    "setConfigOperator(address)",
    "setNodeConfiguration(string,string)",
    "transferOwnership(address)",
    "acceptOwnership()",
    # Ours: the owner's delayed changes.
    "applyOwnerChange()",
    "cancelOwnerChange()",
}
KEY_VIEW = "(uint256,string,string,uint256,uint256,bool,bool,bool,uint256[],uint256[],uint256[],uint256[])"
GROUP_VIEW = "(uint256,string,string,uint256[],address[])"
WALLET_VIEW = "(uint256,address,uint256,string,string)"
ACTION_VIEW = "(uint256,string,string,string)"
VIEWS = {
    "resolveMaster(uint256)": "uint256",
    "masterOfWallet(address)": "uint256",
    "authorisation(uint256,uint256,address[])": "(bool,bool[],uint256,bool,bool,uint256,uint256,uint256,uint256,bool,address,uint64)",
    "getAccount(uint256)": "(uint256,bool,bool,address,string,string,uint256,uint256,uint256,uint256," + KEY_VIEW + ")",
    "accountExistsAndIsMutable(uint256)": "bool",
    "getAccountWalletAddress(uint256)": "address",
    "getWalletDerivation(uint256,address)": "uint256",
    "listApiKeys(uint256,uint256,uint256)": KEY_VIEW + "[],uint256",
    "listGroups(uint256,uint256,uint256)": GROUP_VIEW + "[],uint256",
    "listPkps(uint256,uint256,uint256)": WALLET_VIEW + "[],uint256",
    "listActions(uint256,uint256,uint256)": ACTION_VIEW + "[],uint256",
    "listWalletsInGroup(uint256,uint256,uint256,uint256)": WALLET_VIEW + "[],uint256",
    "listActionsInGroup(uint256,uint256,uint256,uint256)": ACTION_VIEW + "[],uint256",
    "listGroupContents(uint256,uint256)": GROUP_VIEW,
    "isActionInGroup(uint256,uint256,uint256)": "bool",
    "isPkpInGroup(uint256,uint256,address)": "bool",
    "getUsageApiKey(uint256,uint256)": KEY_VIEW,
    "getGroup(uint256,uint256)": GROUP_VIEW,
    "getPkp(uint256,address)": WALLET_VIEW,
    "getPkpById(uint256,uint256)": WALLET_VIEW,
    "getAction(uint256,uint256)": ACTION_VIEW,
    "apiKeyCount(uint256)": "uint256",
    "groupCount(uint256)": "uint256",
    "groupLimits()": "uint256,uint256",
    "pkpCountOf(uint256)": "uint256",
    "actionCount(uint256)": "uint256",
    "groupWalletCount(uint256,uint256)": "uint256",
    "groupActionCount(uint256,uint256)": "uint256",
    "canExecuteAction(uint256,uint256)": "bool",
    "canUseWalletInAction(uint256,uint256,address)": "bool",
    "canExecuteActionAndUseWallet(uint256,uint256,address)": "bool,bool",
    "decidingGroups(uint256,uint256,address)": "uint256,uint256,uint256,uint256",
    "api_payers()": "address[]",
    "adminApiPayerAccount()": "address",
    "adminApiPayerReplacements()": "uint64",
    "requestedApiPayerCount()": "uint256",
    "rebalanceAmount()": "uint256",
    "nodeConfigurationValue(string)": "string",
    "accountCount()": "uint256",
    "pkpCount()": "uint256",
    "owner()": "address",
    "pendingOwner()": "address",
    "configOperator()": "address",
    "isApiPayer(address)": "bool",
    "ownerChangeDelay()": "uint256",
    "scheduledOwnerChange()": "bytes4,address[],uint256",
    "viewsModule()": "address",
    "renounceOwnership()": "",
}
EVENTS = {
    "AccountCreated(uint256*,address*,bool)",
    "AccountConvertedToChainSecured(uint256*,address*)",
    "ChainSecuredAccountOwnershipTransferred(uint256*,address*,address*)",
    "UsageApiKeySet(uint256*,uint256*)",
    "UsageApiKeyRemoved(uint256*,uint256*)",
    "UsageApiKeyMetadataUpdated(uint256*,uint256*)",
    "UsageApiKeysCleared(uint256*)",
    "GroupAdded(uint256*,uint256*)",
    "GroupUpdated(uint256*,uint256*)",
    "GroupMetadataUpdated(uint256*,uint256*)",
    "GroupRemoved(uint256*,uint256*)",
    "ActionAdded(uint256*,uint256*)",
    "ActionMetadataUpdated(uint256*,uint256*)",
    "ActionRemoved(uint256*,uint256*)",
    "PkpAddedToGroup(uint256*,uint256*,address)",
    "PkpRemovedFromGroup(uint256*,uint256*,address)",
    "ActionAddedToGroup(uint256*,uint256*,uint256)",
    "ActionRemovedFromGroup(uint256*,uint256*,uint256)",
    "WalletDerivationRegistered(uint256*,address*,uint256)",
    "ApiPayersUpdated(address[])",
    "AdminApiPayerUpdated(address*)",
    "ConfigOperatorUpdated(address*)",
    "RequestedApiPayerCountUpdated(uint256)",
    "RebalanceAmountUpdated(uint256)",
    "NodeConfigurationUpdated(string,string)",
    "OwnerChangeScheduled(bytes4*,address[],uint256)",
    "OwnerChangeApplied(bytes4*,address[])",
    "OwnerChangeCancelled(bytes4*,address[])",
    "CallFailed(uint256,bytes)",
    "OwnershipTransferred(address*,address*)",
    "OwnershipTransferStarted(address*,address*)",
}
ERRORS = {
    "AccountDoesNotExist(uint256)",
    "NoAccountAccess(uint256,address)",
    "AccountAlreadyExists(uint256)",
    "GroupDoesNotExist(uint256,uint256)",
    "GroupLimitReached(uint256,uint256)",
    "PkpDoesNotExist(uint256,uint256,address)",
    "ActionDoesNotExist(uint256,uint256,uint256)",
    "UsageApiKeyDoesNotExist(uint256,uint256)",
    "UsageApiKeyExpired(uint256)",
    "NotMasterAccount(uint256)",
    "NotAllowedToCreateGroup(uint256)",
    "NotAllowedToDeleteGroup(uint256)",
    "NotAllowedToCreatePkp(uint256)",
    "NotAllowedToAddPkpToGroup(uint256,uint256)",
    "NotAllowedToRemovePkpFromGroup(uint256,uint256)",
    "NotAllowedToManageIPFSIdsInGroup(uint256,uint256)",
    "OnlyApiPayer(address)",
    "OnlyApiPayerOrOwner(address)",
    "OnlyConfigOperatorOrOwner(address)",
    "InvalidRequest(string)",
    "OwnableUnauthorizedAccount(address)",
    "OwnableInvalidOwner(address)",
}


def entries(kind: str) -> list[dict[str, Any]]:
    return [entry for entry in ARTIFACT["abi"] if entry["type"] == kind]


def event_signature(entry: dict[str, Any]) -> str:
    types = (each["type"] + ("*" if each["indexed"] else "") for each in entry["inputs"])
    return f"{entry['name']}({','.join(types)})"


async def test_writes_are_exactly_those_of_the_document() -> None:
    assert {signature(e) for e in entries("function") if e["stateMutability"] == "nonpayable"} == WRITES


async def test_views_are_exactly_those_agreed_with_their_answers() -> None:
    found = {
        signature(e): ",".join(map(canonical, e["outputs"])) for e in entries("function") if signature(e) not in WRITES
    }
    assert found == VIEWS
    assert all(e["stateMutability"] in {"view", "pure", "nonpayable"} for e in entries("function"))


async def test_add_group_and_multicall_return_what_they_did() -> None:
    returns = {e["name"]: [canonical(each) for each in e["outputs"]] for e in entries("function")}
    assert returns["addGroup"] == ["uint256"]
    assert returns["multicall"] == ["bool[]", "bytes[]"]


async def test_events_and_errors_are_exactly_those_of_the_document() -> None:
    assert {event_signature(e) for e in entries("event")} == EVENTS
    assert {signature(e) for e in entries("error")} == ERRORS


async def test_every_function_of_the_interface_answers_on_chain(world: World) -> None:
    """A function that neither half of the contract has would revert without data."""
    for entry in entries("function"):
        arguments = [blank(each) for each in entry["inputs"]]
        outcome = (await world.contract.outcomes([(PAYER, entry["name"], arguments)]))[0]
        assert outcome is None or outcome.name not in {"", "Panic", "unknown"}, (entry["name"], outcome)


def blank(entry: dict[str, Any]) -> Any:
    if entry["type"].endswith("[]"):
        return []
    return {"string": "", "address": ZERO, "bool": False}.get(entry["type"], 0)


async def test_sizes_are_under_the_limits_of_every_chain() -> None:
    for runtime in (ARTIFACT["deployedBytecode"], ARTIFACT["viewsDeployedBytecode"]):
        assert 0 < len(runtime) // 2 - 1 <= 24_576
    assert len(ARTIFACT["bytecode"]) // 2 - 1 + 96 <= 49_152


async def test_the_chain_runs_the_code_of_the_artifact(world: World) -> None:
    module = await world.call("viewsModule")
    assert await world.rpc.ask("eth_getCode", module, "latest") == ARTIFACT["viewsDeployedBytecode"]
    code = bytearray.fromhex((await world.rpc.ask("eth_getCode", world.contract.address, "latest"))[2:])
    for places in ARTIFACT["immutableReferences"].values():
        for place in places:
            code[place["start"] : place["start"] + place["length"]] = bytes(place["length"])
    assert "0x" + code.hex() == ARTIFACT["deployedBytecode"]


async def build(folder: Path, *arguments: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        str(REPOSITORY / ".venv" / "bin" / "node"),
        str(folder / "build.mjs"),
        *arguments,
        cwd="/",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
async def test_the_artifact_is_what_the_sources_give_in_any_folder(tmp_path: Path) -> None:
    """Built from a copy elsewhere; a file that differs is named, and only that one."""
    folder = tmp_path / "elsewhere" / "sources"
    shutil.copytree(ARTIFACT_FILE.parent, folder)
    (tmp_path / "node_modules").symlink_to(REPOSITORY / "node_modules")
    changed = tmp_path / "changed.json"
    changed.write_text('{"abi": []}\n')
    code, output = await build(folder, "--check", str(changed))
    assert code == 1
    assert [line.split()[0] for line in output.splitlines() if "is not what the sources give" in line] == [str(changed)]
    assert changed.read_text() == '{"abi": []}\n'


async def test_eth_is_refused(world: World) -> None:
    listing = "0x" + world.contract.encode("resolveMaster", 1).hex()
    writing = "0x" + world.contract.encode("newChainSecuredAccount", "", "").hex()
    for data in ("0x", "0x12345678", listing, writing):
        request = {"from": OWNER, "to": world.contract.address, "value": "0x1", "data": data}
        with pytest.raises(Revert) as refused:
            await world.rpc.ask("eth_call", request, "latest")
        assert refused.value.name == ""
    assert await world.rpc.ask("eth_getBalance", world.contract.address, "latest") == "0x0"


async def test_an_unknown_function_is_refused(world: World) -> None:
    for data in ("0x", "0x12", "0x12345678"):
        with pytest.raises(Revert):
            await world.rpc.ask("eth_call", {"to": world.contract.address, "data": data}, "latest")


@pytest.mark.parametrize(
    ("owner", "delay", "error"), [(ZERO, 0, "OwnableInvalidOwner"), (OWNER, 366 * 86400, "InvalidRequest")]
)
async def test_a_senseless_deployment_is_refused(world: World, owner: str, delay: int, error: str) -> None:
    with pytest.raises(Revert) as refused:
        await deploy(world.rpc, OWNER, owner, ADMIN_PAYER, delay)
    assert refused.value.name == error
