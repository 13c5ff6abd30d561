"""Writes TDX quotes, version 4, for the simulated TD, signed by keys of its own that nobody else trusts."""

import datetime as dt
import hashlib
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

from attest.simulator.key_service import quoting_seed
from attest.simulator.measurements import Measurements

QE_VENDOR_ID: Final = bytes.fromhex("939a7233f79c4ca9940a0db3957f0607")
"""Intel's, as every quote says; parsers look for it."""

TEE_TCB_SVN: Final = bytes.fromhex("0b010400000000000000000000000000")
TD_ATTRIBUTES: Final = bytes.fromhex("0000001000000000")
"""SEPT_VE_DISABLE alone: no debugging, not migratable."""

XFAM: Final = bytes.fromhex("e702060000000000")
MEASUREMENT_LENGTH: Final = 48
QE_REPORT_LENGTH: Final = 384
QE_REPORT_DATA_OFFSET: Final = 320
QE_REPORT_CERTIFICATION: Final = 6
PEM_CHAIN_CERTIFICATION: Final = 5
CERTIFICATE_NAME: Final = "INSECURE svc development TEE simulator"
NOT_BEFORE: Final = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
NOT_AFTER: Final = dt.datetime(2049, 12, 31, tzinfo=dt.UTC)
"""Fixed, so that the simulator needs no clock."""


class QuoteWriter:
    """The quoting enclave of one simulator: an attestation key, and a self-signed key that certifies it."""

    __slots__ = ("_attestation_key", "_signature_tail", "_user_data")

    def __init__(self, seed: bytes) -> None:
        self._attestation_key = _p256_key(quoting_seed(seed, "attestation"))
        self._user_data = hashlib.sha256(quoting_seed(seed, "platform")).digest()[:16] + bytes(4)
        self._signature_tail = _certification(self._attestation_key, _p256_key(quoting_seed(seed, "certification")))

    def write(self, measurements: Measurements, report_data: bytes) -> bytes:
        """A quote over 64 bytes of `report_data`."""
        signed = self._header() + _td_report(measurements, report_data)
        public_key = _raw_public_key(self._attestation_key)
        signature = _raw_signature(self._attestation_key, signed) + public_key + self._signature_tail
        return signed + len(signature).to_bytes(4, "little") + signature

    def _header(self) -> bytes:
        version, ecdsa_p256, tdx = (4).to_bytes(2, "little"), (2).to_bytes(2, "little"), (0x81).to_bytes(4, "little")
        qe_svn, pce_svn = bytes(2), bytes(2)
        return version + ecdsa_p256 + tdx + qe_svn + pce_svn + QE_VENDOR_ID + self._user_data


def key_provider_id(seed: bytes) -> bytes:
    """The DER public key by which the simulated KMS is known in the log's key-provider event."""
    key = _p256_key(quoting_seed(seed, "key provider"))
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _td_report(measurements: Measurements, report_data: bytes) -> bytes:
    mr_seam = hashlib.sha384(b"svc development tdx module").digest()
    mr_signer_seam, seam_attributes = bytes(MEASUREMENT_LENGTH), bytes(8)
    mr_owner, mr_owner_config = bytes(MEASUREMENT_LENGTH), bytes(MEASUREMENT_LENGTH)
    module = TEE_TCB_SVN + mr_seam + mr_signer_seam + seam_attributes
    configuration = measurements.mr_config_id + mr_owner + mr_owner_config
    registers = b"".join(measurements.rtmrs)
    return module + TD_ATTRIBUTES + XFAM + measurements.mr_td + configuration + registers + report_data


def _certification(attestation_key: ec.EllipticCurvePrivateKey, certifying_key: ec.EllipticCurvePrivateKey) -> bytes:
    """What follows signature and key: the QE report that binds the attestation key, signed, and who certifies it."""
    auth_data = hashlib.sha256(b"svc development qe auth data").digest()
    bound = hashlib.sha256(_raw_public_key(attestation_key) + auth_data).digest() + bytes(32)
    qe_report = bytes(QE_REPORT_DATA_OFFSET) + bound
    chain = _self_signed_certificate(certifying_key)
    inner = (
        qe_report
        + _raw_signature(certifying_key, qe_report)
        + _sized(auth_data, 2)
        + PEM_CHAIN_CERTIFICATION.to_bytes(2, "little")
        + _sized(chain, 4)
    )
    return QE_REPORT_CERTIFICATION.to_bytes(2, "little") + _sized(inner, 4)


def _sized(data: bytes, width: int) -> bytes:
    return len(data).to_bytes(width, "little") + data


def _p256_key(seed: bytes) -> ec.EllipticCurvePrivateKey:
    # the order of P-256 is just below 2^256; taken modulo order minus one and plus one, any seed is a valid scalar
    order = ec.SECP256R1().group_order
    return ec.derive_private_key(int.from_bytes(seed) % (order - 1) + 1, ec.SECP256R1())


def _raw_public_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)[1:]


def _raw_signature(key: ec.EllipticCurvePrivateKey, message: bytes) -> bytes:
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(SHA256())))
    return r.to_bytes(32) + s.to_bytes(32)


def _self_signed_certificate(key: ec.EllipticCurvePrivateKey) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, CERTIFICATE_NAME)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, NOT_BEFORE, NOT_AFTER)
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)
