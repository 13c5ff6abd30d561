"""Files of evidence, of every known shape and of none: the same report over what is there, and never an acceptance."""

import datetime as dt
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from attest.statement import padded_sha256
from svc_verifier.bundle import dump_bundle, load_bundle
from svc_verifier.check import Verdict
from svc_verifier.cli.group import commands
from svc_verifier.errors import VerifierError, exit_of
from svc_verifier.procedure import verify
from tests.support.attested.imports import SOON, Files, Shape, agent_info, judged, report_of, run, statuses, why
from tests.support.attested.look import Look, development_trust, pem
from tests.support.attested.td import APP_ID
from tests.support.fixtures import FIXTURES, needs_fixtures

SHAPES: Final[dict[str, Shape]] = {
    "what the node serves": lambda f: (f.put("a", f.look.attestation), f.put("i", f.look.info)),
    "a guest agent's answers": lambda f: (f.put("a", f.look.td.quote(bytes(64))), f.put("i", agent_info(f.look))),
    "a quote in binary, a log, tcb_info and vm_config's document": lambda f: (
        f.put("quote.dat", bytes.fromhex(f.look.attestation["quote"])),
        f.put("log", f.look.attestation["event_log"]),
        f.put("tcb", {**f.look.info, "vm_config": f.look.attestation["vm_config"]}),
    ),
    "a quote in hex with 0x": lambda f: (
        f.put("q", f"0x{f.look.attestation['quote'].upper()}\n"),
        f.put("i", {**f.look.info, "vm_config": f.look.attestation["vm_config"]}),
    ),
    "a report with everything in it": lambda f: (f.put("r", report_of(f.look)),),
    "a report that says everything twice": lambda f: (
        f.put(
            "r",
            report_of(
                f.look,
                quote=f"0x{f.look.attestation['quote'].upper()}",
                eventlog=f.look.attestation["event_log"],
            ),
        ),
    ),
    "a report that names its evidence": lambda f: (
        f.put("r", {"api_version": "aci/1", "attestation": {"evidence": report_of(f.look)}}),
    ),
    "a report of a gateway before its models": lambda f: (
        f.put("r", {"gateway_attestation": report_of(f.look), "model_attestations": [{"intel_quote": "00"}]}),
    ),
    "public data of a participant": lambda f: (
        f.put(
            "p",
            {
                "tee_participant_info": {
                    "Dstack": {
                        "quote": list(bytes.fromhex(f.look.attestation["quote"])),
                        "tcb_info": f.look.info["tcb_info"],
                        "vm_config": f.look.attestation["vm_config"],
                        "app_id": f.look.info["app_id"],
                    }
                }
            },
        ),
    ),
}
GENUINE: Final = (
    "hardware.signatures",
    "log.replay",
    "identity.app-compose",
    "identity.compose-measured",
    "code.images",
)


def of_each_check(table: Mapping[str, tuple[Shape, str]]) -> list[Any]:
    """Rows of a shape and the check that notices it."""
    return [pytest.param(*row, id=name, marks=pytest.mark.covers(row[1])) for name, row in table.items()]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_every_known_shape_gives_the_same_report(files: Files, shape: Shape) -> None:
    report = judged(*shape(files), files.collateral(), *files.trusted)
    status = statuses(report)
    assert report["verdict"] == "undecided"
    assert {status[name] for name in (*GENUINE, "identity.app-id", "identity.info", "os.measurements")} == {"passed"}
    assert not {name for name, found in status.items() if found == "failed"}


def test_an_evidence_folder_alone_is_judged_by_its_own_quote(files: Files) -> None:
    status = statuses(judged(files.evidence_folder(), files.collateral(), *files.trusted))
    assert {status[name] for name in ("hardware.signatures", "log.replay", "evidence.quote", "evidence.same-td")} == {
        "passed"
    }
    assert status["identity.app-compose"] == "unknown"


def test_everything_together_proves_all_that_files_can(files: Files) -> None:
    brought = (files.put("a", files.look.attestation), files.put("i", files.look.info), files.evidence_folder())
    report = judged(*brought, files.collateral(), files.put("cert.pem", pem(files.look.leaf)), *files.trusted)
    assert "the evidence set lists the certificate that was brought" in why(report, "tls.certificate")
    groups = {name.split(".")[0] for name, found in statuses(report).items() if found == "unknown"}
    assert groups == {"tls", "freshness", "governance", "config", "accounts"}


