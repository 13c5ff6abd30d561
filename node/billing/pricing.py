"""Prices, and the ledger of a node without any (`billing = off`). Pure."""

import math
from dataclasses import dataclass

from node.ledger.port import MICRODOLLARS_PER_CENT, Balance, Spender, Usage
from node.settings.credits import PriceSettings


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in whole US cents: of one API-mode administrative write, and of one started second of an action."""

    write_cents: int = 1
    execution_cents_per_second: int = 1

    @classmethod
    def of(cls, settings: PriceSettings) -> "Prices":
        """Return the prices that the settings name."""
        return cls(settings.price_write_cents, settings.price_execution_cents_per_second)

    @property
    def write_microdollars(self) -> int:
        """Price of one write."""
        return self.write_cents * MICRODOLLARS_PER_CENT

    def execution_cents(self, duration_ms: float) -> int:
        """Return the price of an action that ran this long: every started second, the first one at least."""
        return max(1, math.ceil(duration_ms / 1000)) * self.execution_cents_per_second


class UnbilledLedger:
    """Ledger where everything is free: every balance is zero and every reservation succeeds.

    Usage keys' lifetime caps never bind, since no key ever spends anything.
    """

    async def balance(self, account: int) -> Balance:
        """Return zero."""
        del account
        return Balance(credit_microdollars=0, reserved_microdollars=0)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Succeed."""

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Succeed."""

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Take nothing."""
        del cause, amount_microdollars, usage
        return 0

    async def release(self, cause: str) -> None:
        """Succeed: nothing was set aside."""
