"""TDX hardware: Intel's root, TD attributes and DCAP verification of a quote."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, TypeVar

import dcap_qvl
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.quote import TdReport

INTEL_SGX_ROOT_CA_SHA256: Final = bytes.fromhex("44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3")
"""Of the DER of "Intel SGX Root CA", valid until 2049, as Intel's provisioning service distributes it."""


@cache
def intel_root() -> bytes:
    """The DER certificate. Raises VerifierError(BAD_ROOT) when the package's file is not it."""
    pem = resources.files("svc_verifier.hardware").joinpath("intel_sgx_root_ca.pem").read_bytes()
    der = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
    if hashlib.sha256(der).digest() != INTEL_SGX_ROOT_CA_SHA256:
        raise VerifierError(VerifierErrorCode.BAD_ROOT, "the package's root certificate is not Intel's: reinstall it")
    return der


TUD_MASK: Final = 0xFF
"""Bits 7:0, "TD under debug": debug, profiling and reserved ones."""

DEBUG: Final = 1 << 0
SEPT_VE_DISABLE: Final = 1 << 28
MIGRATABLE: Final = 1 << 29


def td_problems(report: TdReport) -> Iterator[str]:
    """Return a line for each reason not to trust a TD's isolation."""
    attributes = int.from_bytes(report.td_attributes, "little")
    if attributes & DEBUG:
        yield "the TD is in debug mode: the host reads its memory"
    elif attributes & TUD_MASK:
        yield f"the TD is under debug or profiling (attributes {report.td_attributes.hex()})"
    if attributes & MIGRATABLE:
        yield "the TD is migratable"
    if not attributes & SEPT_VE_DISABLE:
        yield "SEPT_VE_DISABLE is not set: the host can disturb the TD's memory"
    if any(report.mr_signer_seam):
        yield "the TDX module was not signed by Intel (MRSIGNERSEAM is set)"
    if any(report.mr_service_td or b""):
        yield "a service TD is bound to it"
    if report.extension is not None and any(report.extension.launch_service_td_hash):
        yield "a service TD was bound to it at launch"
    if report.extension is not None and any(report.extension.current_service_td_hash):
        yield "a service TD is bound to it now"


Result = TypeVar("Result")
MESSAGE_CHARACTERS: Final = 300
"""Of an error, which may quote what a stranger sent: a cut is marked, so that nobody chooses how a message ends."""


@dataclass(frozen=True, slots=True)
class Platform:
    """Platform of a quote by its PCK certificate: FMSPC in upper-case hex, the CA's name, the 16-byte PPID, the PEM chain."""

    fmspc: str
    ca: str
    ppid: bytes
    chain_pem: bytes


@dataclass(frozen=True, slots=True)
class TcbVerdict:
    """Result of dcap-qvl for a platform whose signatures hold."""

    status: str
    advisories: tuple[str, ...]


def platform_of(quote: bytes) -> Platform:
    """Raises VerifierError(BAD_PCK)."""
    return _guarded(VerifierErrorCode.BAD_PCK, lambda: _platform(quote))


def verify_quote(quote: bytes, collateral: str, root_der: bytes, now_s: int) -> TcbVerdict:
    """Verify a quote with collateral (dcap-qvl's JSON) under a root at a time. Raises VerifierError(BAD_SIGNATURE)."""
    return _guarded(VerifierErrorCode.BAD_SIGNATURE, lambda: _verify(quote, collateral, root_der, now_s))


def _platform(quote: bytes) -> Platform:
    parsed = dcap_qvl.parse_quote(quote)
    extension = parsed.pck_extension()
    chain = parsed.cert_chain_pem_bytes()
    if extension is None or chain is None:
        raise ValueError("no PCK certificate chain")
    return Platform(str(parsed.fmspc()).upper(), str(parsed.ca()), bytes(extension.ppid), bytes(chain))


def _verify(quote: bytes, collateral: str, root_der: bytes, now_s: int) -> TcbVerdict:
    read = dcap_qvl.QuoteCollateralV3.from_json(collateral)
    report = dcap_qvl.verify_with_root_ca(quote, read, root_der, now_s)
    return TcbVerdict(str(report.status), tuple(map(str, report.advisory_ids)))


def _guarded(code: VerifierErrorCode, work: Callable[[], Result]) -> Result:
    return guarded(code, _described, work)


def _described(error: BaseException) -> str:
    message = " ".join(str(error).split())
    message = message if len(message) <= MESSAGE_CHARACTERS else f"{message[:MESSAGE_CHARACTERS]}…"
    return f"dcap-qvl: {message or type(error).__name__}"
