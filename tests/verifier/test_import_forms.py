"""Forms in which other tools write quotes, collateral, certificates and logs: read as what they are, or refused."""

import base64
import hashlib
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from svc_verifier.errors import VerifierError, exit_of
from svc_verifier.formats.collateral import with_signed_texts
from svc_verifier.formats.strict_json import base64_bytes, raw_value
from svc_verifier.formats.tcg_log import parse_tcg_log
from tests.support.attested.imports import Files, judged, report_of, run, statuses, why
from tests.support.attested.look import Look, pem
from tests.support.fixtures import FIXTURES, needs_fixtures


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


QUOTES: Final[dict[str, Callable[[bytes], bytes | str | Any]]] = {
    "base64": encoded,
    "base64 in lines": base64.encodebytes,
    "base64 of the web": base64.urlsafe_b64encode,
    "base64 without padding": lambda quote: encoded(quote).rstrip("=") + "\n",
    "hex in lines": lambda quote: "\r\n".join(re.findall(".{1,64}", quote.hex())),
    "JSON with base64 of the web": lambda quote: {"quote": base64.urlsafe_b64encode(quote).decode()},
    "JSON with base64 in lines": lambda quote: {"quote": base64.encodebytes(quote).decode()},
    "evidence of confidential containers": lambda quote: {
        "quote": encoded(quote),
        "cc_eventlog": None,
        "aa_eventlog": "",
    },
}


@pytest.mark.parametrize("form", QUOTES.values(), ids=QUOTES.keys())
def test_a_quote_in_every_form_is_the_same_quote(files: Files, form: Callable[[bytes], bytes | str | Any]) -> None:
    quote = form(bytes.fromhex(files.look.attestation["quote"]))
    report = judged(files.put("q", quote), files.collateral(), *files.trusted)
    assert statuses(report)["hardware.signatures"] == "passed"


@pytest.mark.parametrize("text", ["A" * 65, "!" + "A" * 100, encoded(b"\4\0\3\0" + bytes(100)), "=" * 100])
def test_text_that_is_no_quote_is_refused(files: Files, text: str) -> None:
    ran = run(files.put("q", text), *files.trusted)
    assert isinstance(ran.exception, VerifierError)
    assert exit_of(ran.exception.code) == 30


@pytest.mark.parametrize("text", ["AA A", "Be the change", "AAAAA", "A=A=", "Ä", "AA+A\0"])
def test_what_is_no_base64_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="base64"):
        base64_bytes(text)


def body(look: Look, name: str, member: str, *, blanks: str = "") -> str:
    """What the provisioning service answers: the signed text as a member, and its signature."""
    return f'{{"{member}":{blanks}{look.collateral[name]},"signature":"{look.collateral[f"{name}_signature"]}"}}'


def raw(look: Look, **members: str) -> str:
    """A collateral file in which these members stand as they are given, in JSON."""
    written = {name: json.dumps(value) for name, value in look.collateral.items()} | members
    return "{" + ", ".join(f'"{name}": {text}' for name, text in written.items() if text) + "}"


SIGNED_ELSEWHERE: Final = {"tcb_info_signature": "", "qe_identity_signature": ""}
COLLATERALS: Final[dict[str, Callable[[Look], str]]] = {
    "objects": lambda look: raw(look, tcb_info=look.collateral["tcb_info"], qe_identity=look.collateral["qe_identity"]),
    "an object among blanks": lambda look: raw(look, tcb_info=f"\n\t{look.collateral['tcb_info']}\r\n "),
    "whole answers": lambda look: raw(
        look, tcb_info=body(look, "tcb_info", "tcbInfo"), qe_identity=body(look, "qe_identity", "enclaveIdentity")
    ),
    "whole answers, which alone hold the signatures": lambda look: raw(
        look,
        **SIGNED_ELSEWHERE,
        tcb_info=body(look, "tcb_info", "tcbInfo"),
        qe_identity=body(look, "qe_identity", "enclaveIdentity"),
    ),
    "whole answers as texts": lambda look: raw(
        look,
        **SIGNED_ELSEWHERE,
        tcb_info=json.dumps(body(look, "tcb_info", "tcbInfo", blanks=" \n")),
        qe_identity=json.dumps(body(look, "qe_identity", "enclaveIdentity")),
    ),
    "texts of C": lambda look: raw(look, tcb_info=json.dumps(look.collateral["tcb_info"] + "\0")),
}


