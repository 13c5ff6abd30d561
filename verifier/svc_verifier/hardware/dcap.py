"""dcap-qvl behind one door: whatever it raises, a panic included, leaves as a VerifierError."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import dcap_qvl

from svc_verifier.errors import VerifierErrorCode
from svc_verifier.foreign import guarded

Result = TypeVar("Result")
MESSAGE_CHARACTERS: Final = 300
"""Of an error, which may quote what a stranger sent: a cut is marked, so that nobody chooses how a message ends."""


@dataclass(frozen=True, slots=True)
class Platform:
    """What a quote's PCK certificate says: FMSPC in upper-case hex, the CA's name, the 16-byte PPID, the PEM chain."""

    fmspc: str
    ca: str
    ppid: bytes
    chain_pem: bytes


@dataclass(frozen=True, slots=True)
class TcbVerdict:
    """What dcap-qvl says of a platform whose signatures hold."""

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
