"""How certificates are renewed and asked for, as settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CertificateLimits:
    """When the next certificate is due, and how often a failed attempt is repeated."""

    first_wait_s: float = 10.0
    """How long a start waits for the first certificate; then the node is up, and HTTPS follows."""
    renew_at_fraction: float = 2 / 3
    """Of a certificate's life: from then on the next one is asked for."""
    renew_jitter_fraction: float = 0.05
    """Of its life, at most: so much earlier, at random, so that instances started together do not ask together."""
    retry_min_s: float = 120.0
    """Pause after a failed attempt, doubled each time: five attempts in the first hour, as Let's Encrypt allows."""
    retry_max_s: float = 3600.0
    """Longest such pause."""
    retry_after_max_s: float = 86_400.0
    """Longest pause a certificate authority may ask for."""
    look_again_s: float = 3600.0
    """How often the clock is looked at while waiting: it may have been set meanwhile."""
    self_signed_life_s: float = 90 * 86_400.0
    """Life of a self-signed certificate."""
    files_poll_s: float = 5.0
    """How often the files of a sidecar are looked at."""
    files_max_bytes: int = 256 * 1024
    """Largest certificate or key file that is read."""


@dataclass(frozen=True, slots=True)
class AcmeLimits:
    """How long and how much is waited for at the certificate authority, and at the hook that sets DNS records."""

    request_timeout_s: float = 30.0
    """One exchange."""
    response_bytes: int = 1024 * 1024
    """Largest answer that is read."""
    nonce_retries: int = 10
    """How often a request is repeated whose nonce was refused."""
    poll_s: float = 1.0
    """Pause between looks at an order."""
    order_timeout_s: float = 300.0
    """From the order to the certificate."""
    dns_hook_timeout_s: float = 60.0
    """One call of the hook; then it is killed."""
    dns_propagation_s: float = 30.0
    """From the hook's end until the authority is told to look."""
