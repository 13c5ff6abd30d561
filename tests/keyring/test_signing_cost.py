"""The largest inputs of the signing functions: bounded, refused at once beyond the bound, signed as eth-account does within it."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.address import to_checksum_address
from hypothesis import given
from hypothesis import strategies as st

from devkit.settings import DevelopmentSettings
from node.keyring.port import UnsignableError
from node.keyring.signing import sign_message, sign_typed_data
from node.keyring.signing_key import Secp256k1Key
from node.keyring.transactions import sign_transaction
from node.status.limits import client_config
from node.values import checksum_address
from tests.support.loop_meter import takes_at_most

SCALAR = b"\x07" * 32
KEY = Secp256k1Key(SCALAR)
SIGNED_BYTES = 128 * 1024
FRAME_BYTES = 4_000_000
"""About what one message of an action's process may hold."""
REFUSED_WITHIN_S = 0.05
"""Processor time. Each took 0.1 to 0.3 s before there were bounds; refusing takes some 3 ms."""
SIGNED_WITHIN_S = 0.08
"""Processor time of the largest that is signed; it takes 1 to 5 ms."""

Sign = Callable[[], bytes]


def typed(type_: str, value: Any, **more: list[dict[str, str]]) -> Sign:
    types: dict[str, Any] = {"Data": [{"name": "field", "type": type_}], **more}
    return lambda: sign_typed_data(KEY, {"name": "x"}, types, {"field": value})


def many_types(structs: int, fields: int, type_: str = "uint8") -> Sign:
    types: dict[str, Any] = {f"S{i}": [{"name": f"f{j}", "type": type_} for j in range(fields)] for i in range(structs)}
    return lambda: sign_typed_data(KEY, {}, types, {})


def transaction(**change: object) -> Sign:
    fields = {"nonce": 0, "gas": 21000, "to": KEY.address, "chainId": 1, "gasPrice": 1, **change}
    return lambda: sign_transaction(KEY, fields)


def entry(**change: object) -> dict[str, object]:
    return {"address": KEY.address, "storageKeys": [], **change}


