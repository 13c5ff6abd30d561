"""Settings of the HTTPS listener and of attestation; attest/settings.py has those of platform and certificates."""

from pydantic import field_validator

from attest.statement import canonical_host
from node.settings.field import Section
from node.settings.field import of as _of


class TlsSettings(Section):
    """The HTTPS listener."""

    https_host: str = _of("127.0.0.1", "address the API listens on with TLS")
    https_port: int = _of(8443, "its port; 0 takes a free one", ge=0, le=65535)
    https_public_port: int = _of(443, "port under which clients reach https_port", ge=1, le=65535)
    https_max_handshakes: int = _of(
        1024,
        "handshakes under way (on the HTTP port: PROXY headers), at most half of them with one address; further "
        "connections are closed",
        ge=2,
    )


class AttestationSettings(Section):
    """Quotes, statements and evidence files that the node publishes."""

    domain: str = _of(
        "",
        "name under which clients reach this node, lower case without a port: the host of its statements; "
        "empty: it makes none",
    )
    attestation_quote_max_age_s: float = _of(60.0, "how long /attestation tells the same quote without a nonce", ge=0)
    attestation_nonces_per_minute_per_address: int = _of(
        30, "/attestation with a nonce, by client address (IPv4, IPv6 /64); more are 429", ge=1
    )
    evidence_folder: str = _of(
        "", "folder of a sidecar that holds the certificate and makes the evidence; empty: the node makes its own"
    )

    @field_validator("domain")
    @classmethod
    def _canonical(cls, value: str) -> str:
        """Require the canonical spelling: requests are compared with it, and statements hash it."""
        if value and canonical_host(value) != value:
            raise ValueError("is no host name in lower case, without port and final dot")
        return value
