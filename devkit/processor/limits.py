"""The bounds of the local card processor."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocalProcessorLimits:
    """Documented bounds of the real one where it has them."""

    minimum_amount_cents: int = 50
    maximum_amount_cents: int = 99_999_999
    default_page: int = 10
    largest_page: int = 100
    idempotency_lifetime_s: float = 24 * 3600.0
    events_lifetime_s: float = 30 * 24 * 3600.0
    search_lag_s: float = 60.0
    webhook_timeout_s: float = 10.0
    webhook_retry_delays_s: tuple[float, ...] = (1.0, 5.0, 30.0, 120.0, 600.0)
    webhook_connections: int = 16
    remembered_attempts: int = 100_000
    shutdown_timeout_s: float = 1.0