@pytest.mark.parametrize("form", COLLATERALS.values(), ids=COLLATERALS.keys())
@pytest.mark.parametrize("place", ["a file", "a member", "a text in a member", "below a part"])
def test_collateral_in_every_form_holds_the_text_that_was_signed(
    files: Files, form: Callable[[Look], str], place: str
) -> None:
    text, report = form(files.look), json.dumps(report_of(files.look))
    brought: dict[str, Callable[[], tuple[Path, ...]]] = {
        "a file": lambda: (files.put("r", report), files.put("c", text)),
        "a member": lambda: (files.put("r", f'{report[:-1]}, "quote_collateral": {text}}}'),),
        "a text in a member": lambda: (files.put("r", f'{report[:-1]}, "collateral": {json.dumps(text)}}}'),),
        "below a part": lambda: (files.put("r", f'{{"gateway_attestation": {report[:-1]}, "collateral": {text}}}}}'),),
    }
    status = statuses(judged(*brought[place](), *files.trusted))
    assert {status[name] for name in ("hardware.signatures", "hardware.signers", "hardware.collateral")} == {"passed"}


def test_a_signed_text_that_somebody_wrote_again_is_not_the_signed_one(files: Files) -> None:
    again = json.dumps(json.loads(files.look.collateral["tcb_info"]), indent=1)
    document = raw(files.look, tcb_info=again)
    assert json.loads(with_signed_texts(json.loads(document), document, 1 << 20)["tcb_info"]) == json.loads(again)  # type: ignore[arg-type]
    assert with_signed_texts(json.loads(document), document, 1 << 20)["tcb_info"] == again
    report = judged(files.put("r", report_of(files.look)), files.put("c", document), *files.trusted)
    assert statuses(report)["hardware.signatures"] != "passed"


def test_two_signatures_of_one_text_are_refused(files: Files) -> None:
    document = raw(files.look, tcb_info=body(files.look, "tcb_info", "tcbInfo"), tcb_info_signature='"00"')
    ran = run(files.put("r", report_of(files.look)), files.put("c", document), *files.trusted)
    assert isinstance(ran.exception, VerifierError)
    assert "two signatures of tcb_info that differ" in ran.exception.message


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ('{"a": 1}', ("a",), "1"),
        (' {\n "a" :\t[ 1 ,{"b":"}"}, 3 ] , "c": null}', ("a", 1), '{"b":"}"}'),
        (' {\n "a" :\t[ 1 ,{"b":"}"}, 3 ] , "c": null}', ("c",), "null"),
        ('{"\\u0061": {"b": 1e5}}', ("a", "b"), "1e5"),
        ('{"a": "{\\"b\\": [0, 1]}"}', ("a", "b", 1), "1"),
        ('{"a": "x"}', (), '{"a": "x"}'),
    ],
)
def test_a_value_is_cut_out_as_it_stands(text: str, place: tuple[str | int, ...], found: str) -> None:
    assert raw_value(text, place) == found


@pytest.mark.parametrize("place", [("b",), ("a", 3), ("c", "d")])
def test_a_value_that_is_not_there_is_not_found(place: tuple[str | int, ...]) -> None:
    with pytest.raises(LookupError):
        raw_value('{"a": [1, 2, 3], "c": {}}', place)


CERTIFICATES: Final[dict[str, Callable[[bytes], Any]]] = {
    "PEM": lambda der: pem(der).decode(),
    "base64 of DER": encoded,
    "hex of DER": lambda der: der.hex(),
    "bytes of DER": list,
}


