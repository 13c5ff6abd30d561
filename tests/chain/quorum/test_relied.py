"""The heads relied on: each once, in the order of their last use, and never silently too few."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from node.chain.quorum.reader import ObservedBlocks
from tests.chain.quorum.scripted import block

USES = st.lists(st.integers(0, 8), max_size=40)


@given(USES, USES, st.integers(1, 6))
def test_what_was_relied_on_since_is_told_whole_or_said_to_be_incomplete(
    earlier: Sequence[int], later: Sequence[int], kept: int
) -> None:
    relied = ObservedBlocks(kept)
    for number in earlier:
        relied.note(block(number))
    mark = relied.since(0).mark
    for number in later:
        relied.note(block(number))
    found = relied.since(mark)
    assert len(found.heads) <= kept
    assert len(set(found.heads)) == len(found.heads)
    last_uses = list(dict.fromkeys(reversed(later)))[::-1]
    if found.complete:
        assert [head.number for head in found.heads] == last_uses
    else:
        assert len(last_uses) > len(found.heads)
    assert relied.since(found.mark).heads == ()
