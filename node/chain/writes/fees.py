"""EIP-1559 offers, pure: what to offer first, and what to offer when that was not enough."""

from node.chain.writes.limits import FeeLimits
from node.chain.writes.model import Fees


def offer(base_fee: int, suggested_tip: int, limits: FeeLimits) -> Fees | None:
    """The first offer under this base fee; None when even the base fee is above the cap.

    `base_fee` and `suggested_tip` in wei per gas.
    """
    tip = max(limits.priority_fee_min_wei, min(suggested_tip, limits.priority_fee_max_wei))
    wanted = base_fee * (100 + limits.base_fee_headroom_percent) // 100 + tip
    if base_fee + limits.priority_fee_min_wei > limits.max_fee_cap_wei:
        return None
    highest = min(wanted, limits.max_fee_cap_wei)
    return Fees(max_fee=highest, priority_fee=min(tip, highest))


def bump(earlier: Fees, now: Fees, limits: FeeLimits) -> Fees | None:
    """An offer that replaces `earlier` and is at least `now`; None when that is above the cap."""
    raised = max(_raised(earlier.max_fee, limits), now.max_fee)
    tip = max(_raised(earlier.priority_fee, limits), now.priority_fee)
    if raised > limits.max_fee_cap_wei:
        return None
    return Fees(max_fee=raised, priority_fee=min(tip, raised))


def capped(fees: Fees, limits: FeeLimits) -> Fees:
    """The same, nowhere above the cap: what an offer of the journal may say that nobody here has made."""
    return Fees(min(fees.max_fee, limits.max_fee_cap_wei), min(fees.priority_fee, limits.max_fee_cap_wei))


def _raised(value: int, limits: FeeLimits) -> int:
    # Rounded up, and never by nothing: a mempool compares exact percentages.
    return value + max(1, -(-value * limits.bump_percent // 100))
