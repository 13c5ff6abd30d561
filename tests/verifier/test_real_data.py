"""Real quotes, collateral and logs of `../shared/fixtures` give what `expected.json` says, through the verifier's own checks."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from svc_verifier.check import Check, Outcome, Status
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.checks.identity import check_identity
from svc_verifier.checks.log import check_log
from svc_verifier.formats.quote import parse_quote
from svc_verifier.material import VerifiedQuote
from svc_verifier.tdx.dcap import platform_of
from svc_verifier.trust import TcbPolicy, TcbStatus, Trust
from tests.support.fixtures import (
    ABSENT,
    FIXTURES,
    LOGS_WITH_QUOTE,
    LOGS_WITH_TCB_INFO,
    each_quote,
    expected_quotes,
    needs_fixtures,
    quote_bytes,
    read_json,
)

TRUST = Trust(host="node.example", app_id=bytes(20), chain_id=1)
NO_LEVEL = "Verification failed: No matching TCB level found"


def collateral(name: str) -> str:
    """Without a quote's own PCK chain, as it is cached."""
    read = read_json(name)
    read.pop("pck_certificate_chain", None)
    return json.dumps(read)


def hardware(fixture: str, collateral_name: str, now_s: int, trust: Trust = TRUST) -> Outcome[VerifiedQuote]:
    quote = quote_bytes(fixture)
    platform = platform_of(quote)
    return check_hardware(quote.hex(), {(platform.fmspc, platform.ca): collateral(collateral_name)}, trust, now_s)


def by_id(outcome: Outcome[Any]) -> Mapping[str, Check]:
    return {check.id: check for check in outcome.checks}


def verifications() -> list[Any]:
    """A quote with one collateral at its time, and what dcap-qvl 0.7.0 said."""
    if not FIXTURES.is_dir():
        return [pytest.param("", {}, marks=pytest.mark.skip(reason=ABSENT))]
    rows: list[Any] = [dict(row) for row in expected_quotes("TDX")]
    return [
        pytest.param(row["fixture"], said, id=f"{row['fixture']} with {said['collateral']}")
        for row in rows
        for said in row["dcap_qvl_0_7_0"]
    ]


@pytest.mark.parametrize(("fixture", "said"), verifications())
def test_a_real_quote_is_judged_as_expected(fixture: str, said: dict[str, Any]) -> None:
    outcome = hardware(fixture, said["collateral"], said["now"])
    checks = by_id(outcome)
    tcb = checks["hardware.tcb-status"]
    if said.get("error", NO_LEVEL) != NO_LEVEL:
        # The collateral had ended before the quote's certificate began: no time is left at which one could tell.
        assert checks["hardware.signatures"].status is checks["hardware.collateral"].status is Status.UNKNOWN
        assert "does not hold yet" in checks["hardware.collateral"].why
        assert not [check for check in checks.values() if check.status is Status.FAILED]
        assert outcome.value is None
        return
    assert checks["hardware.signatures"].status is Status.PASSED, checks["hardware.signatures"].why
    assert checks["hardware.signers"].status is Status.PASSED
    assert checks["hardware.collateral"].status is Status.PASSED
    assert tcb.status is (Status.PASSED if said.get("status") == "UpToDate" else Status.FAILED), tcb.why
    isolated = checks["hardware.td-attributes"].status is Status.PASSED
    assert isolated == (fixture != "trustee/tdx_quote_5.dat"), "that one has a service TD"
    assert (outcome.value is not None) == isolated
    if outcome.value is not None and "status" in said:
        assert outcome.value.tcb_status == said["status"]
        assert list(outcome.value.advisories) == said["advisory_ids"]


def recorded() -> list[Any]:
    """A quote and collateral of 2026, and what an evaluator that was written apart says of them."""
    if not FIXTURES.is_dir():
        return [pytest.param({}, marks=pytest.mark.skip(reason=ABSENT))]
    return [
        pytest.param(row, id=f"{row['quote']} with {row['collateral']}")
        for row in read_json("recorded-2026/expected.json")["cases"]
    ]


@pytest.mark.parametrize("row", recorded())
def test_a_recorded_quote_of_2026_is_judged_as_the_evaluator_says(row: dict[str, str]) -> None:
    quote, collaterals = f"recorded-2026/quotes/{row['quote']}", f"recorded-2026/collateral/{row['collateral']}"
    outcome = hardware(quote, collaterals, int(row["at"]))
    checks = by_id(outcome)
    refused = {name for name, check in checks.items() if check.status is Status.FAILED}
    for name in ("hardware.quote", "hardware.td-owner"):
        assert checks[name].status is Status.PASSED, checks[name].why
    if row["note"].startswith("the time lies before the PCK certificate"):
        # Its dates say nothing against the host, and prove nothing for it.
        assert not refused
        assert outcome.value is None
        open_ones = {name for name, check in checks.items() if check.status is Status.UNKNOWN}
        assert open_ones == {"hardware.collateral", "hardware.signatures", "hardware.tcb-status"}
        assert "'Intel SGX PCK Certificate' does not hold yet" in checks["hardware.collateral"].why
        return
    not_good = set() if row["tcb_status"] == "UpToDate" else {"hardware.tcb-status"}
    tcb = checks["hardware.tcb-status"]
    if row["note"]:
        assert "hardware.td-attributes" in refused, row["note"]
        assert refused <= {"hardware.td-attributes", *not_good}
        assert tcb.evidence.get("status", row["tcb_status"]) == row["tcb_status"]
        return
    assert refused == not_good
    assert tcb.evidence["status"] == row["tcb_status"]
    assert checks["hardware.signatures"].status is checks["hardware.tdx-module"].status is Status.PASSED
    assert outcome.value is not None
    if not_good:
        assert "is asked for" in tcb.why
        assert tcb.evidence["advisories"]


