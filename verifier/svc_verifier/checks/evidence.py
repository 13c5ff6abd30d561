"""Checks of the evidence set."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, not_made, passed, skipped, unknown
from svc_verifier.checks.hardware import PLATFORM_WORTH
from svc_verifier.errors import VerifierError
from svc_verifier.formats.addresses import URL_CHARACTERS
from svc_verifier.formats.certificate import parse_checksums, parse_leaf_pem
from svc_verifier.formats.event_log import Event, parse_event_log, replay
from svc_verifier.formats.quote import QuoteResponse, TdReport, parse_quote_response
from svc_verifier.formats.strict_json import parse_json_object
from svc_verifier.material import Boot, EvidenceSet, HttpResponse, MaybeResponse, Missing, VerifiedQuote
from svc_verifier.trust import Trust

CHECKSUMS = "sha256sum.txt"
QUOTE = "quote.json"
ACCOUNT = "acme-account.json"
REPORT_DATA_LENGTH = 64

VerifyQuote = Callable[[str], Outcome[VerifiedQuote]]
"""Function that makes all hardware checks on a quote in hex."""


@dataclass(frozen=True, slots=True)
class Attested:
    """The TD of /attestation. `failed` are the ids of the checks that its quote did not pass."""

    verified: VerifiedQuote | None
    boot: Boot | None
    failed: frozenset[str]


def check_evidence(
    files: Mapping[str, MaybeResponse] | Missing, attested: Attested, verify_quote: VerifyQuote, trust: Trust
) -> Outcome[EvidenceSet]:
    """Check the set. It counts if its quote is genuine, of the same TD, over its checksum file."""
    if isinstance(files, Missing):
        return _unread(files.why)
    checksums_body = _body(files, CHECKSUMS)
    if isinstance(checksums_body, Missing):
        return _unread(checksums_body.why)
    # The quote signs the list's hash, the list each file's, and a file holds the certificate.
    checksums, leaves = _checksums(checksums_body, files)
    quote, answer, verified = _quote(checksums_body, files, verify_quote, attested)
    same = _same_td(answer, verified, attested)
    account, uri = _account(files, checksums, trust)
    # `same` too, since a genuine set of another TD with the same code proves nothing of this one.
    counts = all(check.status is Status.PASSED for check in (checksums, quote, same))
    return Outcome((checksums, quote, same, account), EvidenceSet(checksums_body, leaves, uri) if counts else None)


def _unread(why: str) -> Outcome[EvidenceSet]:
    first = unknown("evidence.checksums", f"the evidence set could not be read: {why}")
    return Outcome((first, *group_not_made(first.id, Group.EVIDENCE).checks[1:]), None)


def _body(files: Mapping[str, MaybeResponse], name: str) -> bytes | Missing:
    answer = files.get(name, Missing(f"{name} is not there"))
    if isinstance(answer, HttpResponse) and answer.status != 200:
        return Missing(f"{name} answers {answer.status}")
    return answer.body if isinstance(answer, HttpResponse) else answer


def _checksums(body: bytes, files: Mapping[str, MaybeResponse]) -> tuple[Check, tuple[bytes, ...]]:
    """Check that every listed file has its hash. Unlisted certificates do not count."""
    try:
        listed = parse_checksums(body)
        leaves = []
        for name, expected in listed.items():
            content = _body(files, name)
            if isinstance(content, Missing):
                return unknown("evidence.checksums", f"a listed file could not be read: {content.why}"), ()
            # The quote signs the list alone, so each file counts by its hash in the list.
            if hashlib.sha256(content).digest() != expected:
                return failed("evidence.checksums", f"{name} has another hash than sha256sum.txt lists"), ()
            # Listed files only, since an unlisted certificate is not attested.
            if name.startswith("cert-"):
                leaves.append(parse_leaf_pem(content, name).der)
    except VerifierError as error:
        return failed("evidence.checksums", error.message), ()
    if ACCOUNT not in listed or not leaves:
        return failed("evidence.checksums", f"sha256sum.txt lists no {ACCOUNT} or no cert-….pem"), ()
    return passed("evidence.checksums", **{name: digest.hex() for name, digest in listed.items()}), tuple(leaves)


def _quote(
    checksums: bytes, files: Mapping[str, MaybeResponse], verify_quote: VerifyQuote, attested: Attested
) -> tuple[Check, QuoteResponse | None, VerifiedQuote | None]:
    """Verify the quote. The JSON's own `report_data` proves nothing but must not differ."""
    name = "evidence.quote"
    body = _body(files, QUOTE)
    if isinstance(body, Missing):
        return unknown(name, body.why), None, None
    try:
        answer = parse_quote_response(body, QUOTE)
    except VerifierError as error:
        return failed(name, error.message), None, None
    # Every hardware check again, since this is another quote, perhaps with other collateral.
    hardware = verify_quote(answer.quote)
    bad = _worst(hardware, attested)
    if bad is not None or hardware.value is None:
        verdict = failed if bad is not None and bad.status is Status.FAILED else unknown
        check = verdict(name, f"the evidence quote: {bad.id}: {bad.why}" if bad else "it is not genuine")
        # If the attestation's own quote shows the same fault, that check is the cause to name.
        same_fault = bad.id if bad is not None and attested.verified is None else ""
        return replace(check, depends_on=same_fault), answer, None
    # Report data has 64 bytes (Intel TDX). The hash fills the first half.
    expected = hashlib.sha256(checksums).digest().ljust(REPORT_DATA_LENGTH, b"\0")
    found = hardware.value.quote.report.report_data
    evidence = {"report_data": found.hex(), "sha256sum": expected.hex()}
    # All 64 bytes, since a quote made for another purpose might share the first half.
    if found != expected:
        return failed(name, "its report data is not the hash of sha256sum.txt", **evidence), answer, None
    if answer.report_data is not None and answer.report_data.removeprefix("0x").lower() != found.hex():
        return failed(name, "quote.json states another report_data than its quote holds", **evidence), answer, None
    return passed(name, **evidence), answer, hardware.value


