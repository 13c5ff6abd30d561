"""Offers: never above the cap, and a replacement is always one that a mempool takes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain.writes.limits import FeeLimits
from node.chain.writes.model import Fees
from node.chain.writes.simulation import bump, capped, offer

wei = st.integers(0, 10**13)
caps = st.builds(
    FeeLimits,
    max_fee_cap_wei=st.integers(1, 10**12),
    priority_fee_min_wei=st.integers(0, 10**9),
    priority_fee_max_wei=st.integers(10**9, 10**11),
    bump_percent=st.integers(10, 100),
)


@given(wei, wei, caps)
def test_an_offer_covers_the_base_fee_and_stays_under_the_cap(base_fee: int, tip: int, limits: FeeLimits) -> None:
    fees = offer(base_fee, tip, limits)
    if fees is None:
        assert base_fee + limits.priority_fee_min_wei > limits.max_fee_cap_wei
        return
    assert base_fee <= fees.max_fee <= limits.max_fee_cap_wei
    assert fees.priority_fee <= min(fees.max_fee, limits.priority_fee_max_wei)


@given(wei, wei, wei, caps)
def test_a_replacement_offers_ten_per_cent_more_of_both_or_is_not_made(
    highest: int, tip: int, base_fee: int, limits: FeeLimits
) -> None:
    earlier = Fees(highest, min(tip, highest))
    now = offer(base_fee, tip, limits)
    if now is None or (fees := bump(earlier, now, limits)) is None:
        return
    assert fees.max_fee * 10 >= earlier.max_fee * 11
    assert fees.priority_fee * 10 >= earlier.priority_fee * 11
    assert fees.max_fee > earlier.max_fee
    assert now.max_fee <= fees.max_fee <= limits.max_fee_cap_wei
    assert fees.priority_fee <= fees.max_fee


@given(wei, wei, caps)
def test_no_offer_that_the_journal_tells_of_goes_above_the_cap(highest: int, tip: int, limits: FeeLimits) -> None:
    told = Fees(highest, tip)
    kept = capped(told, limits)
    assert max(kept.max_fee, kept.priority_fee) <= limits.max_fee_cap_wei
    if max(highest, tip) <= limits.max_fee_cap_wei:
        assert kept == told


CAP = FeeLimits(max_fee_cap_wei=1_000, priority_fee_min_wei=10, priority_fee_max_wei=50, base_fee_headroom_percent=100)


@pytest.mark.parametrize(
    ("base_fee", "tip", "offered"),
    [
        (100, 20, Fees(220, 20)),
        (100, 5, Fees(210, 10)),
        (100, 80, Fees(250, 50)),
        (900, 20, Fees(1_000, 20)),
        (990, 20, Fees(1_000, 20)),
        (991, 20, None),
        (1_000, 0, None),
        (1_001, 0, None),
    ],
)
def test_an_offer_has_room_for_the_least_tip_or_is_not_made(base_fee: int, tip: int, offered: Fees | None) -> None:
    """Above the cap less the least tip, miners would have no reason to take it."""
    assert offer(base_fee, tip, CAP) == offered


def test_a_replacement_at_the_cap_is_made_and_above_it_is_not() -> None:
    assert bump(Fees(909, 10), Fees(1, 1), replace(CAP, bump_percent=10)) == Fees(1_000, 11)
    assert bump(Fees(910, 10), Fees(1, 1), replace(CAP, bump_percent=10)) is None
