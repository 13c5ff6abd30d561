"""Checks of the TLS certificate and of the domain's CAA records."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from svc_verifier.check import FILES_FIX, Check, failed, not_made, passed, skipped, unknown
from svc_verifier.errors import VerifierError
from svc_verifier.formats.certificate import LeafCertificate, parse_leaf_der
from svc_verifier.material import CaaRecord, CaaRecords, EvidenceSet, HttpResponse, Material, Missing, VerifiedQuote
from svc_verifier.trust import Trust


def connection_leaf(material: Material) -> LeafCertificate | None:
    """Returns the leaf of the attestation's connection; None when there was none."""
    attestation = material.attestation
    if not isinstance(attestation, HttpResponse) or not 0 <= attestation.connection < len(material.connections):
        return None
    peers = material.connections[attestation.connection].peer_der
    try:
        return parse_leaf_der(peers[0]) if peers else None
    except VerifierError:
        return None


def check_tls(material: Material, evidence: EvidenceSet | None, trust: Trust) -> tuple[Check, ...]:
    """Returns the three checks of the connection; `check_caa` makes the fourth."""
    leaf = connection_leaf(material)
    if leaf is None:
        names = ("tls.certificate", "tls.connection", "tls.web-pki")
        why = "no TLS connection carried the attestation"
        # A response without TLS came in clear, which is the host's fault and awaits no other check.
        if isinstance(material.attestation, HttpResponse):
            return tuple(failed(name, why, "Ask for the host by https.") for name in names)
        return tuple(not_made(name, "hardware.quote") for name in names)
    return _certificate(leaf, evidence), _connection(material, leaf, trust), _web_pki(material, trust)


def _certificate(leaf: LeafCertificate, evidence: EvidenceSet | None) -> Check:
    if evidence is None:
        return not_made("tls.certificate", "evidence.quote", spki=leaf.spki_sha256.hex())
    # The whole certificate, since another party may have another one with the same key.
    if leaf.der not in evidence.leaves:
        why = "the evidence set does not list the certificate of this connection"
        return failed(
            "tls.certificate", why, "An attacker may sit between you and the node.", spki=leaf.spki_sha256.hex()
        )
    return passed("tls.certificate", spki_sha256=leaf.spki_sha256.hex())


def _connection(material: Material, leaf: LeafCertificate, trust: Trust) -> Check:
    """Check that everything from the host came over connections with the same certificate."""
    answers = [material.attestation, material.info]
    answers += [] if isinstance(material.evidences, Missing) else list(material.evidences.values())
    # A bundle or an import of one host proves nothing of another.
    if material.host != trust.host:
        return failed("tls.connection", f"this was a look at {material.host}, not at {trust.host}")
    # A man in the middle could serve the attestation unchanged and the rest itself.
    used = {answer.connection for answer in answers if isinstance(answer, HttpResponse)}
    for number in sorted(used):
        peers = material.connections[number].peer_der if 0 <= number < len(material.connections) else ()
        # Whole certificates, since behind one name may be instances with different keys.
        if not peers or peers[0] != leaf.der:
            return failed("tls.connection", f"connection {number} showed another certificate than the attestation's")
    return passed("tls.connection", connections=str(len(used)))


def _web_pki(material: Material, trust: Trust) -> Check:
    if trust.development_root is not None:
        return skipped("tls.web-pki", "DEV: a development node has no Web PKI certificate")
    shown = material.attestation
    reason = material.connections[shown.connection].web_pki if isinstance(shown, HttpResponse) else "no connection"
    if reason:
        return failed("tls.web-pki", f"the certificate is not valid for {material.host}: {reason}")
    return passed("tls.web-pki", host=material.host)


BINDINGS: Final[tuple[tuple[str, Callable[[LeafCertificate], bytes]], ...]] = (
    ("sha512 of 'ratls-cert:' and its key", lambda leaf: hashlib.sha512(b"ratls-cert:" + leaf.spki).digest()),
    ("sha256 of its key", lambda leaf: leaf.spki_sha256),
    ("sha256 of the certificate", lambda leaf: hashlib.sha256(leaf.der).digest()),
)
"""Ways of known projects to put a certificate into report data, in full or its first 32 bytes."""


def imported_connection(
    material: Material, verified: VerifiedQuote | None, evidence: EvidenceSet | None
) -> tuple[Check, ...]:
    """Returns the checks of the connection and its certificate, which are all unknown."""
    connection = "no connection was seen: this was read from files"
    return (
        unknown("tls.certificate", _brought_certificate(material, verified, evidence), FILES_FIX),
        unknown("tls.connection", connection, FILES_FIX),
        unknown("tls.web-pki", connection, FILES_FIX),
    )


def _brought_certificate(material: Material, verified: VerifiedQuote | None, evidence: EvidenceSet | None) -> str:
    """Describes what is known of a given certificate."""
    leaf = _brought_leaf(material)
    if leaf is None:
        return "no certificate of a connection was seen"
    if evidence is not None and leaf.der in evidence.leaves:
        return "the evidence set lists the certificate that was brought; that a host shows it was not seen"
    if verified is None:
        return "a certificate was brought, but no genuine quote that could name it"
    # Only shown, since without a connection the holder of the certificate's key is unknown.
    report_data = verified.quote.report.report_data
    for form, bound in BINDINGS:
        if report_data.startswith(bound(leaf)):
            return f"the quote names the certificate that was brought ({form}); that a host shows it was not seen"
    return "nothing in the quote or an evidence set names the certificate that was brought"


