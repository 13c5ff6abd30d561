"""The OpenAPI schema of each field against the field: what one takes the other takes, and likewise what it refuses."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from node.api import fields
from node.billing.usage import Moment
from node.chainsecured.models import Signature
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
    "CidText": fields.CidText,
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


def test_a_number_in_digits_has_no_upper_bound_in_the_document() -> None:
    """A pattern of it would be as long as this page: u64 and caps are bounded as numbers, and their digits by length."""
    validator = Draft202012Validator(TypeAdapter(fields.CapCents).json_schema())
    assert (validator.is_valid(10**14 + 1), validator.is_valid("9" * 15), validator.is_valid("9" * 16)) == (
        False,
        True,
        False,
    )


def test_the_limit_of_a_name_counts_bytes_and_that_of_its_schema_characters() -> None:
    adapter = TypeAdapter(fields.Name)
    validator = Draft202012Validator(_bounded(adapter.json_schema(), LIMITS))
    assert (is_taken(adapter, "\u00e9" * 5), validator.is_valid("\u00e9" * 5)) == (False, True)


@pytest.mark.parametrize(
    ("text", "valid"), [("0x", True), ("0x1", False), ("0x" + "11" * 4096, True), ("0x" + "11" * 4097, False)]
)
def test_a_signature_is_bytes_and_not_endless(text: str, valid: bool) -> None:
    assert Draft202012Validator(TypeAdapter(Signature).json_schema()).is_valid(text) is valid
