"""Statement that a fresh quote covers: host, TLS keys, evidence, settings and admin payer of the node (pure).

The statement is RFC 8785 JSON, so that a verifier can build the same bytes. The report data of the quote is their
SHA-256, padded with zeros to 64 bytes. `purpose` keeps a quote from being read as anything else.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import rfc8785
from pydantic import JsonValue

from attest.errors import AttestError, AttestErrorCode
from attest.responses import REPORT_DATA_LENGTH_BYTES

PURPOSE: Final = "svc.attestation.v1"
NONCE: Final = re.compile(r"[0-9a-fA-F]{64}")


def padded_sha256(data: bytes) -> bytes:
    """Returns report data of 64 bytes: SHA-256, then zeros."""
    return hashlib.sha256(data).digest().ljust(REPORT_DATA_LENGTH_BYTES, b"\0")


class CanonicalConfig:
    """Configuration of a node as RFC 8785 JSON, encoded once: it does not change while the node runs."""

    def __init__(self, config: Mapping[str, JsonValue]) -> None:
        self.json: Final = rfc8785.dumps(dict(config))


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement. `nonce` is 64 hex digits as the client sent them; hashes are 32 bytes.

    `evidence_sha256` is the hash of the current set's `sha256sum.txt`, None without a set. `admin_payer` is the address
    of this enclave's key that the account contract must name as its admin payer. The node requests a quote over
    `report_data` and returns `text` beside it, to be hashed unchanged.
    """

    nonce: str
    host: str
    spki_sha256: Sequence[bytes]
    evidence_sha256: bytes | None
    config: CanonicalConfig
    admin_payer: str

    @property
    def text(self) -> str:
        """Returns the statement as RFC 8785 JSON. Raises AttestError(BAD_REQUEST) for a nonce of another form."""
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
        """Returns the 64 bytes that a quote of this statement covers."""
        return padded_sha256(text.encode())
