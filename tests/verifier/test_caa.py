"""CAA: who else may obtain a certificate, and every record that only looks as if it named the account (hole 16)."""

import pytest

from svc_verifier.check import Status
from svc_verifier.checks.tls import check_caa
from svc_verifier.material import CaaRecord, CaaRecords, Missing
from svc_verifier.trust import Trust
from tests.support.attested.look import development_trust

ACCOUNT = "https://acme-v02.api.letsencrypt.org/acme/acct/123"
GOOD = f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT}"
TRUST = Trust(host="node.example", app_id=bytes(20), chain_id=1)


def answer(*records: tuple[str, str], flags: int = 0) -> CaaRecords:
    return CaaRecords(
        "node.example", tuple(CaaRecord(flags, tag, value) for tag, value in records), authenticated=False
    )


def status(*records: tuple[str, str], flags: int = 0) -> Status:
    return check_caa(answer(*records, flags=flags), ACCOUNT, TRUST).status


@pytest.mark.parametrize(
    "records",
    [
        [("issue", GOOD)],
        [("ISSUE", GOOD)],
        [("issue", GOOD), ("issuewild", ";")],
        [("issue", GOOD), ("issuewild", GOOD)],
        [("issue", GOOD), ("issue", ";")],
        [("issue", GOOD), ("iodef", "mailto:security@node.example")],
        [("issue", f"LetsEncrypt.org;accounturi={ACCOUNT};validationmethods=dns-01,http-01;")],
        [("issue", ";")],
    ],
)
def test_the_attested_account_alone_may_issue(records: list[tuple[str, str]]) -> None:
    assert status(*records) is Status.PASSED


@pytest.mark.parametrize(
    "record",
    [
        f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT}4",
        f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT[:-1]}",
        f'letsencrypt.org; validationmethods=dns-01; accounturi="{ACCOUNT}"',
        f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT}\\059",
        f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT} ; accounturi=https://evil.example/1",
        f"letsencrypt.org; validationmethods=dns-01; accounturi=https://evil.example/1; accounturi={ACCOUNT}",
        f"letsencrypt.org; validationmethods=dns-01; AccountURI={ACCOUNT}",
        f"letsencrypt.org; validationmethods=dns-01; xaccounturi={ACCOUNT}",
        f"letsencrypt.org; validationmethods=dns-01; note=accounturi={ACCOUNT}",
        f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT.upper()}",
        f"letsencrypt.org; validationmethods=dns-01; accounturi = {ACCOUNT} evil",
        f"letsencrypt.org accounturi={ACCOUNT}; validationmethods=dns-01",
        f"letsencrypt.org; accounturi={ACCOUNT}",
        f"letsencrypt.org; accounturi={ACCOUNT}; validationmethods=",
        "letsencrypt.org; validationmethods=dns-01; accounturi=",
        "letsencrypt.org; accounturi",
        "letsencrypt.org",
    ],
)
def test_look_alikes_are_refused(record: str) -> None:
    assert status(("issue", record)) is Status.FAILED
    assert status(("issue", GOOD), ("issue", record)) is Status.FAILED, "as a second issue record"
    assert status(("issue", GOOD), ("issuewild", record)) is Status.FAILED, "for wildcards"
    assert status(("issue", record), flags=128) is Status.FAILED, "marked critical"


def test_an_authority_that_does_not_have_the_account_may_not_look_at_it() -> None:
    foreign = f"evil-ca.example; validationmethods=dns-01; accounturi={ACCOUNT}"
    assert status(("issue", GOOD), ("issue", foreign)) is Status.UNKNOWN
    similar = f"encrypt.org; validationmethods=dns-01; accounturi={ACCOUNT}"
    assert status(("issue", similar)) is Status.UNKNOWN


@pytest.mark.parametrize("records", [[], [("iodef", "mailto:x@node.example")], [("issuewild", GOOD)]])
def test_without_an_issue_record_any_authority_may(records: list[tuple[str, str]]) -> None:
    assert status(*records) is Status.UNKNOWN


def test_what_was_not_looked_up_or_not_attested_is_unknown() -> None:
    assert check_caa(Missing("no answer"), ACCOUNT, TRUST).status is Status.UNKNOWN
    assert check_caa(answer(("issue", GOOD)), None, TRUST).status is Status.UNKNOWN


def test_a_development_node_has_no_public_authority() -> None:
    check = check_caa(answer(("issue", "evil.example")), ACCOUNT, development_trust())
    assert check.status is Status.SKIPPED
    assert check.why.startswith("DEV")


def test_dnssec_is_told() -> None:
    records = answer(("issue", GOOD)).records
    for authenticated, said in ((True, "authenticated"), (False, "not authenticated")):
        check = check_caa(CaaRecords("node.example", records, authenticated=authenticated), ACCOUNT, TRUST)
        assert check.evidence["dnssec"] == said
