"""The SDK against the OpenAPI document, both ways: every operation, request field and answer member, and nothing else."""

import inspect
import json
import urllib.request
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from svc_client import AsyncClient, InvalidAnswer, models
from svc_client.transport import Call
from svc_verifier.session import Response
from tests.support.client_table import python_calls
from tests.support.verifying import VerifiableNode

ADDRESS: Final = "0x" + "00" * 19 + "01"
HASH: Final = "0x" + "ab" * 32
CID: Final = "QmV8uZddFEFGYshwi6A2CWvE1tUXPW8qD5wM44MWh5v8YD"
SIGNATURE: Final = "0x" + "11" * 65
TYPED: Final[dict[str, Any]] = {"types": {}, "primaryType": "X", "domain": {}, "message": {}}
GRANTS: Final[dict[str, Any]] = {
    "execute_in": [1],
    "create_groups": True,
    "delete_groups": True,
    "create_wallets": True,
    "manage_actions_in": ["2"],
    "add_wallets_in": [0],
    "remove_wallets_in": [3],
    "expires": 1_800_000_000,
    "cap_cents": 500,
}
USES: Final[tuple[Callable[[AsyncClient], Any], ...]] = (
    lambda svc: svc.account.create("name", "description", "a@b.example"),
    lambda svc: svc.account.exists(),
    lambda svc: svc.account.convert(ADDRESS, TYPED, SIGNATURE),
    lambda svc: svc.wallets.create("name", "description"),
    lambda svc: svc.wallets,
    lambda svc: svc.wallets.in_group(1),
    lambda svc: svc.wallets.mint_with_signature(TYPED, SIGNATURE),
    lambda svc: svc.groups.create("name", "description", wallets=[ADDRESS], action_hashes=[HASH]),
    lambda svc: svc.groups,
    lambda svc: svc.groups.update(1, "name", "description", [ADDRESS], [HASH]),
    lambda svc: svc.groups.remove(svc.groups.of(1)),
    lambda svc: svc.groups.of("1").allow(CID),
    lambda svc: svc.groups.of("1").allow(wallet=ADDRESS),
    lambda svc: svc.groups.of("1").forbid(HASH),
    lambda svc: svc.groups.of("1").forbid(wallet=ADDRESS),
    lambda svc: svc.actions.run("code", {"a": [1]}, max_seconds=5),
    lambda svc: svc.actions.cid("code"),
    lambda svc: svc.actions.register(CID, "name", "description"),
    lambda svc: svc.actions,
    lambda svc: svc.actions.in_group("1"),
    lambda svc: svc.actions.rename(HASH, "name", "description"),
    lambda svc: svc.actions.delete(HASH),
    lambda svc: svc.usage_keys.create("name", "description", **GRANTS),
    lambda svc: svc.usage_keys,
    lambda svc: svc.usage_keys.update(HASH, "name", "description", **GRANTS),
    lambda svc: svc.usage_keys.rename(HASH, "name", "description"),
    lambda svc: svc.usage_keys.remove(HASH),
    lambda svc: svc.usage_keys.mint_with_signature(TYPED, SIGNATURE),
    lambda svc: svc.billing.balance(),
    lambda svc: svc.billing.begin_payment(500),
    lambda svc: svc.billing.confirm_payment("pi_1"),
    lambda svc: svc.billing.publishable_key(),
    lambda svc: svc.billing.usage("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
    lambda svc: svc.billing.token_config(),
    lambda svc: svc.billing.token_payments(),
    lambda svc: svc.explain(code="code", wallet=ADDRESS),
    lambda svc: svc.explain(cid=CID),
    lambda svc: svc.node.chain(),
    lambda svc: svc.node.health(),
    lambda svc: svc.node.version(),
    lambda svc: svc.node.limits(),
    lambda svc: svc.node.payers(),
    lambda svc: svc.node.admin_payer(),
    lambda svc: svc.node.account_contract_abi(),
    lambda svc: svc.node.deposit_contract_abi(),
    lambda svc: svc.node.attestation(HASH[2:]),
    lambda svc: svc.node.info(),
    lambda svc: svc.node.evidence("sha256sum.txt"),
    *python_calls(),
)
NOT_FOR_CLIENTS: Final = {
    "POST /billing/webhook": "the card processor's",
    "GET /evidences": "a listing for browsers; the files have names of their own",
    "GET /evidences/": "likewise",
    "GET /evidences/{set_name}/": "of another domain of the node",
    "GET /evidences/{set_name}/{name}": "likewise",
}
NOT_SENT: Final = {
    ("POST /update_usage_api_key", "usage_api_key"): "a key is named by its hash, which is no secret",
    ("POST /update_usage_api_key_metadata", "usage_api_key"): "likewise",
    ("POST /remove_usage_api_key", "usage_api_key"): "likewise",
}
ERRORS_OF_ACTIONS: Final = {"has_error", "error"}
"""Members of a run's answer that become the exception ActionFailed."""


@dataclass
class Document:
    """The OpenAPI document of a node."""

    root: dict[str, Any]
    registry: Any = field(init=False)

    def __post_init__(self) -> None:
        empty: Registry[Any] = Registry()
        self.registry = empty.with_resource("urn:api", DRAFT202012.create_resource(self.root))

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]]:
        """The operation of a request, and its name."""
        for template, found in self.root["paths"].items():
            shape, given = template.split("/"), path.split("/")
            fits = len(shape) == len(given) and all(a == b or a[:1] == "{" for a, b in zip(shape, given, strict=True))
            if fits and method.lower() in found:
                return f"{method} {template}", found[method.lower()]
        raise AssertionError(f"{method} {path} is not in the document")

    def faults(self, schema: Any, value: Any) -> list[str]:
        """Returns what is wrong with a value."""
        absolute = json.loads(json.dumps(schema).replace('"#/', '"urn:api#/'))
        return [each.message for each in Draft202012Validator(absolute, registry=self.registry).iter_errors(value)]

    def resolved(self, schema: Any) -> Any:
        """A schema without a reference at its top."""
        while "$ref" in schema:
            schema = self.root["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def sample(self, schema: Any, *, full: bool) -> Any:
        """A value that the schema allows: with everything there is, or with as little as may be."""
        schema = self.resolved(schema)
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[-1 if full else 0])
        for kinds in (schema.get("anyOf"), schema.get("oneOf")):
            if kinds:
                null = {"type": "null"} in kinds
                return None if null and not full else self.sample(kinds[0], full=full)
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            wanted = schema.get("properties", {}) if full else schema.get("required", ())
            return {name: self.sample(schema["properties"][name], full=full) for name in wanted}
        if kind == "array":
            return [self.sample(schema["items"], full=True)] if full and "items" in schema else []
        simple = {"string": "text", "integer": schema.get("minimum", 0) + full, "number": 1.5, "boolean": full}
        return simple.get(kind)


