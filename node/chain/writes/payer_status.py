"""The payers as /health shows them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PayerStatus:
    """One payer: `ready` when the contract knows it and it has gas money."""

    address: str
    balance_wei: int
    registered: bool
    ready: bool


@dataclass(frozen=True, slots=True)
class PayersStatus:
    """All payers. `problem` says in a sentence what the operator should do; None when nothing.

    `read_age_s`: seconds since balances and names were last read; None: not since the start, and none of them is known.
    """

    payers: Sequence[PayerStatus]
    admin: str
    admin_balance_wei: int
    problem: str | None
    read_age_s: float | None

    @property
    def ready(self) -> bool:
        """Whether any payer can send."""
        return any(payer.ready for payer in self.payers)
