"""Computes EIP-1559 fees: the first offer, its replacements, and the cap that bounds both."""

from typing import Final

from node.chain.writes.model import Fees
from node.settings.chain import FeeSettings
from node.settings.field import WEI_PER_GWEI

PRIORITY_FEE_MAX_WEI: Final = 50 * WEI_PER_GWEI
"""Largest tip per gas: a provider that suggests more is wrong, or lies."""

BASE_FEE_HEADROOM_PERCENT: Final = 100
"""Rise of the base fee that an offer still covers: six full blocks double it (EIP-1559)."""

BUMP_PERCENT: Final = 25
"""Raise of each replacement. Mempools refuse less than 10."""


def offer(base_fee: int, suggested_tip: int, settings: FeeSettings) -> Fees | None:
    """Return the first offer under this base fee; None when even the base fee is above the cap.

    `base_fee` and `suggested_tip` in wei per gas.
    """
    cap, least_tip = settings.fee_max_fee_cap_wei, settings.fee_priority_fee_min_wei
    # EIP-1559: a maximum fee below the base fee is not included; the least tip comes on top.
    if base_fee + least_tip > cap:
        return None
    tip = max(least_tip, min(suggested_tip, PRIORITY_FEE_MAX_WEI))
    # Only the base fee of the including block is burned, not the headroom (EIP-1559).
    highest = min(base_fee * (100 + BASE_FEE_HEADROOM_PERCENT) // 100 + tip, cap)
    return Fees(max_fee=highest, priority_fee=min(tip, highest))


def bump(earlier: Fees, now: Fees, settings: FeeSettings) -> Fees | None:
    """Returns an offer that replaces `earlier` and is at least `now`, or None above the cap."""
    # Mempools compare both fields with the transaction they replace, so both are raised.
    raised = max(_raised(earlier.max_fee), now.max_fee)
    tip = max(_raised(earlier.priority_fee), now.priority_fee)
    if raised > settings.fee_max_fee_cap_wei:
        return None
    return Fees(max_fee=raised, priority_fee=min(tip, raised))


def capped(fees: Fees, settings: FeeSettings) -> Fees:
    """Returns the offer, within the cap. One read from the journal may have been changed there."""
    cap = settings.fee_max_fee_cap_wei
    return Fees(min(fees.max_fee, cap), min(fees.priority_fee, cap))


def _raised(value: int) -> int:
    # Rounded up, and by 1 wei at least: a mempool compares exact percentages.
    return value + max(1, -(-value * BUMP_PERCENT // 100))
