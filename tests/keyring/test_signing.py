"""Messages and typed data are signed as eth-account signs them; what would be read two ways is refused."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from hypothesis import given
from hypothesis import strategies as st

from node.keyring.port import UnsignableMessageError, UnsignableTypedDataError
from node.keyring.signing import sign_message, sign_typed_data
from node.keyring.signing_key import Secp256k1Key

SCALAR = b"\x07" * 32
KEY = Secp256k1Key(SCALAR)
WALLET = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"

DOMAIN: dict[str, Any] = {
    "name": "Mail",
    "version": "1",
    "chainId": 1,
    "verifyingContract": WALLET,
    "salt": "0x" + "11" * 32,
}
TYPES: dict[str, Any] = {
    "Person": [{"name": "name", "type": "string"}, {"name": "wallets", "type": "address[]"}],
    "Mail": [
        {"name": "from", "type": "Person"},
        {"name": "to", "type": "Person[2]"},
        {"name": "contents", "type": "string"},
        {"name": "blob", "type": "bytes"},
        {"name": "tag", "type": "bytes4"},
        {"name": "urgent", "type": "bool"},
        {"name": "size", "type": "uint64"},
        {"name": "delta", "type": "int8"},
    ],
}
PERSON = {"name": "Cow", "wallets": [WALLET, WALLET.lower()]}
VALUE: dict[str, Any] = {
    "from": PERSON,
    "to": [PERSON, {"name": "", "wallets": []}],
    "contents": "héllo",
    "blob": "0x",
    "tag": "0xdeadbeef",
    "urgent": False,
    "size": "0xff",
    "delta": -128,
}


@given(message=st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.binary()))
def test_messages_equal_eth_accounts(message: str | bytes) -> None:
    signable = encode_defunct(text=message) if isinstance(message, str) else encode_defunct(message)
    assert sign_message(KEY, message) == bytes(Account.sign_message(signable, SCALAR).signature)


def test_a_0x_text_is_a_text() -> None:
    assert sign_message(KEY, "0x1234") == sign_message(KEY, b"0x1234")


def test_half_a_surrogate_is_refused() -> None:
    with pytest.raises(UnsignableMessageError, match="surrogate"):
        sign_message(KEY, "\ud800")


def _reference(domain: dict[str, Any], types: dict[str, Any], value: dict[str, Any]) -> bytes:
    return bytes(Account.sign_typed_data(SCALAR, domain, types, value).signature)


def test_typed_data_equals_eth_accounts() -> None:
    assert sign_typed_data(KEY, DOMAIN, TYPES, VALUE) == _reference(DOMAIN, TYPES, VALUE)


def test_the_example_of_the_standard() -> None:
    """EIP-712's own Mail example and its published digest."""
    domain: dict[str, Any] = {
        "name": "Ether Mail",
        "version": "1",
        "chainId": 1,
        "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
    }
    types: dict[str, Any] = {
        "Person": [{"name": "name", "type": "string"}, {"name": "wallet", "type": "address"}],
        "Mail": [
            {"name": "from", "type": "Person"},
            {"name": "to", "type": "Person"},
            {"name": "contents", "type": "string"},
        ],
    }
    value: dict[str, Any] = {
        "from": {"name": "Cow", "wallet": WALLET},
        "to": {"name": "Bob", "wallet": "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},
        "contents": "Hello, Bob!",
    }
    digest = bytes.fromhex("be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2")
    assert sign_typed_data(KEY, domain, types, value) == KEY.sign_digest(digest)


@given(
    domain=st.fixed_dictionaries(
        {}, optional={"name": st.text(st.characters(exclude_categories=["Cs"])), "chainId": st.integers(0, 2**256 - 1)}
    ),
    numbers=st.lists(st.integers(-(2**255), 2**255 - 1), max_size=5),
    flags=st.lists(st.booleans(), min_size=2, max_size=2),
    blob=st.binary(max_size=80).map(lambda raw: "0x" + raw.hex()),
)
def test_generated_data_equals_eth_accounts(
    domain: dict[str, Any], numbers: list[int], flags: list[bool], blob: str
) -> None:
    types: dict[str, Any] = {
        "Inner": [{"name": "numbers", "type": "int256[]"}, {"name": "blob", "type": "bytes"}],
        "Outer": [{"name": "inner", "type": "Inner[][1]"}, {"name": "flags", "type": "bool[2]"}],
    }
    value: dict[str, Any] = {"inner": [[{"numbers": numbers, "blob": blob}] * 2], "flags": flags}
    assert sign_typed_data(KEY, domain, types, value) == _reference(domain, types, value)


def test_fields_the_types_do_not_name_are_ignored_as_wallets_do() -> None:
    assert sign_typed_data(KEY, DOMAIN, TYPES, {**VALUE, "more": 1}) == _reference(DOMAIN, TYPES, VALUE)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"contents": None}, "value.contents"),
        ({"contents": 5}, "value.contents"),
        ({"contents": "\udc00"}, "value.contents"),
        ({"from": None}, "value.from"),
        ({"from": []}, "value.from"),
        ({"from": {"name": "x"}}, "value.from.wallets"),
        ({"to": [PERSON]}, "value.to"),
        ({"to": {}}, "value.to"),
        ({"to": [PERSON, {"name": "x", "wallets": ["0x12"]}]}, "value.to[1].wallets[0]"),
        ({"blob": "0x1"}, "value.blob"),
        ({"blob": "text"}, "value.blob"),
        ({"tag": "0xdead"}, "value.tag"),
        ({"tag": 5}, "value.tag"),
        ({"urgent": "false"}, "value.urgent"),
        ({"urgent": 1}, "value.urgent"),
        ({"size": 2**64}, "value.size"),
        ({"size": -1}, "value.size"),
        ({"size": 1.0}, "value.size"),
        ({"size": True}, "value.size"),
        ({"size": "1e3"}, "value.size"),
        ({"size": "9" * 5000}, "value.size"),
        ({"delta": 128}, "value.delta"),
    ],
)
def test_a_value_that_is_not_of_its_type_is_refused_and_named(change: dict[str, Any], where: str) -> None:
    with pytest.raises(UnsignableTypedDataError) as refused:
        sign_typed_data(KEY, DOMAIN, TYPES, {**VALUE, **change})
    assert str(refused.value.details["reason"]).startswith(where + ":")


