"""Signed transactions are byte for byte eth-account's, and what cannot be mined or is unclear is refused."""

import contextlib
from typing import Any

import pytest
from eth_account import Account
from hypothesis import given
from hypothesis import strategies as st

from node.keyring.port import UnsignableTransactionError
from node.keyring.signing_key import Secp256k1Key
from node.keyring.transactions import SIGNED_BYTES_MAX, sign_transaction, transaction_hash
from node.values import U64_MAX, U256_MAX, checksum_address

SCALAR = b"\x07" * 32
KEY = Secp256k1Key(SCALAR)
TO = "0x5FbDB2315678afecb367f032d93F642f64180aa3"

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: checksum_address("0x" + raw.hex()))
storage_keys = st.binary(min_size=32, max_size=32).map(lambda raw: "0x" + raw.hex())
access_lists = st.lists(
    st.fixed_dictionaries({"address": addresses, "storageKeys": st.lists(storage_keys, max_size=3)}), max_size=3
)
prices = st.integers(0, U256_MAX)
common: dict[str, st.SearchStrategy[Any]] = {
    "nonce": st.integers(0, U64_MAX - 1),
    "gas": st.integers(0, U64_MAX),
    "to": addresses,
    "value": prices,
    "data": st.binary(max_size=300).map(lambda raw: "0x" + raw.hex()),
    "chainId": st.integers(1, 2**63 - 37),
}
legacy = st.fixed_dictionaries({**common, "gasPrice": prices})
with_access_list = st.fixed_dictionaries({**common, "gasPrice": prices, "accessList": access_lists, "type": st.just(1)})
dynamic: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {**common, "maxFeePerGas": prices, "maxPriorityFeePerGas": prices, "accessList": access_lists}
).map(lambda row: {**row, "type": 2, "maxPriorityFeePerGas": min(row["maxPriorityFeePerGas"], row["maxFeePerGas"])})


def _reference(transaction: dict[str, Any]) -> bytes:
    return bytes(Account.sign_transaction(transaction, SCALAR).raw_transaction)


@given(transaction=st.one_of(legacy, with_access_list, dynamic))
def test_the_bytes_are_eth_accounts(transaction: dict[str, Any]) -> None:
    raw = sign_transaction(KEY, transaction)
    assert raw == _reference(transaction)
    assert Account.recover_transaction(raw) == KEY.address


BASE: dict[str, Any] = {"nonce": 3, "gas": 21000, "to": TO, "value": 1, "chainId": 8453, "gasPrice": 7}
DYNAMIC: dict[str, Any] = {
    "nonce": 3,
    "gas": 21000,
    "to": TO,
    "chainId": 1,
    "maxFeePerGas": 9,
    "maxPriorityFeePerGas": 2,
}


@pytest.mark.parametrize(
    "written",
    [
        {**BASE, "nonce": "3", "gas": "0x5208", "value": "1", "gasPrice": "0x7", "chainId": "8453"},
        {**{k: v for k, v in BASE.items() if k != "gas"}, "gasLimit": 21000},
        {**BASE, "to": TO.lower()},
        {**BASE, "data": "0x"},
        {**BASE, "input": "0x"},
        {**BASE, "type": 0},
        {**BASE, "type": "0x0"},
        {**BASE, "from": KEY.address},
        {**BASE, "from": KEY.address.lower()},
    ],
)
def test_every_spelling_gives_the_same_bytes(written: dict[str, Any]) -> None:
    assert sign_transaction(KEY, written) == _reference(BASE)


def test_the_type_follows_from_the_fees() -> None:
    assert sign_transaction(KEY, DYNAMIC) == _reference({**DYNAMIC, "type": 2, "value": 0, "data": "0x"})
    listed = {**BASE, "accessList": []}
    assert sign_transaction(KEY, listed) == _reference({**listed, "type": 1})


def test_a_contract_is_created_without_a_recipient() -> None:
    expected = _reference({**BASE, "to": b"", "data": "0x6000"})
    for creation in ({**BASE, "to": None}, {name: value for name, value in BASE.items() if name != "to"}):
        assert sign_transaction(KEY, {**creation, "data": "0x6000"}) == expected


