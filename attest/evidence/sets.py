"""One evidence set, whole and unchanging (pure)."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from attest.answers import Quote
from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode

ACCOUNT_FILE: Final = "acme-account.json"
SUMS_FILE: Final = "sha256sum.txt"
QUOTE_FILE: Final = "quote.json"
CERTIFICATE_FILE: Final = re.compile(r"cert-(\*\.)?[a-z0-9_][a-z0-9._:-]{0,252}\.pem")
"""A wildcard's asterisk stands as it is."""


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """Files by name, as they are served. `name` is the SHA-256 of `sha256sum.txt`, hex: where the set stays readable.

    `etag` changes with any byte of any file: two sets of the same certificates differ by their quotes.
    `made_at_s` is unix seconds.
    """

    name: str
    etag: str
    files: Mapping[str, bytes]
    made_at_s: float

    @property
    def sums_sha256(self) -> bytes:
        """What the set's quote is over, and what a statement names: 32 bytes."""
        return bytes.fromhex(self.name)


def evidence_set(files: Mapping[str, bytes], made_at_s: float) -> EvidenceSet:
    """The set of these files, `sha256sum.txt` among them."""
    ordered = dict(sorted(files.items()))
    whole = hashlib.sha256()
    for name, content in ordered.items():
        whole.update(f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode())
    return EvidenceSet(hashlib.sha256(files[SUMS_FILE]).hexdigest(), whole.hexdigest(), ordered, made_at_s)


def certificate_files(certificates: Sequence[Certificate]) -> Mapping[str, bytes]:
    """The chains by file name. Raises AttestError(BAD_REQUEST) for none, a domain that is no name, or one given twice."""
    files: dict[str, bytes] = {}
    for certificate in certificates:
        name = f"cert-{certificate.domain.lower()}.pem"
        if not CERTIFICATE_FILE.fullmatch(name) or name in files:
            raise AttestError(AttestErrorCode.BAD_REQUEST, "Evidence needs one certificate for each domain's name.")
        files[name] = certificate.chain_pem
    if not files:
        raise AttestError(AttestErrorCode.BAD_REQUEST, "Evidence needs a certificate.")
    return files


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """`sha256sum.txt` of these files, as `sha256sum` writes it."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def quote_file(quote: Quote) -> bytes:
    """`quote.json`: the answer of GetQuote."""
    answer = {
        "quote": quote.quote.hex(),
        "event_log": quote.event_log,
        "report_data": quote.report_data.hex(),
        "vm_config": quote.vm_config,
    }
    return json.dumps(answer, separators=(",", ":")).encode()
