"""Settings of the TEE platform, TLS and attestation."""

from typing import Literal

from pydantic import SecretStr, field_validator

from attest.hosts import canonical_host
from node.settings.field import MIB, Section
from node.settings.field import of as _of


class GuestAgentSettings(Section):
    """The dstack guest agent and the root key its answers must lead to."""

    guest_agent: str = _of("/var/run/dstack.sock", "dstack guest agent: path of its unix socket, or URL")
    kms_root_public_key: str = _of(
        "",
        "33-byte compressed public key, hex, that the guest agent's key chain must end in",
        pattern="^([0-9a-f]{66})?$",
    )
    guest_agent_connect_timeout_s: float = _of(2.0, "connecting to the guest agent", gt=0)
    guest_agent_call_timeout_s: float = _of(10.0, "one call of the guest agent but GetQuote", gt=0)
    guest_agent_quote_timeout_s: float = _of(30.0, "GetQuote, waiting for its turn included", gt=0)
    guest_agent_response_bytes: int = _of(4 * MIB, "largest answer of the guest agent that is read", ge=1024)
    guest_agent_retry_attempts: int = _of(3, "attempts of one call whose connection breaks, the first included", ge=1)
    guest_agent_retry_delay_s: float = _of(
        0.05, "longest pause before the second; doubled, and a random share of it is taken", ge=0
    )
    guest_agent_retry_budget: int = _of(10, "repetitions in a row for all calls together", ge=0)
    guest_agent_retry_budget_per_call: float = _of(0.1, "what a call that is answered gives back of it", ge=0)
    quote_places: int = _of(16, "callers waiting behind the quote that is being made; more are 503", ge=0)
    quote_turn_timeout_s: float = _of(20.0, "longest a caller waits for its turn; then 503", gt=0)


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


class CertificateSettings(Section):
    """The certificate of the HTTPS listener."""

    certificate_mode: Literal["", "acme", "files", "self-signed"] = _of(
        "",
        "where the certificate of `domain` comes from; then the API is on https_port alone. `self-signed` is insecure; "
        "empty: no TLS here",
    )
    certificate_chain_file: str = _of("", "`files`: PEM file of the chain, leaf first")
    certificate_key_file: str = _of("", "`files`: PEM file of its private key, unencrypted")
    certificate_files_poll_s: float = _of(5.0, "how often these files are looked at", gt=0)
    certificate_files_max_bytes: int = _of(256 * 1024, "largest of them that is read", ge=1024)
    certificate_self_signed_life_s: float = _of(90 * 86_400.0, "life of a self-signed certificate", ge=60)
    certificate_first_wait_s: float = _of(
        10.0, "how long a start waits for the first certificate; then the node is up, and HTTPS follows", ge=0
    )
    certificate_renew_at_fraction: float = _of(2 / 3, "of its life: then the next one is asked for", gt=0, lt=1)
    certificate_renew_jitter_fraction: float = _of(
        0.05, "of its life: at most so much earlier, at random", ge=0, le=0.3
    )
    certificate_retry_min_s: float = _of(120.0, "pause after a failed attempt, doubled each time", gt=0)
    certificate_retry_max_s: float = _of(3600.0, "longest such pause", gt=0)
    certificate_retry_after_max_s: float = _of(86_400.0, "longest pause a certificate authority may ask for", ge=0)
    certificate_look_again_s: float = _of(3600.0, "how often the clock is looked at until a renewal is due", gt=0)


class AcmeSettings(Section):
    """Certificates from an ACME authority (RFC 8555)."""

    acme_directory_url: str = _of(
        "https://acme-v02.api.letsencrypt.org/directory",
        "`acme`: directory of the certificate authority",
        pattern="^https://",
    )
    acme_contact: tuple[str, ...] = _of((), "e-mail addresses the authority may write to")
    acme_ca_file: str = _of("", "PEM roots that vouch for a private authority; empty: the public ones")
    acme_challenges: tuple[Literal["tls-alpn-01", "http-01", "dns-01"], ...] = _of(
        ("tls-alpn-01", "http-01"),
        "proofs in the order they are tried; tls-alpn-01 needs one instance behind the name, the others do not",
        min_length=1,
    )
    acme_dns_hook: tuple[str, ...] = _of(
        (), "`dns-01`: command that is called with `present` or `cleanup`, the record's name and its value"
    )
    acme_dns_credential: SecretStr = _of(
        SecretStr(""), "handed to that command alone, as the variable ACME_DNS_CREDENTIAL; empty: none"
    )
    acme_dns_hook_timeout_s: float = _of(60.0, "one call of it; then it is killed", gt=0)
    acme_dns_propagation_s: float = _of(30.0, "how long the world may take to see the record", ge=0)
    acme_request_timeout_s: float = _of(30.0, "one exchange with the authority", gt=0)
    acme_response_bytes: int = _of(MIB, "largest answer of it that is read", ge=1024)
    acme_nonce_retries: int = _of(10, "how often a request is repeated whose nonce was refused", ge=1)
    acme_poll_s: float = _of(1.0, "pause between looks at an order", gt=0)
    acme_order_timeout_s: float = _of(300.0, "from the order to the certificate", gt=0)


class AttestationSettings(Section):
    """What the node publishes about itself, and its rate limits."""

    domain: str = _of(
        "",
        "name under which clients reach this node, lower case without a port: the host of its statements; "
        "empty: it makes none",
    )
    attestation_quote_max_age_s: float = _of(60.0, "how long /attestation tells the same quote without a nonce", ge=0)
    attestation_info_max_age_s: float = _of(10.0, "the same of /info", ge=0)
    attestation_rest_s: float = _of(1.0, "how long the platform is left alone after it refused", ge=0)
    attestation_waiting: int = _of(64, "callers that wait for one such answer; more are 503", ge=1)
    attestation_nonces_per_minute_per_address: int = _of(
        30, "/attestation with a nonce, by client address (IPv4, IPv6 /64); more are 429", ge=1
    )
    attestation_max_tracked_addresses: int = _of(100_000, "addresses whose counters of it are kept in memory", ge=1)

    @field_validator("domain")
    @classmethod
    def _canonical(cls, value: str) -> str:
        """Written one way only: it is compared with what requests name, and hashed."""
        if value and canonical_host(value) != value:
            raise ValueError("is no host name in lower case, without port and final dot")
        return value


class EvidenceSettings(Section):
    """The evidence files the node publishes."""

    evidence_folder: str = _of(
        "", "folder of a sidecar that holds the certificate and makes the evidence; empty: the node makes its own"
    )
    evidence_retry_min_s: float = _of(1.0, "pause after evidence could not be had, doubled each time", gt=0)
    evidence_retry_max_s: float = _of(60.0, "longest such pause", gt=0)
    evidence_previous_sets: int = _of(3, "evidence sets before the current one that stay readable", ge=1)
    evidence_folder_file_bytes: int = _of(MIB, "largest file taken from evidence_folder", ge=1024)
    evidence_folder_files: int = _of(64, "most files taken from it", ge=4)
    evidence_folder_poll_s: float = _of(5.0, "how often it is looked at", gt=0)
