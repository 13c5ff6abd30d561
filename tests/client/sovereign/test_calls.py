"""Calls of the account contract without a chain: which there are, what they refuse, how they and the contract's errors read."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak

from svc_client import InvalidAnswer, InvalidArgument
from svc_client.models import MintedUsageKey, MintedWallet
from svc_client.sovereign import Call, contract_abi
from svc_client.sovereign.calls import ANY_ACTION, ANY_WALLET, Calls, action_hash, batch_of, text_hash
from svc_client.sovereign.records import rows
from svc_client.sovereign.transactions import batch_file_of
from tests.support.contract import ARTIFACT, REPOSITORY, canonical, signature
from tests.support.sovereign import SUCCESSOR, WALLET, unlimited

CALLS = Calls(WALLET.address)
CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG"
HASH = "0x" + "ab" * 32
GRANTS = unlimited(
    create_groups=True,
    manage_actions_in=(1, "2"),
    add_wallets_in=(0,),
    execute_in=[1, "4"],
    expires=1_900_000_000,
    cap_cents=5,
)
MINTED = MintedWallet(success=True, wallet_address=SUCCESSOR.address, derivation_path="0x" + "07" * 32)
MINTED_KEY = MintedUsageKey(**MINTED.model_dump(), usage_api_key="AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")

EVERY: list[Call] = [
    CALLS.open("me", 'about "me"'),
    CALLS.transfer(SUCCESSOR.address),
    CALLS.register_wallet(MINTED, "signer"),
    CALLS.add_group("g", actions=[CID, HASH], wallets=[WALLET.address, SUCCESSOR.address]),
    CALLS.update_group(1, "g", "d", [ANY_ACTION], [ANY_WALLET]),
    CALLS.rename_group("2", "g, [h]"),
    CALLS.remove_group(3),
    CALLS.allow_action(1, CID),
    CALLS.forbid_action(1, HASH),
    CALLS.allow_wallet(1, WALLET.address.lower()),
    CALLS.forbid_wallet(1, ANY_WALLET),
    CALLS.add_action(CID, "sign"),
    CALLS.add_action(HASH, "sign"),
    CALLS.rename_action(CID, "sign"),
    CALLS.remove_action(CID),
    CALLS.set_usage_key(HASH, "k", "d", **GRANTS),
    CALLS.update_usage_key(HASH, "k", **unlimited()),
    CALLS.rename_usage_key(HASH, "k"),
    CALLS.remove_usage_key(HASH),
    CALLS.clear_usage_keys(),
]
OF_PAYERS = {"convertToChainSecuredAccount", "createManagedAccount", "newAccount"}


def test_the_client_has_the_abi_of_the_contract() -> None:
    file = REPOSITORY / "client" / "svc_client" / "sovereign" / "account_contract.json"
    assert json.loads(file.read_text()) == {"abi": ARTIFACT["abi"]}


def test_every_function_of_an_administrator_has_a_call() -> None:
    page = (REPOSITORY / "docs" / "contract.md").read_text()
    (listed,) = re.findall(r"functions of an account's administrator.*?```solidity\n(.*?)```", page, re.DOTALL)
    named = set(re.findall(r"^(\w+)\(", listed, re.MULTILINE))
    assert {call.function for call in EVERY} | {batch_of(EVERY).function} == named - OF_PAYERS
    for call in (*EVERY, batch_of(EVERY)):
        (entry,) = [each for each in ARTIFACT["abi"] if each["type"] == "function" and each["name"] == call.function]
        types = [canonical(each) for each in entry["inputs"]]
        assert call.data == keccak(text=signature(entry))[:4] + encode(types, call.arguments)


def test_hashes_are_those_of_the_documentation() -> None:
    page = (REPOSITORY / "docs" / "chain-secured.md").read_text()
    for key, hashed in re.findall(r"\| `([A-Za-z0-9+/]{43}=)` \| `(0x[0-9a-f]{64})` \|", page):
        assert f"0x{text_hash(key):064x}" == hashed
    ((address, hashed),) = re.findall(r"\| `(0x[0-9a-fA-F]{40})` \| `(0x[0-9a-f]{64})` \|", page)
    assert Calls(address).clear_usage_keys().arguments == (int(hashed, 16),)
    assert action_hash(CID) == int.from_bytes(keccak(text=CID))
    wallet, attached = CALLS.attach_usage_key(MINTED_KEY, "k", **GRANTS)
    assert wallet.arguments[1:3] == (SUCCESSOR.address, int("07" * 32, 16))
    assert attached.arguments[1] == int("5a1bcd1f91d750784cffe8339b78450e526c46435d07c55b250a78c6863bdef1", 16)
    assert MINTED_KEY.usage_api_key not in wallet.words + attached.words


BAD: list[tuple[str, Callable[[], Any]]] = [
    ("a checksum that is wrong", lambda: CALLS.transfer(WALLET.address.swapcase().replace("0X", "0x"))),
    ("an address without 0x", lambda: CALLS.transfer(WALLET.address[2:])),
    ("an address that is too short", lambda: CALLS.allow_wallet(1, "0x12")),
    ("no CID", lambda: CALLS.add_action("no cid", "n")),
    ("a hash that is too long", lambda: CALLS.remove_action(HASH + "ab")),
    ("a group below zero", lambda: CALLS.remove_group(-1)),
    ("a group beyond 64 bits", lambda: CALLS.remove_group(1 << 64)),
    ("a group that is no number", lambda: CALLS.allow_action("\uff11", CID)),
    ("a usage key itself", lambda: CALLS.remove_usage_key(MINTED_KEY.usage_api_key)),
    ("an expiry below zero", lambda: CALLS.set_usage_key(HASH, "k", expires=-1, cap_cents=None)),
    ("a cap of more than a word", lambda: CALLS.set_usage_key(HASH, "k", expires=None, cap_cents=1 << 256).data),
    ("a cap that nobody named", lambda: CALLS.update_usage_key(HASH, "k", expires=None)),
    ("an expiry that nobody named", lambda: CALLS.set_usage_key(HASH, "k", cap_cents=None)),
    ("a name that is no text", lambda: CALLS.open("\ud800").data),
    ("a path that is no hash", lambda: CALLS.register_wallet(MINTED.model_copy(update={"derivation_path": "7"}), "")),
    ("no calls", lambda: batch_of([])),
    ("too many calls", lambda: batch_of(EVERY * 6)),
]


@pytest.mark.parametrize("make", [each[1] for each in BAD], ids=[each[0] for each in BAD])
def test_a_value_that_cannot_be_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidArgument) as refused:
        make()
    assert MINTED_KEY.usage_api_key not in str(refused.value)


def test_words_say_what_is_meant_and_move_no_cursor() -> None:
    assert "every action" in CALLS.allow_action(1, ANY_ACTION).words
    assert "every wallet of the account" in CALLS.allow_wallet(1, ANY_WALLET).words
    assert "every group, also of the future" in CALLS.set_usage_key(HASH, "k", **unlimited(execute_in=[0])).words
    assert "do nothing; for ever, no cap" in CALLS.set_usage_key(HASH, "k", **unlimited()).words
    assert all(call.words.isprintable() for call in [CALLS.open("a\x1b[2Jb\n\u202e"), *EVERY])


def parsed_by_safe(kind: str, text: str) -> Any:
    """Safe's Transaction Builder: lists are split at commas, and quotation marks taken off their items."""
    if kind.endswith("[]"):
        assert text[0] + text[-1] == "[]"
        return [parsed_by_safe(kind[:-2], each.strip(" \"'")) for each in text[1:-1].split(",") if each.strip()]
    if kind == "bool":
        return {"true": True, "false": False}[text]
    return int(text) if kind.startswith("uint") else text