def test_a_forged_certificate_or_connection_in_an_imported_bundle_is_not_believed() -> None:
    """Even with all that a live look has beside it, what says that it was imported is never accepted."""
    material = Look().material()
    text = dump_bundle(material).replace('"info"', '"imported": true,\n "info"', 1)
    report = verify(load_bundle(text), development_trust())
    assert report.verdict is Verdict.UNDECIDED
    missing = {"tls.certificate", "tls.connection", "tls.web-pki", "freshness.statement"}
    assert {check.id for check in report.causes} == missing


def bound(look: Look, report_data: Callable[[bytes, bytes], bytes]) -> dict[str, str]:
    leaf = x509.load_der_x509_certificate(look.leaf)
    spki = leaf.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return look.td.quote(report_data(spki, look.leaf))


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (lambda spki, _: hashlib.sha512(b"ratls-cert:" + spki).digest(), "ratls-cert"),
        (lambda spki, _: padded_sha256(spki), "sha256 of its key"),
        (lambda spki, _: hashlib.sha256(spki).digest() + b"\7" * 32, "sha256 of its key"),
        (lambda _, der: padded_sha256(der), "sha256 of the certificate"),
        (lambda *_: bytes(64), "nothing in the quote"),
        (lambda spki, _: hashlib.sha512(b"ratls-cert:" + spki).digest()[:63] + b"\0", "nothing in the quote"),
    ],
)
def test_a_report_with_quote_and_certificate_says_whether_one_names_the_other(
    files: Files, form: Callable[[bytes, bytes], bytes], says: str
) -> None:
    answer = bound(files.look, form)
    document = files.put("r", {**answer, "certificate": pem(files.look.leaf).decode(), "info": files.look.info})
    report = judged(document, files.collateral(), *files.trusted)
    assert says in why(report, "tls.certificate")


def test_the_bundle_of_an_import_is_judged_alike_by_replay(files: Files) -> None:
    saved = files.folder / "bundle.json"
    brought = (files.put("r", report_of(files.look)), files.collateral())
    first = judged(*brought, *files.trusted, "--save", saved)
    again = CliRunner().invoke(commands, ["replay", str(saved), "--json", *map(str, files.trusted[:4])])
    assert again.exit_code == first["exit_code"] == 20
    assert statuses(json.loads(again.stdout)) == statuses(first)
    assert json.loads(again.stdout)["imported"]
    assert "nothing of them is fresh or bound to a connection" in " ".join(run(*brought, *files.trusted).stdout.split())
    shown = run(*brought, *files.trusted, "-v")
    assert "Read from files" in shown.stdout
    assert "never ends in acceptance" in " ".join(shown.stdout.split())


def test_without_a_named_application_the_measured_one_is_told(files: Files) -> None:
    brought = (files.put("r", report_of(files.look)), files.collateral())
    report = judged(*brought, "--insecure-dev-root", files.root, "--at", SOON)
    assert report["verdict"] == "undecided"
    assert f"0x{APP_ID.hex()} was measured" in why(report, "identity.app-id")


MISSING: Final[dict[str, tuple[Shape, str]]] = {
    "no quote": (lambda f: (f.put("i", f.look.info),), "hardware.quote"),
    "no event log": (lambda f: (f.put("q", f.look.attestation["quote"]),), "log.form"),
    "no info": (lambda f: (f.put("a", f.look.attestation),), "identity.app-compose"),
    "no app-compose in tcb_info": (
        lambda f: (f.put("a", f.look.attestation), f.put("t", {"mrtd": f.look.info["tcb_info"]["mrtd"], "rtmr3": ""})),
        "identity.app-compose",
    ),
    "no app id": (
        lambda f: (f.put("a", f.look.attestation), f.put("t", f.look.info["tcb_info"])),
        "identity.app-id",
    ),
    "no vm_config": (
        lambda f: (
            f.put("a", {**f.look.attestation, "vm_config": ""}),
            f.put("i", {**f.look.info, "vm_config": None}),
        ),
        "os.measurements",
    ),
    "no evidence set": (lambda f: (f.put("a", f.look.attestation),), "evidence.checksums"),
}


