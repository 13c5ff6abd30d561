"""Settings of HTTP: addresses and TLS, the name in statements, and limits of requests."""

from ipaddress import ip_network
from pathlib import Path
from typing import Literal

from pydantic import field_validator

from attest.statement import canonical_host
from node.settings.field import MIB, Section
from node.settings.field import of as _of


class ListeningSettings(Section):
    """Addresses the node listens on, its data directory, log level and trusted proxies."""

    # Loopback by default, as this port has no TLS and keys would pass in clear.
    http_host: str = _of("127.0.0.1", "address the API listens on")
    http_port: int = _of(8000, "port of the API; 0 takes a free one", ge=0, le=65535)
    # /metrics has no authentication and shows the usage of all accounts.
    metrics_host: str = _of("127.0.0.1", "address /metrics listens on; keep it off the public network")
    metrics_port: int = _of(9464, "port of /metrics; 0 takes a free one", ge=0, le=65535)
    data_dir: Path = _of(Path(".data"), "directory of the node's database; private to it")
    instance_id: str = _of("", "names this instance among those of one app; empty: a random one, kept in data_dir")
    # A name of a header (RFC 9110, 5.1): no request has any other.
    forwarding_header: str = _of(
        "X-Forwarded-For",
        "header in which a proxy of trusted_proxies names its client",
        pattern="^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    )
    trusted_proxies: tuple[str, ...] = _of(
        (), "networks (CIDR) of proxies whose forwarding_header, or PROXY header, is believed; empty: none is"
    )
    proxy_protocol: bool = _of(
        False,
        "connections of trusted_proxies to the HTTP and HTTPS ports begin with a PROXY header (v1 or v2), or are "
        "closed; forwarding_header is then ignored",
    )
    dashboard: Literal["on", "off"] = _of("on", "whether the node serves the dashboard at /dashboard/")
    source_commit: str = _of("", "commit the node was built from, shown by /version")
    log_level: Literal["debug", "info", "warning", "error"] = _of("info", "what is logged")
    log_export_url: str = _of(
        "",
        "where log lines are sent too, by OTLP/HTTP: a collector in the same measured file, such as "
        "http://telemetry:4318/v1/logs; empty: nowhere",
        pattern="^(http://[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:[0-9]{1,5})?/v1/logs)?$",
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuses an invalid network at startup, before the first request."""
        for network in value:
            ip_network(network)
        return value


class TlsSettings(Section):
    """The HTTPS listener."""

    https_host: str = _of("127.0.0.1", "address the API listens on with TLS")
    https_port: int = _of(8443, "its port; 0 takes a free one", ge=0, le=65535)
    https_public_port: int = _of(443, "port under which clients reach https_port", ge=1, le=65535)
    # A handshake costs a signature before the client is known.
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
    attestation_quote_max_age_s: float = _of(60.0, "how long /attestation repeats the quote without a nonce", ge=0)
    attestation_nonces_per_minute_per_address: int = _of(
        30, "/attestation with a nonce, by client address (IPv4, IPv6 /64); more are 429", ge=1
    )
    evidence_folder: str = _of(
        "", "folder of a sidecar that holds the certificate and makes the evidence; empty: the node makes its own"
    )

    @field_validator("domain")
    @classmethod
    def _canonical(cls, value: str) -> str:
        """Requires the canonical spelling, which requests are compared with and statements hash."""
        if value and canonical_host(value) != value:
            raise ValueError("is no host name in lower case, without port and final dot")
        return value


class FieldSettings(Section):
    """Limits of names, descriptions and lists in requests."""

    name_bytes: int = _of(256, "longest name, in bytes of UTF-8", ge=1)
    description_bytes: int = _of(2048, "longest description, in bytes of UTF-8", ge=1)
    list_max_entries_per_call: int = _of(100, "entries in all lists of one call together", ge=1)


class HttpSettings(FieldSettings):
    """Limits of every HTTP request and of its fields: sizes, deadlines, rates, idempotency."""

    http_max_body_bytes: int = _of(10 * MIB, "largest request body of endpoints that take code; more is 413", ge=1)
    http_max_other_body_bytes: int = _of(
        MIB // 4, "largest request body of every other endpoint, at most http_max_body_bytes; more is 413", ge=1
    )
    http_keepalive_timeout_s: float = _of(75.0, "an idle connection is closed after this time", gt=0)
    http_shutdown_timeout_s: float = _of(
        60.0,
        "how long a stopping node lets running requests end; actions without an Idempotency-Key are ended at once",
        gt=0,
    )
    # Lowered to half of the process's descriptors at start (node/http/protocol.py).
    http_max_connections: int = _of(
        8192, "open connections, at most half of them of one address; further ones are closed", ge=2
    )
    http_max_concurrent_requests: int = _of(1024, "requests in work on this node; more are 429", ge=1)
    http_mints_per_minute_per_address: int = _of(
        30, "new_account and the two minting endpoints together, by client address (IPv4, IPv6 /64)", ge=1
    )
    http_chain_reads_per_minute_per_account: int = _of(
        600, "reads of the chain by an account's requests that no payment covers; more are 429", ge=10
    )
    http_chain_reads_per_minute_per_address: int = _of(
        1200, "the same by client address (IPv4, IPv6 /64), of all accounts behind it", ge=10
    )
    # An unknown key costs an unpaid read of the chain.
    http_unknown_keys_per_minute_per_address: int = _of(60, "look-ups of unknown keys, by client address", ge=1)
    http_idempotency_kept_s: float = _of(86_400.0, "how long a response is replayed to its Idempotency-Key", gt=0)
    http_idempotency_max_bytes: int = _of(
        1024 * MIB,
        "stored responses of all nodes, a quarter for callers without a key; beyond it keyed requests are 429",
        ge=MIB,
    )
    http_idempotency_account_max_bytes: int = _of(
        64 * MIB, "stored responses of one account, or of one client address without a key; more are 429", ge=4 * MIB
    )
    http_idempotency_account_max_answers: int = _of(
        10_000, "number of stored responses of one account, or of one such address; more are 429", ge=1
    )
    http_idempotency_lease_s: float = _of(
        15.0, "time without a heartbeat after which a node's requests are taken over by others", gt=0
    )
    # Long enough for a client that lost its connection; then the sealed secret is erased.
    http_secret_replay_s: float = _of(600.0, "how long a response with a one-time secret is replayed", gt=0)
