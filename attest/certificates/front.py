"""Which certificate a new connection gets: the served one, or the proof while the authority asks for it."""

import ssl

from attest.certificates.challenges import ACME_TLS, TlsAlpnSolver
from attest.certificates.client_hello import needed_bytes, offered_protocols
from attest.certificates.serving import ServedCertificate


class TlsFront:
    """Asked once for every connection. `proofs` is None where nobody uses tls-alpn-01."""

    def __init__(self, served: ServedCertificate, proofs: TlsAlpnSolver | None = None) -> None:
        self._served = served
        self._proofs = proofs

    @property
    def looking(self) -> bool:
        """Whether the first bytes of a connection decide: only while there is something to prove."""
        return self._proof is not None

    def needed_bytes(self, start: bytes) -> int | None:
        """How long the client's first message is, as far as its `start` tells; None when it is no TLS."""
        return needed_bytes(start)

    def context(self, first: bytes) -> ssl.SSLContext | None:
        """What to speak TLS with; None: there is no certificate yet."""
        if first and self._proof is not None and ACME_TLS.encode() in offered_protocols(first):
            return self._proof
        return self._served.context

    def is_proof(self, context: ssl.SSLContext) -> bool:
        """Whether `context` shows the proof, over which no request is made (RFC 8737, section 3)."""
        return context is self._proof

    @property
    def _proof(self) -> ssl.SSLContext | None:
        return None if self._proofs is None else self._proofs.context
