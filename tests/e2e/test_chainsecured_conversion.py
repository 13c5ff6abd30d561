"""A managed account handed to a wallet over HTTP: who may, what stays, and what ends (spec 8)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from eth_account import Account as Wallet
from eth_account.messages import encode_defunct

from node.values import hash_of_text, u256_hex
from tests.e2e.account import SIGNING_CODE, TRIVIAL_CODE, Account, new_account
from tests.e2e.conftest import client_of
from tests.support.chainsecured import ChainSecured, ChainWriter
from tests.support.client import Answer, Client
from tests.support.contract import wallet_hash
from tests.support.envelopes import Eoa, digest_of, envelope
from tests.support.node import NodeProcess, running_node

CONVERT = "convert_to_chain_secured_account"
ZERO = "0x" + "00" * 20
LISTS = ("list_wallets", "list_groups", "list_actions", "list_api_keys")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("conversion")) as running:
        yield running


@pytest.fixture(scope="module")
def anonymous(node: NodeProcess) -> Client:
    return client_of(node)


@pytest.fixture(scope="module")
def chain(node: NodeProcess, anonymous: Client) -> ChainWriter:
    return ChainWriter(node.log_value("chain"), anonymous.get("get_node_chain_config").ok()["contract_address"])


def conversion(wallet: Eoa, **changed: object) -> dict[str, Any]:
    """The body by which `wallet` takes over an account."""
    body = {"new_admin_wallet_address": wallet.address, **wallet.request("ConvertAccount", int(time.time()))}
    return body | changed


@dataclass(frozen=True)
class Furnished:
    """A managed account with a wallet, an action and a usage key that may use both."""

    account: Account
    wallet: str
    usage_key: Client

    @classmethod
    def new(cls, anonymous: Client) -> "Furnished":
        account = new_account(anonymous)
        wallet = account.wallet()
        _, hashed = account.action(SIGNING_CODE)
        group = account.group(cid_hashes_permitted=[hashed], pkp_ids_permitted=[wallet, "0"])
        return cls(account, wallet, account.usage_key(execute_in_groups=[group]))

    def lists(self) -> list[Any]:
        return [self.account.client.get(path).ok() for path in LISTS]

    def signer(self, pkp_id: str) -> str:
        """Who the action signed as, by the signature alone."""
        answer = self.usage_key.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": pkp_id, "text": "m"}})
        signed = answer.ok()
        assert signed["has_error"] is False, signed
        return str(Wallet.recover_message(encode_defunct(text="m"), signature=signed["response"]))

    def convert(self, wallet: Eoa, **changed: object) -> Answer:
        return self.account.client.post(CONVERT, conversion(wallet, **changed))

    def credit(self) -> int:
        return int(self.account.client.get("billing/balance").ok()["credit_cents"])


@pytest.mark.exhaustive
def test_a_conversion_keeps_hash_lists_keys_wallets_and_credit(anonymous: Client, chain: ChainWriter) -> None:
    furnished, admin = Furnished.new(anonymous), Eoa.of("keeps everything")
    master_hash = hash_of_text(furnished.account.key)
    assert furnished.signer("0") == furnished.account.wallet_address
    assert furnished.signer(furnished.wallet) == furnished.wallet
    lists, credit = furnished.lists(), furnished.credit()
    answer = furnished.convert(admin).ok()
    assert answer["wallet_address"] == admin.address
    assert answer["api_key_hash"] == u256_hex(master_hash)
    assert furnished.credit() == credit
    assert furnished.lists() == lists
    assert furnished.signer("0") == furnished.account.wallet_address
    assert furnished.signer(furnished.wallet) == furnished.wallet
    account = chain.read("getAccount", master_hash)
    assert (account["managed"], account["adminWallet"]) == (False, admin.address)
    assert chain.read("resolveMaster", wallet_hash(admin.address)) == master_hash


@pytest.mark.exhaustive
def test_afterwards_the_old_key_only_looks(anonymous: Client) -> None:
    furnished = Furnished.new(anonymous)
    furnished.convert(Eoa.of("leaves the old key its looks")).ok()
    old = furnished.account.client
    assert old.get("account_exists").ok() is True
    furnished.lists()
    for path, body in (
        ("add_group", {"group_name": "x"}),
        ("create_wallet", {}),
        ("add_usage_api_key", {"name": "x"}),
        ("svc_action", {"code": TRIVIAL_CODE}),
    ):
        assert old.post(path, body).refused(403, "forbidden")["missing"] == "admin_wallet"
    assert furnished.usage_key.post("svc_action", {"code": SIGNING_CODE, "js_params": {}}).status == 200


@pytest.mark.exhaustive
def test_a_leaked_account_key_is_dealt_with_as_docs_api_says(anonymous: Client, chain: ChainWriter) -> None:
    furnished, owner = Furnished.new(anonymous), Eoa.of("takes the account from a thief")
    master_hash = hash_of_text(furnished.account.key)
    thief = furnished.account.client
    stolen = furnished.account.usage_key(execute_in_groups=[0])
    assert stolen.post("svc_action", {"code": TRIVIAL_CODE}).ok()["has_error"] is False
    furnished.convert(owner).ok()
    for path, body in (
        ("svc_action", {"code": TRIVIAL_CODE}),
        ("add_usage_api_key", {"name": "x"}),
        (CONVERT, conversion(Eoa.of("the thief's"))),
    ):
        assert thief.post(path, body).status in {403, 409}
    assert stolen.post("svc_action", {"code": TRIVIAL_CODE}).status == 200, "usage keys go on until they are cleared"
    chain.write(owner.address, "clearUsageApiKeys", master_hash)
    block = int(chain.ask("eth_blockNumber"), 16)
    for key in (stolen, furnished.usage_key):
        key.post("svc_action", {"code": TRIVIAL_CODE, "min_block": block}).refused(401, "unauthorized")
    assert thief.get("list_api_keys").ok() == []


def test_a_second_conversion_is_409_whoever_asks(anonymous: Client) -> None:
    furnished, admin = Furnished.new(anonymous), Eoa.of("converts twice")
    furnished.convert(admin).ok()
    for wallet in (admin, Eoa.of("comes second")):
        furnished.convert(wallet).refused(409, "conflict")
        furnished.usage_key.post(CONVERT, conversion(wallet)).refused(409, "conflict")


def test_who_may_not_convert_and_to_whom_not(anonymous: Client, chain: ChainWriter) -> None:
    furnished, wallet = Furnished.new(anonymous), Eoa.of("would like to")
    body = conversion(wallet)
    owner, converted_to = Eoa.of("owns an account"), Eoa.of("was given an account")
    ChainSecured.opened(chain, anonymous, owner.address)
    Furnished.new(anonymous).convert(converted_to).ok()
    before = furnished.lists()
    assert furnished.usage_key.post(CONVERT, body).refused(403, "forbidden")["missing"] == "account_key"
    anonymous.with_key(None).post(CONVERT, body).refused(401, "unauthorized")
    furnished.convert(wallet, new_admin_wallet_address=ZERO).refused(400, "bad_request")
    furnished.convert(wallet, new_admin_wallet_address=owner.address).refused(400, "bad_request")
    for taken in (owner, converted_to):
        furnished.convert(taken).refused(409, "conflict")
    other = {"new_admin_wallet_address": wallet.address, **wallet.request("CreateWallet", int(time.time()))}
    furnished.account.client.post(CONVERT, other).refused(400, "bad_request")
    assert furnished.lists() == before
    furnished.account.group()  # managed still


def test_the_wallet_of_a_managed_account_cannot_become_an_admin(anonymous: Client) -> None:
    """An action may hold its key, and sign with it; but whoever was an admin wallet never is one again."""
    furnished, other = Furnished.new(anonymous), new_account(anonymous)
    code = "async function main() { return await Svc.Actions.getPrivateKey({ pkpId: '0' }); }"
    key = other.client.post("svc_action", {"code": code}).ok()["response"]
    wallet = Eoa(key)
    assert wallet.address == other.wallet_address
    furnished.convert(wallet).refused(409, "conflict")


def test_payers_and_the_old_admin_wallet_are_refused_by_the_contract(anonymous: Client, chain: ChainWriter) -> None:
    furnished, admin = Furnished.new(anonymous), Eoa.of("alone may write")
    furnished.convert(admin).ok()
    master_hash, alias = hash_of_text(furnished.account.key), wallet_hash(admin.address)
    others = [*anonymous.get("get_api_payers").ok(), anonymous.get("get_admin_api_payer").ok()]
    for sender in (*others, furnished.account.wallet_address):
        for account in (master_hash, alias):
            assert chain.refuses(sender, "addGroup", account, "x", "", [], []) == "NoAccountAccess"
            assert chain.refuses(sender, "clearUsageApiKeys", account) == "NoAccountAccess"
    for account in (master_hash, alias):
        chain.write(admin.address, "addGroup", account, "by the admin", "", [], [])
    assert [group["name"] for group in furnished.lists()[1]].count("by the admin") == 2


def test_the_node_refuses_before_it_sends(anonymous: Client, chain: ChainWriter) -> None:
    furnished = Furnished.new(anonymous)
    furnished.convert(Eoa.of("spares the payers")).ok()
    payers = anonymous.get("get_api_payers").ok()
    sent = [chain.ask("eth_getTransactionCount", payer, "pending") for payer in payers]
    for path, body in (("add_group", {"group_name": "x"}), ("create_wallet", {}), ("add_usage_api_key", {"name": "x"})):
        for key in (furnished.account.client, furnished.usage_key):
            key.post(path, body).refused(403, "forbidden")
    furnished.convert(Eoa.of("another")).refused(409, "conflict")
    assert [chain.ask("eth_getTransactionCount", payer, "pending") for payer in payers] == sent


def test_a_contract_wallet_takes_an_account_over_and_administers_it(anonymous: Client, chain: ChainWriter) -> None:
    furnished, multisig = Furnished.new(anonymous), chain.multisig("takes over")
    master_hash = hash_of_text(furnished.account.key)
    typed_data = envelope("ConvertAccount", multisig.address, int(time.time()))
    signed = multisig.wallet.sign(digest_of(typed_data))
    body = {"new_admin_wallet_address": multisig.address, "typed_data": typed_data}
    one_owner = body | {"signature": "0x" + signed[:65].hex()}
    furnished.account.client.post(CONVERT, one_owner).refused(400, "bad_request")
    furnished.account.client.post(CONVERT, body | {"signature": "0x" + signed.hex()}).ok()
    assert furnished.signer(furnished.wallet) == furnished.wallet
    multisig.write("addGroup", master_hash, "by two of three", "", [], [])
    assert "by two of three" in [group["name"] for group in furnished.lists()[1]]
    owner = multisig.wallet.owners[0].address
    assert chain.refuses(owner, "addGroup", master_hash, "by one", "", [], []) == "NoAccountAccess"
