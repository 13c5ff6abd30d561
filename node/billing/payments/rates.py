"""How much of the processor's time callers may take."""

from collections.abc import Callable
from typing import Final

from node.billing.payments.limits import PaymentLimits
from node.http.rate import HOUR_S, MINUTE_S, LoadGate, RateLimiter

_TRACKED_CALLERS: Final = 100_000
"""Whose counters are kept in memory; beyond it the one seen longest ago is forgotten."""


_CONFIRMED_PER_MINUTE_PER_ADDRESS: Final = 120
"""Looks at unfinished payments by one address: two accounts' worth. A browser looks once or twice for each payment."""


class PaymentRates:
    """How often one caller, and how many at once, may make the node call the processor. `monotonic` is in seconds.

    An account and each of its usage keys have their own: who has a usage key cannot keep the account from paying.
    Accounts are free, so client addresses (of `rate_limit_client`) are bounded beside them.
    """

    def __init__(self, limits: PaymentLimits, monotonic: Callable[[], float]) -> None:
        def bucket(what: str, setting: str, count: int, period_s: float) -> RateLimiter:
            return RateLimiter(what, count, period_s, monotonic, _TRACKED_CALLERS, limit=setting)

        begun, confirmed = "payments begun by this", "looks at unfinished payments by this"
        self.at_once = LoadGate(limits.asked_at_once_max)
        per_account, setting = limits.begun_per_minute_per_account, "processor_begun_per_minute_per_account"
        self._begun = bucket(f"{begun} caller", setting, per_account, MINUTE_S)
        per_address, setting = limits.begun_per_hour_per_address, "processor_begun_per_hour_per_address"
        self._begun_at = bucket(f"{begun} address", setting, per_address, HOUR_S)
        per_account, setting = limits.confirmed_per_minute_per_account, "processor_confirmed_per_minute_per_account"
        self._confirmed = bucket(f"{confirmed} caller", setting, per_account, MINUTE_S)
        per_address, setting = _CONFIRMED_PER_MINUTE_PER_ADDRESS, "confirmed_per_minute_per_address"
        self._confirmed_at = bucket(f"{confirmed} address", setting, per_address, MINUTE_S)

    def begin(self, caller: str, address: str | None) -> None:
        """Let a payment begin. Raises NodeError `too_many_requests` with `details.limit`, and then takes nothing."""
        _take(self._begun, caller, self._begun_at, address)

    def confirm(self, caller: str, address: str | None) -> None:
        """Let the processor be asked for an unfinished payment. Raises as `begin` does."""
        _take(self._confirmed, caller, self._confirmed_at, address)


def _take(by_caller: RateLimiter, caller: str, by_address: RateLimiter, address: str | None) -> None:
    if address is not None:
        by_address.check(address)
    by_caller.take(caller)
    if address is not None:
        by_address.spend(address)