def test_every_recorded_quote_and_set_of_collateral_is_judged() -> None:
    """The table is of the whole folder: what it leaves out would hold by silence."""
    if not FIXTURES.is_dir():
        pytest.skip(ABSENT)
    rows = [row.values[0] for row in recorded()]
    assert {row["quote"] for row in rows} == {path.name for path in (FIXTURES / "recorded-2026/quotes").iterdir()}
    collaterals = {path.name for path in (FIXTURES / "recorded-2026/collateral").iterdir()}
    assert {row["collateral"] for row in rows} == collaterals
    assert {row["tcb_status"] for row in rows} == {"UpToDate", "OutOfDate"}


def early() -> list[Any]:
    """Rows whose time lies before the quote's certificate."""
    return [case for case in recorded() if not FIXTURES.is_dir() or "before the PCK" in str(case.values[0]["note"])]


@pytest.mark.parametrize("place", ["MRTD", "signature", "QE report", "certificate"])
@pytest.mark.parametrize("row", early())
def test_a_forged_quote_is_refused_at_an_early_time_too(row: dict[str, str], place: str) -> None:
    """A genuine quote is undecided at a time before its certificate; a forged one is refused.

    The check verifies it at a time at which every date holds. Without collateral the quote's own
    signatures decide.
    """
    raw = bytearray(quote_bytes(f"recorded-2026/quotes/{row['quote']}"))
    in_signature_of_leaf = raw.index(b"-----END CERTIFICATE-----") - 20
    where = {"MRTD": 184, "signature": 640, "QE report": 780, "certificate": in_signature_of_leaf}[place]
    raw[where] = ord("A") if raw[where] != ord("A") else ord("B")
    platform = platform_of(bytes(raw))
    given = {(platform.fmspc, platform.ca): collateral(f"recorded-2026/collateral/{row['collateral']}")}
    outcome = check_hardware(raw.hex(), given, TRUST, int(row["at"]))
    assert by_id(outcome)["hardware.signatures"].status is Status.FAILED
    assert outcome.value is None
    assert by_id(check_hardware(raw.hex(), {}, TRUST, int(row["at"])))["hardware.signatures"].status is Status.FAILED


@each_quote("TDX")
def test_without_collateral_a_real_quote_is_undecided_and_what_it_says_of_itself_is_read(row: dict[str, Any]) -> None:
    outcome = check_hardware(quote_bytes(row["fixture"]).hex(), {}, TRUST, 1_750_000_000)
    checks = by_id(outcome)
    if row["fixture"] == "go-tdx-guest/tdx_prod_quote_SPR_E4.dat":
        assert checks["hardware.quote"].status is Status.FAILED
        assert "39 unsigned bytes follow it" in checks["hardware.quote"].why, "this file holds more than its quote"
        return
    assert checks["hardware.quote"].status is Status.PASSED, checks["hardware.quote"].why
    assert checks["hardware.quote"].evidence["fmspc"] == row["fmspc"]
    assert checks["hardware.td-attributes"].evidence["td_attributes"] == row["td_attributes"]
    assert checks["hardware.signatures"].status is Status.UNKNOWN
    assert outcome.value is None


@each_quote("SGX")
def test_an_sgx_quote_is_none_of_ours(row: dict[str, Any]) -> None:
    outcome = check_hardware(quote_bytes(row["fixture"]).hex(), {}, TRUST, 1_750_000_000)
    assert by_id(outcome)["hardware.quote"].status is Status.FAILED


@needs_fixtures
def test_collateral_rollback_is_seen_by_the_evaluation_number() -> None:
    """Hole 12: the same real quote is up to date under evaluation 17 and out of date, with advisories, under newer."""
    rows: list[Any] = [dict(row) for row in expected_quotes("TDX") if row["fixture"] == "dcap-qvl/tdx_quote"]
    numbers = {}
    for said in rows[0]["dcap_qvl_0_7_0"]:
        outcome = hardware("dcap-qvl/tdx_quote", said["collateral"], said["now"])
        assert outcome.value is not None
        numbers[said["collateral"]] = outcome.value.evaluation_number, outcome.value.tcb_status
    assert (17, "UpToDate") in numbers.values()
    assert (19, "OutOfDate") in numbers.values(), "TCB info 20, QE identity 19: the lower one counts"
    old = next(said for said in rows[0]["dcap_qvl_0_7_0"] if numbers[said["collateral"]][0] == 17)
    strict = replace(TRUST, tcb=TcbPolicy(minimum_evaluation_number=18))
    refused = by_id(hardware("dcap-qvl/tdx_quote", old["collateral"], old["now"], strict))["hardware.collateral"]
    assert refused.status is Status.UNKNOWN, "whoever serves old collateral is not the host"
    assert "17" in refused.why


