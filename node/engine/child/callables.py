"""What a function needs to be handed to the script."""

from _collections_abc import Callable  # collections.abc would bring the whole of collections

Native = Callable[..., str]


def never_raising(function: Native) -> Native:
    """The function, answering "" for whatever it cannot do: a callable that raises breaks the binding (engine.md section 2)."""

    def answer(*arguments: object) -> str:
        try:
            return function(*arguments)
        except BaseException:  # noqa: BLE001 - a raise breaks the binding, MemoryError's too
            return ""

    return answer
