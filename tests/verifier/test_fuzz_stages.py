"""Whatever bytes a stage meets, it makes its checks: flipped ones, and certificates under other ASN.1 tags.

Each input is made from its number, so a failure names the input. `make fuzz-stages` tries 2,000 of each stage.
"""

from random import Random

import pytest

from svc_verifier.bundle import dump_bundle, load_bundle
from svc_verifier.check import CATALOGUE, Report, Status, Verdict
from svc_verifier.checks.tls import connection_leaf
from svc_verifier.cli.init import propose
from svc_verifier.cli.watch import facts_of, watch
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.material import Material
from svc_verifier.procedure import UNREADABLE, verify
from svc_verifier.rendering.machine import json_report, junit
from svc_verifier.rendering.text import page, summary, table
from svc_verifier.session import NotAcceptedError, Verification, attested_session, look
from tests.support.attested.look import certificate, development_trust
from tests.support.fuzzing.der import pem_of
from tests.support.fuzzing.stages import STAGES, digest, good
from tests.support.verifying import Impostor, VerifiableNode, at, own_context, relaying

pytestmark = pytest.mark.exhaustive

RENDERED_EVERY = 20
"""Tables for people take longer than all checks together."""


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_makes_its_checks_of_any_bytes(stage: str, stage_fuzz_inputs: int) -> None:
    trust = development_trust()
    refused = 0
    for number in range(stage_fuzz_inputs):
        material = STAGES[stage](Random(f"{stage} {number}"))
        report = verify(material, trust)
        assert [check.id for check in report.checks] == list(CATALOGUE), number
        whys = [check.why for check in report.checks if UNREADABLE in check.why]
        assert not whys, f"input {number}: a reader let something through: {whys}"
        refused += report.verdict is not Verdict.ACCEPTED
        used_by_programs(material, report, number)
        if number % RENDERED_EVERY == 0:
            table(report, width=100)
            summary(report, width=100)
            junit(report)
            page(report)
    assert refused > stage_fuzz_inputs // 4, "mutations that change nothing test nothing"


def used_by_programs(material: Material, report: Report, number: int) -> None:
    """What watch, sessions and bundles do with a look."""
    json_report(report).encode()
    verification = Verification(material, report)
    facts_of(verification)
    connection_leaf(material)
    if report.verdict is not Verdict.ACCEPTED:
        with pytest.raises(NotAcceptedError):
            _ = verification.attested_key
    if number % RENDERED_EVERY == 0:
        assert load_bundle(dump_bundle(material)).attestation == material.attestation


def test_inputs_are_the_same_each_time_and_differ_from_one_another() -> None:
    for stage, make in STAGES.items():
        made = [digest(make(Random(f"{stage} {number}"))) for number in range(10)]
        assert made == [digest(make(Random(f"{stage} {number}"))) for number in range(10)]
        assert len(set(made)) > 5, stage


@pytest.mark.parametrize("kind", [TypeError, RuntimeError, KeyError, type("PanicException", (BaseException,), {})])
def test_what_no_reader_foresees_is_that_stages_failed_check(
    monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    """The guard beside the readers: a library of tomorrow may raise anything."""

    def broken(*_: object) -> None:
        raise kind("no such thing")

    monkeypatch.setattr("svc_verifier.procedure.check_evidence", broken)
    report = verify(good(), development_trust())
    found = {check.id: check for check in report.checks}
    assert found["evidence.checksums"].status is Status.FAILED
    assert kind.__name__ in found["evidence.checksums"].why
    assert found["evidence.quote"].status is Status.UNKNOWN
    assert found["hardware.signatures"].status is Status.PASSED
    assert report.verdict is Verdict.REJECTED


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError])
def test_what_ends_the_program_is_no_verdict(monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]) -> None:
    def broken(*_: object) -> None:
        raise kind

    monkeypatch.setattr("svc_verifier.procedure.check_code", broken)
    with pytest.raises(kind):
        verify(good(), development_trust())


def subject_as_bit_string(der: bytes) -> bytes:
    """The common name under another ASN.1 tag, with no unused bits: OpenSSL still serves it."""
    text = b"localhost"
    place = der.rindex(b"\x0c" + bytes([len(text)]) + text)
    return der[:place] + b"\x03" + der[place + 1 : place + 2] + b"\0" + der[place + 3 :]


async def test_a_certificate_that_no_library_reads_is_refused_by_look_watch_and_session(
    development_node: VerifiableNode,
) -> None:
    """Its subject raised TypeError out of every one of them."""
    node = development_node
    context = own_context(subject_as_bit_string)
    async with Impostor(relaying(node.process), context).running() as impostor:
        address, trust = at(node, impostor)
        report = (await look(address, trust, node.sources())).report
        assert report.verdict is not Verdict.ACCEPTED
        assert not [check.why for check in report.checks if UNREADABLE in check.why]
        sights = [sight async for sight in watch(address, trust, node.sources(), interval_s=0.0, looks=2)]
        assert len(sights) == 2
        with pytest.raises(NotAcceptedError):
            async with attested_session(address.origin, trust, node.sources()):
                raise AssertionError("there is a session")
        proposal = await propose(address, trust, node.sources())
        assert proposal.report.verdict is not Verdict.ACCEPTED


def test_a_retagged_subject_in_a_chain_is_one_of_our_errors() -> None:
    chain = pem_of(subject_as_bit_string(certificate(host="localhost")))
    with pytest.raises(VerifierError) as refused:
        parse_chain(chain, "chain", VerifierErrorCode.BAD_PCK)
    assert refused.value.code is VerifierErrorCode.BAD_PCK