@needs_fixtures
def test_a_real_out_of_date_platform_passes_only_for_who_accepts_it_and_its_advisories() -> None:
    said = "near-mpc/test-utils-collateral.json", 1_786_621_538
    accepting = replace(TRUST, tcb=TcbPolicy(accepted=frozenset({TcbStatus.OUT_OF_DATE})))
    status = by_id(hardware("dcap-qvl/tdx_quote", *said, accepting))["hardware.tcb-status"]
    assert status.status is Status.PASSED
    wary = replace(accepting, tcb=replace(accepting.tcb, rejected_advisories=frozenset({"INTEL-SA-01245"})))
    assert by_id(hardware("dcap-qvl/tdx_quote", *said, wary))["hardware.tcb-status"].status is Status.FAILED


@needs_fixtures
@pytest.mark.parametrize("offset", [28, 184, 232, 376, 520, 568, 640, 700, 780, 1160, 1230])
def test_any_changed_byte_of_a_real_quote_breaks_its_signatures(offset: int) -> None:
    raw = bytearray(quote_bytes("dcap-qvl/tdx_quote"))
    raw[offset] ^= 1
    platform = platform_of(bytes(raw))
    text = collateral("dcap-qvl/tdx_quote_collateral.json")
    outcome = check_hardware(raw.hex(), {(platform.fmspc, platform.ca): text}, TRUST, 1_750_332_747)
    assert by_id(outcome)["hardware.signatures"].status is Status.FAILED
    assert outcome.value is None


def unverified(fixture: str) -> VerifiedQuote:
    """For the stages behind the hardware: as if it had passed, since collateral is not there for every real quote."""
    return VerifiedQuote(parse_quote(quote_bytes(fixture)), "UpToDate", (), "", "", b"", 0)


@needs_fixtures
@pytest.mark.parametrize("fixture", LOGS_WITH_QUOTE)
def test_a_real_log_replays_into_its_quote_and_names_who_booted(fixture: str) -> None:
    row: Any = next(row for row in expected_quotes("TDX") if row["fixture"] == fixture)
    verified = unverified(fixture)
    outcome = check_log(read_json(fixture)["event_log"], verified)
    checks = by_id(outcome)
    assert {checks[name].status for name in ("log.form", "log.replay", "log.boot-order")} == {Status.PASSED}
    after = row["app_events_after_system_ready"]
    assert checks["log.application-events"].status is (Status.UNKNOWN if after else Status.PASSED)
    assert outcome.value is not None
    assert outcome.value.identity.compose_hash.hex() == row["compose_hash"]
    identity = check_identity(None, outcome.value, verified, TRUST)
    assert by_id(identity)["identity.mr-config-id"].status is Status.PASSED


@needs_fixtures
@pytest.mark.parametrize("fixture", LOGS_WITH_TCB_INFO)
def test_a_real_log_beside_its_measurements_replays_and_its_compose_hash_is_that_of_the_text(fixture: str) -> None:
    tcb = read_json(fixture)
    blank = unverified("near-mpc/test-utils-quote.json")
    rtmrs = [bytes.fromhex(tcb[f"rtmr{index}"]) for index in range(4)]
    report = replace(blank.quote.report, rtmrs=(rtmrs[0], rtmrs[1], rtmrs[2], rtmrs[3]))
    verified = replace(blank, quote=replace(blank.quote, report=report))
    log = tcb["event_log"]
    outcome = check_log(log if isinstance(log, str) else json.dumps(log), verified)
    assert by_id(outcome)["log.replay"].status is Status.PASSED
    assert outcome.value is not None
    assert outcome.value.identity.compose_hash == hashlib.sha256(tcb["app_compose"].encode()).digest()


@needs_fixtures
def test_a_real_info_is_the_quotes_own() -> None:
    fixture = "near-mpc/test-utils-quote.json"
    tcb = read_json("near-mpc/test-utils-tcb_info.json")
    log = tcb["event_log"] if isinstance(tcb["event_log"], str) else json.dumps(tcb["event_log"])
    verified = unverified(fixture)
    boot = check_log(log, verified).value
    assert boot is not None
    served = {key: value for key, value in tcb.items() if key != "event_log"} | {"event_log": json.loads(log)}
    info = {"app_id": boot.identity.app_id.hex(), "compose_hash": boot.identity.compose_hash.hex(), "tcb_info": served}
    trust = replace(TRUST, app_id=boot.identity.app_id)
    checks = by_id(check_identity(json.dumps(info).encode(), boot, verified, trust))
    for name in ("app-compose", "compose-measured", "mr-config-id", "app-id", "info"):
        assert checks[f"identity.{name}"].status is Status.PASSED, checks[f"identity.{name}"].why
