"""The block floor."""

from node.chain.quorum.reader import MinimumBlock


def test_the_floor_rises_and_falls_only_when_told_where_it_may() -> None:
    for may_fall, fallen in ((True, 4), (False, 9)):
        floor = MinimumBlock(may_fall=may_fall)
        for number, value in ((5, 5), (3, 5), (9, 9)):
            floor.raise_to(number)
            assert floor.value == value
        floor.rewind_to(12)
        assert floor.value == 9
        floor.rewind_to(4)
        assert floor.value == fallen
