"""Measures the engine without HTTP, beside the one of an older checkout, each in a process of its own."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.actions.closed_loop import Round, in_turn
from benchmarks.actions.kinds import ETHERS_SIGNED, TRIVIAL, Kind
from benchmarks.actions.lines import Line, lines_of
from benchmarks.aims import Aim
from tests.support.node import REPOSITORY, interpreter_of

ROUNDS = 5
ROUND_S = 2.0
LOADS = ((TRIVIAL, 1), (TRIVIAL, 8), (ETHERS_SIGNED, 1), (ETHERS_SIGNED, 8))
ENGINE = "this engine"
BEFORE = "the engine of before"
_START_S = 60.0
# The `node` of the checkout is imported before this one, which has one too, is on the path for the benchmarks.
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); import node; sys.path.insert(0, sys.argv[2]);"
    "from benchmarks.actions.engine_program import main; main()"
)


class EngineProcess:
    """A running engine that answers each line on its stdin, one load, with a line: the round."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def round(self, kind: Kind, concurrency: int) -> Round:
        """Measure one round. Raises AssertionError when the engine ended, as it does at an answer that is wrong."""
        assert self._process.stdin is not None
        load = {"kind": kind.name, "concurrency": concurrency, "seconds": ROUND_S}
        self._process.stdin.write(json.dumps(load).encode() + b"\n")
        return Round(**json.loads(await self._line(ROUND_S + _START_S)))

    async def ready(self) -> None:
        """Wait until it is started. Raises AssertionError when it does not."""
        await self._line(_START_S)

    async def _line(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), seconds)
        assert line, "the engine has ended"
        return line


@contextlib.asynccontextmanager
async def engine_process(checkout: Path) -> AsyncIterator[EngineProcess]:
    """Run the engine of a checkout, with the interpreter that belongs to it."""
    pipe = asyncio.subprocess.PIPE
    command = [interpreter_of(checkout), "-c", _PROGRAM, str(checkout), str(REPOSITORY)]
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, cwd=checkout)
    engine = EngineProcess(process)
    try:
        await engine.ready()
        yield engine
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def engines(before: Path | None) -> list[Line]:
    """Measure every load, the two engines in turn; this engine by itself where no older checkout is named."""
    async with contextlib.AsyncExitStack() as stack:
        # Each in its own process with its own interpreter: two versions of `node` cannot be imported into one.
        checkouts = {ENGINE: REPOSITORY} | ({BEFORE: before} if before else {})
        running = {name: await stack.enter_async_context(engine_process(each)) for name, each in checkouts.items()}
        lines: list[Line] = []
        for kind, concurrency in LOADS:
            print(f"measuring: the engine alone, {kind.name}, {concurrency} at once", file=sys.stderr)
            measures = {name: partial(engine.round, kind, concurrency) for name, engine in running.items()}
            lines += lines_of(kind.name, concurrency, await in_turn(measures, ROUNDS))
        return lines


def aims_of_engines(lines: Sequence[Line]) -> list[Aim]:
    """Return the aim of the engine, measured when `lines` have both engines."""
    wanted = (TRIVIAL.name, 8, BEFORE)
    ratio = next((line.ratio for line in lines if (line.action, line.concurrency, line.target) == wanted), None)
    return [Aim("engine alone, trivial, 8 at once: actions/s over the engine of before", ratio, 6, "", at_least=True)]
