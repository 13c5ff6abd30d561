"""What things cost (spec.md "What the service does" 8, decisions.md section 5 "Prices"). Pure."""

import math
from dataclasses import dataclass

from node.ledger.port import MICRODOLLARS_PER_CENT


@dataclass(frozen=True, slots=True)
class Prices:
    """In whole US cents: one API-mode administrative write, and one started second of an action."""

    write_cents: int = 1
    execution_cents_per_second: int = 1

    @property
    def write_microdollars(self) -> int:
        """The price of one write."""
        return self.write_cents * MICRODOLLARS_PER_CENT

    def execution_cents(self, duration_ms: float) -> int:
        """The price of an action that ran this long: every started second, the first one at least."""
        return max(1, math.ceil(duration_ms / 1000)) * self.execution_cents_per_second
