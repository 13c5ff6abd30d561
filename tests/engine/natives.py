"""Native functions of actions as tests call them."""

from collections.abc import Callable

from node.engine.worker.hashes import Native


def at_once(function: Native) -> Callable[..., str]:
    """The function, with its steps taken one after another."""

    def answer(*arguments: object) -> str:
        steps = function(*arguments)
        if isinstance(steps, str):
            return steps
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return str(end.value)

    return answer
