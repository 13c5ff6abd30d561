"""Sovereign mode beside a real node: it mints for what a wallet signs, converts, and runs what the chain allows."""

import json
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from node.keyring.signing_key import key_from_hex
from svc_client import AsyncClient, Client, Conflict, Forbidden, SvcError
from svc_client.sovereign import AsyncSovereign, ContractWallet, Sovereign
from tests.support.chainsecured import FUNDS, ChainWriter
from tests.support.client_arguments import ClientArguments, arguments_for
from tests.support.contract import Contract
from tests.support.contract_wallets.deployed import MultisigWallet
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.filterwarnings("ignore::svc_client.InsecureDevelopmentRootWarning"),
]
LEARNS_WITHIN_S = 30.0
SIGN = 'async function main({wallet}) { return Svc.Actions.signMessage({pkpId: wallet, message: "hello"}); }'


@pytest.fixture
def writer(node: VerifiableNode) -> ChainWriter:
    return ChainWriter(node.chain, f"0x{node.account_contract.hex()}")


@pytest.fixture
def wallet(writer: ChainWriter) -> LocalAccount:
    """A new one with ether."""
    made: LocalAccount = Account.create()
    writer.ask("anvil_setBalance", made.address, FUNDS)
    return made


@pytest.fixture
def svc(arguments: ClientArguments) -> Iterator[Client]:
    with Client(**arguments) as client:
        yield client


def signs(node: VerifiableNode, key: str, address: str) -> None:
    with Client(api_key=key, **arguments_for(node)) as job:
        run = job.actions.run(SIGN, {"wallet": address})
    assert Account.recover_message(encode_defunct(text="hello"), signature=str(run.response)) == address


def signs_until_learned(node: VerifiableNode, key: str, address: str) -> None:
    """Sign until the node refuses: the wallet's own transaction reaches its cache at its next poll."""
    deadline = time.monotonic() + LEARNS_WITHIN_S
    while time.monotonic() < deadline:
        signs(node, key, address)


def test_what_the_node_mints_is_used_by_the_keys_of_the_account(
    node: VerifiableNode, svc: Client, wallet: LocalAccount
) -> None:
    with Sovereign(wallet, svc) as mine:
        mine.open("me")
        minted = mine.mint_wallet()
        mine.send(mine.calls.register_wallet(minted, "signer"))
        cid = svc.actions.cid(SIGN)
        group = mine.create_group("signers", actions=[cid], wallets=[minted.wallet_address])
        key = mine.mint_usage_key()
        mine.send(*mine.calls.attach_usage_key(key, "backend", execute_in=[group], cap_cents=500))
        signs(node, key.usage_api_key, minted.wallet_address)
        assert key.usage_api_key not in f"{key!r} {mine.status()!r} {list(mine.usage_keys())!r}"
        mine.send(mine.calls.clear_usage_keys())
        with pytest.raises(SvcError):
            signs_until_learned(node, key.usage_api_key, minted.wallet_address)


def test_an_account_is_converted_for_good(
    node: VerifiableNode, wallet: LocalAccount, arguments: ClientArguments
) -> None:
    with Client(**arguments) as maker:
        made = maker.account.create("of a key")
    with Client(api_key=made.api_key, **arguments) as svc, Sovereign(wallet, svc) as mine:
        svc.wallets.create("of before")
        converted = mine.convert()
        status = mine.status()
        assert (status.is_admin, status.account_hash, status.wallets) == (True, converted.api_key_hash, 2)
        with pytest.raises(Forbidden):
            svc.groups.create("by the key")
        mine.create_group("by the wallet")
        with pytest.raises(Conflict):
            mine.convert()


async def test_the_asynchronous_form_mints_and_converts(wallet: LocalAccount, arguments: ClientArguments) -> None:
    async with AsyncClient(**arguments) as maker:
        made = await maker.account.create("of a key")
    async with AsyncClient(api_key=made.api_key, **arguments) as svc, AsyncSovereign(wallet, svc) as mine:
        assert (await mine.convert()).transaction_hash
        minted = await mine.mint_wallet()
        key = await mine.mint_usage_key()
        await mine.send(
            mine.calls.register_wallet(minted, "signer"),
            *mine.calls.attach_usage_key(key, "backend", cap_cents=500),
        )
        assert [each.name async for each in mine.usage_keys()] == ["backend"]
        assert (await mine.status()).wallets == 3


def test_a_multisig_mints_by_signatures_and_administers_by_batch_files(
    node: VerifiableNode, svc: Client, writer: ChainWriter
) -> None:
    accounts: list[LocalAccount] = [Account.create() for _ in range(3)]

    async def deployed(contract: Contract) -> MultisigWallet:
        sender = (await contract.rpc.ask("eth_accounts"))[0]
        return await MultisigWallet.deployed(contract.rpc, sender, [key_from_hex(each.key.hex()) for each in accounts])

    multisig: MultisigWallet = writer.with_contract(deployed)
    with Sovereign(ContractWallet(multisig.address, *accounts[:2]), svc) as mine:

        def carry_out(*calls: Any) -> None:
            for call, listed in zip(calls, json.loads(mine.safe_batch(*calls))["transactions"], strict=True):
                assert listed["contractMethod"]["name"] == call.function

                async def execution(contract: Contract, data: bytes = call.data) -> tuple[str, str]:
                    sender = (await contract.rpc.ask("eth_accounts"))[1]
                    return sender, await multisig.execution(contract.rpc, contract.address, data)

                sender, data = writer.with_contract(execution)
                writer.send(sender, multisig.address, data)

        carry_out(mine.calls.open("ours"))
        minted = mine.mint_wallet()
        key = mine.mint_usage_key()
        carry_out(mine.calls.register_wallet(minted, "signer"))
        carry_out(mine.calls.add_group("g", actions=[svc.actions.cid(SIGN)], wallets=[minted]))
        carry_out(*mine.calls.attach_usage_key(key, "k", execute_in=[1]))
        signs(node, key.usage_api_key, minted.wallet_address)


def test_the_program_of_the_page_runs(
    svc: Client, wallet: LocalAccount, arguments: ClientArguments, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (REPOSITORY / "docs" / "client.md").read_text()
    found = re.search(r"<!-- sovereign -->\n```python\n(.*?)```\n<!-- /sovereign -->", page, re.DOTALL)
    assert found is not None
    program = found[1].replace('Client(URL, trust="node.trust.toml")', "Client(**ARGUMENTS)")
    assert program != found[1]
    known = {"ARGUMENTS": arguments, "ACCOUNT": wallet, "CID": svc.actions.cid(SIGN)}
    exec(compile(program, "docs/client.md", "exec"), known)
    assert re.search(r"is_admin=True .*name='signers'.* [A-Za-z0-9+/]{43}=\n$", capsys.readouterr().out)


def test_threads_share_an_account(svc: Client, wallet: LocalAccount) -> None:
    """Each transaction waits for the others of the wallet; none takes another's nonce."""
    failed: list[BaseException] = []
    with Sovereign(wallet, svc) as mine:
        mine.open("me")

        def work(number: int) -> None:
            try:
                mine.create_group(f"g{number}")
            except BaseException as error:  # noqa: BLE001 - told below
                failed.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert failed == []
        assert sorted(each.name for each in mine.groups()) == [f"g{number}" for number in range(4)]