@pytest.mark.parametrize("form", CERTIFICATES.values(), ids=CERTIFICATES.keys())
def test_a_certificate_in_every_form_is_compared_with_the_quote(files: Files, form: Callable[[bytes], Any]) -> None:
    spki = x509.load_der_x509_certificate(files.look.leaf).public_key()
    key_hash = hashlib.sha256(spki.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    answer = files.look.td.quote(key_hash + bytes(32))
    report = judged(
        files.put("r", {**answer, "certificate": form(files.look.leaf)}), files.collateral(), *files.trusted
    )
    assert "sha256 of its key" in why(report, "tls.certificate")
    alone = judged(files.put("a", answer), files.put("cert.der", files.look.leaf), files.collateral(), *files.trusted)
    assert "sha256 of its key" in why(alone, "tls.certificate")


def test_a_certificate_member_of_another_kind_is_left_alone(files: Files) -> None:
    for value in ([pem(files.look.leaf).decode()], {"pem": "x"}, [1, 2, 3], True):
        report = judged(files.put("r", report_of(files.look, certificate=value)), files.collateral(), *files.trusted)
        assert statuses(report)["hardware.signatures"] == "passed"


def firmware_log(events: list[dict[str, Any]], tail: bytes = b"") -> bytes:
    """These events as firmware logs them, with a digest of a second algorithm beside each."""
    sizes = struct.pack("<IHHHH", 2, 0x000B, 32, 0x000C, 48)
    header = b"Spec ID Event03\0" + struct.pack("<IBBBB", 0, 0, 2, 0, 2) + sizes + b"\0"
    found = struct.pack("<II", 1, 3) + bytes(20) + struct.pack("<I", len(header)) + header
    for event in events:
        payload = bytes.fromhex(event["event_payload"])
        digests = struct.pack("<IH", 2, 0x000B) + bytes(32) + struct.pack("<H", 0x000C) + bytes.fromhex(event["digest"])
        found += struct.pack("<II", event["imr"] + 1, event["event_type"]) + digests
        found += struct.pack("<I", len(payload)) + payload
    return found + tail


def measured(look: Look) -> list[dict[str, Any]]:
    """What firmware and kernel measured."""
    return [event for event in json.loads(look.attestation["event_log"]) if event["imr"] < 3]


@pytest.mark.parametrize("tail", [b"", b"\xff" * 100, bytes(100)])
def test_a_firmware_log_replays_and_what_dstack_measures_is_not_in_it(files: Files, tail: bytes) -> None:
    log = firmware_log(measured(files.look), tail)
    document = {"quote": files.look.attestation["quote"], "cc_eventlog": encoded(log)}
    report = judged(files.put("r", document), files.collateral(), *files.trusted)
    assert statuses(report)["log.form"] == "passed"
    assert statuses(report)["log.replay"] == "unknown"
    assert "no event of RTMR3" in why(report, "log.replay")
    assert report["verdict"] == "undecided"


def test_a_firmware_log_of_another_machine_is_rejected(files: Files) -> None:
    events = measured(files.look)
    events[1] = events[1] | {"digest": "ab" * 48}
    document = {"quote": files.look.attestation["quote"], "cc_eventlog": encoded(firmware_log(events))}
    report = judged(files.put("r", document), files.collateral(), *files.trusted)
    assert statuses(report)["log.replay"] == "failed"


def test_a_firmware_log_beside_the_guest_agents_is_not_needed(files: Files) -> None:
    document = report_of(files.look, cc_eventlog=encoded(firmware_log(measured(files.look))))
    report = judged(files.put("r", document), files.collateral(), *files.trusted)
    assert statuses(report)["log.replay"] == "passed"
    del document["event_log"]
    report = judged(files.put("r", document), files.collateral(), *files.trusted)
    assert statuses(report)["log.replay"] == "passed", "that of /info is a guest agent's too"


def test_a_firmware_log_in_json_is_read_too(files: Files) -> None:
    document = {"quote": files.look.attestation["quote"], "cc_eventlog": files.look.attestation["event_log"]}
    report = judged(files.put("r", document), files.collateral(), *files.trusted)
    assert statuses(report)["log.replay"] == "passed"


EVENT: Final = {"imr": 0, "event_type": 1, "digest": "ab" * 48, "event": "", "event_payload": "00"}
BAD_LOGS: Final = {
    "nothing": b"",
    "no header": bytes(200),
    "cut": firmware_log([EVENT])[:-1],
    "an event of MRTD": firmware_log([EVENT | {"imr": -1}]),
    "an event of a register that is none": firmware_log([EVENT | {"imr": 4}]),
    "an algorithm that is none": firmware_log([EVENT]).replace(b"\x0c\0" + b"\xab" * 4, b"\x77\0" + b"\xab" * 4),
    "very many events": firmware_log([EVENT] * 1_025),
    "very many digests": firmware_log([]) + struct.pack("<III", 1, 1, 0xFFFFFFFF),
}


@pytest.mark.parametrize("log", BAD_LOGS.values(), ids=BAD_LOGS.keys())
def test_a_firmware_log_that_cannot_be_read_is_refused(files: Files, log: bytes) -> None:
    with pytest.raises(VerifierError):
        parse_tcg_log(log)
    ran = run(files.put("r", {"quote": "00", "cc_eventlog": encoded(log) or "?"}), *files.trusted)
    assert isinstance(ran.exception, VerifierError)
    assert exit_of(ran.exception.code) == 30


def test_an_event_that_extends_nothing_is_none() -> None:
    assert parse_tcg_log(firmware_log([EVENT | {"event_type": 3}, EVENT])) == [EVENT]
    assert parse_tcg_log(firmware_log([EVENT | {"event_payload": "00" * 70_000}])) == [EVENT | {"event_payload": ""}]


@needs_fixtures
@pytest.mark.parametrize("form", ["object", "whole answer"])
def test_intels_own_collateral_is_cut_out_as_it_stands(files: Files, form: str) -> None:
    """Every byte counts: the quote is up to date only under the text that Intel signed."""
    folder = FIXTURES / "recorded-2026"
    read = json.loads((folder / "collateral/B0C06F000000-evaluation-20.json").read_text())
    name, tcb_info = "tcb_info", read["tcb_info"]
    whole = f'{{"tcbInfo":{tcb_info},"signature":"{read["tcb_info_signature"]}"}}'
    written = {key: json.dumps(value) for key, value in read.items()} | {name: tcb_info if form == "object" else whole}
    document = "{" + ",".join(f'"{key}":{text}' for key, text in written.items()) + "}"
    report = judged(folder / "quotes/ad0b758eaf.bin", files.put("c", document), "--at", 1_786_621_538)
    assert statuses(report)["hardware.tcb-status"] == "passed"
