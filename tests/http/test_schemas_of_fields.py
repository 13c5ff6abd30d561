"""The OpenAPI schema of each field against the field: what one takes the other takes, and likewise what it refuses."""

import random
from base64 import b32encode
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from node.api import fields
from node.billing.usage import Moment
from node.chainsecured.models import Signature
from node.engine.cid import encode_base58, parse_cid
from node.http.openapi import _bounded
from node.settings.http import FieldSettings
from node.values import U64_MAX, ZERO_ADDRESS

LIMITS = FieldSettings(name_bytes=8, description_bytes=16)
ADDRESS = "0x" + "0" * 39 + "1"
HASH = "0x" + "ab" * 32
CID = "QmV8uZddFEFGYshwi6A2CWvE1tUXPW8qD5wM44MWh5v8YD"
NUMBERS: list[Any] = [0, 1, U64_MAX, U64_MAX + 1, -1, 1.5, True, None, [], {}]
TEXTS: list[Any] = [
    "",
    "0",
    "0x0",
    "0x00",
    "1",
    "01",
    "+1",
    " 1",
    "0x1",
    "0x" + "f" * 16,
    "0x1" + "f" * 16,
    "-1",
]
WALLETS: list[Any] = [ADDRESS, ADDRESS.upper().replace("X", "x"), ZERO_ADDRESS, ADDRESS[:-1], ADDRESS + "0"]
NAMED: list[Any] = [
    HASH,
    HASH[:-1],
    CID,
    CID[:9],
    "0x" + CID,
    "b" * 200,
    "b" * 201,
    "not a cid",
    "a@b",
    "a@@b",
    "@",
    "a b@c",
]
EMAILS: list[Any] = ["a" * 319 + "@", "a@" + "b" * 318, "a@" + "b" * 319]
TIMES: list[Any] = [
    "2026-01-31T00:00:00Z",
    "2026-01-31T00:00:00+02:00",
    "2026-01-31",
    "2026-01-31T24:00:00Z",
    "9" * 11,
    "9" * 12,
]
KEYS: list[Any] = ["A" * 43 + "=", "A" * 43, "A" * 44]
SIGNATURES: list[Any] = ["0x", "0x" + "11" * 65, "0x1", "0x" + "11" * 4096, "0x" + "11" * 4097]
LONG: list[Any] = ["a" * 8, "a" * 9, "a" * 16, "a" * 17]
VALUES = [*NUMBERS, *TEXTS, *WALLETS, *NAMED, *EMAILS, *TIMES, *KEYS, *SIGNATURES, *LONG, 10**14, 10**14 + 1]

FIELDS: dict[str, Any] = {
    "GroupId": fields.GroupId,
    "TargetGroupId": fields.TargetGroupId,
    "HashedCid": fields.HashedCid,
    "ActionRef": fields.ActionRef,
    "ActionCid": fields.ActionCid,
    "Address": fields.Address,
    "PkpId": fields.PkpId,
    "WalletRef": fields.WalletRef,
    "KeyHash": fields.KeyHash,
    "Expiration": fields.Expiration,
    "CapCents": fields.CapCents,
    "Name": fields.Name,
    "Description": fields.Description,
    "Email": fields.Email,
    "ApiKeyText": fields.ApiKeyText,
    "Moment": Moment,
}


def is_taken(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_python(value, context=LIMITS)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("name", FIELDS)
def test_document_and_node_take_the_same(name: str) -> None:
    adapter = TypeAdapter(FIELDS[name])
    validator = Draft202012Validator(_bounded(adapter.json_schema(), LIMITS))
    taken = [value for value in VALUES if is_taken(adapter, value)]
    assert [value for value in VALUES if validator.is_valid(value)] == taken
    assert taken


@pytest.mark.parametrize(("field", "most"), [(fields.GroupId, U64_MAX), (fields.CapCents, 10**14)])
def test_a_number_in_digits_is_bounded_as_the_number_is(field: Any, most: int) -> None:
    validator = Draft202012Validator(TypeAdapter(field).json_schema())
    drawn = random.Random(31)
    near = [0, 1, 9, 10, *(most // tens for tens in (2, 10, 100)), most - 1, most, most + 1, 10 * most]
    for number in [*near, *(drawn.randrange(2 * most) for _ in range(200))]:
        for form in (number, str(number), hex(number), f"0x00{number:X}"):
            assert validator.is_valid(form) is (number <= most), form


def test_the_document_knows_the_forms_of_cids_that_tools_print() -> None:
    schema = Draft202012Validator(TypeAdapter(fields.ActionCid).json_schema())
    drawn = random.Random(31)
    for digest in [bytes(32), b"\xff" * 32, *(drawn.randbytes(32) for _ in range(200))]:
        version_1 = b"\x01\x70\x12\x20" + digest
        texts = [
            encode_base58(version_1[2:]),
            "b" + b32encode(version_1).decode().rstrip("=").lower(),
            "f" + version_1.hex(),
        ]
        assert all(schema.is_valid(text) for text in texts), texts
        assert {parse_cid(text) for text in texts} == {texts[0]}
    of_another_codec = "f0155" + version_1[2:].hex()
    for text in ("1000000000", texts[0][:-1], "Qm1" + texts[0][3:], texts[1] + "a", of_another_codec):
        assert not schema.is_valid(text), text
        assert not is_taken(TypeAdapter(fields.ActionCid), text), text


def test_the_limit_of_a_name_counts_bytes_and_that_of_its_schema_characters() -> None:
    adapter = TypeAdapter(fields.Name)
    validator = Draft202012Validator(_bounded(adapter.json_schema(), LIMITS))
    assert (is_taken(adapter, "\u00e9" * 5), validator.is_valid("\u00e9" * 5)) == (False, True)


@pytest.mark.parametrize(
    ("text", "valid"), [("0x", True), ("0x1", False), ("0x" + "11" * 4096, True), ("0x" + "11" * 4097, False)]
)
def test_a_signature_is_bytes_and_not_endless(text: str, valid: bool) -> None:
    assert Draft202012Validator(TypeAdapter(Signature).json_schema()).is_valid(text) is valid
