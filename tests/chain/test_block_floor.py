"""The block floor."""

from node.chain.block_floor import BlockFloor


def test_the_floor_rises_with_writes_and_falls_only_when_told() -> None:
    floor = BlockFloor()
    for number, value in ((5, 5), (3, 5), (9, 9)):
        floor.raise_to(number)
        assert floor.value == value
    floor.rewind_to(12)
    assert floor.value == 9
    floor.rewind_to(4)
    assert floor.value == 4
