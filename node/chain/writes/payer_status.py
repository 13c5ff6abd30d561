"""The payers as /health shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from node.chain.port import Administration
from node.values import ZERO_ADDRESS


class AdminPayerState(StrEnum):
    """Admin payer that the contract names, seen from this enclave."""

    UNKNOWN = "unknown"
    """Not read since the start."""
    UNNAMED = "unnamed"
    """No address yet: the contract has no payers, and no API-mode accounts."""
    OWN = "own"
    OTHER = "other"
    """Somebody else, whose payers may write every API-mode account."""
    REPLACED = "replaced"
    """This enclave's, and another one before: what that one's payers wrote is still there."""


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
    `administration`: what the contract said of its own administration at that time.
    """

    payers: Sequence[PayerStatus]
    admin: str
    admin_balance_wei: int
    problem: str | None
    read_age_s: float | None
    administration: Administration | None = None

    @property
    def admin_state(self) -> AdminPayerState:
        """Admin payer that the contract named when it was last read."""
        if self.administration is None:
            return AdminPayerState.UNKNOWN
        named = self.administration.admin_payer
        if named == ZERO_ADDRESS:
            return AdminPayerState.UNNAMED
        if named != self.admin:
            return AdminPayerState.OTHER
        return AdminPayerState.REPLACED if self.administration.admin_payer_replacements else AdminPayerState.OWN

    @property
    def payers_of_others(self) -> Sequence[str]:
        """The contract's payers that are not this instance's.

        While `admin_state` is OWN, only instances of this app can have added them: naming an admin payer removes every
        payer, and the admin payer's key is derived in this app's enclaves alone.
        """
        own = {payer.address for payer in self.payers}
        return [] if self.administration is None else [each for each in self.administration.payers if each not in own]

    @property
    def ready(self) -> bool:
        """Whether any payer can send."""
        return any(payer.ready for payer in self.payers)
