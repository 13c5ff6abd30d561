"""Statement that a fresh quote covers, with host, TLS keys, evidence and settings (pure).

It is RFC 8785 JSON, so that a verifier can build the same bytes. The report data of the quote is
their SHA-256, padded with zeros to 64 bytes. `purpose` keeps a quote from other uses.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

import rfc8785
from pydantic import JsonValue

from attest.errors import AttestError, AttestErrorCode
from attest.responses import REPORT_DATA_LENGTH_BYTES

LOCALHOST: Final = "localhost"
_AUTHORITY: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5})?)?")
_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)


def canonical_host(authority: str) -> str | None:
    """Returns the host of `host[:port]` in lower case; an address is in its shortest form.

    None for anything else, such as user information, a list, an address with a zone, or a name that
    is not in its ASCII form. Port and final dot are dropped.
    """
    found = _AUTHORITY.fullmatch(authority)
    # The whole header must be one authority, since proxies and servers read lists differently.
    if found is None or int(found["port"] or 0) > 65_535:
        return None
    host = found["host"].lower()
    try:
        return str(IPv6Address(host[1:-1]) if host.startswith("[") else ip_address(host))
    except ValueError:
        pass
    name = host.removesuffix(".")
    return name if _NAME.fullmatch(name) else None


def stated_host(domain: str, authority: str) -> str | None:
    """Returns the host that a statement for a request to `authority` names, or None.

    It must equal `domain`. A node called `localhost` (RFC 6761 §6.3) also states a loopback
    address, since a verifier compares the statement with the host it sent the request to.
    """
    host = canonical_host(authority)
    if host is None:
        return None
    # The domain is measured, the request is not. A quote that names another host would let an
    # impostor relay it.
    return host if host == domain or (domain == LOCALHOST and _is_loopback(host)) else None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


PURPOSE: Final = "svc.attestation.v1"
NONCE: Final = re.compile(r"[0-9a-fA-F]{64}")


def padded_sha256(data: bytes) -> bytes:
    """Returns report data of 64 bytes, SHA-256 and then zeros."""
    # Spec 12.2 and 12.3: a hash fills half of REPORTDATA; the rest is zero.
    return hashlib.sha256(data).digest().ljust(REPORT_DATA_LENGTH_BYTES, b"\0")


class CanonicalConfig:
    """Configuration of a node as RFC 8785 JSON, encoded once since it never changes."""

    def __init__(self, config: Mapping[str, JsonValue]) -> None:
        self.json: Final = rfc8785.dumps(dict(config))


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement. `nonce` is 64 hex digits as the client sent them; hashes are 32 bytes.

    `evidence_sha256` is the hash of the current set's `sha256sum.txt`, None without a set.
    `admin_payer` is the address of this enclave's key that the account contract must name. The node
    requests a quote over `report_data` and returns `text` beside it, to be hashed unchanged.
    """

    nonce: str
    host: str
    spki_sha256: Sequence[bytes]
    evidence_sha256: bytes | None
    config: CanonicalConfig
    admin_payer: str

    @property
    def text(self) -> str:
        """Returns the statement as RFC 8785 JSON. Raises AttestError(BAD_REQUEST)."""
        if not NONCE.fullmatch(self.nonce):
            raise AttestError(AttestErrorCode.BAD_REQUEST, "A nonce is 64 hex digits.")
        # The configuration is some 15 kB and constant, so it is encoded once.
        others = rfc8785.dumps(
            {
                "evidence_sha256": None if self.evidence_sha256 is None else self.evidence_sha256.hex(),
                "host": self.host,
                "nonce": self.nonce,
                "purpose": PURPOSE,
                # Sorted, so that the same certificates give the same bytes.
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
