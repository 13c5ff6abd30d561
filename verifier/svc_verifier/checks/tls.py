"""TLS: the certificate of this very connection, attested and valid for the host (attestation.md, 2.1 F; holes 4 and 5)."""

from svc_verifier.catalogue import failed, not_made, passed, skipped
from svc_verifier.check import Check
from svc_verifier.errors import VerifierError
from svc_verifier.formats.certificate import LeafCertificate, parse_leaf_der
from svc_verifier.material import Answer, Material, Missing
from svc_verifier.trust import Trust
from svc_verifier.verified import EvidenceSet


def connection_leaf(material: Material) -> LeafCertificate | None:
    """The leaf of the connection that carried the attestation; None when there was none."""
    attestation = material.attestation
    if not isinstance(attestation, Answer) or not 0 <= attestation.connection < len(material.connections):
        return None
    peers = material.connections[attestation.connection].peer_der
    try:
        return parse_leaf_der(peers[0]) if peers else None
    except VerifierError:
        return None


def check_tls(material: Material, evidence: EvidenceSet | None, trust: Trust) -> tuple[Check, ...]:
    """The three checks of the connection; CAA is `svc_verifier.checks.caa`."""
    leaf = connection_leaf(material)
    if leaf is None:
        names = ("tls.certificate", "tls.connection", "tls.web-pki")
        why = "no TLS connection carried the attestation"
        if isinstance(material.attestation, Answer):
            return tuple(failed(name, why, "Ask for the host by https.") for name in names)
        return tuple(not_made(name, "hardware.quote") for name in names)
    return _certificate(leaf, evidence), _connection(material, leaf, trust), _web_pki(material, trust)


def _certificate(leaf: LeafCertificate, evidence: EvidenceSet | None) -> Check:
    if evidence is None:
        return not_made("tls.certificate", "evidence.quote", spki=leaf.spki_sha256.hex())
    if leaf.der not in evidence.leaves:
        why = "the evidence set does not list the certificate of this connection"
        return failed("tls.certificate", why, "Somebody may sit between you and the node.", spki=leaf.spki_sha256.hex())
    return passed("tls.certificate", spki_sha256=leaf.spki_sha256.hex())


def _connection(material: Material, leaf: LeafCertificate, trust: Trust) -> Check:
    """Everything fetched from the host came over connections of one and the same certificate."""
    answers = [material.attestation, material.info]
    answers += [] if isinstance(material.evidences, Missing) else list(material.evidences.values())
    if material.host != trust.host:
        return failed("tls.connection", f"this was a look at {material.host}, not at {trust.host}")
    used = {answer.connection for answer in answers if isinstance(answer, Answer)}
    for number in sorted(used):
        peers = material.connections[number].peer_der if 0 <= number < len(material.connections) else ()
        if not peers or peers[0] != leaf.der:
            return failed("tls.connection", f"connection {number} showed another certificate than the attestation's")
    return passed("tls.connection", connections=str(len(used)))


def _web_pki(material: Material, trust: Trust) -> Check:
    if trust.development_root is not None:
        return skipped("tls.web-pki", "DEV: a development node has no Web PKI certificate")
    attestation = material.attestation
    reason = (
        material.connections[attestation.connection].web_pki if isinstance(attestation, Answer) else "no connection"
    )
    if reason:
        return failed("tls.web-pki", f"the certificate is not valid for {material.host}: {reason}")
    return passed("tls.web-pki", host=material.host)
