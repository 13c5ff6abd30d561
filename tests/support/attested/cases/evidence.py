"""The evidence set (spec 13.3; test_holes.py, 4, 6 and 7)."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from attest.evidence import sums_of
from attest.statement import padded_sha256
from svc_verifier.material import HttpResponse, Missing
from tests.support.attested.case import NO_EVIDENCE, Case, accepted, case
from tests.support.attested.cases.log import at
from tests.support.attested.look import CERTIFICATE_FILE, Look, certificate, pem
from tests.support.attested.td import OTHER_SEED, EventLog, Td, development_options, runtime

ACCOUNT: Final = "acme-account.json"
SUMS: Final = "sha256sum.txt"
QUOTE: Final = "quote.json"
UNLISTED: Final = NO_EVIDENCE | {"evidence.account"}
"""Checks that depend on the list of files."""

UNREAD: Final = UNLISTED | {"evidence.checksums", "evidence.quote", "evidence.same-td"}


def put(name: str, content: bytes) -> Callable[[Look], object]:
    """Another file under that name."""
    return lambda look: look.files.update({name: content})


def gone(name: str, status: int = 404) -> Callable[[Look], object]:
    """A file that is not served."""
    return lambda look: look.answers.update({name: HttpResponse(status, b"", 0)})


def quote_json(**changes: Any) -> Callable[[Look], None]:
    """Other members of quote.json; None takes one away."""

    def tamper(look: Look) -> None:
        read = json.loads(look.files[QUOTE]) | changes
        look.files[QUOTE] = json.dumps({key: value for key, value in read.items() if value is not None}).encode()

    return tamper


def fabricated(look: Look) -> None:
    """A set of the impostor's own, with a quote.json that merely says what it should (hole 6)."""
    impostor = certificate("impostor")
    look.files[CERTIFICATE_FILE] = pem(impostor)
    look.files[SUMS] = sums_of({name: look.files[name] for name in (ACCOUNT, CERTIFICATE_FILE)})
    quote_json(report_data=padded_sha256(look.files[SUMS]).hex())(look)
    look.statement["evidence_sha256"] = hashlib.sha256(look.files[SUMS]).hexdigest()


def consistent(**files: bytes) -> Callable[[Look], None]:
    """A set with other files, listed and quoted by the TD itself; the statement names it."""

    def tamper(look: Look) -> None:
        own = {ACCOUNT: look.account, CERTIFICATE_FILE: pem(look.leaf)}
        own |= {
            name.replace("__", "-").replace("_json", ".json").replace("_pem", ".pem"): content
            for name, content in files.items()
        }
        own = {name: content for name, content in own.items() if content}
        sums = sums_of(own)
        look.files = {**own, SUMS: sums, QUOTE: look.evidence_quote(padded_sha256(sums))}

    return tamper


def sums(change: Callable[[bytes], bytes]) -> Callable[[Look], None]:
    """Another sha256sum.txt, quoted by the TD itself."""

    def tamper(look: Look) -> None:
        text = change(look.files[SUMS])
        look.files |= {SUMS: text, QUOTE: look.evidence_quote(padded_sha256(text))}

    return tamper


def quoted_by(td: Td) -> Callable[[Look], None]:
    """The quote of the set is of another TD, over the right bytes."""

    def tamper(look: Look) -> None:
        look.files[QUOTE] = look.evidence_quote(padded_sha256(look.files[SUMS]), td)

    return tamper


def before(log: EventLog) -> EventLog:
    """The log of the same boot, when the application had written one event more."""
    return [*log, runtime("note", b"1")]


def rebooted(log: EventLog) -> EventLog:
    """Another instance of the same app."""
    log[at(log, "instance-id")]["event_payload"] = "11" * 20
    return log


OTHER_CODE: Final = Td(options=development_options(app_compose='{"manifest_version":2}'))

