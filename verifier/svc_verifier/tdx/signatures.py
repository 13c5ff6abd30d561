"""Certificate chains and signatures, a quote's too, which do not depend on time or collateral."""

import hashlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.quote import Quote

_UNCOMPRESSED: Final = b"\x04"
"""Byte before x and y of a point (SEC 1, 2.3.3)."""


def is_issued_by(certificate: x509.Certificate, root_der: bytes) -> bool:
    """Whether a root itself issued a certificate, with no authority between."""
    return _holds(lambda: certificate.verify_directly_issued_by(x509.load_der_x509_certificate(root_der)))


def ends_in(chain: Sequence[x509.Certificate], root_der: bytes) -> bool:
    """Whether each certificate was issued by the next, and the last is the root's or by it."""
    issued = all(is_issued_by(one, next_one.public_bytes(Encoding.DER)) for one, next_one in pairwise(chain))
    return issued and (chain[-1].public_bytes(Encoding.DER) == root_der or is_issued_by(chain[-1], root_der))


def is_signed(data: bytes, signature: bytes, signer: x509.Certificate) -> bool:
    """Whether a certificate's key made a signature (ECDSA with SHA-256; r and s) over `data`."""
    return _holds(lambda: _verify(data, signature, signer.public_key()))


def quote_fault(quote: Quote, chain: Sequence[x509.Certificate], root_der: bytes) -> str:
    """Returns which of a quote's signatures, from the root down, does not hold; empty if all do.

    `chain` is of the certificates in the quote, leaf first. Collateral then still has to say what
    was revoked and whether Intel knows the signing enclave.
    """
    signature = quote.signature
    key_hash = hashlib.sha256(signature.attestation_public_key + signature.qe_auth_data).digest()
    if not ends_in(chain, root_der):
        return "the quote's certificates do not end in the pinned root"
    if not is_signed(signature.qe_report, signature.qe_report_signature, chain[0]):
        return "the report of the quoting enclave is not signed by the quote's certificate"
    if not signature.qe_report_data.startswith(key_hash):
        return "the quoting enclave does not vouch for the key that signed the quote"
    if not _holds(lambda: _verify(quote.signed_bytes, signature.signature, _point(signature.attestation_public_key))):
        return "the TD report is not signed by the quote's key"
    return ""


def _point(public_key: bytes) -> EllipticCurvePublicKey:
    return EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _UNCOMPRESSED + public_key)


def _verify(data: bytes, signature: bytes, key: object) -> None:
    """Raises any error if the signature does not hold."""
    if not isinstance(key, EllipticCurvePublicKey):
        raise TypeError("a key of another kind")
    half = len(signature) // 2
    r, s = (int.from_bytes(part, "big") for part in (signature[:half], signature[half:]))
    key.verify(encode_dss_signature(r, s), data, ECDSA(SHA256()))


def _holds(verify: Callable[[], None]) -> bool:
    try:
        guarded(VerifierErrorCode.BAD_SIGNATURE, lambda _: "", verify)
    except VerifierError:
        return False
    return True
