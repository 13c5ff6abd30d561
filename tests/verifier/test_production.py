"""What a verifier asks of a production node and skips for a development node, stage by stage, without Intel's root."""

import json
from dataclasses import replace

import pytest

from svc_verifier.chain.contracts import BLOCK_MAX_AGE_S, CLOCK_S, clock_difference
from svc_verifier.check import Check, Status, Verdict
from svc_verifier.checks.governance import agreed_chain, check_governance
from svc_verifier.checks.hardware import Circumstances, check_hardware
from svc_verifier.checks.identity import Identity, check_identity
from svc_verifier.checks.log import check_log
from svc_verifier.checks.os import check_os
from svc_verifier.checks.tls import check_tls
from svc_verifier.formats.quote import parse_quote_response
from svc_verifier.material import BlockHead, Boot, Connection, HttpResponse, Missing, ProviderAnswers, VerifiedQuote
from svc_verifier.procedure import verify
from svc_verifier.rendering.text import summary
from svc_verifier.trust import Trust
from tests.support.attested.cases.identity import KMS_KEY
from tests.support.attested.governance import OWNER
from tests.support.attested.look import RPC_URLS, Look, development_trust
from tests.support.attested.td import APP_ID, NOW_S, Td

PRODUCTION = Trust(host="node.example", app_id=APP_ID, chain_id=31_337, rpc_urls=RPC_URLS)


def booted(look: Look) -> tuple[VerifiedQuote, Boot]:
    """What the development root vouches for."""
    material, trust = look.material(), development_trust()
    assert isinstance(material.attestation, HttpResponse)
    answer = parse_quote_response(material.attestation.body, "/attestation")
    verified = check_hardware(answer.quote, material.collateral, trust, NOW_S).value
    boot = check_log(answer.event_log, verified).value
    assert verified is not None
    assert boot is not None
    return verified, boot


def named(checks: tuple[Check, ...], name: str) -> Check:
    return next(check for check in checks if check.id == name)


def test_a_development_node_is_no_genuine_one_to_who_trusts_intel_alone() -> None:
    report = verify(Look().material(), PRODUCTION)
    assert report.verdict is Verdict.REJECTED
    assert not report.development
    assert named(report.checks, "hardware.signatures").status is Status.FAILED
    assert not {check.id for check in report.checks if check.why.startswith("DEV")}


@pytest.mark.parametrize(
    ("pinned", "status"), [(None, Status.UNKNOWN), (KMS_KEY, Status.PASSED), (KMS_KEY[:-1] + b"\0", Status.FAILED)]
)
def test_the_kms_must_be_pinned(pinned: bytes | None, status: Status) -> None:
    verified, boot = booted(Look())
    outcome = check_identity(None, boot, verified, replace(PRODUCTION, kms_public_key=pinned))
    assert named(outcome.checks, "identity.key-provider").status is status


def test_an_info_that_states_no_measurement_was_compared_with_nothing() -> None:
    look = Look()
    verified, boot = booted(look)
    told = {name: look.info[name] for name in ("app_id", "compose_hash")}
    bare = told | {"tcb_info": {"app_compose": look.info["tcb_info"]["app_compose"]}}
    checks = check_identity(json.dumps(bare).encode(), boot, verified, PRODUCTION).checks
    assert named(checks, "identity.app-compose").status is Status.PASSED
    assert named(checks, "identity.info").status is Status.UNKNOWN


@pytest.mark.parametrize("reason", ["self-signed certificate", "Hostname mismatch", "certificate has expired"])
def test_the_web_pki_must_vouch_for_the_host(reason: str) -> None:
    look = Look()
    look.connections = [Connection((look.leaf,), "TLSv1.3", reason)]
    checks = check_tls(look.material(), None, PRODUCTION)
    assert named(checks, "tls.web-pki").status is Status.FAILED
    assert reason in named(checks, "tls.web-pki").why
    assert named(check_tls(Look().material(), None, PRODUCTION), "tls.web-pki").status is Status.PASSED


def test_an_unknown_image_is_not_allowed_by_silence() -> None:
    look = Look()
    verified, boot = booted(look)
    checks = check_os(look.attestation["vm_config"], boot, verified, None, PRODUCTION).checks
    assert {check.id: check.status for check in checks} == {
        "os.measurements": Status.PASSED,
        "os.acpi-tables": Status.UNKNOWN,
        "os.allowed": Status.UNKNOWN,
        "os.production": Status.UNKNOWN,
    }


def governance(trust: Trust, *providers: ProviderAnswers, now_s: int = NOW_S) -> dict[str, Status]:
    look = Look()
    identity = Identity(APP_ID, look.chain.compose_hash, None)
    outcome = check_governance(agreed_chain(providers or tuple_of(look), trust, now_s), identity, trust)
    return {check.id: check.status for check in outcome.checks}


