"""A contract that is not the published one, or not in the hands that are trusted: refused before anything is signed."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_utils.crypto import keccak

from svc_client import ContractNotAccepted, InvalidArgument
from svc_client.sovereign import Sovereign
from tests.support.account_builds import deployed_build
from tests.support.account_chain import AccountChain
from tests.support.contract import ARTIFACT, deploy
from tests.support.contract_wallets.deployed import deploy_wallet
from tests.support.sovereign import WALLET, Stage

pytestmark = pytest.mark.exhaustive
Deployed = Callable[[AccountChain], Awaitable[str]]
OF_METADATA = -10
"""Place of a byte that nothing executes."""
VIEWS_PLACES, DELAY_PLACES = ARTIFACT["immutableReferences"].values()


async def nobody(chain: AccountChain) -> str:
    return str(Account.create().address)


async def another_contract(chain: AccountChain) -> str:
    return await deploy_wallet(chain.rpc, chain.owner, "OwnerWallet", chain.owner)


async def without_delay(chain: AccountChain) -> str:
    return (await deploy(chain.rpc, chain.owner, chain.owner, chain.admin_payer, 0)).address


def with_code_changed(place: int, of_views: bool = False) -> Deployed:
    """A byte of the code is another; at the place of an immutable only one of its copies is."""

    async def deployed(chain: AccountChain) -> str:
        address = chain.contract.address
        changed = await chain.contract.call("viewsModule") if of_views else address
        code = bytearray.fromhex((await chain.rpc.ask("eth_getCode", changed, "latest"))[2:])
        code[place] ^= 1
        await chain.rpc.ask("anvil_setCode", changed, f"0x{code.hex()}")
        return address

    return deployed


STRANGE: list[tuple[str, Deployed, str]] = [
    ("nobody", nobody, "accounts.contract"),
    ("another contract", another_contract, "accounts.code"),
    ("a changed byte", with_code_changed(400), "accounts.code"),
    ("its last byte", with_code_changed(-1), "accounts.code"),
    ("two views modules", with_code_changed(VIEWS_PLACES[1]["start"] + 31), "accounts.views"),
    ("a changed views module", with_code_changed(100, of_views=True), "accounts.views"),
    ("two delays", with_code_changed(DELAY_PLACES[1]["start"] + 31), "accounts.delay"),
    ("no delay", without_delay, "accounts.delay"),
]
ATTEMPTS: list[Callable[[Sovereign], Any]] = [
    lambda mine: mine.status(),
    lambda mine: mine.open("me"),
    lambda mine: mine.safe_batch(mine.calls.open("me")),
    lambda mine: list(mine.groups()),
    lambda mine: mine.mint_wallet(),
    lambda mine: mine.convert(),
]


class Unused:
    """A wallet that must not be asked."""

    address = WALLET.address

    def sign_typed_data(self, **_: Any) -> Any:
        raise AssertionError("it was asked to sign")

    def sign_transaction(self, _: Any) -> Any:
        raise AssertionError("it was asked to sign")


@pytest.mark.parametrize(("deployed", "check"), [each[1:] for each in STRANGE], ids=[each[0] for each in STRANGE])
async def test_strange_code_is_refused_whatever_is_asked(stage: Stage, deployed: Deployed, check: str) -> None:
    stage.contract = await deployed(stage.chain)
    for attempt in ATTEMPTS:
        with pytest.raises(ContractNotAccepted) as refused:
            await stage.by(attempt, Unused())
        assert check in [each.id for each in refused.value.checks]
        assert check in str(refused.value)
    assert await stage.sent_count() == 0


async def test_without_a_development_root_the_delay_is_a_day(stage: Stage) -> None:
    def client(**changes: Any) -> Any:
        return stage.client(insecure_dev_root=None, **changes)

    with client() as node, pytest.raises(ContractNotAccepted, match=r"accounts\.delay"):
        await stage.in_thread(Sovereign(Unused(), node), lambda mine: mine.open("me"))


async def test_one_provider_is_enough_in_development_or_where_allowed(stage: Stage) -> None:
    assert not (await stage.by(lambda mine: mine.status(), WALLET, stage.one.url)).exists
    with stage.client(stage.one.url, insecure_dev_root=None) as node:
        with pytest.raises(InvalidArgument, match="alone could lie unseen"):
            Sovereign(WALLET, node)
        with pytest.raises(ContractNotAccepted, match=r"accounts\.delay"):
            await stage.in_thread(Sovereign(WALLET, node, one_provider=True), lambda mine: mine.status())


def trust_file(stage: Stage, folder: Path, accounts: str) -> Path:
    file = folder / "node.trust.toml"
    file.write_text(
        f'host = "localhost"\napp_id = "0x{"11" * 20}"\nchain_id = 31337\n'
        f'rpc_urls = ["{stage.one.url}", "{stage.two.url}"]\n[accounts]\n'
        f'contract = "{stage.chain.contract.address}"\n{accounts}'
    )
    return file


@pytest.mark.parametrize("is_pending", [False, True])
async def test_an_owner_that_is_not_pinned_is_refused(stage: Stage, tmp_path: Path, is_pending: bool) -> None:
    pinned = stage.chain.owner
    if is_pending:
        await stage.chain.write("transferOwnership", stage.chain.stranger, sender=stage.chain.owner)
    else:
        pinned = stage.chain.stranger
    file = trust_file(stage, tmp_path, f'minimum_owner_change_delay_s = 3600\nowners = ["{pinned}"]\n')
    known = {"trust": file, "app_id": None, "account_contract": None, "rpc_urls": (), "chain_id": None}
    with stage.client(**known) as node, pytest.raises(ContractNotAccepted, match=r"accounts\.owner"):
        await stage.in_thread(Sovereign(Unused(), node), lambda mine: mine.open("me"))


async def test_a_trust_file_says_all_that_is_needed(stage: Stage, tmp_path: Path) -> None:
    accounts = f'minimum_owner_change_delay_s = 3600\nowners = ["{stage.chain.owner}"]\n'
    known = {"app_id": None, "account_contract": None, "rpc_urls": (), "chain_id": None, "insecure_dev_root": None}
    with stage.client(trust=trust_file(stage, tmp_path, accounts), **known) as node:
        assert not (await stage.in_thread(Sovereign(WALLET, node), lambda mine: mine.status())).exists


async def test_a_build_that_the_trust_file_pins_is_accepted_beside_the_published_ones(
    stage: Stage, tmp_path: Path
) -> None:
    await with_code_changed(OF_METADATA)(stage.chain)
    code = bytearray.fromhex(ARTIFACT["deployedBytecode"][2:])
    code[OF_METADATA] ^= 1
    build = await deployed_build(stage.chain) | {"code_hash": keccak(bytes(code)).hex()}
    accounts = f'minimum_owner_change_delay_s = 3600\nowners = ["{stage.chain.owner}"]\n[[accounts.codes]]\n'
    accounts += "".join(f"{name} = {json.dumps(value)}\n" for name, value in build.items())
    known = {"app_id": None, "account_contract": None, "rpc_urls": (), "chain_id": None, "insecure_dev_root": None}
    with stage.client(trust=trust_file(stage, tmp_path, accounts), **known) as node:
        assert not (await stage.in_thread(Sovereign(WALLET, node), lambda mine: mine.status())).exists


async def test_no_contract_is_named(stage: Stage) -> None:
    with stage.client(account_contract=None) as node, pytest.raises(InvalidArgument, match="No account contract"):
        Sovereign(WALLET, node)
