"""Measures the engine without HTTP beside an older checkout's, each in its own process."""

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
# The checkout's `node` is imported before the path gets this repository, which has one too.
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); import node; sys.path.insert(0, sys.argv[2]);"
    "from benchmarks.actions.engine_program import main; main()"
)


class EngineProcess:
    """A running engine. It takes each load as a line on stdin and returns its round as a line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def round(self, kind: Kind, concurrency: int) -> Round:
        """Measures one round. Raises AssertionError if the engine ended, as at a wrong result."""
        assert self._process.stdin is not None
        load = {"kind": kind.name, "concurrency": concurrency, "seconds": ROUND_S}
        self._process.stdin.write(json.dumps(load).encode() + b"\n")
        return Round(**json.loads(await self._line(ROUND_S + _START_S)))

    async def ready(self) -> None:
        """Waits until it has started. Raises AssertionError if it ends instead."""
        await self._line(_START_S)

    async def _line(self, seconds: float) -> bytes:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), seconds)
        assert line, "the engine has ended"
        return line


@contextlib.asynccontextmanager
async def engine_process(checkout: Path) -> AsyncIterator[EngineProcess]:
    """Runs the engine of a checkout, with that checkout's interpreter."""
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
    """Measures every load on both engines in turn; only on this one without an older checkout."""
    async with contextlib.AsyncExitStack() as stack:
        # Each has its own process: one cannot import two versions of `node`.
        checkouts = {ENGINE: REPOSITORY} | ({BEFORE: before} if before else {})
        running = {name: await stack.enter_async_context(engine_process(each)) for name, each in checkouts.items()}
        lines: list[Line] = []
        for kind, concurrency in LOADS:
            print(f"measuring: the engine alone, {kind.name}, {concurrency} at once", file=sys.stderr)
            measures = {name: partial(engine.round, kind, concurrency) for name, engine in running.items()}
            lines += lines_of(kind.name, concurrency, await in_turn(measures, ROUNDS))
        return lines


def aims_of_engines(lines: Sequence[Line]) -> list[Aim]:
    """Returns the aim of the engine, measured if `lines` have both engines."""
    wanted = (TRIVIAL.name, 8, BEFORE)
    ratio = next((line.ratio for line in lines if (line.action, line.concurrency, line.target) == wanted), None)
    return [Aim("engine alone, trivial, 8 at once: actions/s over the engine of before", ratio, 6, "", at_least=True)]