@pytest.mark.parametrize(("shape", "unproven"), of_each_check(MISSING))
def test_what_was_not_brought_is_not_proven_and_no_fault(files: Files, shape: Shape, unproven: str) -> None:
    report = judged(*shape(files), files.collateral(), *files.trusted)
    assert report["verdict"] == "undecided"
    assert statuses(report)[unproven] == "unknown"


def test_without_collateral_the_hardware_is_not_proven(files: Files) -> None:
    report = judged(files.put("r", report_of(files.look)), *files.trusted)
    assert report["verdict"] == "undecided"
    assert "no file of it was brought" in why(report, "hardware.collateral")
    fetched = judged(files.put("r", report_of(files.look)), *files.trusted, "--fetch-collateral")
    assert "collateral.json cannot be read" in why(fetched, "hardware.collateral")
    files.put("collateral.json", files.look.collateral)
    fetched = judged(files.put("r", report_of(files.look)), *files.trusted, "--fetch-collateral")
    assert statuses(fetched)["hardware.signatures"] == "passed"


FORGED: Final[dict[str, tuple[Shape, str]]] = {
    "a flipped quote": (
        lambda f: (f.put("q", f.look.attestation["quote"][:400] + "0000" + f.look.attestation["quote"][404:]),),
        "hardware.signatures",
    ),
    "another app-compose": (
        lambda f: (f.put("a", f.look.attestation), f.put("c", '{"docker_compose_file":"services: {}","runner":"x"}')),
        "identity.compose-measured",
    ),
    "the app-compose with a line break more": (
        lambda f: (f.put("a", f.look.attestation), f.put("c", f.look.info["tcb_info"]["app_compose"] + "\n")),
        "identity.compose-measured",
    ),
    "another machine's log": (
        lambda f: (
            f.put("q", f.look.attestation["quote"]),
            f.put("l", json.loads(f.look.attestation["event_log"])[:-1]),
        ),
        "log.replay",
    ),
    "another evidence set": (
        lambda f: (f.put("a", f.look.attestation), f.evidence_folder(), f.put("evidences/acme-account.json", "{}")),
        "evidence.checksums",
    ),
}


@pytest.mark.parametrize(("shape", "caught"), of_each_check(FORGED))
def test_what_is_forged_is_rejected(files: Files, shape: Shape, caught: str) -> None:
    paths = [path for path in shape(files) if path.parent.name != "evidences"]
    report = judged(*paths, files.collateral(), *files.trusted)
    assert report["verdict"] == "rejected"
    assert statuses(report)[caught] == "failed"


REFUSED: Final[dict[str, tuple[Shape, str]]] = {
    "no JSON": (lambda f: (f.put("x", "hello"),), "is no JSON"),
    "a number": (lambda f: (f.put("x", "1"),), "is no evidence that is known"),
    "a list of texts": (lambda f: (f.put("x", ["a"]),), "neither a quote's bytes nor events"),
    "a list of great numbers": (lambda f: (f.put("x", [4, 999]),), "none of bytes"),
    "an unknown document": (lambda f: (f.put("x", {"a": 1}),), "is a document of no known shape"),
    "a binary attestation": (lambda f: (f.put("x", {"attestation": "0000394e"}),), "ask the guest agent for GetQuote"),
    "a quote of a strange kind": (lambda f: (f.put("x", {"quote": {"a": 1}}),), "neither text nor a list"),
    "a quote of no alphabet": (lambda f: (f.put("x", {"quote": "?"}),), "neither hex nor base64"),
    "an info of a strange kind": (lambda f: (f.put("x", {"quote": "00", "info": [1]}),), "its info is no object"),
    "collateral of a strange kind": (lambda f: (f.put("x", {"quote": "00", "collateral": [1]}),), "is no object"),
    "brackets without end": (lambda f: (f.put("x", "[" * 90_000),), "nested more than"),
    "two quotes": (
        lambda f: (f.put("x", {"quote": "00"}), f.put("y", {"quote": "01"})),
        "different values of the quote",
    ),
    "two quotes in one document": (
        lambda f: (f.put("x", {"quote": "00", "intel_quote": "01"}),),
        "different values of the quote",
    ),
    "two quotes in one report": (
        lambda f: (f.put("r", {"attestation": report_of(f.look, quote="00")}),),
        "different values of the quote",
    ),
    "two event logs in one document": (
        lambda f: (f.put("x", report_of(f.look, event_log="[]", eventlog="[1]")),),
        "different values of the event log",
    ),
    "two app-composes": (
        lambda f: (f.put("i", f.look.info), f.put("c", '{"docker_compose_file":"","runner":"x"}')),
        "is another app-compose",
    ),
    "a folder of something else": (lambda f: (f.folder,), "is no evidence folder"),
    "two folders": (lambda f: (f.evidence_folder(), f.folder / "evidences"), "is a second evidence folder"),
    "a certificate of no kind": (lambda f: (f.put("x", "-----BEGIN CERTIFICATE-----\n"),), "no certificate"),
}


