"""The JavaScript client is that of the OpenAPI document, and its declarations are those of its modules."""

import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from tests.client.generated.test_generated_clients import COMPILER_OPTIONS, MODULES, ran
from tests.support.client_table import javascript_calls
from tests.support.javascript import ran_javascript
from tests.support.node import REPOSITORY
from tests.support.samples import Samples

HERE = Path(__file__).parent
CLIENT = REPOSITORY / "client" / "js"
CALLS = (HERE / "javascript_calls.mjs").read_text()
ORIGIN = "https://node.example"
BASE = f"{ORIGIN}/core/v1"
AT_ROOT = ("/attestation", "/info", "/evidences")
SECRETS = ("api_key", "usage_api_key", "client_secret")
GRANTS = """{
    createGroups: true, deleteGroups: true, createWallets: true, manageActionsIn: [1], addWalletsIn: ['2'],
    removeWalletsIn: [0], expires: 9, capCents: 5}"""
USED = "{executeIn: [1], description: 'd'}"
TYPED = "{types: {}, primaryType: 'T', domain: {}, message: {}}"
HASH = f"'0x{'a' * 64}'"
ADDRESS = f"'0x{'b' * 40}'"
CID = "'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'"

METHODS = {
    "post /new_account": "svc.account.create('n', 'd', 'e@example.com')",
    "get /account_exists": "svc.account.exists()",
    "post /convert_to_chain_secured_account": f"svc.account.convert({ADDRESS}, {TYPED}, '0x')",
    "post /create_wallet": "svc.wallets.create('n', 'd')",
    "get /list_wallets": "all(svc.wallets.list())",
    "get /list_wallets_in_group": "all(svc.wallets.inGroup(1))",
    "post /create_wallet_with_signature": f"svc.wallets.mintWithSignature({TYPED}, '0x')",
    "post /add_group": f"svc.groups.create('n', 'd', {{wallets: [{ADDRESS}], actionHashes: [{HASH}]}})",
    "get /list_groups": "all(svc.groups.list())",
    "post /update_group": f"svc.groups.update(1, 'n', 'd', [{ADDRESS}], [{HASH}])",
    "post /remove_group": "svc.groups.remove('1')",
    "post /add_pkp_to_group": f"svc.groups.addWallet(1, {ADDRESS})",
    "post /remove_pkp_from_group": "svc.groups.removeWallet(1, 0)",
    "post /add_action_to_group": f"svc.groups.addAction(1, {CID})",
    "post /remove_action_from_group": f"svc.groups.removeAction(1, {HASH})",
    "post /svc_action": "svc.actions.run('c', {a: 1}, {maxSeconds: 2, idempotent: true})",
    "post /get_svc_action_ipfs_id": "svc.actions.cid('c')",
    "post /add_action": f"svc.actions.register({CID}, 'n', 'd')",
    "get /list_actions": "all(svc.actions.inGroup(1))",
    "post /update_action_metadata": f"svc.actions.rename({HASH}, 'n', 'd')",
    "post /delete_action": f"svc.actions.delete({HASH})",
    "post /add_usage_api_key": f"svc.usageKeys.create('n', {GRANTS}, {USED})",
    "get /list_api_keys": "all(svc.usageKeys.list())",
    "post /update_usage_api_key": f"svc.usageKeys.update({HASH}, 'n', {GRANTS}, {USED})",
    "post /update_usage_api_key_metadata": f"svc.usageKeys.rename({HASH}, 'n', 'd')",
    "post /remove_usage_api_key": f"svc.usageKeys.remove({HASH})",
    "post /add_usage_api_key_with_signature": f"svc.usageKeys.mintWithSignature({TYPED}, '0x')",
    "get /billing/balance": "svc.billing.balance()",
    "post /billing/create_payment_intent": "svc.billing.beginPayment(500)",
    "post /billing/confirm_payment": "svc.billing.confirmPayment('pi_1')",
    "get /billing/processor_config": "svc.billing.publishableKey()",
    "get /billing/usage": "all(svc.billing.usage({from: '2026-01-01T00:00:00Z', to: 5}))",
    "get /billing/token_config": "svc.billing.tokenConfig()",
    "get /billing/token_payments": "all(svc.billing.tokenPayments())",
    "post /explain": f"svc.explain({{code: 'c', wallet: {ADDRESS}}})",
    "get /get_node_chain_config": "svc.node.chain()",
    "get /health": "svc.node.health()",
    "get /version": "svc.node.version()",
    "get /get_svc_action_client_config": "svc.node.limits()",
    "get /get_api_payers": "svc.node.payers()",
    "get /get_admin_api_payer": "svc.node.adminPayer()",
    "get /get_account_contract_abi": "svc.node.accountContractAbi()",
    "get /get_deposit_contract_abi": "svc.node.depositContractAbi()",
    "get /attestation": f"svc.node.attestation('{'c' * 64}')",
    "get /info": "svc.node.info()",
    "get /evidences/{name}": "svc.node.evidence('cert-a b.pem')",
    "get /evidences/{set_name}/{name}": "svc.node.evidence('set/cert-a b.pem')",
}
"""The method of each operation, with everything that it can be given."""
METHODS = {**javascript_calls(), **METHODS}

