"""Wallets of every kind: keystore files, a web3 instance, contracts that sign by their owners."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.crypto import keccak

from node.keyring.signing_key import key_from_hex
from svc_client import InvalidArgument, SvcError, UnreadableFile
from svc_client.sovereign import ContractWallet, Sovereign, read_keystore
from svc_client.sovereign.signers import keystore_address, signature_of, signer_of
from svc_client.sovereign.typed_data import Purpose, envelope
from tests.support.contract import wallet_hash
from tests.support.contract_wallets.deployed import MAGIC, MultisigWallet, OwnerWallet, says
from tests.support.node import REPOSITORY
from tests.support.sovereign import PASSPHRASE, SUCCESSOR, WALLET, Stage, keystore

DEEP = '{"crypto":' + "[" * 60_000


def test_a_keystore_opens_with_its_passphrase_alone(tmp_path: Path) -> None:
    file = keystore(tmp_path)
    assert read_keystore(file, PASSPHRASE).key == WALLET.key
    assert keystore_address(file) == WALLET.address
    with pytest.raises(InvalidArgument) as refused:
        read_keystore(file, "another passphrase")
    assert "another passphrase" not in str(refused.value)


def test_a_file_that_is_no_keystore_is_refused(tmp_path: Path) -> None:
    good = json.loads(keystore(tmp_path).read_text())
    texts = ["", "{}", "[]", DEEP, "é" * 70_000, '{"crypto": 1}', '{"crypto": {}, "version": 3}', '{"crypto": {}}']
    texts += [json.dumps(good | {"version": 9}), json.dumps(good | {"crypto": good["crypto"] | {"kdf": "none"}})]
    for text in texts:
        file = tmp_path / "strange.json"
        file.write_text(text)
        with pytest.raises(UnreadableFile):
            read_keystore(file, PASSPHRASE)
    with pytest.raises(UnreadableFile):
        read_keystore(tmp_path / "absent", PASSPHRASE)
    for more, said in (({"address": "me"}, "does not name its address"), ({"crypto": 1}, "it has no `crypto`")):
        (tmp_path / "strange.json").write_text(json.dumps(good | more))
        with pytest.raises(UnreadableFile, match=said):
            keystore_address(tmp_path / "strange.json")


def test_what_is_no_wallet_is_refused() -> None:
    strange: list[object] = [None, WALLET.key, WALLET.address, SimpleNamespace(address=WALLET.address)]
    strange += [SimpleNamespace(eth=SimpleNamespace(default_account=None), manager=None), ContractWallet]
    for each in strange:
        with pytest.raises(InvalidArgument):
            signer_of(each)
    with pytest.raises(InvalidArgument):
        ContractWallet(WALLET.address)
    with pytest.raises(InvalidArgument):
        ContractWallet("0x12", WALLET)


def test_typed_data_is_signed_as_the_node_recovers_it() -> None:
    for purpose in Purpose:
        typed_data = envelope(purpose, WALLET.address, 8453)
        signed = signature_of(WALLET, typed_data)
        assert Account.recover_message(encode_typed_data(full_message=typed_data), signature=signed) == WALLET.address


def test_a_signature_of_no_use_is_refused() -> None:
    typed_data = envelope(Purpose.CREATE_WALLET, WALLET.address, 1)
    for signature in (b"", b"\x01" * 4097):
        signing = SimpleNamespace(address=WALLET.address, sign_typed_data=_returning(signature))
        with pytest.raises(InvalidArgument, match="bytes"):
            signature_of(signing, typed_data)


def _returning(signature: bytes) -> Any:
    return lambda *, full_message: SimpleNamespace(signature=signature, said=full_message)


def test_without_the_extra_the_command_that_installs_it_is_named() -> None:
    script = (
        "import sys; sys.modules['eth_account'] = None\n"
        "import svc_client\nassert 'eth_abi' not in sys.modules and 'eth_utils' not in sys.modules\n"
        "try:\n    import svc_client.sovereign\nexcept svc_client.MissingExtra as error:\n    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    assert "pip install 'svc-client[sovereign]'" in ran.stdout


def test_the_recursion_limit_stays() -> None:
    """A library of the extra raises it so far that nested JSON would overflow the stack."""
    script = "import sys; before = sys.getrecursionlimit(); import svc_client.sovereign; print(before == sys.getrecursionlimit())"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.split() == ["True"]


class Web3:
    """The part of web3 that signs: its node does, by JSON-RPC. Nodes answer a transaction in two forms."""

    def __init__(self, ask: Any, address: str, *, answers_object: bool) -> None:
        self._ask = ask
        self._answers_object = answers_object
        self.eth = SimpleNamespace(default_account=address)
        self.manager = self

    def request_blocking(self, method: str, parameters: list[Any]) -> Any:
        answer = self._ask(method, *parameters)
        return {"raw": answer, "tx": {}} if method == "eth_signTransaction" and self._answers_object else answer


@pytest.mark.exhaustive
@pytest.mark.parametrize("answers_object", [False, True])
async def test_a_web3_instance_signs_by_its_node(stage: Stage, answers_object: bool) -> None:
    web3 = Web3(stage.ask, SUCCESSOR.address, answers_object=answers_object)
    await stage.by(lambda mine: mine.open("of web3"), web3)
    assert (await stage.by(lambda mine: mine.status(), SUCCESSOR)).is_admin

    def work(_: Sovereign) -> str:
        return signature_of(signer_of(web3), envelope(Purpose.CREATE_WALLET, SUCCESSOR.address, 31337))

    signed = await stage.by(work, web3)
    assert len(signed) == 2 + 130


@pytest.mark.exhaustive
async def test_a_contract_signs_by_its_owners_and_acts_by_a_batch_file(stage: Stage) -> None:
    rpc, sender = stage.chain.rpc, stage.chain.owner
    accounts = [Account.create() for _ in range(3)]
    owner = await OwnerWallet.deployed(rpc, sender, key_from_hex(accounts[0].key.hex()))
    multisig = await MultisigWallet.deployed(rpc, sender, [key_from_hex(each.key.hex()) for each in accounts])
    for address, wallet in (
        (owner.address, ContractWallet(owner.address, accounts[0])),
        (multisig.address, ContractWallet(multisig.address, *accounts[1:])),
    ):
        typed_data = envelope(Purpose.CREATE_WALLET, address, 31337)
        message = encode_typed_data(full_message=typed_data)
        digest = keccak(b"\x19" + message.version + message.header + message.body)
        signed = bytes.fromhex(signature_of(wallet, typed_data)[2:])
        assert (await says(rpc, address, digest, signed))[:4] == MAGIC
    await rpc.ask("anvil_setBalance", accounts[0].address, hex(10**18))

    def work(mine: Sovereign) -> bytes:
        with pytest.raises(InvalidArgument, match="safe_batch"):
            mine.send(mine.calls.open("me"))
        (listed,) = json.loads(mine.safe_batch(mine.calls.open("me")))["transactions"]
        assert listed["contractInputsValues"] == {"name": "me", "description": ""}
        return mine.calls.open("me").data

    data = await stage.by(work, ContractWallet(owner.address, accounts[0]))
    await rpc.ask("anvil_impersonateAccount", accounts[0].address)
    execution = {"from": accounts[0].address, "to": owner.address, "data": owner.execution(stage.contract, data)}
    await rpc.ask("eth_sendTransactionSync", execution)
    assert await stage.chain.contract.call("masterOfWallet", owner.address) == wallet_hash(owner.address)

    def refuse(mine: Sovereign) -> None:
        with pytest.raises(SvcError, match="AccountAlreadyExists"):
            mine.safe_batch(mine.calls.open("again"))

    await stage.by(refuse, ContractWallet(owner.address, accounts[0]))
