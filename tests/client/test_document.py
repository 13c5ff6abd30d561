"""The OpenAPI document as its readers want it: each operation whole, with a name of its own, and every example one that fits."""

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.test_api_coverage import Document
from tests.support.verifying import VerifiableNode

ONCE_GIVEN = {"X-Correlation-Id", "Idempotency-Key", "Stripe-Signature"}
"""Headers of which every value is as good as another, or made for one request."""
NOTHING_TO_SHOW = {"GET /evidences"}
"""A redirect: no body, neither way."""
EITHER = {
    "POST /explain": ({"code": "1"}, {"action_ipfs_cid": "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"}),
    "POST /remove_usage_api_key": ({"usage_api_key": "A" * 43 + "="}, {"api_key_hash": "0x" + "5a" * 32}),
}


@pytest.fixture(scope="module")
def document(node: VerifiableNode) -> Document:
    with urllib.request.urlopen(f"{node.process.url}/core/v1/openapi.json", timeout=60) as response:
        return Document(json.loads(response.read()))


def operations(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document.root["paths"].items():
        for method in methods.keys() & {"get", "post"}:
            yield f"{method.upper()} {path}", methods[method]


def body_of(operation: dict[str, Any]) -> dict[str, Any] | None:
    media: dict[str, Any] | None = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return media


def test_every_operation_is_described_and_has_a_name_of_its_own(document: Document) -> None:
    named = dict(operations(document))
    assert not [name for name, operation in named.items() if len(operation.get("description", "")) < 10]
    assert len({operation["operationId"] for operation in named.values()}) == len(named)
    assert document.root["info"]["license"]["identifier"] == "Apache-2.0"


def test_every_operation_declares_what_it_refuses(document: Document) -> None:
    for name, operation in operations(document):
        assert "405" in operation["responses"], name
        assert ("401" in operation["responses"]) is bool(operation["security"]), name


def test_every_operation_has_an_example_that_fits(document: Document) -> None:
    for name, operation in operations(document):
        parameters = [each for each in operation["parameters"] if each["name"] not in ONCE_GIVEN]
        shown = [(each["schema"], each.get("example", each["schema"].get("default"))) for each in parameters]
        body = body_of(operation)
        if body is not None:
            shown.append((body["schema"], body["example"]))
        if not shown and name not in NOTHING_TO_SHOW:
            content = next(iter(operation["responses"]["200"]["content"].values()))
            shown.append((content["schema"], content["example"]))
        for schema, example in shown:
            assert example is not None, name
            assert document.faults(schema, example) == [], name


@pytest.mark.parametrize("name", EITHER)
def test_a_body_of_either_field_is_two_whole_schemas(name: str, document: Document) -> None:
    body = body_of(dict(operations(document))[name])
    assert body is not None
    whole = document.resolved(body["schema"])
    assert set(whole) == {"title", "description", "oneOf"}
    assert all(each["additionalProperties"] is False and each["required"] for each in whole["oneOf"])
    one, other = EITHER[name]
    nothing = dict.fromkeys(other)
    assert [document.faults(whole, given) == [] for given in (one, other, one | nothing, {}, one | other)] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_an_idempotency_key_has_the_pattern_that_the_node_checks(document: Document) -> None:
    for name, operation in operations(document):
        for header in operation["parameters"]:
            if header["name"] != "Idempotency-Key":
                continue
            is_secret = name == "POST /new_account"
            valid = [document.faults(header["schema"], key) == [] for key in ("k" * 22, "k k" * 8, "k" * 32, "ü" * 32)]
            assert valid == [not is_secret, not is_secret, True, False], name
