"""In whatever order refunds, disputes and their ends are told, they add up to the same, and never to more than was paid."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from node.billing.payments.settlement import Reversal, counted

THINGS = ("re_1", "re_2", "dp_1", "dp_2")


@st.composite
def tellings(draw: st.DrawFn) -> tuple[int, int, list[Reversal]]:
    """What was received, what all things keep in the end, and an order in which they and their ends are told.

    An end gives back all of a thing, or a part.
    """
    received = draw(st.integers(min_value=1, max_value=1000))
    wanted = draw(st.dictionaries(st.sampled_from(THINGS), st.integers(min_value=1, max_value=1500)))
    given_back = {
        thing: draw(st.just(cents) | st.integers(min_value=0, max_value=cents))
        for thing, cents in wanted.items()
        if draw(st.booleans())
    }
    told = [Reversal(f"begin:{thing}", thing, cents, takes_back=True) for thing, cents in wanted.items()]
    told += [Reversal(f"end:{thing}", thing, cents, takes_back=False) for thing, cents in given_back.items()]
    return received, sum(wanted.values()) - sum(given_back.values()), draw(st.permutations(told))


@given(tellings())
def test_every_order_adds_up_to_what_is_in_force_and_at_most_to_what_was_received(
    telling: tuple[int, int, list[Reversal]],
) -> None:
    received, kept, told = telling
    known: list[Reversal] = []
    credit = received
    for reversal in told:
        known.append(reversal)
        changes = counted(received, known)
        assert set(changes) == {reversal.cause}
        known[-1] = replace(reversal, cents=changes[reversal.cause])
        credit += changes[reversal.cause]
        assert 0 <= credit <= received
    assert credit == received - min(received, kept)


@given(tellings(), st.integers(min_value=0, max_value=8))
def test_told_together_they_add_up_to_the_same(telling: tuple[int, int, list[Reversal]], first: int) -> None:
    received, kept, told = telling
    early = counted(received, told[:first])
    known = [replace(each, cents=early.get(each.cause)) for each in told]
    late = counted(received, known)
    assert set(early) | set(late) == {each.cause for each in told}
    assert sum(early.values()) + sum(late.values()) == -min(received, kept)


def test_counted_once_it_counts_no_more() -> None:
    assert counted(5, [Reversal("refund:re_1", "re_1", 3, takes_back=True, cents=-3)]) == {}
