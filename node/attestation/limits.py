"""Every limit of what the node publishes about itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AttestationLimits:
    """How often the platform is asked on behalf of strangers; every field is a setting."""

    quote_max_age_s: float = 60.0
    """The quote of `/attestation` without a nonce, which proves no freshness anyway, is told again for so long."""
    info_max_age_s: float = 10.0
    """The platform's answer behind `/info` likewise."""
    rest_s: float = 1.0
    """After a refusal the platform is left alone for so long."""
    waiting: int = 64
    """Callers that wait for one such answer; more are 503."""
    nonces_per_minute_per_address: int = 30
    """Quotes with a nonce, by client address (IPv4, IPv6 /64): each costs the hardware a round trip."""
    max_tracked_addresses: int = 100_000
    """Addresses whose counters of it are kept in memory."""