def tuple_of(look: Look) -> tuple[ProviderAnswers, ...]:
    return tuple(each for each in look.providers if isinstance(each, ProviderAnswers))


def test_an_unpinned_owner_is_told_and_not_vouched_for() -> None:
    assert governance(PRODUCTION)["governance.owner"] is Status.UNKNOWN
    assert governance(replace(PRODUCTION, owners=frozenset({OWNER})))["governance.owner"] is Status.PASSED
    assert governance(replace(PRODUCTION, owners=frozenset({bytes(20)})))["governance.owner"] is Status.FAILED


def test_endpoints_that_show_a_chain_of_the_past_decide_nothing() -> None:
    assert governance(PRODUCTION)["governance.compose-allowed"] is Status.PASSED
    stale = governance(PRODUCTION, now_s=NOW_S + 7_200)
    assert stale["governance.endpoints"] is Status.UNKNOWN
    assert stale["governance.compose-allowed"] is Status.UNKNOWN


HEAD_AGE_S = 8
"""Of the providers' newest block at `NOW_S`."""


@pytest.mark.parametrize(
    ("late_s", "said"),
    [
        (0, ""),
        (CLOCK_S - HEAD_AGE_S, ""),
        (CLOCK_S - HEAD_AGE_S + 1, f"{CLOCK_S + 1} s behind this machine's clock"),
        (-60, ""),
        (-CLOCK_S - HEAD_AGE_S, ""),
        (-CLOCK_S - HEAD_AGE_S - 1, f"{CLOCK_S + 1} s ahead of this machine's clock"),
        (BLOCK_MAX_AGE_S, f"{BLOCK_MAX_AGE_S + HEAD_AGE_S} s behind this machine's clock"),
    ],
)
def test_a_clock_that_differs_from_the_chains_is_told_and_by_how_much(late_s: int, said: str) -> None:
    found = clock_difference(tuple_of(Look()), NOW_S + late_s)
    assert found.endswith(said)
    assert bool(found) == bool(said)
    assert not clock_difference(tuple_of(Look()), None), "a development chain's time is any"
    # Also where the clock is so wrong that no provider counts.
    agreement = named(agreed_chain(tuple_of(Look()), PRODUCTION, NOW_S + late_s).checks, "governance.endpoints")
    assert agreement.evidence.get("clock", "") == found
    quote = Look().attestation["quote"]
    dated = check_hardware(quote, Look().material().collateral, development_trust(), 0, Circumstances(clock=found))
    why = named(dated.checks, "hardware.collateral").why
    assert "The clock or the collateral is wrong" in why
    assert found in why


@pytest.mark.parametrize("late_s", [CLOCK_S + 60, -CLOCK_S - 60])
def test_the_difference_of_the_clock_is_in_the_report(late_s: int) -> None:
    look = Look()
    look.now_s += late_s
    found = clock_difference(tuple_of(look), look.now_s)
    assert found in " ".join(summary(verify(look.material(), PRODUCTION), width=200).split())
    development = summary(verify(look.material(), development_trust()), width=200)
    assert "this machine's clock" not in development


def test_an_endpoint_that_does_not_count_is_not_believed_of_the_clock() -> None:
    one, other = tuple_of(Look())
    of_the_future = replace(other, head=BlockHead(9_999, NOW_S + 9_999))
    assert not clock_difference((one, of_the_future), NOW_S)


def test_one_endpoint_counts_only_when_the_user_named_just_that_one() -> None:
    alone = tuple_of(Look())[:1]
    assert governance(PRODUCTION, *alone)["governance.endpoints"] is Status.UNKNOWN
    assert governance(replace(PRODUCTION, rpc_urls=()), *alone)["governance.endpoints"] is Status.UNKNOWN
    assert governance(replace(PRODUCTION, rpc_urls=RPC_URLS[:1]), *alone)["governance.endpoints"] is Status.SKIPPED


def test_a_replay_believes_the_one_endpoint_that_was_named_when_the_bundle_was_saved() -> None:
    """Without naming it again: the verdict is that of the live run."""
    alone = tuple_of(Look())[:1]
    unnamed = replace(PRODUCTION, rpc_urls=())

    def agreement(trust: Trust, *providers: ProviderAnswers | Missing) -> Status:
        checks = agreed_chain(providers, trust, NOW_S, replayed=True).checks
        return named(checks, "governance.endpoints").status

    assert agreement(unnamed, *alone) is Status.SKIPPED
    assert agreement(unnamed, *alone, Missing("timed out")) is Status.UNKNOWN  # two had been named
    assert agreement(PRODUCTION, *alone) is Status.UNKNOWN  # the user asks for two now


def test_the_boot_of_another_root_is_refused_before_anything_is_read_of_it() -> None:
    material = Look(td=Td(seed=b"\1" * 32)).material()
    report = verify(material, development_trust())
    assert named(report.checks, "identity.app-id").status is Status.UNKNOWN
