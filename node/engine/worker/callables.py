"""What a native function is handed, and what it answers with."""

from _collections_abc import Callable, Generator, Iterator  # collections.abc would bring the whole of collections

_PART_BYTES = 128 * 1024
"""Of a long text read at a time: hashing it takes about a millisecond."""


class LongText:
    """An argument too long to be read at once. A function that cannot take it in parts fails, and so refuses it."""

    def __init__(self, read: Callable[[int, int], bytes], at: int, length: int) -> None:
        self._read = read
        self._at = at
        self._length = length

    def parts(self) -> Iterator[str]:
        """Its text in parts of an even length, as hex is cut."""
        for at in range(self._at, self._at + self._length, _PART_BYTES):
            yield self._read(at, min(_PART_BYTES, self._at + self._length - at)).decode()


Text = str | LongText
Steps = Generator[None, None, str]
"""A long computation: it yields after some milliseconds each, and returns the answer."""
Native = Callable[..., str | Steps]


def never_raising(function: Native) -> Native:
    """The function, answering "" for whatever it cannot do."""

    def answer(*arguments: Text) -> str | Steps:
        try:
            answered = function(*arguments)
        except BaseException:  # noqa: BLE001 - whatever it is, the script that called is told so by ""
            return ""
        return answered if isinstance(answered, str) else _steps(answered)

    return answer


def _steps(steps: Steps) -> Steps:
    try:
        return (yield from steps)
    except GeneratorExit:
        raise
    except BaseException:  # noqa: BLE001 - likewise
        return ""