def test_the_hash_is_the_chains() -> None:
    raw = sign_transaction(KEY, BASE)
    assert transaction_hash(raw) == "0x" + bytes(Account.sign_transaction(BASE, SCALAR).hash).hex()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"chainId": None}, "chainId"),
        ({"chainId": 0}, "chainId"),
        ({"chainId": 2**63}, "chainId"),
        ({"nonce": U64_MAX}, "nonce"),
        ({"nonce": -1}, "nonce"),
        ({"nonce": True}, "nonce"),
        ({"nonce": 1.0}, "nonce"),
        ({"nonce": " 1"}, "nonce"),
        ({"nonce": "1_0"}, "nonce"),
        ({"nonce": "٣"}, "nonce"),
        ({"gas": U64_MAX + 1}, "gas"),
        ({"value": U256_MAX + 1}, "value"),
        ({"value": "9" * 5000}, "value"),
        ({"to": TO[:-1]}, "to"),
        ({"to": TO.replace("F", "f", 1)}, "to"),
        ({"to": 5}, "to"),
        ({"to": "", "data": "0x6000"}, "to"),
        ({"to": "0x", "data": "0x6000"}, "to"),
        ({"data": "0x1"}, "data"),
        ({"data": "6000"}, "data"),
        ({"type": 3}, "type"),
        ({"type": 2}, "transaction"),
        ({"gasPrice": None}, "transaction"),
        ({"maxFeePerGas": 1}, "transaction"),
        ({"type": 0, "accessList": []}, "transaction"),
        ({"to": None}, "transaction"),
        ({"from": TO}, "from"),
        ({"gasLimit": 1}, "gasLimit"),
        ({"blobVersionedHashes": []}, "blobVersionedHashes"),
        ({"accessList": [{"address": TO, "storageKeys": ["0x00"]}]}, "accessList.0.storageKeys.0"),
    ],
)
def test_what_is_wrong_is_named_and_never_signed(change: dict[str, Any], field: str) -> None:
    with pytest.raises(UnsignableTransactionError) as refused:
        sign_transaction(KEY, {**BASE, **change})
    listed = refused.value.details["fields"]
    assert isinstance(listed, list)
    assert field in listed


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"chainId": 2**63}, "from 1 to 9223372036854775771"),
        ({"nonce": U64_MAX}, "from 0 to 18446744073709551614"),
        ({"gas": U64_MAX + 1}, "from 0 to 18446744073709551615"),
        ({"value": -1}, f"from 0 to {2**256 - 1}"),
    ],
)
def test_a_bound_is_printed_to_its_last_digit(change: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsignableTransactionError, match=says):
        sign_transaction(KEY, {**BASE, **change})


@pytest.mark.parametrize("data", [b"", b"\x00", bytes(range(256)) * (SIGNED_BYTES_MAX // 256)])
def test_data_as_bytes_is_signed_as_its_hex_is(data: bytes) -> None:
    assert sign_transaction(KEY, {**DYNAMIC, "data": data}) == sign_transaction(
        KEY, {**DYNAMIC, "data": "0x" + data.hex()}
    )


def test_data_has_one_limit_as_bytes_and_as_hex() -> None:
    data = bytes(SIGNED_BYTES_MAX + 1)
    for form in (data, "0x" + data.hex()):
        with pytest.raises(UnsignableTransactionError) as refused:
            sign_transaction(KEY, {**DYNAMIC, "data": form})
        assert refused.value.details["fields"] == ["data"]


def test_a_tip_above_the_fee_is_refused() -> None:
    with pytest.raises(UnsignableTransactionError, match="above maxFeePerGas"):
        sign_transaction(KEY, {**DYNAMIC, "maxPriorityFeePerGas": 10})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@given(
    change=st.dictionaries(st.sampled_from([*BASE, *DYNAMIC, "data", "type", "accessList", "from", "x"]), json_values)
)
def test_anything_else_is_a_typed_refusal(change: dict[str, Any]) -> None:
    with contextlib.suppress(UnsignableTransactionError):
        assert Account.recover_transaction(sign_transaction(KEY, {**BASE, **change})) == KEY.address
