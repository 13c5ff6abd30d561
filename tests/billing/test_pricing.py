import pytest

from node.billing.charging import Prices


@pytest.mark.parametrize(
    ("duration_ms", "cents"), [(0, 1), (0.1, 1), (999.9, 1), (1000, 1), (1000.001, 2), (2500, 3), (900_000, 900)]
)
def test_every_started_second_costs_a_cent(duration_ms: float, cents: int) -> None:
    assert Prices().execution_cents(duration_ms) == cents
    assert Prices(execution_cents_per_second=3).execution_cents(duration_ms) == 3 * cents


def test_a_write_costs_a_cent_unless_the_operator_says_otherwise() -> None:
    assert Prices().write_microdollars == 10_000
    assert Prices(write_cents=0).write_microdollars == 0