EVIDENCE_CASES: Final[tuple[Case, ...]] = (
    case("evidence: fabricated", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"}, tamper=fabricated),
    case("evidence: sha256sum.txt is not there", "", UNREAD, tamper=gone(SUMS)),
    case("evidence: a listed file is not there", "", UNLISTED | {"evidence.checksums"}, tamper=gone(CERTIFICATE_FILE)),
    case("evidence: quote.json is not there", "", NO_EVIDENCE | {"evidence.quote", "evidence.same-td"}, tamper=gone(QUOTE)),
    case("evidence: another certificate than listed", "evidence.checksums", UNLISTED, tamper=put(CERTIFICATE_FILE, pem(certificate("impostor")))),
    case("evidence: another account than listed", "evidence.checksums", UNLISTED, tamper=put(ACCOUNT, b'{"uri":"https://evil.example/1"}')),
    case("evidence: a checksum file that was changed afterwards", "evidence.quote",
         UNLISTED | {"evidence.same-td", "evidence.checksums"}, tamper=lambda look: (look.statement, put(SUMS, look.files[SUMS][:-1] + b"x\n")(look))),
    case("evidence: no certificate listed", "evidence.checksums", UNLISTED, tamper=consistent(**{CERTIFICATE_FILE.replace("-", "__").replace(".pem", "_pem"): b""})),
    case("evidence: no account listed", "evidence.checksums", UNLISTED, tamper=consistent(acme__account_json=b"")),
    case("evidence: a name that leaves the folder", "evidence.checksums", UNLISTED, tamper=sums(lambda text: text + b"00" * 32 + b"  ../x\n")),
    case("evidence: a file listed twice", "evidence.checksums", UNLISTED, tamper=sums(lambda text: text + text)),
    case("evidence: a certificate that is none", "evidence.checksums", UNLISTED, tamper=consistent(cert__x_pem=b"-----BEGIN")),
    case("evidence: an account that is no JSON", "evidence.account", tamper=consistent(acme__account_json=b"{")),
    case("evidence: an account without uri", "evidence.account", tamper=consistent(acme__account_json=b"{}")),
    accepted("evidence: an account", tamper=consistent(acme__account_json=b'{"uri":"https://acme-v02.api.letsencrypt.org/acme/acct/1"}')),
    accepted("evidence: another certificate listed beside", tamper=consistent(cert__other_pem=pem(certificate("other")))),
    case("evidence quote: over other bytes", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"},
         tamper=lambda look: put(QUOTE, look.evidence_quote(bytes(64)))(look)),
    case("evidence quote: the hash not padded with zeros", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"},
         tamper=lambda look: put(QUOTE, look.evidence_quote(hashlib.sha256(look.files[SUMS]).digest() * 2))(look)),
    case("evidence quote: JSON that states other report data", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"}, tamper=quote_json(report_data="00" * 64)),
    accepted("evidence quote: JSON without report data", tamper=quote_json(report_data=None)),
    case("evidence quote: no JSON", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"}, tamper=put(QUOTE, b"{")),
    case("evidence quote: no quote in it", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"}, tamper=quote_json(quote=None)),
    case("evidence quote: flipped", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"},
         tamper=lambda look: quote_json(quote=look.evidence_quote(bytes(64)).decode()[10:200])(look)),
    case("evidence quote: of another platform", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"}, tamper=quoted_by(Td(seed=OTHER_SEED))),
    case("evidence quote: of a debuggable TD", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"}, tamper=quoted_by(Td(options=development_options(debug=True)))),
    case("evidence quote: of other code", "evidence.same-td", NO_EVIDENCE, tamper=quoted_by(OTHER_CODE)),
    case("evidence quote: of another instance", "evidence.same-td", NO_EVIDENCE, tamper=quoted_by(Td(measured=rebooted))),
    case("evidence quote: of another image", "evidence.same-td", NO_EVIDENCE, tamper=quoted_by(Td(report={184: b"\7" * 48}))),
    case("evidence quote: of another RTMR2", "evidence.same-td", NO_EVIDENCE, tamper=quoted_by(Td(report={472: b"\7" * 48}))),
    accepted("evidence quote: of the same boot, before the application wrote events", tamper=quoted_by(Td(measured=before))),
    case("evidence quote: of the same boot, its log forged", "evidence.same-td", NO_EVIDENCE,
         tamper=lambda look: (quoted_by(Td(measured=rebooted))(look), quote_json(event_log=look.attestation["event_log"])(look))),
    case("evidence: out of reach", "", UNREAD,
         tamper=lambda look: look.answers.update({SUMS: Missing("timed out")})),
    case("evidence: no file at all", "", UNREAD,
         tamper=lambda look: setattr(look, "no_evidence", True)),
)  # fmt: skip
