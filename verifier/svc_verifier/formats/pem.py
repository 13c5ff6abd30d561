"""Certificate chains in PEM, read strictly: blocks of certificates and nothing else.

PEM readers differ in what they skip: one takes any block as a certificate, another looks for the first that says so. Two
readers of one text would then see two signers, so here a text that leaves room for that is refused.
"""

import re
from typing import Final

from cryptography import x509

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.foreign import guarded

LIMIT_BYTES: Final = 131_072
_BEGIN: Final = b"-----BEGIN CERTIFICATE-----"
_END: Final = b"-----END CERTIFICATE-----"
_BODY: Final = re.compile(rb"[A-Za-z0-9+/=\r\n]+")


def parse_chain(pem: bytes, what: str, code: VerifierErrorCode) -> tuple[x509.Certificate, ...]:
    """The certificates, leaf first; zero bytes at the end are a C string's. Raises VerifierError(TOO_LARGE, `code`)."""
    if len(pem) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {LIMIT_BYTES} bytes")
    head, *blocks = pem.rstrip(b"\0").split(_BEGIN)
    if head.strip() or not blocks:
        raise VerifierError(code, f"{what}: is no chain of PEM certificates")
    for block in blocks:
        body, end, rest = block.partition(_END)
        if not end or rest.strip() or not _BODY.fullmatch(body):
            raise VerifierError(code, f"{what}: holds something else than certificates")
    return guarded(
        code,
        lambda _: f"{what}: holds a block that is no certificate",
        lambda: tuple(_certificate(_BEGIN + block) for block in blocks),
    )


def _certificate(block: bytes) -> x509.Certificate:
    """With a subject that can be read: the library looks at it when it is asked for."""
    certificate = x509.load_pem_x509_certificate(block)
    list(certificate.subject)
    return certificate