@dataclass
class Recorder:
    """Stands in the transport's place: keeps every call, and answers as the document says."""

    document: Document
    full: bool
    spoilt: str | None = None
    """A member in whose place something else comes."""
    calls: list[tuple[str, Call, set[str]]] = field(default_factory=list)
    answered: Any = None
    highest_block: int | None = 7
    timeout_s: float = 120.0

    async def call(self, call: Call, _: float | None = None) -> Response:
        url = urlsplit(call.path)
        name, operation = self.document.operation(call.method, url.path)
        self.calls.append((name, call, set(parse_qs(url.query))))
        content = operation["responses"]["200"]["content"]
        if "application/json" not in content:
            self.answered = b"bytes"
            return Response(200, {}, self.answered)
        schema = content["application/json"]["schema"]
        self.answered = self.document.sample(schema, full=self.full)
        if name == "POST /svc_action":
            # An action that failed raises, and has no answer.
            self.answered = {**self.answered, "has_error": False}
            self.answered.pop("error", None)
        assert not self.document.faults(schema, self.answered), (name, self.answered)
        if self.spoilt is not None:
            _first(self.answered)[self.spoilt] = {"no": "value"}
        return Response(200, {"x-authorized-at-block": "7"}, json.dumps(self.answered).encode())


async def used(
    document: Document, use: Callable[[AsyncClient], Any], *, full: bool, spoilt: str | None = None
) -> tuple[Recorder, Any]:
    """A use of the client: the request, and what was returned."""
    svc = AsyncClient("https://localhost:1", "key", app_id="0x" + "00" * 20)
    recorder = Recorder(document, full, spoilt)
    for part in (svc, svc.account, svc.wallets, svc.groups, svc.actions, svc.usage_keys, svc.billing, svc.node):
        part._transport = recorder  # type: ignore[assignment]
    made = use(svc)
    return recorder, await made if inspect.isawaitable(made) else [each async for each in made]


