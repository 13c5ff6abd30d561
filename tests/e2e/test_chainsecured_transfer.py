"""A ChainSecured account handed from wallet to wallet on the contract, with a real node beside it (spec 8)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from eth_account import Account as Wallet
from eth_account.messages import encode_defunct

from node.values import hash_of_text, keccak256
from tests.e2e.account import SIGNING_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.chainsecured import ChainSecured, ChainWriter
from tests.support.client import Client
from tests.support.contract import address_of, wallet_hash
from tests.support.envelopes import Eoa
from tests.support.node import running_node

TRANSFER = "transferChainSecuredAccountOwnership"
ZERO = "0x" + "00" * 20
DEADLINE_S = 60.0


@dataclass(frozen=True)
class World:
    chain: ChainWriter
    anonymous: Client

    def signed(self, path: str, primary_type: str, wallet: Eoa, **more: object) -> Any:
        """A request that a wallet signs now, of which it is known that it goes through."""
        return self.anonymous.post(path, wallet.request(primary_type, int(time.time()), **more)).ok()

    def opened(self, label: str) -> "Held":
        """An account of a plain wallet's, with a minted wallet and a minted usage key that may use it."""
        admin = Eoa.of(label)
        held = Held(self, ChainSecured.opened(self.chain, self.anonymous, admin.address), admin)
        held.mint("master")
        return held


class Held:
    """An account, and the wallet that administers it just now."""

    def __init__(self, world: World, account: ChainSecured, admin: Eoa) -> None:
        self.world = world
        self.account = account
        self.admin = admin

    def mint(self, name: str) -> str:
        """A wallet minted by the present admin's signature, registered and lent to every action; its address."""
        minted = self.world.signed("create_wallet_with_signature", "CreateWallet", self.admin)
        self.account.write("registerWalletDerivation", minted["wallet_address"], _path(minted), name, "")
        return str(minted["wallet_address"])

    def key(self, *wallets: str) -> Client:
        """A minted usage key, attached with a group of these wallets and every action; its own wallet is registered."""
        minted = self.world.signed("add_usage_api_key_with_signature", "AddUsageApiKey", self.admin)
        self.account.write("registerWalletDerivation", minted["wallet_address"], _path(minted), "of a key", "")
        group = self.account.group([0], [*wallets, minted["wallet_address"]])
        return self.account.usage_key(minted["usage_api_key"], execute=(group,))

    def hand_on(self, label: str) -> Eoa:
        """To another wallet; gives the former admin."""
        former, self.admin = self.admin, Eoa.of(label)
        self.account.write(TRANSFER, self.admin.address)
        self.account = ChainSecured(
            self.account.chain, self.account.client, self.account.master_hash, self.admin.address
        )
        return former


def _path(minted: Any) -> int:
    return int(minted["derivation_path"], 16)


def signer(key: Client, wallet: str) -> str | None:
    """Who the action signed as, by the signature alone; None where it was given no key."""
    answer = key.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "m"}}).ok()
    if answer["has_error"]:
        return None
    return str(Wallet.recover_message(encode_defunct(text="m"), signature=answer["response"]))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    settings = {"SVC_HTTP_MINTS_PER_MINUTE_PER_ADDRESS": "1000"}
    with running_node(tmp_path_factory.mktemp("transfer"), settings) as node:
        client = client_of(node)
        yield World(
            ChainWriter(node.log_value("chain"), client.get("get_node_chain_config").ok()["contract_address"]), client
        )


