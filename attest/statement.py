"""What a fresh quote says: whose it is, through which keys, with which evidence and which settings (pure).

RFC 8785 JSON, so that anybody can build the same bytes; a quote's report data is their SHA-256, padded with zeros to 64
bytes. The purpose keeps a quote from meaning anything else (attestation.md section 1.4).
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import rfc8785
from pydantic import JsonValue

from attest.errors import AttestError, AttestErrorCode
from attest.quote_bytes import REPORT_DATA_LENGTH_BYTES

PURPOSE: Final = "svc.attestation.v1"
NONCE: Final = re.compile(r"[0-9a-fA-F]{64}")


def padded_sha256(data: bytes) -> bytes:
    """Report data of 64 bytes: SHA-256, then zeros."""
    return hashlib.sha256(data).digest().ljust(REPORT_DATA_LENGTH_BYTES, b"\0")


class CanonicalConfig:
    """The configuration of a node as RFC 8785 JSON, written once: it does not change while the node runs."""

    def __init__(self, config: Mapping[str, JsonValue]) -> None:
        self.json: Final = rfc8785.dumps(dict(config))


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `nonce` is 64 hex digits as the client sent them; hashes are 32 bytes.

    `evidence_sha256` is that of the current set's `sha256sum.txt`, None where there is no set. `admin_payer` is the
    address of the key of this enclave that the account contract must name as its admin payer. The node asks for a
    quote over `report_data` and hands out `text` beside it, to be hashed as it stands.
    """

    nonce: str
    host: str
    spki_sha256: Sequence[bytes]
    evidence_sha256: bytes | None
    config: CanonicalConfig
    admin_payer: str

    @property
    def text(self) -> str:
        """The statement's RFC 8785 JSON. Raises AttestError(BAD_REQUEST) for a nonce of another form."""
        if not NONCE.fullmatch(self.nonce):
            raise AttestError(AttestErrorCode.BAD_REQUEST, "A nonce is 64 hex digits.")
        others = rfc8785.dumps(
            {
                "evidence_sha256": None if self.evidence_sha256 is None else self.evidence_sha256.hex(),
                "host": self.host,
                "nonce": self.nonce,
                "purpose": PURPOSE,
                "spki_sha256": sorted(spki.hex() for spki in self.spki_sha256),
            }
        )
        # RFC 8785 sorts members: "admin_payer" and "config" come before all others.
        first = b'{"admin_payer":' + rfc8785.dumps(self.admin_payer) + b',"config":' + self.config.json
        return (first + b"," + others[1:]).decode()

    @staticmethod
    def report_data(text: str) -> bytes:
        """The 64 bytes that a quote of this statement is over."""
        return padded_sha256(text.encode())
