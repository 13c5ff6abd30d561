"""What a deposit is worth: exact, rounded down, whatever the decimals; held against fractions."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from node.billing.tokens.prices import DECIMALS_MAX, Ignored, Quote, TokenPrice, TokenPrices
from node.billing.tokens.service import dollars, whole_tokens

TOKEN = "0x" + "11" * 20
MOST = 10**14
amounts = st.integers(0, 2**256 - 1)
decimals = st.integers(0, DECIMALS_MAX)
prices = st.integers(1, 10**18 - 1)


def in_force(digits: int, microdollars: int) -> TokenPrices:
    return TokenPrices.of([f"{TOKEN}:T:{digits}:{microdollars}"], MOST)


@given(amounts, decimals, prices)
def test_a_quote_is_the_exact_worth_rounded_down_within_the_bounds(amount: int, digits: int, each: int) -> None:
    exact = Fraction(amount * each, 10**digits)
    quote = in_force(digits, each).quote(TOKEN, amount)
    if exact < 1:
        assert quote is Ignored.TOO_SMALL
    elif exact >= MOST + 1:
        assert quote is Ignored.TOO_LARGE
    else:
        assert isinstance(quote, Quote)
        assert 0 <= exact - quote.microdollars < 1


@given(amounts, amounts, decimals, prices)
def test_splitting_a_payment_never_credits_more(one: int, other: int, digits: int, each: int) -> None:
    price = TokenPrice(TOKEN, "T", digits, each)
    assert price.microdollars(one) + price.microdollars(other) <= price.microdollars(one + other)


@given(amounts, decimals, prices)
def test_another_token_has_no_price(amount: int, digits: int, each: int) -> None:
    assert in_force(digits, each).quote("0x" + "22" * 20, amount) is Ignored.NO_PRICE


@given(st.integers(0, 10**20))
def test_dollars_are_shown_exactly(microdollars: int) -> None:
    shown = dollars(microdollars)
    assert Fraction(shown.removeprefix("$")) == Fraction(microdollars, 10**6)
    assert len(shown.partition(".")[2]) >= 2


@given(amounts, decimals)
def test_amounts_are_shown_exactly(amount: int, digits: int) -> None:
    shown = whole_tokens(amount, digits)
    assert Fraction(shown) == Fraction(amount, 10**digits)
    assert not (("." in shown) and shown.endswith("0"))
