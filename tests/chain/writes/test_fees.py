"""Offers: never above the cap, and a replacement is always one that a mempool takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain.writes.fees import PRIORITY_FEE_MAX_WEI, bump, capped, offer
from node.chain.writes.model import Fees
from node.settings.chain import FeeSettings

wei = st.integers(0, 10**13)
caps = st.builds(
    FeeSettings,
    fee_max_fee_cap_wei=st.integers(1, 10**12),
    fee_priority_fee_min_wei=st.integers(0, 10**9),
)


@given(wei, wei, caps)
def test_an_offer_covers_the_base_fee_and_stays_under_the_cap(base_fee: int, tip: int, settings: FeeSettings) -> None:
    fees = offer(base_fee, tip, settings)
    if fees is None:
        assert base_fee + settings.fee_priority_fee_min_wei > settings.fee_max_fee_cap_wei
        return
    assert base_fee <= fees.max_fee <= settings.fee_max_fee_cap_wei
    assert fees.priority_fee <= min(fees.max_fee, PRIORITY_FEE_MAX_WEI)


@given(wei, wei, wei, caps)
def test_a_replacement_offers_ten_per_cent_more_of_both_or_is_not_made(
    highest: int, tip: int, base_fee: int, settings: FeeSettings
) -> None:
    earlier = Fees(highest, min(tip, highest))
    now = offer(base_fee, tip, settings)
    if now is None or (fees := bump(earlier, now, settings)) is None:
        return
    assert fees.max_fee * 10 >= earlier.max_fee * 11
    assert fees.priority_fee * 10 >= earlier.priority_fee * 11
    assert fees.max_fee > earlier.max_fee
    assert now.max_fee <= fees.max_fee <= settings.fee_max_fee_cap_wei
    assert fees.priority_fee <= fees.max_fee


@given(wei, wei, caps)
def test_no_offer_that_the_journal_tells_of_goes_above_the_cap(highest: int, tip: int, settings: FeeSettings) -> None:
    told = Fees(highest, tip)
    kept = capped(told, settings)
    assert max(kept.max_fee, kept.priority_fee) <= settings.fee_max_fee_cap_wei
    if max(highest, tip) <= settings.fee_max_fee_cap_wei:
        assert kept == told


CAP = FeeSettings(fee_max_fee_cap_wei=1_000, fee_priority_fee_min_wei=10)


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
def test_an_offer_has_room_for_the_least_tip_or_is_not_made(
    base_fee: int, tip: int, offered: Fees | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the cap less the least tip, miners would have no reason to take it."""
    monkeypatch.setattr("node.chain.writes.fees.PRIORITY_FEE_MAX_WEI", 50)
    assert offer(base_fee, tip, CAP) == offered


def test_a_replacement_at_the_cap_is_made_and_above_it_is_not() -> None:
    assert bump(Fees(800, 10), Fees(1, 1), CAP) == Fees(1_000, 13)
    assert bump(Fees(801, 10), Fees(1, 1), CAP) is None
