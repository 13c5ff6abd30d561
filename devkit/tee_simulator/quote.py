"""Writes TDX quotes of version 4 for the simulated TD, certified by its own authorities alone."""

import hashlib
from typing import Final

from devkit.tee_simulator.authorities import Authorities
from devkit.tee_simulator.measurements import Measurements
from devkit.tee_simulator.pck_extension import CPU_SVN
from devkit.tee_simulator.seed import raw_public_key, raw_signature, seeded_bytes, seeded_key

QE_VENDOR_ID: Final = bytes.fromhex("939a7233f79c4ca9940a0db3957f0607")
"""Intel's vendor id, which parsers require."""

TEE_TCB_SVN: Final = bytes.fromhex("0b010400000000000000000000000000")
"""Patch level of the TDX module with its ISV SVN, its version, and the late microcode's."""

TD_ATTRIBUTES: Final = 1 << 28
"""SEPT_VE_DISABLE alone, without debugging and migration."""

DEBUG: Final = 1
XFAM: Final = bytes.fromhex("e702060000000000")
MEASUREMENT_LENGTH: Final = 48
QE_REPORT_LENGTH: Final = 384
QE_MR_SIGNER: Final = hashlib.sha256(b"svc development quoting enclave signer").digest()
QE_ATTRIBUTES: Final = bytes.fromhex("1500000000000000e700000000000000")
"""Attributes of an enclave that is initialised, 64 bit, not debuggable, with provisioning key."""

QE_ISV_PROD_ID: Final = 2
QE_ISV_SVN: Final = 6
QE_REPORT_CERTIFICATION: Final = 6
PEM_CHAIN_CERTIFICATION: Final = 5


class QuoteWriter:
    """The simulator's quoting enclave, with an attestation key certified by the PCK key."""

    __slots__ = ("_attestation_key", "_signature_tail", "_td_attributes", "_user_data")

    def __init__(self, seed: bytes, authorities: Authorities, *, debug: bool = False) -> None:
        self._attestation_key = seeded_key(seed, "attestation")
        self._user_data = seeded_bytes(seed, "platform")[:16] + bytes(4)
        self._td_attributes = (TD_ATTRIBUTES | (DEBUG if debug else 0)).to_bytes(8, "little")
        self._signature_tail = self._certification(authorities)

    def write(self, measurements: Measurements, report_data: bytes) -> bytes:
        """Returns a quote over 64 bytes of `report_data`."""
        signed = self._header() + self._td_report(measurements, report_data)
        public_key = raw_public_key(self._attestation_key)
        signature = raw_signature(self._attestation_key, signed) + public_key + self._signature_tail
        return signed + _sized(signature, 4)

    def _header(self) -> bytes:
        # Quote version 4: attestation key type 2 is ECDSA over P-256, TEE type 0x81 is TDX.
        version, ecdsa_p256, tdx = (4).to_bytes(2, "little"), (2).to_bytes(2, "little"), (0x81).to_bytes(4, "little")
        qe_svn, pce_svn = bytes(2), bytes(2)
        return version + ecdsa_p256 + tdx + qe_svn + pce_svn + QE_VENDOR_ID + self._user_data

    def _td_report(self, measurements: Measurements, report_data: bytes) -> bytes:
        mr_seam = hashlib.sha384(b"svc development tdx module").digest()
        mr_signer_seam, seam_attributes = bytes(MEASUREMENT_LENGTH), bytes(8)
        mr_owner, mr_owner_config = bytes(MEASUREMENT_LENGTH), bytes(MEASUREMENT_LENGTH)
        module = TEE_TCB_SVN + mr_seam + mr_signer_seam + seam_attributes
        configuration = measurements.mr_config_id + mr_owner + mr_owner_config
        registers = b"".join(measurements.rtmrs)
        return module + self._td_attributes + XFAM + measurements.mr_td + configuration + registers + report_data

    def _certification(self, authorities: Authorities) -> bytes:
        """Returns the data after signature and key, the signed QE report and its certificates."""
        auth_data = hashlib.sha256(b"svc development qe auth data").digest()
        # SHA-256 of key and authentication data in the report data binds the attestation key.
        qe_report = _qe_report(hashlib.sha256(raw_public_key(self._attestation_key) + auth_data).digest())
        chain = authorities.pck.pem + authorities.pck_ca.pem + authorities.root.pem
        inner = (
            qe_report
            + raw_signature(authorities.pck.key, qe_report)
            + _sized(auth_data, 2)
            + PEM_CHAIN_CERTIFICATION.to_bytes(2, "little")
            + _sized(chain.encode(), 4)
        )
        return QE_REPORT_CERTIFICATION.to_bytes(2, "little") + _sized(inner, 4)


def _qe_report(bound: bytes) -> bytes:
    """Returns an SGX report body whose data starts with 32 bytes of `bound`."""
    mr_enclave = hashlib.sha256(b"svc development quoting enclave").digest()
    platform = CPU_SVN + bytes(4 + 28) + QE_ATTRIBUTES
    enclave = mr_enclave + bytes(32) + QE_MR_SIGNER + bytes(96)
    versions = QE_ISV_PROD_ID.to_bytes(2, "little") + QE_ISV_SVN.to_bytes(2, "little") + bytes(60)
    return (platform + enclave + versions + bound).ljust(QE_REPORT_LENGTH, b"\0")


def _sized(data: bytes, width: int) -> bytes:
    return len(data).to_bytes(width, "little") + data
