"""Known attacks on verifiers of dstack, numbered: what is done about each, and that it stays closed.

Most are rows of the table of mutations; here they are named, so that none is lost.
"""

import ast
import json
from pathlib import Path

import pytest

import svc_verifier
from svc_verifier.check import Status, Verdict
from svc_verifier.material import Connection, HttpResponse
from svc_verifier.procedure import verify
from tests.support.attested.case import Case
from tests.support.attested.cases import CASES
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import Td, development_options

BY_NAME = {case.name: case for case in CASES}

HOLES: dict[int, tuple[str, ...]] = {
    1: (
        "payload swap with the digest kept",
        "simulator: swapped payload, digests filled",
        "simulator: retyped event",
        "simulator: an event of register 9",
        "an event of register 9 named compose-hash, first",
    ),
    4: (
        "relay: the impostor's own certificate",
        "another node's quote and log, relayed",
        "statement: the quote is over zeros",
    ),
    5: (
        "tls: the evidence over another connection's certificate",
        "tls: the attestation over another connection's certificate",
    ),
    6: ("evidence: fabricated", "evidence quote: over other bytes", "evidence quote: of another platform"),
    7: ("evidence: stale, its certificate has ended", "statement: another nonce, replayed", "statement: none"),
    8: ("contract named by the server",),
    10: ("host: decides the command",),
    11: (
        "image: a digest in a comment",
        "image: a variable with a digest as its default",
        "image: under a quoted key",
        "image: build",
        "compose: include",
        "image: a short digest",
        "container: docker.sock",
        "compose: a merge",
        "compose: a key twice",
    ),
    12: ("collateral: rolled back", "collateral: QE identity alone rolled back"),
    13: (
        "TCB info: signed by the PCK key",
        "QE identity: signed by the PCK key",
        "TCB info: signed by the PCK key in a block that does not say it is a certificate",
    ),
    15: ("endpoints: one lies about the approval", "endpoints: one of the two pinned is left out"),
    18: ("image: a development image by its own name", "key provider: none", "TD: debuggable"),
    19: ("statement: none, and no nonce was sent", "statement: the verifier sent another nonce"),
    20: ("memory: another size than measured", "firmware: another MRTD"),
}
"""Hole to rows of the table. The others: 2, 3, 9 and 17 below, 14 in docs/verifying.md, 16 in test_caa.py."""


@pytest.mark.parametrize(("number", "name"), [(number, name) for number, names in HOLES.items() for name in names])
def test_a_hole_is_closed(number: int, name: str) -> None:
    case: Case = BY_NAME[name]
    material, trust = case.seen()
    assert verify(material, trust).verdict is not Verdict.ACCEPTED, number


def test_hole_2_an_event_after_system_ready_is_shown_and_never_read() -> None:
    material, trust = BY_NAME["simulator: the application names an event compose-hash"].seen()
    report = verify(material, trust)
    by_id = {check.id: check for check in report.checks}
    assert report.verdict is Verdict.ACCEPTED, "the code that was measured at boot is the one that is judged"
    assert "compose-hash" in by_id["log.application-events"].why
    measured = Td().platform.measurements.compose_hash.hex()
    assert by_id["identity.compose-measured"].evidence["measured"] == measured


def test_hole_3_an_honest_log_without_digests_is_no_reason_to_switch_the_check_off() -> None:
    for filled in (False, True):
        look = Look(td=Td(options=development_options(filled_digests=filled)))
        assert verify(look.material(), development_trust()).verdict is Verdict.ACCEPTED


def test_hole_9_other_code_that_may_obtain_the_keys_is_shown_with_its_date() -> None:
    material, trust = BY_NAME["allowed set: other code may have the keys"].seen()
    check = next(each for each in verify(material, trust).checks if each.id == "governance.allowed-set")
    assert check.status is Status.UNKNOWN
    other = next(digest for digest in check.evidence if digest.startswith("0badc0de"))
    assert other in check.why
    assert check.evidence[other] == "since 2026-09-20 14:13:20Z"


def test_hole_17_no_third_party_verifies_for_us() -> None:
    """The hosts that the package names: Intel's service, two public providers a chain, and where a listed script was read."""
    hosts = set()
    for path in Path(svc_verifier.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("https://"):
                hosts.add((path.name, node.value.split("/")[2]))
    assert {name for name, _ in hosts} <= {
        "addresses.py",
        "collateral.py",
        "machine.py",
        "gather.py",
        "known_scripts.py",
    }
    assert not {host for _, host in hosts if "phala" in host or "proof-of-cloud" in host}


@pytest.mark.parametrize("number", [-1, 1, 2])
def test_an_answer_that_came_without_tls_is_none_of_the_attested_host(number: int) -> None:
    """In clear, or over a connection that nobody has seen: a machine in the middle could serve it."""
    look = Look()
    look.connections.append(Connection((), "", ""))
    look.answers["/info"] = HttpResponse(200, json.dumps(look.info).encode(), number)
    report = verify(look.material(), development_trust())
    (check,) = (each for each in report.checks if each.id == "tls.connection")
    assert check.status is Status.FAILED
