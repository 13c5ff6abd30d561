"""What files alone cannot show: who is at the other end of a connection, and that any of it is of now.

These checks stay undecided whatever the files say, so an import never ends in acceptance. A certificate that was brought
beside the quote is compared with what the quote or the evidence set says of it, and the finding is shown.
"""

import hashlib
from collections.abc import Callable
from typing import Final

from svc_verifier.catalogue import unknown
from svc_verifier.check import Check
from svc_verifier.errors import VerifierError
from svc_verifier.formats.certificate import LeafCertificate, parse_leaf_der
from svc_verifier.material import Material
from svc_verifier.verified import EvidenceSet, VerifiedQuote

FIX: Final = "Verify the host itself: `svc-verify https://HOST`."
BINDINGS: Final[tuple[tuple[str, Callable[[LeafCertificate], bytes]], ...]] = (
    ("sha512 of 'ratls-cert:' and its key", lambda leaf: hashlib.sha512(b"ratls-cert:" + leaf.spki).digest()),
    ("sha256 of its key", lambda leaf: leaf.spki_sha256),
    ("sha256 of the certificate", lambda leaf: hashlib.sha256(leaf.der).digest()),
)
"""How known projects put a certificate into a quote's report data: all of it, or its first 32 bytes."""


def imported_connection(
    material: Material, verified: VerifiedQuote | None, evidence: EvidenceSet | None
) -> tuple[Check, ...]:
    """The checks of the connection and its certificate; all are unknown."""
    connection = "no connection was seen: this was read from files"
    return (
        unknown("tls.certificate", _certificate(material, verified, evidence), FIX),
        unknown("tls.connection", connection, FIX),
        unknown("tls.web-pki", connection, FIX),
    )


def imported_freshness() -> tuple[Check, ...]:
    """The checks of the freshness; all are unknown."""
    return (
        unknown("freshness.statement", "nothing tells when the quote was made: this was read from files", FIX),
        unknown("freshness.evidence", "nothing tells that the evidence set is still published", FIX),
    )


def _certificate(material: Material, verified: VerifiedQuote | None, evidence: EvidenceSet | None) -> str:
    """Describe what is known of a certificate that was brought."""
    leaf = _leaf(material)
    if leaf is None:
        return "no certificate of a connection was seen"
    if evidence is not None and leaf.der in evidence.leaves:
        return "the evidence set lists the certificate that was brought; that a host shows it was not seen"
    if verified is None:
        return "a certificate was brought, but no genuine quote that could name it"
    report_data = verified.quote.report.report_data
    for form, bound in BINDINGS:
        if report_data.startswith(bound(leaf)):
            return f"the quote names the certificate that was brought ({form}); that a host shows it was not seen"
    return "nothing in the quote or an evidence set names the certificate that was brought"


def _leaf(material: Material) -> LeafCertificate | None:
    peers = material.connections[0].peer_der if material.connections else ()
    try:
        return parse_leaf_der(peers[0]) if peers else None
    except VerifierError:
        return None
