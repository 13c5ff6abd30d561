"""The reads of one request: whose bucket they take from, and when they are nobody's."""

import pytest

from node.http.rate import ReadBudget, RequestReads
from node.runtime.limits import LimitReachedError
from node.settings.http import HttpSettings
from tests.support.clock import FakeClock

LIMITS = HttpSettings.model_construct(
    http_chain_reads_per_minute_per_account=5, http_chain_reads_per_minute_per_address=50
)
ACCOUNT, OTHER = 7, 8


def begun(budget: ReadBudget, address: str, account: int | None = ACCOUNT) -> RequestReads:
    """A request whose account is known before it reads."""
    reads = RequestReads(budget, address)
    reads.belong_to(account)
    return reads


def left_to(budget: ReadBudget, account: int) -> int:
    """How many requests of one read each the account may still make."""
    for count in range(100):
        try:
            begun(budget, f"another address {count}", account).take(1)
        except LimitReachedError:
            return count
    return 100


def test_what_is_read_before_the_account_is_known_counts_for_it_then() -> None:
    budget = ReadBudget(LIMITS, FakeClock())
    reads = begun(budget, "here", None)
    reads.take(2)
    reads.belong_to(ACCOUNT)
    reads.take(1)
    assert (left_to(budget, ACCOUNT), left_to(budget, OTHER)) == (2, 5)


def test_an_account_without_anything_left_is_refused_as_soon_as_it_is_known() -> None:
    budget = ReadBudget(LIMITS, FakeClock())
    begun(budget, "here").take(5)
    reads = begun(budget, "there", None)
    reads.take(1)
    with pytest.raises(LimitReachedError) as refused:
        reads.belong_to(ACCOUNT)
    assert refused.value.details == {"limit": "http_chain_reads_per_minute_per_account"}


def test_what_is_read_after_the_answer_is_the_nodes_own() -> None:
    budget = ReadBudget(LIMITS, FakeClock())
    reads = begun(budget, "here")
    reads.take(2)
    with reads:
        pass
    for _ in range(100):  # a write that was sent is followed, however long that takes
        reads.take(10)
    assert left_to(budget, ACCOUNT) == 3
    begun(budget, "here", OTHER).take(1)


def test_a_request_that_was_paid_for_gives_all_of_it_back_once() -> None:
    budget = ReadBudget(LIMITS, FakeClock())
    begun(budget, "here").take(2)
    reads = begun(budget, "here")
    reads.take(3)
    for _ in range(2):
        reads.give_back()
    assert left_to(budget, ACCOUNT) == 3
