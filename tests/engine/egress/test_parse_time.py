"""Work is counted where it is done, and nobody else's is."""

from collections.abc import Iterator

import pytest

from node.engine.egress.parse_time import ReadingWork
from node.engine.egress.targets import FetchRefusedError


class Clock:
    """Seconds this thread has worked."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_making_pieces_is_counted_and_using_them_is_not() -> None:
    clock = Clock()
    work = ReadingWork(1.0, clock)

    def pieces() -> Iterator[bytes]:
        for _ in range(5):
            clock.now_s += 0.4
            yield b"x"

    got = []

    def use() -> None:
        for piece in work.counted(pieces()):
            got.append(piece)
            clock.now_s += 10.0

    with pytest.raises(FetchRefusedError, match="too much work"):
        use()
    assert got == [b"x", b"x"]
    assert work.is_spent()


def test_what_is_left_is_left_for_the_next() -> None:
    work = ReadingWork(1.0, Clock())
    assert list(work.counted(iter([b"a", b"b"]))) == [b"a", b"b"]
    work.spend(0.9)
    work.require_some_left()
    work.spend(0.1)
    with pytest.raises(FetchRefusedError, match="too much work"):
        work.require_some_left()