BEYOND: dict[str, Sign] = {
    "a message of one byte too many": lambda: sign_message(KEY, "a" * (SIGNED_BYTES + 1)),
    "bytes of one too many": lambda: sign_message(KEY, b"a" * (SIGNED_BYTES + 1)),
    "a message of characters of more bytes": lambda: sign_message(KEY, "€" * (SIGNED_BYTES // 3 + 1)),
    "a typed text": typed("string", "a" * FRAME_BYTES),
    "a typed text of one byte too many": typed("string", "a" * (SIGNED_BYTES + 1)),
    "typed bytes": typed("bytes", "0x" + "ab" * (FRAME_BYTES // 2)),
    "typed bytes of one too many": typed("bytes", "0x" + "ab" * (SIGNED_BYTES + 1)),
    "typed texts together": typed("string[]", ["a" * 1024] * 129),
    "typed addresses": typed("address[]", [KEY.address] * 4094),
    "typed integers": typed("uint256[]", ["0x" + "f" * 64] * 4094),
    "an integer of megabytes": typed("uint256", "1" * FRAME_BYTES),
    "an array type of 60 dimensions": typed("uint8" + "[]" * 60, []),
    "many array types of 60 dimensions": many_types(1, 512, "uint8" + "[]" * 60),
    "many structs": many_types(5000, 1),
    "many fields": many_types(16, 17),
    "a transaction's data": transaction(data="0x" + "ab" * (FRAME_BYTES // 2)),
    "a transaction's data of one byte too many": transaction(data="0x" + "ab" * (SIGNED_BYTES + 1)),
    "access-list entries": transaction(accessList=[entry()] * 6000),
    "257 access-list entries": transaction(accessList=[entry()] * 257),
    "storage keys": transaction(accessList=[entry(storageKeys=["0x" + "00" * 32] * 18000)]),
    "unknown fields": transaction(**{f"x{i}": 1 for i in range(9000)}),
    "unknown fields of an entry": transaction(accessList=[entry(**{f"x{i}": 1 for i in range(9000)})]),
}


@pytest.mark.parametrize("name", BEYOND)
def test_more_than_is_signed_is_refused_at_once(name: str) -> None:
    with takes_at_most(REFUSED_WITHIN_S), pytest.raises(UnsignableError):
        BEYOND[name]()


WITHIN: dict[str, Sign] = {
    "a message": lambda: sign_message(KEY, "a" * SIGNED_BYTES),
    "a typed text": typed("string", "a" * SIGNED_BYTES),
    "typed bytes": typed("bytes", "0x" + "ab" * SIGNED_BYTES),
    "typed addresses": typed("address[]", [KEY.address] * 1020),
    "typed structs": typed("Item[]", [{"item": True}] * 500, Item=[{"name": "item", "type": "bool"}]),
    "data": transaction(data="0x" + "ab" * SIGNED_BYTES),
    "an access list": transaction(accessList=[entry(storageKeys=["0x" + "00" * 32] * 4)] * 256),
}


@pytest.mark.parametrize("name", WITHIN)
def test_the_largest_that_is_signed_costs_little(name: str) -> None:
    took_s = []
    for _ in range(3):
        began = time.thread_time()
        WITHIN[name]()
        took_s.append(time.thread_time() - began)
    assert min(took_s) < SIGNED_WITHIN_S, f"signing took {min(took_s):.3f} s of processor time"


def test_the_largest_typed_data_is_signed_as_eth_account_signs_it() -> None:
    types = {"Data": [{"name": "text", "type": "string"}, {"name": "list", "type": "uint8[2][]"}]}
    value = {"text": "ü" * (SIGNED_BYTES // 2), "list": [[1, 2]] * 330}
    signable = encode_typed_data({"name": "x"}, types, value)
    signature = bytes(Account.sign_message(signable, SCALAR).signature)
    assert sign_typed_data(KEY, {"name": "x"}, types, value) == signature  # type: ignore[arg-type]  # lists are invariant


@pytest.mark.parametrize(
    "text",
    [
        "0x 0",
        "0x0 00",
        "0x\n00",
        "0x0",
        "0xzz",
        "00",
        "0X00",
        "0x\N{ARABIC-INDIC DIGIT ZERO}\N{ARABIC-INDIC DIGIT ZERO}",
    ],
)
def test_bytes_are_hex_without_blanks(text: str) -> None:
    for sign in (typed("bytes", text), transaction(data=text)):
        with pytest.raises(UnsignableError):
            sign()


def test_the_bounds_that_are_published_are_those_in_force() -> None:
    shown = client_config(DevelopmentSettings())
    signed, entries, keys, values = (
        int(str(shown[name]))
        for name in (
            "action_signed_bytes",
            "action_access_list_entries",
            "action_access_list_storage_keys",
            "action_typed_data_values",
        )
    )
    key = "0x" + "00" * 32
    most_entries, most_keys = [entry()] * entries, [entry(storageKeys=[key] * keys)]
    pairs: list[tuple[Sign, Sign]] = [
        (lambda: sign_message(KEY, "a" * signed), lambda: sign_message(KEY, "a" * (signed + 1))),
        (transaction(accessList=most_entries), transaction(accessList=[*most_entries, entry()])),
        (transaction(accessList=most_keys), transaction(accessList=[*most_keys, entry(storageKeys=[key])])),
        # the struct and its array count as well
        (typed("bool[]", [True] * (values - 2)), typed("bool[]", [True] * (values - 1))),
    ]
    for within, beyond in pairs:
        assert len(within()) >= 65
        with pytest.raises(UnsignableError):
            beyond()


@given(raw=st.binary(min_size=20, max_size=20))
def test_checksums_are_eip_55s(raw: bytes) -> None:
    expected = to_checksum_address(raw)
    for text in (raw.hex(), raw.hex().upper(), expected[2:]):
        assert checksum_address("0x" + text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "0x", "0x" + "a" * 39, "0x" + "a" * 41, "a" * 42, "0x" + "g" * 40, "0x" + "\N{ARABIC-INDIC DIGIT ONE}" * 40],
)
def test_only_an_address_has_a_checksum(text: str) -> None:
    with pytest.raises(ValueError, match="not an address"):
        checksum_address(text)
