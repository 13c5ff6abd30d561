"""Attested configuration: the hosts it counts for, the RPC providers it names, and settings that contradict it."""

import json

import pytest

from svc_verifier.check import Check, Status, passed
from svc_verifier.checks.config import check_configuration
from svc_verifier.formats.strict_json import Json
from svc_verifier.trust import Trust

STATEMENT = passed("freshness.statement")
ADDRESS = f"0x{'ac' * 20}"


def checks_of(config: dict[str, Json], trust: Trust) -> dict[str, Check]:
    checks = check_configuration(STATEMENT, json.dumps({"config": config}), trust).checks
    return {check.id: check for check in checks}


@pytest.mark.parametrize(
    ("host", "domain", "status"),
    [
        ("node.example", "node.example", Status.PASSED),
        ("node.example", ["other.example", "node.example"], Status.PASSED),
        ("127.0.0.1", "localhost", Status.PASSED),
        ("localhost", ["node.example", "::1"], Status.PASSED),
        ("node.example", "localhost", Status.FAILED),
        ("node.example", ["127.0.0.1", "other.example"], Status.FAILED),
        ("localhost", "node.example", Status.FAILED),
        ("sub.node.example", "node.example", Status.FAILED),
        ("node.example", None, Status.SKIPPED),
    ],
)
def test_the_attested_names_are_those_of_the_host(host: str, domain: str | list[str] | None, status: Status) -> None:
    names: Json = list(domain) if isinstance(domain, list) else domain
    check = checks_of({"settings": {"domain": names}}, Trust(host=host, app_id=bytes(20), chain_id=1))["config.domain"]
    assert check.status is status, check


@pytest.mark.parametrize(
    ("pinned", "attested"),
    [
        # The node asks xn--rpc-7ka.example, by IDNA of 2008; by that of 2003 the name is rpcss.example.
        ("https://rpcss.example", "https://rpc\N{LATIN SMALL LETTER SHARP S}.example"),
        ("https://rpc.example", "https://\N{FULLWIDTH LATIN SMALL LETTER R}pc.example"),
        ("https://rpc.example", "https://rpc\N{IDEOGRAPHIC FULL STOP}example"),
    ],
)
def test_a_provider_named_in_other_letters_is_none_of_the_pinned(pinned: str, attested: str) -> None:
    trust = Trust(host="node.example", app_id=bytes(20), chain_id=1, rpc_providers=frozenset({pinned}))
    check = checks_of({"settings": {"rpc_endpoints": [attested]}}, trust)["config.rpc-providers"]
    assert check.status is Status.FAILED, check


@pytest.mark.parametrize(
    ("accounts", "settings", "name", "status"),
    [
        ({"address": ADDRESS.replace("x", "X")}, {"contract_address": ADDRESS}, "config.contract", Status.FAILED),
        ({"address": ""}, {"contract_address": ADDRESS}, "config.contract", Status.FAILED),
        ({"address": None}, {"contract_address": ADDRESS}, "config.contract", Status.UNKNOWN),
        ({"chain_id": "one"}, {"chain_id": 1}, "config.chain", Status.FAILED),
        ({"chain_id": None}, {"chain_id": 2}, "config.chain", Status.FAILED),
        ({"chain_id": None}, {"chain_id": 1}, "config.chain", Status.PASSED),
        ({"address": None, "chain_id": None}, {}, "config.contract", Status.SKIPPED),
    ],
)
def test_settings_contradict_a_contract_in_no_known_form_too(
    accounts: dict[str, Json], settings: dict[str, Json], name: str, status: Status
) -> None:
    trust = Trust(host="node.example", app_id=bytes(20), chain_id=1)
    check = checks_of({"account_contract": accounts, "settings": settings}, trust)[name]
    assert check.status is status, check