def test_a_safe_encodes_from_the_batch_file_what_a_wallet_sends() -> None:
    batch = json.loads(batch_file_of(EVERY, SUCCESSOR.address, 8453, WALLET.address))
    assert (batch["version"], batch["chainId"], batch["meta"]["createdFromSafeAddress"]) == (
        "1.0",
        "8453",
        WALLET.address,
    )
    assert len(batch["transactions"]) == len(EVERY)
    for call, made in zip(EVERY, batch["transactions"], strict=True):
        assert (made["to"], made["value"], made["data"]) == (SUCCESSOR.address, "0", None)
        method, texts = made["contractMethod"], made["contractInputsValues"]
        kinds = [each["type"] for each in method["inputs"]]
        values = [parsed_by_safe(each["type"], texts[each["name"]]) for each in method["inputs"]]
        head = keccak(text=f"{method['name']}({','.join(kinds)})")[:4]
        assert head + encode(kinds, values) == call.data, call.function


@pytest.mark.parametrize(
    ("function", "item"),
    [
        ("listPkps", (7, WALLET.address, 9, "NAME", "")),
        ("listGroups", (7, "NAME", "", [], [])),
        ("listActions", (7, "NAME", "", "NAME")),
        ("listApiKeys", (7, "NAME", "", 0, 0, False, False, False, [], [], [], [])),
    ],
)
def test_a_name_that_is_no_utf8_hides_nothing(function: str, item: tuple[Any, ...]) -> None:
    """Whoever may name one thing of an account would otherwise make every list of it unreadable."""
    kinds = [each.kind for each in contract_abi.functions()[function].outputs]
    answer = encode(kinds, [[item], 1]).replace(b"NAME", b"a\xff\xed\xa0")
    (record,), _ = rows(contract_abi.result(function, answer))
    assert record["name"] == b"a\xff\xed\xa0".decode(errors="replace")
    # Padding is as Solidity writes it, or it is no answer of the contract.
    with pytest.raises(InvalidAnswer):
        contract_abi.result(function, answer.replace(b"\xa0\0", b"\xa0\1"))


def test_every_error_of_the_contract_reads_as_words() -> None:
    for entry in ARTIFACT["abi"]:
        if entry["type"] == "error":
            kinds = [canonical(each) for each in entry["inputs"]]
            values = [{"string": "zero\x1bhash", "address": WALLET.address}.get(kind, 7) for kind in kinds]
            told = contract_abi.refusal("f", keccak(text=signature(entry))[:4] + encode(kinds, values))
            assert (told.name, set(told.arguments)) == (entry["name"], {each["name"] for each in entry["inputs"]})
            assert str(told).isprintable()
            # Cut short, it still is an error of that name.
            assert contract_abi.refusal("f", keccak(text=signature(entry))[:4] + b"\x01").name == entry["name"]
    text = keccak(text="Error(string)")[:4] + encode(["string"], ["why"])
    panic = keccak(text="Panic(uint256)")[:4] + encode(["uint256"], [17])
    shown = [contract_abi.refusal("f", data) for data in (text, panic, b"", b"\xde\xad\xbe\xef", b"\x01")]
    assert [each.name for each in shown] == ["Error", "Panic", "", "0xdeadbeef", "0x01"]
    assert "without a reason" in str(shown[2])
