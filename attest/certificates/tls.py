"""TLS as the node speaks it: 1.3 alone, no resumption, the private key given to OpenSSL through memory.

TLS 1.3 has AEAD suites and ephemeral keys only, and every handshake shows the certificate: without tickets no client
resumes a session that began under an earlier one, so what a connection saw is what the evidence describes.
"""

import os
import ssl
from collections.abc import Sequence
from typing import Final

from attest.certificates.credentials import Credentials
from attest.errors import AttestError, AttestErrorCode

HTTP_PROTOCOLS: Final = ("http/1.1",)


def server_context(credentials: Credentials, protocols: Sequence[str] = HTTP_PROTOCOLS) -> ssl.SSLContext:
    """A context that serves `credentials` to who speaks one of `protocols` (ALPN). Raises AttestError(CERTIFICATE)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0
    context.set_alpn_protocols(list(protocols))
    _load(context, credentials.certificate.chain_pem, credentials.key.pem())
    return context


def _load(context: ssl.SSLContext, chain_pem: bytes, key_pem: bytes) -> None:
    """`load_cert_chain` reads files alone: this one has no name and never was on a disk (memfd_create(2))."""
    descriptor = os.memfd_create("tls", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(key_pem + chain_pem)
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    except (ssl.SSLError, OSError) as error:
        why = f"TLS does not take the certificate ({type(error).__name__})."
        raise AttestError(AttestErrorCode.CERTIFICATE, why) from None
    finally:
        os.close(descriptor)
