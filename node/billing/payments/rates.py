"""How much of the processor's time callers may take."""

from collections.abc import Callable
from typing import Final

from node.billing.payments.limits import PaymentLimits
from node.http.rate import MINUTE_S, LoadGate, RateLimiter

_TRACKED_CALLERS: Final = 100_000
"""Whose counters are kept in memory; beyond it the one seen longest ago is forgotten."""


class PaymentRates:
    """How often one caller, and how many at once, may make the node call the processor. `monotonic` is in seconds.

    An account and each of its usage keys have their own: who has a usage key cannot keep the account from paying.
    """

    def __init__(self, limits: PaymentLimits, monotonic: Callable[[], float]) -> None:
        self.at_once = LoadGate(limits.asked_at_once_max)
        self.begun = _per_caller("payments begun by this caller", limits.begun_per_minute_per_account, monotonic)
        self.confirmed = _per_caller(
            "looks at unfinished payments by this caller", limits.confirmed_per_minute_per_account, monotonic
        )


def _per_caller(what: str, per_minute: int, monotonic: Callable[[], float]) -> RateLimiter:
    return RateLimiter(what, per_minute, MINUTE_S, monotonic, _TRACKED_CALLERS)
