"""DCAP verification of a quote by dcap-qvl, under the pinned root."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, TypeVar

import dcap_qvl
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.material import Platform

Result = TypeVar("Result")
INTEL_SGX_ROOT_CA_SHA256: Final = bytes.fromhex("44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3")
"""Hash of the DER of "Intel SGX Root CA", valid until 2049, as Intel's service distributes it."""


@cache
def intel_root() -> bytes:
    """Returns the DER certificate. Raises VerifierError(BAD_ROOT) for a changed file."""
    pem = resources.files("svc_verifier").joinpath("intel_sgx_root_ca.pem").read_bytes()
    der = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
    # Compared with a constant, so that a changed package file cannot become the root of trust.
    if hashlib.sha256(der).digest() != INTEL_SGX_ROOT_CA_SHA256:
        raise VerifierError(VerifierErrorCode.BAD_ROOT, "the package's root certificate is not Intel's: reinstall it")
    return der


MESSAGE_CHARACTERS: Final = 300
"""Characters of an error. A cut is marked, since quoted bytes must not choose its end."""


@dataclass(frozen=True, slots=True)
class TcbStatement:
    """Status that Intel gives to a TCB, and the advisories to which it is open."""

    status: str
    advisories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TcbVerdict(TcbStatement):
    """Result of dcap-qvl for a platform whose signatures hold, by the TCB at launch (TEE_TCB_SVN).

    `running` is of the present TCB (TEE_TCB_SVN_2 of TD report 1.5) after updates that preserve
    TDs; None for an older report. `quoting_enclave` is the status of the enclave that signed the
    quote if the library ignores it; else empty.
    """

    running: TcbStatement | None = None
    quoting_enclave: str = ""


def platform_of(quote: bytes) -> Platform:
    """Returns the platform of a quote. Raises VerifierError(BAD_PCK)."""
    return _guarded(VerifierErrorCode.BAD_PCK, lambda: _platform(quote))


def verify_quote(quote: bytes, collateral: str, root_der: bytes, now_s: int) -> TcbVerdict:
    """Verify a quote with collateral under a root. Raises VerifierError(BAD_SIGNATURE)."""
    return _guarded(VerifierErrorCode.BAD_SIGNATURE, lambda: _verify(quote, collateral, root_der, now_s))


def _platform(quote: bytes) -> Platform:
    parsed = dcap_qvl.parse_quote(quote)
    extension = parsed.pck_extension()
    chain = parsed.cert_chain_pem_bytes()
    if chain is None:
        raise ValueError("no PCK certificate chain")
    if extension is None:
        # The library says nothing of a chain that it cannot read.
        parse_chain(bytes(chain), "the quote's PCK chain", VerifierErrorCode.BAD_PCK)
        raise VerifierError(VerifierErrorCode.BAD_PCK, "the quote's PCK certificate names no platform")
    return Platform(
        str(parsed.fmspc()).upper(), str(parsed.ca()), bytes(extension.ppid), bytes(extension.pce_id), bytes(chain)
    )


_UP_TO_DATE: Final = "UpToDate"
_COUNTED_IN: Final = frozenset({_UP_TO_DATE, "OutOfDate", "Revoked"})
"""Statuses of the quoting enclave that dcap-qvl 0.7 lets worsen the platform's. It drops others."""


def _verify(quote: bytes, collateral: str, root_der: bytes, now_s: int) -> TcbVerdict:
    read = dcap_qvl.QuoteCollateralV3.from_json(collateral)
    # `now_s` is the material's time, so that a bundle gives the same result later (spec 13.1).
    report = dcap_qvl.verify_with_root_ca(quote, read, root_der, now_s)
    policy = dcap_qvl.QuotePolicy.claims_only(now_s)
    verified = dcap_qvl.QuoteVerifier(root_der).verify_with_policy(quote, read, now_s, policy)
    claims = json.loads(verified.to_json())
    # The library's status is of the launch alone. Its claims, for Intel's appraisal, have both.
    level = claims["platform"].get("current_tcb_level")
    running = TcbStatement(str(level["tcbStatus"]), tuple(map(str, level["advisoryIDs"]))) if level else None
    enclave = str(claims["qe"]["tcb_level"]["tcbStatus"])
    enclave = "" if enclave in _COUNTED_IN else enclave
    # The status of the signing enclave counts if nothing else is amiss.
    status = enclave if enclave and str(report.status) == _UP_TO_DATE else str(report.status)
    return TcbVerdict(status, tuple(map(str, report.advisory_ids)), running, enclave)


def _guarded(code: VerifierErrorCode, work: Callable[[], Result]) -> Result:
    return guarded(code, _described, work)


def _described(error: BaseException) -> str:
    # One line, since untrusted bytes in a message must not forge further lines of a report.
    message = " ".join(str(error).split())
    message = message if len(message) <= MESSAGE_CHARACTERS else f"{message[:MESSAGE_CHARACTERS]}…"
    return f"dcap-qvl: {message or type(error).__name__}"