@pytest.mark.exhaustive
def test_all_six_reverts_in_their_order(world: World) -> None:
    held, managed = world.opened("six reverts"), new_account(world.anonymous)
    other = world.opened("six reverts: another account")
    chain, mine, admin = world.chain, held.account.master_hash, held.admin.address
    stranger, fresh = address_of("a stranger"), address_of("a fresh wallet")
    unknown, of_managed = 4711, hash_of_text(managed.key)

    def error(sender: str, account: int, to: str) -> str:
        return chain.refuses(sender, TRANSFER, account, to)

    assert error(admin, mine, ZERO) == "InvalidRequest"
    assert error(admin, unknown, fresh) == "AccountDoesNotExist"
    assert error(admin, of_managed, fresh) == "InvalidRequest"
    assert error(stranger, mine, fresh) == "NoAccountAccess"
    assert error(admin, mine, admin) == "InvalidRequest"
    for owner in (other.admin.address, managed.wallet_address):
        assert error(admin, mine, owner) == "AccountAlreadyExists"
    assert error(stranger, unknown, ZERO) == "InvalidRequest"
    assert error(stranger, of_managed, fresh) == "InvalidRequest"
    assert error(stranger, mine, other.admin.address) == "NoAccountAccess"
    assert error(world.anonymous.get("get_api_payers").ok()[0], mine, fresh) == "NoAccountAccess"


@pytest.mark.exhaustive
def test_keys_and_wallets_go_on_and_the_event_names_the_master_hash(world: World) -> None:
    held = world.opened("goes on")
    wallet = held.mint("before the transfer")
    key = held.key(wallet)
    assert signer(key, wallet) == wallet
    former = held.hand_on("goes on, second")
    assert signer(key, wallet) == wallet
    master, third = held.account.master_hash, Eoa.of("goes on, third")
    alias = wallet_hash(held.admin.address)
    receipt = world.chain.write(held.admin.address, TRANSFER, alias, third.address)
    assert receipt.named("ChainSecuredAccountOwnershipTransferred") == [(master, held.admin.address, third.address)]
    assert signer(key, wallet) == wallet
    for each in (former, held.admin, third):
        assert world.chain.read("resolveMaster", wallet_hash(each.address)) == master
    listed = [item["wallet_address"] for item in key.get("list_wallets").ok()]
    assert listed[1] == wallet


def test_a_wallet_minted_before_its_admin_had_the_account_signs_also_after_the_next_transfer(world: World) -> None:
    held, second = world.opened("mints early"), Eoa.of("mints early, second")
    early = world.signed("create_wallet_with_signature", "CreateWallet", second)
    held.hand_on("mints early, second")
    held.account.write("registerWalletDerivation", early["wallet_address"], _path(early), "early", "")
    key = held.key(early["wallet_address"])
    assert signer(key, early["wallet_address"]) == early["wallet_address"]
    held.hand_on("mints early, third")
    assert signer(key, early["wallet_address"]) == early["wallet_address"]


def test_a_registration_copied_to_another_account_is_no_key(world: World) -> None:
    owner, thief = world.opened("is copied from"), world.opened("copies")
    minted = world.signed("create_wallet_with_signature", "CreateWallet", owner.admin)
    for held in (owner, thief):
        held.account.write("registerWalletDerivation", minted["wallet_address"], _path(minted), "", "")
    wallet = minted["wallet_address"]
    assert signer(owner.key(wallet), wallet) == wallet
    assert signer(thief.key(wallet), wallet) is None
    thief.hand_on("copies, second")
    assert signer(thief.key(wallet), wallet) is None


def test_the_wallet_of_a_minted_usage_key_signs_and_its_path_follows_from_the_key(world: World) -> None:
    held = world.opened("uses a key's own wallet")
    minted = world.signed("add_usage_api_key_with_signature", "AddUsageApiKey", held.admin)
    key, wallet = minted["usage_api_key"], minted["wallet_address"]
    label = keccak256(b"svc/v1/usage-key-wallet-path")
    assert bytes.fromhex(minted["derivation_path"][2:]) == keccak256(label + hash_of_text(key).to_bytes(32))
    held.account.write("registerWalletDerivation", wallet, _path(minted), "of a key", "")
    group = held.account.group([0], [wallet])
    client = held.account.usage_key(key, execute=(group,))
    assert signer(client, wallet) == wallet
    held.hand_on("uses a key's own wallet, second")
    assert signer(client, wallet) == wallet