NOT_FOR_CLIENTS = {"post /billing/webhook", "get /evidences", "get /evidences/", "get /evidences/{set_name}/"}
NOT_SENT = {
    "post /remove_usage_api_key": {"usage_api_key"},
    "post /update_usage_api_key": {"usage_api_key"},
    "post /update_usage_api_key_metadata": {"usage_api_key"},
    "post /svc_action": {"min_block"},
    "post /explain": {"action_ipfs_cid"},
}
"""One of two ways to name an action. A key is named by its hash; the block is that of an earlier answer (tests/client/test_javascript.py)."""

OPAQUE = (".tcb_info.",)
"""Parts of answers that the client hands on as they are."""


class Sent(NamedTuple):
    """An operation of the document, and what its method sent and returned for an answer that fits."""

    name: str
    operation: Any
    answer: Any
    request: Any
    outcome: Any


@pytest.fixture(scope="module")
def described(document: Path) -> Any:
    return json.loads(document.read_text())


def operations_of(described: Any) -> dict[str, Any]:
    return {
        f"{method} {path}": operation
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if method in {"get", "post"} and not operation.get("deprecated")
    }


def schema_of(operation: Any) -> Any:
    content = operation["responses"]["200"]["content"]
    return next(iter(content.values()))["schema"]


@pytest.fixture(scope="module")
def sent(described: Any) -> list[Sent]:
    operations = operations_of(described)
    samples = Samples(described)
    answers = [samples.fitting(schema_of(operations[name])) for name in METHODS]
    # A run that did not fail has no error.
    answers = [
        {**each, "has_error": False} if isinstance(each, dict) and "has_error" in each else each for each in answers
    ]
    found = ran_javascript(CALLS, list(zip(METHODS.values(), answers, strict=True)), CLIENT)
    return [
        Sent(name, operations[name], answer, outcome["requests"][0], outcome)
        for name, answer, outcome in zip(METHODS, answers, found, strict=True)
    ]


def test_every_operation_has_one_method(described: Any) -> None:
    assert set(operations_of(described)) - NOT_FOR_CLIENTS == set(METHODS)
    source = (CLIENT / "svc-client.d.mts").read_text()
    parts = dict(re.findall(r"^export interface (\w+) \{\n(.*?)^\}", source, re.DOTALL | re.MULTILINE))
    of_part = {"account": "Account", "wallets": "Wallets", "groups": "Groups", "actions": "Actions"}
    of_part |= {"usageKeys": "UsageKeys", "billing": "Billing", "node": "Node"}
    declared = {
        f"svc.{part}.{method}"
        for part, interface in of_part.items()
        for method in re.findall(r"^  (\w+)\(", parts[interface], re.MULTILINE)
    }
    called = {found for each in METHODS.values() for found in re.findall(r"svc\.\w+\.\w+", each)}
    # The first reads the list of an account as the second reads that of a group; the second asks nothing; the third is CSV.
    assert declared - called == {"svc.actions.list", "svc.groups.of", "svc.billing.usageCsv"}
    assert called <= declared


def test_a_request_is_as_documented_and_has_every_member(sent: list[Sent], described: Any) -> None:
    for name, operation, _, request, outcome in sent:
        method, path = name.split()
        where = ORIGIN if path.startswith(AT_ROOT) else BASE
        address, _, query = request["url"].partition("?")
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(where + path))
        assert re.fullmatch(pattern, address), name
        assert request["flags"]["method"] == method.upper()
        assert len(outcome["requests"]) == 1
        documented = {each["name"] for each in operation["parameters"] if each["in"] == "query"}
        assert {each.partition("=")[0] for each in query.split("&") if each} == documented, name
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            jsonschema.validate(request["body"], {**schema, "components": described["components"]})
            members = Samples(described).properties(schema)
            assert members == (set(request["body"]) | NOT_SENT.get(name, set()) if members else set()), name
        else:
            assert request["body"] is None


