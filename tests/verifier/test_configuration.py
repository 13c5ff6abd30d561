"""For which hosts the attested configuration counts: the names it states, and loopback under any of its names."""

import json

import pytest

from svc_verifier.check import Status, passed
from svc_verifier.checks.statement import check_configuration
from svc_verifier.trust import Trust

STATEMENT = passed("freshness.statement")


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
    statement = json.dumps({"config": {"settings": {"domain": domain}}})
    trust = Trust(host=host, app_id=bytes(20), chain_id=1)
    checks = {check.id: check for check in check_configuration(STATEMENT, statement, trust).checks}
    assert checks["config.domain"].status is status, checks["config.domain"]
