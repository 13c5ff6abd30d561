"""One script in one QuickJS context, and the loop that keeps it going.

What crosses the binding, by its known faults (engine.md section 2): JSON texts alone, made by a captured
`JSON.stringify`; Python callables that cannot raise, captured by our scripts and deleted from the globals;
no `.json()`, no `get`, no time limit. User code is evaluated from inside the prelude's own try, so that no
error of its making is converted here. What is left of those faults ends this process and nothing else.
"""

import os

import _quickjs

from node.engine.child import channel, digests, memory_peak
from node.engine.child.libraries import Libraries, warm

_RANDOM_BYTES_MAX = 65_536

_drawn: list[int] = []
"""How many bytes were asked for, each time: nothing may be before the fork, or all children would share it."""


class Script:
    """A context with the prelude loaded and the libraries at hand, ready for one job."""

    def __init__(self, prelude: str, libraries: Libraries, memory_bytes: int) -> None:
        self._context = _quickjs.Context()
        self._context.set_memory_limit(memory_bytes)
        self._context.add_callable("emit", channel.send)
        self._context.add_callable("randomHex", _random_hex)
        self._context.add_callable("memoryStayedBelow", lambda: memory_peak.stayed_below(memory_bytes))
        for name, function in digests.functions().items():
            self._context.add_callable(name, function)
        libraries.install(self._context)
        self._bridge = self._context.eval(prelude)
        warm(self._context)
        if _drawn:
            raise RuntimeError("randomness was drawn before the fork: all children would share it")

    def run(self, job: str) -> None:
        """Run the job's `main` until it has ended, serving timers and the node's answers in between."""
        self._bridge("start", job)
        while True:
            while self._context.execute_pending_job():
                pass
            wait: str = self._bridge("next", "")
            if wait == "":
                return
            answer = channel.receive_within(int(wait))
            if answer is None:
                self._bridge("tick", "")
            else:
                self._bridge("settle", answer)


def _random_hex(count: int) -> str:
    _drawn.append(count)
    return os.urandom(min(max(count, 0), _RANDOM_BYTES_MAX)).hex()