@pytest.fixture(scope="module")
def document(node: VerifiableNode) -> Document:
    with urllib.request.urlopen(f"{node.process.url}/core/v1/openapi.json", timeout=60) as response:
        return Document(json.loads(response.read()))


async def test_every_operation_and_request_field_is_used_and_no_other(document: Document) -> None:
    fields: defaultdict[str, set[str]] = defaultdict(set)
    for use in USES:
        recorder, _ = await used(document, use, full=True)
        for name, call, query in recorder.calls:
            method, _, path = name.partition(" ")
            operation = document.root["paths"][path][method.lower()]
            fields[name] |= query
            assert call.is_public is (not operation.get("security")), name
            if call.method != "POST":
                continue
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            assert not document.faults(schema, call.body), (name, call.body)
            fields[name] |= set(call.body) if isinstance(call.body, dict) else set()
    operations = {
        f"{method.upper()} {path}": operation
        for path, found in document.root["paths"].items()
        for method, operation in found.items()
        if method in ("get", "post") and not operation.get("deprecated")
    }
    assert set(operations) - set(NOT_FOR_CLIENTS) == set(fields)
    for name, operation in operations.items():
        if name in NOT_FOR_CLIENTS:
            continue
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        whole = document.resolved(body)
        known = {name for each in whole.get("oneOf", [whole]) for name in each.get("properties", ())}
        known |= {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
        assert known - fields[name] == {each for where, each in NOT_SENT if where == name}, name


@pytest.mark.parametrize("full", [True, False])
async def test_every_answer_is_read_whole(full: bool, document: Document) -> None:
    """Each member that the document names is in the result, with its value; one that may be left out or null may be so."""
    for use in USES:
        recorder, result = await used(document, use, full=full)
        name = recorder.calls[-1][0]
        told = recorder.answered
        if isinstance(result, list):
            result, told = result[:1], told[:1]
        for shown, said in zip(result, told, strict=True) if isinstance(result, list) else [(result, told)]:
            if isinstance(shown, BaseModel):
                dumped = shown.model_dump(mode="json")
                for member, value in said.items():
                    assert member in ERRORS_OF_ACTIONS or dumped[member] == value, (name, member)
                beyond = set(dumped) - set(said) - {"authorized_at_block"}
                assert all(dumped[member] is None for member in beyond) or not full, (name, beyond)


async def test_a_member_of_another_kind_is_no_answer(document: Document) -> None:
    """Models say of each member what kind it is: in its place an object is refused, where it is none."""
    refused = 0
    for use in USES:
        recorder, result = await used(document, use, full=True)
        first = result[0] if isinstance(result, list) else result
        if not isinstance(first, BaseModel):
            continue
        for member in set(type(first).model_fields) & set(_first(recorder.answered)):
            if isinstance(getattr(first, member), dict) or (type(first), member) == (models.Run, "response"):
                continue
            with pytest.raises(InvalidAnswer):
                await used(document, use, full=True, spoilt=member)
            refused += 1
    assert refused > 100


def _first(answer: Any) -> Any:
    return answer[0] if isinstance(answer, list) else answer
