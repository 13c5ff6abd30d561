"""Processes that are killed: `python -m tests.support.nursery MODULE` forks one for each task it reads, a line of JSON.

MODULE is imported once, in a parent without threads, so that a life costs a fork and not the start of an interpreter;
`work(task)` of it, a coroutine function or not, is the life. What a life says is heard by the test, a line each, even if the next instruction
is the kill. `Nursery` is the test's end.
"""

import asyncio
import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.support.node import REPOSITORY

BORN: Final = "born"
SAID: Final = "said"
ENDED: Final = "ended"
FAILED: Final = 1
KILLED: Final = -signal.SIGKILL
_MARK: Final = "= "
"""Before what is told to the test; the log of a life goes the same way."""


@dataclass(frozen=True)
class Life:
    """How a life ended, as `subprocess` numbers it, and the words of each line it said before."""

    code: int
    said: list[list[str]]


class Nursery:
    """Lets one process at a time live."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._alone = threading.Lock()

    async def life(self, task: dict[str, Any], lines_before_kill: int | None = None) -> Life:
        """What became of it; killed from outside, wherever it is, when it has said so many lines."""
        return await asyncio.to_thread(self.live, task, lines_before_kill)

    def live(self, task: dict[str, Any], lines_before_kill: int | None = None) -> Life:
        """The same, for whoever has no event loop."""
        with self._alone:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
            return self._heard(lines_before_kill)

    def _heard(self, lines_before_kill: int | None) -> Life:
        assert self._process.stdout is not None
        said = list[list[str]]()
        process = 0
        for line in self._process.stdout:
            match line.removeprefix(_MARK).split() if line.startswith(_MARK) else []:
                case [str(what), str(number)] if what == BORN:
                    process = int(number)
                case [str(what), str(code)] if what == ENDED:
                    return Life(int(code), said)
                case [str(what), *words] if what == SAID:
                    said.append(words)
                    if len(said) == lines_before_kill:
                        os.kill(process, signal.SIGKILL)
        raise AssertionError("the nursery is gone")


@contextlib.contextmanager
def nursery(module: str) -> Iterator[Nursery]:
    """One whose processes live as `module` says."""
    command = [sys.executable, "-m", "tests.support.nursery", module]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Nursery(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0


def say(*words: object) -> None:
    """One line of this life, at once."""
    _tell(SAID, *words)


def _tell(*words: object) -> None:
    os.write(1, f"{_MARK}{' '.join(map(str, words))}\n".encode())


def _live(module: Any, task: dict[str, Any]) -> None:
    try:
        work = module.work(task)
        if asyncio.iscoroutine(work):
            asyncio.run(work)
    except BaseException:  # noqa: BLE001 - whatever it was, the child must not go on as the parent
        traceback.print_exc()
        os._exit(FAILED)
    os._exit(0)


def _main(module: Any) -> None:
    """Whoever ended is buried when the next is born: until then its number is nobody else's, and it may be killed."""
    gc.disable()  # lives are short, and looking through what they share with their parent makes them copy it
    dead = 0
    for line in sys.stdin:
        if dead:
            os.waitpid(dead, 0)
        dead = os.fork()
        if dead == 0:
            _tell(BORN, os.getpid())
            _live(module, json.loads(line))
        end = os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)
        assert end is not None
        _tell(ENDED, end.si_status if end.si_code == os.CLD_EXITED else -end.si_status)


if __name__ == "__main__":
    _main(importlib.import_module(sys.argv[1]))