def _brought_leaf(material: Material) -> LeafCertificate | None:
    peers = material.connections[0].peer_der if material.connections else ()
    try:
        return parse_leaf_der(peers[0]) if peers else None
    except VerifierError:
        return None


NAME = "tls.caa"
VALUE_CHARACTERS = 8_192
"""Longest judged value of a record. Real ones have some hundred; a bundle may hold more."""

_KEY = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
_VALUE = re.compile(r"[\x21-\x3a\x3c-\x7e]*")
"""Value of a parameter (RFC 8659 §4.2), printable, without blank and semicolon."""


def check_caa(answer: CaaRecords | Missing, account_uri: str | None, trust: Trust) -> Check:
    """Check that each issuing record names the attested account exactly, at its authority."""
    if trust.development_root is not None:
        return skipped(NAME, "DEV: no public authority issues for a development node")
    if isinstance(answer, Missing):
        return unknown(NAME, f"CAA could not be looked up: {answer.why}")
    if account_uri is None:
        return not_made(NAME, "evidence.account")
    evidence = {"found_at": answer.name, "dnssec": "authenticated" if answer.authenticated else "not authenticated"}
    # RFC 8659 §4.1: tags are case-insensitive. Without an `issue` property any authority may issue.
    if not any(record.tag.lower() == "issue" for record in answer.records):
        why = "no CAA record restricts who may issue certificates for the host: any authority may, after its own test"
        return unknown(NAME, why, "The operator can set CAA with accounturi.", **evidence)
    return _judged(answer.records, account_uri, evidence)


def _judged(records: tuple[CaaRecord, ...], account_uri: str, evidence: dict[str, str]) -> Check:
    problem = next(_problems(records, account_uri), "")
    if problem:
        return failed(NAME, problem, "Another party could obtain a certificate for the host.", **evidence)
    stranger = next(_strangers(records, account_uri), "")
    if stranger:
        why = f"{stranger!r} names the account of another authority, which it may not look at"
        return unknown(NAME, why, "Does that authority honour accounturi (RFC 8657)?", **evidence)
    return passed(NAME, **evidence, accounturi=account_uri)


def _problems(records: tuple[CaaRecord, ...], account_uri: str) -> Iterator[str]:
    for what, issuer, parameters in _permissions(records):
        # An authority may read what this program cannot.
        if parameters is None:
            yield f"the record {what!r} cannot be read"
        # RFC 8657 §3: an exact comparison. A record without the parameter lets every account issue.
        elif issuer and parameters.get("accounturi") != account_uri:
            yield f"the record {what!r} lets other accounts issue"
        # RFC 8657 §4: otherwise the host, which has the address, could pass another challenge.
        elif issuer and not parameters.get("validationmethods"):
            yield f"the record {what!r} allows every validation method"


def _strangers(records: tuple[CaaRecord, ...], account_uri: str) -> Iterator[str]:
    """Yields issuers that do not own the account. An authority ignores unknown parameters."""
    try:
        authority = urlsplit(account_uri).hostname or ""
    except ValueError:
        authority = ""
    for _, issuer, _ in _permissions(records):
        if issuer and authority != issuer and not authority.endswith(f".{issuer}"):
            yield issuer


def _permissions(records: tuple[CaaRecord, ...]) -> Iterator[tuple[str, str, Mapping[str, str] | None]]:
    """Yields each issuing record, its issuer in lower case (empty for none) and its parameters."""
    # Both tags, since for wildcard names `issuewild` replaces `issue` (RFC 8659 §4.3).
    for record in records:
        if record.tag.lower() in {"issue", "issuewild"}:
            yield f"{record.tag} {record.value[:100]}", *_parsed(record.value)


def _parsed(value: str) -> tuple[str, Mapping[str, str] | None]:
    """Returns the issuer and its parameters, None for ambiguous or repeated ones.

    Only lower-case names count, since authorities differ on `AccountURI` for `accounturi`.
    """
    # RFC 8659 §4.2: issuer-domain, then parameters after semicolons. An empty issuer forbids all.
    if len(value) > VALUE_CHARACTERS:
        return value[:VALUE_CHARACTERS], None
    issuer, *rest = value.split(";")
    parameters: dict[str, str] = {}
    for part in (piece.strip(" \t") for piece in rest):
        if not part:
            continue
        key, separator, content = part.partition("=")
        key, content = key.strip(" \t"), content.strip(" \t")
        # RFC 8659 does not say which of two equal parameters counts.
        if not separator or key in parameters or not _KEY.fullmatch(key) or not _VALUE.fullmatch(content):
            return issuer.strip(" \t").lower(), None
        parameters[key] = content
    return issuer.strip(" \t").lower(), parameters