@pytest.mark.parametrize(
    "types",
    [
        {},
        {"A": []} | {"B": []},
        {"A": "x"},
        {"A": [{"name": "x"}]},
        {"A": [{"name": "x", "type": "B"}]},
        {"A": [{"name": "x", "type": "uint7"}]},
        {"A": [{"name": "x", "type": "uint08"}]},
        {"A": [{"name": "x", "type": "uint264"}]},
        {"A": [{"name": "x", "type": "bytes33"}]},
        {"A": [{"name": "x", "type": "bytes0"}]},
        {"A": [{"name": "x", "type": "string[0]"}]},
        {"A": [{"name": "x", "type": "string["}]},
        {"A": [{"name": "x", "type": "string" + "[]" * 400_000}]},
        {"A": [{"name": "x", "type": "string"}, {"name": "x", "type": "string"}]},
        {"A": [{"name": "x y", "type": "string"}]},
        {"A(uint256 x)B": [{"name": "x", "type": "string"}]},
        {"uint256": [{"name": "x", "type": "string"}]},
        {"uint": [{"name": "x", "type": "string"}]},
        {"EIP712Domain": [{"name": "name", "type": "string"}]},
        {"A": [{"name": "b", "type": "B"}], "B": [{"name": "a", "type": "A"}]},
        {f"T{n}": [{"name": "x", "type": f"T{n + 1}"}] for n in range(5000)},
    ],
)
def test_ill_formed_types_are_refused(types: dict[str, Any]) -> None:
    with pytest.raises(UnsignableTypedDataError) as refused:
        sign_typed_data(KEY, DOMAIN, types, {"x": "0x"})
    assert str(refused.value.details["reason"]).startswith("types")


@pytest.mark.parametrize("short", ["uint", "int"])
@pytest.mark.parametrize("array", ["", "[]", "[2][]"])
def test_integers_are_named_as_the_standard_names_them(short: str, array: str) -> None:
    """EIP-712, encodeType: wallets that hash `uint` as it is written sign another type than those that make it uint256."""
    types: dict[str, Any] = {"A": [{"name": "x", "type": short + array}]}
    with pytest.raises(UnsignableTypedDataError) as refused:
        sign_typed_data(KEY, {}, types, {"x": 1})
    assert refused.value.details["reason"] == f"types.A.x: {short} is no type of EIP-712: write {short}256"


@pytest.mark.parametrize("domain", [{"chain": 1}, {"name": 1}, {"salt": "0x11"}, {"chainId": -1}, {"name": None}])
def test_ill_formed_domains_are_refused(domain: dict[str, Any]) -> None:
    with pytest.raises(UnsignableTypedDataError) as refused:
        sign_typed_data(KEY, domain, TYPES, VALUE)
    assert str(refused.value.details["reason"]).startswith("domain")


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    types: dict[str, Any] = {"Node": [{"name": "children", "type": "Node[]"}]}
    deep: dict[str, Any] = {"children": []}
    for _ in range(3000):
        deep = {"children": [deep]}
    wide: dict[str, Any] = {"children": [{"children": []}] * 5000}
    for value in (deep, wide):
        with pytest.raises(UnsignableTypedDataError, match="more than"):
            sign_typed_data(KEY, {}, types, value)
    monkeypatch.setattr("node.keyring.signing.VALUES_MAX", 3)
    assert sign_typed_data(KEY, {}, types, {"children": []})
    with pytest.raises(UnsignableTypedDataError, match="more than 3"):
        sign_typed_data(KEY, {}, types, {"children": [{"children": []}]})