def _worst(hardware: Outcome[VerifiedQuote], attested: Attested) -> Check | None:
    """Returns the worst problem of a quote that the attestation's own checks do not report."""
    said, other = frozenset[str](), attested.verified
    if hardware.value is not None and other is not None and _platform(hardware.value) == _platform(other):
        # The same platform with the same status is reported once, under the attestation's checks.
        # They must have failed, since quotes of one platform may have several TCBs.
        said = PLATFORM_WORTH & attested.failed
    spoiled = [
        check for check in hardware.checks if check.status in {Status.FAILED, Status.UNKNOWN} and check.id not in said
    ]
    return next((check for check in spoiled if check.status is Status.FAILED), next(iter(spoiled), None))


def _platform(verified: VerifiedQuote) -> tuple[bytes, str]:
    return verified.ppid, verified.tcb_status


def _same_td(answer: QuoteResponse | None, verified: VerifiedQuote | None, attested: Attested) -> Check:
    """Compare TDs. RTMR3 holds the instance id; only events after boot may differ."""
    name = "evidence.same-td"
    if answer is None or verified is None:
        return not_made(name, "evidence.quote")
    if attested.verified is None or attested.boot is None:
        return not_made(name, "log.replay")
    mine, other = attested.verified.quote.report, verified.quote.report
    evidence = {"rtmr3": mine.rtmrs[3].hex(), "evidence_rtmr3": other.rtmrs[3].hex()}
    # Firmware, kernel and configuration are measured before the application and stay fixed.
    if (mine.mr_td, mine.rtmrs[:3], mine.mr_config_id) != (other.mr_td, other.rtmrs[:3], other.mr_config_id):
        return failed(name, "MRTD, RTMR0 to RTMR2 or MRCONFIGID differ", **evidence)
    if mine.rtmrs[3] != other.rtmrs[3] and not _same_boot(answer.event_log, other, attested.boot):
        return failed(name, "RTMR3 differs, and not only by what the application wrote after boot", **evidence)
    return passed(name, **evidence)


def _same_boot(event_log: str, report: TdReport, boot: Boot) -> bool:
    try:
        events = parse_event_log(event_log)
    except VerifierError:
        return False
    # The host provides the log, which counts only if it replays to the signed register.
    return replay(events) == report.rtmrs and _until_ready(events) == _until_ready(boot.events)


def _until_ready(events: tuple[Event, ...]) -> tuple[bytes, ...]:
    digests = []
    for event in events:
        if event.is_runtime:
            digests.append(event.digest)
            if event.name == "system-ready":
                break
    return tuple(digests)


def _account(files: Mapping[str, MaybeResponse], checksums: Check, trust: Trust) -> tuple[Check, str | None]:
    name = "evidence.account"
    if checksums.status is not Status.PASSED:
        return not_made(name, checksums.id), None
    body = _body(files, ACCOUNT)
    if isinstance(body, Missing):
        return unknown(name, body.why), None
    try:
        read = parse_json_object(body, ACCOUNT, 65_536, 8)
    except VerifierError as error:
        return failed(name, error.message), None
    uri = read.get("uri") or read.get("account_uri")
    if not isinstance(uri, str) or len(uri) > URL_CHARACTERS:
        return failed(name, f"{ACCOUNT} names no uri of at most {URL_CHARACTERS} characters"), None
    # Under Intel's root this is an account like any other, which CAA cannot name.
    if uri == "self-signed" and trust.development_root is not None:
        return skipped(name, "DEV: the certificate is self-signed"), None
    return passed(name, uri=uri[:500]), uri