def test_headers_and_flags_of_a_request(sent: list[Sent]) -> None:
    for name, operation, _, request, _ in sent:
        assert ("X-Api-Key" in request["headers"]) == bool(operation.get("security")), name
        is_change = name.startswith("post") and name not in {"post /explain", "post /get_svc_action_ipfs_id"}
        assert ("Idempotency-Key" in request["headers"]) == is_change, name
        # That of new_account is a secret, with room for 256 bits in the form that the node takes.
        assert not is_change or re.fullmatch("[A-Za-z0-9_-]{43,255}", request["headers"]["Idempotency-Key"]), name
        flags = {flag: value for flag, value in request["flags"].items() if flag not in {"method", "body"}}
        expected = {"redirect": "manual", "credentials": "omit", "cache": "no-store", "referrerPolicy": "no-referrer"}
        assert flags == expected, name


def test_an_answer_is_returned_whole_and_its_secrets_are_not_shown(sent: list[Sent]) -> None:
    for name, _, answer, _, outcome in sent:
        assert "error" not in outcome, (name, outcome)
        value = outcome["value"]
        if name == "post /svc_action":
            run = {key: each for key, each in answer.items() if key != "has_error"}
            assert value == run | {"authorized_at_block": None}
        elif name == "post /add_group":
            assert value == {"id": answer["group_id"]}
        elif name == "get /billing/processor_config":
            assert value == answer["publishable_key"]
        elif isinstance(answer, dict):
            assert value == {key: each for key, each in answer.items() if key not in SECRETS}, name
            assert set(outcome["secrets"]) == set(answer) & set(SECRETS), name
        else:
            assert value == answer, name


def test_an_answer_of_another_form_is_refused(described: Any) -> None:
    samples, operations = Samples(described), operations_of(described)
    cases = [
        (name, where, METHODS[name], value)
        for name in METHODS
        if not name.startswith("get /evidences")
        for where, value in samples.unfitting(schema_of(operations[name]))
        if not where.startswith(OPAQUE)
    ]
    assert len(cases) > 300
    found = ran_javascript(CALLS, [(expression, value) for _, _, expression, value in cases], CLIENT)
    accepted = [
        (name, where, outcome.get("error"))
        for (name, where, _, _), outcome in zip(cases, found, strict=True)
        if outcome.get("error") != "InvalidAnswer"
    ]
    assert accepted == []


def test_a_list_without_an_end_is_refused() -> None:
    item = {"id": "0", "pkp_id": "0x1", "wallet_address": "0x1", "name": "", "description": ""}
    source = """
    import { SvcClient } from "./svc-client.mjs";
    let asked = 0;
    const body = JSON.stringify(Array(100).fill(given));
    const fetch = async () => { asked += 1; return new Response(body); };
    const svc = new SvcClient("https://node.example", { fetch });
    let name;
    try { for await (const each of svc.wallets.list()) void each; } catch (error) { name = error.name; }
    console.log(JSON.stringify([asked, name]));
    """
    assert ran_javascript(source, item, CLIENT) == [10_000, "InvalidAnswer"]


def test_what_is_removed_on_the_way_hides_nothing() -> None:
    group = {"name": "", "description": "", "pkp_ids_permitted": [], "cid_hashes_permitted": []}
    source = """
    import { SvcClient } from "./svc-client.mjs";
    let kept = Array.from({ length: 130 }, (_, number) => ({ ...given, id: String(number) }));
    const fetch = async (url, { body }) => {
      const start = 100 * Number(new URL(url).searchParams.get("page_number"));
      if (!body) return Response.json(kept.slice(start, start + 100));
      kept = kept.filter((each) => each.id !== JSON.parse(body).group_id);
      return Response.json({ success: true });
    };
    const svc = new SvcClient("https://node.example", { fetch });
    for await (const group of svc.groups.list()) await svc.groups.remove(group.id);
    console.log(JSON.stringify(kept));
    """
    assert ran_javascript(source, group, CLIENT) == []


def test_the_declarations_are_those_of_the_document_and_of_the_modules(document: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(MODULES)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for path in CLIENT.iterdir():
        shutil.copy(path, tmp_path)
    # Under another name, so that its types are those of the module itself and not the declarations beside it.
    shutil.copy(CLIENT / "svc-client.mjs", tmp_path / "implementation.mjs")
    shutil.copy(HERE / "declarations.ts", tmp_path)
    options = COMPILER_OPTIONS | {"allowJs": True, "noEmit": True}
    options["lib"] = ["es2022", "dom", "dom.iterable", "dom.asynciterable"]
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["declarations.ts"]}))
    generator = MODULES / "openapi-typescript" / "bin" / "cli.js"
    ran(["node", generator, document, "--output", "api.d.ts"], tmp_path)
    ran(["node", MODULES / "typescript" / "bin" / "tsc", "--project", "."], tmp_path)
