"""Checks that the quote was made now, for us, at the end of this TLS connection (spec 12.2).

The signed statement says so. Its settings are checked by the group `config`.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import rfc8785

from svc_verifier.check import FILES_FIX, Check, failed, not_made, passed, skipped, unknown
from svc_verifier.errors import VerifierError
from svc_verifier.formats.certificate import LeafCertificate
from svc_verifier.formats.info import STATEMENT_LIMIT_BYTES, STATEMENT_NESTING, parse_attested_config
from svc_verifier.formats.quote import QuoteResponse
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import EvidenceSet, Material, VerifiedQuote
from svc_verifier.trust import Freshness, Trust

STATEMENT: Final = "freshness.statement"
PURPOSE: Final = "svc.attestation.v1"
MEMBERS: Final = frozenset({"purpose", "nonce", "host", "spki_sha256", "evidence_sha256", "config"})
ADMIN_PAYER: Final = "admin_payer"
"""Member that only nodes with an account contract have, the address of their enclave's key."""

REPORT_DATA_LENGTH: Final = 64


@dataclass(frozen=True, slots=True)
class Shown:
    """Parts of a node's statement as far as they passed, with its TLS key and evidence set."""

    answer: QuoteResponse | None
    verified: VerifiedQuote | None
    leaf: LeafCertificate | None
    evidence: EvidenceSet | None


def check_freshness(material: Material, shown: Shown, trust: Trust) -> tuple[Check, Check]:
    """Returns the check of the statement and that of the evidence's age."""
    return _statement(material, shown, trust), _evidence(material, shown)


def _statement(material: Material, shown: Shown, trust: Trust) -> Check:
    answer = shown.answer
    # Only if there is no statement. One that is there must hold, whatever the user accepts.
    if trust.freshness is Freshness.EVIDENCE and (answer is None or answer.statement is None):
        return skipped(STATEMENT, "--freshness=evidence: the quote is only as fresh as the evidence set")
    if answer is None or shown.verified is None:
        return not_made(STATEMENT, "hardware.signatures")
    # Without our nonce a quote may be of any time, however good its statement.
    if answer.statement is None or material.nonce is None:
        fix = "The node is too old for a nonce; --freshness=evidence accepts that, and says so."
        return unknown(STATEMENT, "the node answered without a statement", fix)
    evidence = {"statement": answer.statement[:STATEMENT_LIMIT_BYTES], "nonce": material.nonce.hex()}
    problem = next(
        _problems(answer.statement, shown.verified.quote.report.report_data, material.nonce, shown, trust), ""
    )
    if problem:
        return failed(STATEMENT, problem, **evidence)
    dashboard = parse_attested_config(answer.statement).dashboard_manifest
    # Beside the statement, whose text is cut in reports, for comparison with a published build.
    return passed(STATEMENT, **evidence, **({"dashboard_manifest": dashboard.hex()} if dashboard else {}))


def _problems(text: str, report_data: bytes, nonce: bytes, shown: Shown, trust: Trust) -> Iterator[str]:
    """Lists everything wrong with a statement, the most important first."""
    # Over the text as it was sent, which the TD signed.
    if report_data != hashlib.sha256(text.encode(errors="surrogatepass")).digest().ljust(REPORT_DATA_LENGTH, b"\0"):
        yield "the quote's report data is not the hash of the statement"
    try:
        statement = parse_json_object(text, "statement", STATEMENT_LIMIT_BYTES, STATEMENT_NESTING)
    except VerifierError as error:
        yield error.message
        return
    # An exact set, since an unknown member could change what the others mean.
    if set(statement) - {ADMIN_PAYER} != MEMBERS or not isinstance(statement.get("config"), dict):
        yield "the statement has other members than " + ", ".join(sorted(MEMBERS))
        return
    # Canonical, since parsers take different ones of two duplicate members.
    if not _is_canonical(statement, text):
        yield "the statement is not canonical JSON (RFC 8785)"
    yield from _contradictions(statement, nonce, shown, trust)


def _contradictions(statement: dict[str, Json], nonce: bytes, shown: Shown, trust: Trust) -> Iterator[str]:
    # The application may have other quotes made, and only the purpose distinguishes them.
    if statement["purpose"] != PURPOSE:
        yield "the statement was made for another purpose"
    if statement["nonce"] != nonce.hex():
        yield "the statement answers another nonce: it was recorded, or made for another client"
    # Without it a host could relay the quote of an honest node (relay attack).
    if statement["host"] != trust.host:
        attested = str(statement["host"])[:200]
        yield f"you asked for {trust.host}; the node calls itself {attested!r}"
    # The channel binding. The quote names the keys at which TLS may end, and this connection must
    # use one of them.
    keys = statement["spki_sha256"]
    if shown.leaf is None or not isinstance(keys, list) or shown.leaf.spki_sha256.hex() not in keys:
        yield "the statement does not name the key of this connection: an attacker may sit between you and the node"
    if (
        shown.evidence is not None
        and statement["evidence_sha256"] != hashlib.sha256(shown.evidence.checksums).hexdigest()
    ):
        yield "the statement names another evidence set than the one served"


def _is_canonical(statement: dict[str, Json], text: str) -> bool:
    try:
        # Members in another order are the same JSON, but not the bytes that verifiers rebuild.
        return rfc8785.dumps(statement) == text.encode()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return False


def _evidence(material: Material, shown: Shown) -> Check:
    """Check the evidence's age. A quote has no time, but a set is no older than its certificate."""
    name = "freshness.evidence"
    leaf = shown.leaf
    if leaf is None or shown.evidence is None:
        return not_made(name, "tls.certificate")
    # The node makes a set whenever it obtains a certificate, so the certificate dates the set.
    age_days = str(max(0, material.now_s - leaf.not_before_s) // 86_400)
    # The certificate bounds the age of the evidence, so an expired one bounds nothing.
    if not leaf.not_before_s <= material.now_s <= leaf.not_after_s:
        return failed(name, "the certificate is not valid at this time", age_days=age_days)
    return passed(name, age_days=age_days)


def imported_freshness() -> tuple[Check, ...]:
    """Returns the checks of given files, which are all unknown."""
    return (
        unknown("freshness.statement", "nothing tells when the quote was made: this was read from files", FILES_FIX),
        unknown("freshness.evidence", "nothing tells that the evidence set is still published", FILES_FIX),
    )
