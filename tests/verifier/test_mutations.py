"""Everything that can be wrong turns exactly the right checks red: the table of all mutations (tests/support/attested/cases)."""

import datetime as dt

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.check import CATALOGUE, Status, Verdict
from svc_verifier.procedure import verify
from tests.support.attested.case import Case
from tests.support.attested.cases import CASES
from tests.support.attested.cases.evidence import quoted_by
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import Td

SKIPPED_UNDER_A_DEVELOPMENT_ROOT = {
    "hardware.platform",
    "identity.key-provider",
    "os.acpi-tables",
    "os.allowed",
    "os.production",
    "evidence.account",
    "tls.web-pki",
    "tls.caa",
    "governance.owner",
}


def test_the_good_node_is_accepted_and_every_check_is_passed_or_honestly_skipped() -> None:
    report = verify(Look().material(), development_trust())
    assert [check.id for check in report.checks] == list(CATALOGUE)
    skipped = {check.id for check in report.checks if check.status is Status.SKIPPED}
    assert skipped == SKIPPED_UNDER_A_DEVELOPMENT_ROOT
    assert {check.status for check in report.checks if check.id not in skipped} == {Status.PASSED}
    assert report.verdict is Verdict.ACCEPTED
    assert report.development


def test_the_table_has_enough_rows_each_of_its_own_name() -> None:
    assert len(CASES) >= 120
    assert len({case.name for case in CASES}) == len(CASES)


def test_every_check_that_can_fail_under_a_development_root_fails_in_some_row() -> None:
    failing = {name for case in CASES for name in case.failed}
    assert set(CATALOGUE) - failing == {
        "hardware.collateral",
        "hardware.signers",
        "log.application-events",
        "code.settings",
        "code.members",
        "tls.caa",
        "governance.chain",
        "governance.endpoints",
        "governance.upgradeability",
        "governance.policy",
        "governance.allowed-set",
        "governance.pending",
    }


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name, marks=pytest.mark.covers(*case.failed)) for case in CASES]
)
def test_exactly_the_right_checks_turn_red(case: Case) -> None:
    material, trust = case.seen()
    report = verify(material, trust)
    found = {status: {check.id for check in report.checks if check.status is status} for status in Status}
    whys = "\n".join(f"{check.id}: {check.status}: {check.why}" for check in report.checks if check.why)
    assert found[Status.FAILED] == case.failed, whys
    assert found[Status.UNKNOWN] == case.unknown, whys
    assert report.verdict is case.verdict, whys


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_not_green_says_why(case: Case) -> None:
    material, trust = case.seen()
    for check in verify(material, trust).checks:
        assert check.claim == CATALOGUE[check.id].claim
        assert bool(check.why) == (check.status is not Status.PASSED), check
        assert check.why.isprintable(), check


def test_a_host_that_attests_another_name_is_told_by_that_name() -> None:
    look = Look()
    look.statement["host"] = "other.example"
    report = verify(look.material(), development_trust())
    (cause,) = report.causes
    assert cause.why == "you asked for node.example; the node calls itself 'other.example'"


@pytest.mark.parametrize(("name", "issuer"), [("root_ca_crl", "root"), ("pck_crl", "pck_ca")])
def test_a_revocation_list_that_has_expired_says_nothing(name: str, issuer: str) -> None:
    """It may be from before the revocation that matters, however young the rest of the collateral is."""
    look = Look()
    signer = getattr(look.td.authorities, issuer)
    ended = dt.datetime.fromtimestamp(look.now_s - 1, dt.UTC)
    builder = x509.CertificateRevocationListBuilder(signer.certificate.subject, ended - dt.timedelta(days=9), ended)
    key_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key())
    builder = builder.add_extension(x509.CRLNumber(1), critical=False).add_extension(key_id, critical=False)
    signed = builder.sign(signer.key, SHA256(), ecdsa_deterministic=True)
    look.collateral = look.collateral | {name: signed.public_bytes(Encoding.DER).hex()}
    report = verify(look.material(), development_trust())
    (check,) = (check for check in report.checks if check.id == "hardware.collateral")
    assert check.status is Status.UNKNOWN
    assert report.verdict is Verdict.UNDECIDED
    assert "CRL has expired" in check.why
    assert "clock" in check.fix


def test_an_evidence_set_of_another_configuration_is_another_tds() -> None:
    look = Look()
    quoted_by(Td(report={232: b"\7" * 48}))(look)
    report = verify(look.material(), development_trust())
    (check,) = (check for check in report.checks if check.id == "evidence.same-td")
    assert check.status is Status.FAILED
    assert "MRCONFIGID" in check.why