@pytest.mark.parametrize(("shape", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_of_no_known_shape_ends_with_30_and_says_why(files: Files, shape: Shape, says: str) -> None:
    ran = run(*shape(files), *files.trusted)
    assert isinstance(ran.exception, VerifierError), repr(ran.exception)
    assert exit_of(ran.exception.code) == 30
    assert says in ran.exception.message


def test_a_link_in_a_folder_carries_no_file_of_the_users_into_a_bundle(files: Files) -> None:
    secret = files.put("key", "the user's own")
    folder, saved = files.evidence_folder(), files.folder / "bundle.json"
    (folder / "acme-account.json").unlink()
    (folder / "acme-account.json").symlink_to(secret)
    report = judged(folder, files.collateral(), *files.trusted, "--save", saved)
    assert statuses(report)["evidence.checksums"] == "unknown"
    material = load_bundle(saved.read_bytes())
    assert "the user's own" not in repr(material)
    os.mkfifo(files.folder / "pipe")
    (folder / "quote.json").unlink()
    (folder / "quote.json").symlink_to(files.folder / "pipe")
    assert statuses(judged(folder, *files.trusted))["evidence.quote"] == "unknown"


@needs_fixtures
def test_a_real_participants_public_data_is_read_whole() -> None:
    """Its operator published quote, collateral and tcb_info together; judged at the time its collateral names."""
    at_s = int(dt.datetime(2026, 8, 13, 11, 45, tzinfo=dt.UTC).timestamp())
    report = judged(FIXTURES / "near-mpc/test-utils-public_data.json", "--at", at_s)
    status = statuses(report)
    assert {status[name] for name in GENUINE} == {"passed"}
    assert status["identity.key-provider"] == status["code.privileges"] == "failed"
    assert "no application is pinned" in why(report, "identity.app-id")


@needs_fixtures
@pytest.mark.parametrize(
    "name", ["dstack/quote-report.json", "dstack-examples/report.json", "dstack/tdx-lite-getquote.json"]
)
def test_a_real_answer_of_a_guest_agent_without_collateral_is_undecided(name: str) -> None:
    report = judged(FIXTURES / name)
    status = statuses(report)
    assert report["verdict"] == "undecided"
    assert status["hardware.quote"] == status["log.form"] == "passed"


@needs_fixtures
@pytest.mark.parametrize(
    "name", ["dstack/tdx-lite-attestation.json", "dstack/sev-snp-attestation.json", "dstack/attestation.bin"]
)
def test_a_real_attestation_in_binary_is_refused_clearly(name: str) -> None:
    assert isinstance(run(FIXTURES / name).exception, VerifierError)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--at", "9" * 400), ("--at", "-1"), ("--timeout", "nan"), ("--timeout", "inf"), ("--timeout", "0")],
)
def test_a_number_that_no_clock_holds_is_misuse(files: Files, option: str, value: str) -> None:
    ran = run(files.put("a", files.look.attestation), *files.trusted, option, value)
    assert isinstance(ran.exception, SystemExit)
    assert ran.exception.code == 2
    assert option in ran.output