def test_the_first_wallet_registered_is_the_master_wallet(world: World) -> None:
    admin = Eoa.of("has no wallet at first")
    held = Held(world, ChainSecured.opened(world.chain, world.anonymous, admin.address), admin)
    key = held.account.usage_key(execute=(held.account.group([0], [ZERO]),))
    code = {"code": SIGNING_CODE, "js_params": {"wallet": "0", "text": "m"}}
    assert key.post("svc_action", code).ok()["error"]["name"] == "NotFound"
    master, second = held.mint("master"), held.mint("second")
    assert key.post("svc_action", code).ok()["error"]["name"] == "Forbidden"  # no wildcard matches it
    assert signer(key, second) == second
    named = held.account.usage_key(execute=(held.account.group([0], [master]),))
    assert signer(named, "0") == master


def test_there_is_no_way_back(world: World) -> None:
    held = world.opened("no way back")
    formers = [held.hand_on("no way back, second"), held.hand_on("no way back, third")]
    for former in formers:
        refusal = world.chain.refuses(held.admin.address, TRANSFER, held.account.master_hash, former.address)
        assert refusal == "AccountAlreadyExists"


def test_a_former_admin_authorises_nothing_anywhere(world: World) -> None:
    held = world.opened("former")
    now = int(time.time())
    assert "credit_cents" in world.anonymous.send("GET", "billing/balance", None, _auth(held.admin, now)).ok()
    former = held.hand_on("former, successor")
    master, own = held.account.master_hash, wallet_hash(former.address)
    for account in (master, own, wallet_hash(held.admin.address)):
        for function, arguments in (
            ("addGroup", ("x", "", [], [])),
            ("clearUsageApiKeys", ()),
            ("registerWalletDerivation", (address_of("any"), 1, "", "")),
            (TRANSFER, (address_of("a fresh wallet of the former admin"),)),
        ):
            assert world.chain.refuses(former.address, function, account, *arguments) == "NoAccountAccess"
    assert world.chain.refuses(former.address, "newChainSecuredAccount", "", "") == "AccountAlreadyExists"
    world.anonymous.send("GET", "billing/balance", None, _auth(former, now)).refused(401, "unauthorized")
    assert "credit_cents" in world.anonymous.send("GET", "billing/balance", None, _auth(held.admin, now)).ok()
    body = former.request("ConvertAccount", now, new_admin_wallet_address=former.address)
    new_account(world.anonymous).client.post("convert_to_chain_secured_account", body).refused(409, "conflict")


def test_what_a_former_admin_mints_belongs_to_nobody(world: World) -> None:
    held = world.opened("mints later")
    former = held.hand_on("mints later, successor")
    minted = world.signed("add_usage_api_key_with_signature", "AddUsageApiKey", former)
    world.anonymous.with_key(minted["usage_api_key"]).get("list_wallets").refused(401, "unauthorized")
    held.account.write("addGroup", "any action", "", [0], [])
    assert signer(held.key(), minted["wallet_address"]) is None


def test_an_account_received_drops_every_old_key_in_one_call(world: World) -> None:
    held = world.opened("is received")
    wallet = held.mint("stays")
    old = [held.key(wallet) for _ in range(3)]
    held.hand_on("receives")
    held.account.write("clearUsageApiKeys")
    fresh = held.key(wallet)
    for key in old:
        assert key.get("account_exists").ok() is False
        _until_401(key)
    assert signer(fresh, wallet) == wallet


def _auth(wallet: Eoa, now: int) -> dict[str, str]:
    return {"X-Wallet-Auth": wallet.header(now)}


def _until_401(key: Client) -> None:
    """A revocation is seen at the listener's next poll at the latest."""
    deadline = time.monotonic() + DEADLINE_S
    while (answer := key.post("svc_action", {"code": SIGNING_CODE})).status != 401:
        assert time.monotonic() < deadline, answer.body
