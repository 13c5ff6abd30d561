"""Program of a process that measures one checkout's engine, without HTTP.

It runs the checkout's interpreter and `node` package with this checkout's benchmarks. So it imports
nothing else of this repository, and uses only parts of `node` that the older one has too.
"""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any, TextIO

from benchmarks.actions.closed_loop import Round, timed_round
from benchmarks.actions.kinds import KINDS, Kind
from benchmarks.processes import tree_cpu_s
from node.engine.cid import cid_of_source
from node.engine.port import ActionJob
from node.engine.process_engine import ProcessEngine

ACCOUNTS = 4
"""Number of accounts, as over HTTP."""
KEY = "0x" + "11" * 32


class _Host:
    """Host of the actions, which has only one private key."""

    async def call(self, name: str, arguments: Sequence[Any]) -> Any:
        assert name == "getPrivateKey", (name, arguments)
        return KEY


async def _loaded(engine: ProcessEngine, kind: Kind, concurrency: int, seconds: float) -> Round:
    loop = asyncio.get_running_loop()

    async def ask(index: int) -> None:
        job = _job(kind, index % ACCOUNTS)
        outcome = await engine.run(job, _Host(), loop.create_future(), lambda: None)
        assert outcome.error is None, outcome.error
        assert kind.accepts(outcome.response), outcome.response

    return await timed_round(ask, lambda: tree_cpu_s(os.getpid()), concurrency=concurrency, seconds=seconds)


def _job(kind: Kind, account: int) -> ActionJob:
    values: dict[str, Any] = {"code": kind.code, "params": {"wallet": "0x"}, "headers": {}, "account": account}
    # The engine of before has no such field.
    values["cid"] = cid_of_source(kind.code)
    known = {field.name for field in fields(ActionJob)}
    return ActionJob(**{name: value for name, value in values.items() if name in known})


async def _serve(answers: TextIO) -> None:
    kinds = {kind.name: kind for kind in KINDS}
    async with ProcessEngine() as engine:
        print(file=answers, flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            load = json.loads(line)
            found = await _loaded(engine, kinds[load["kind"]], load["concurrency"], load["seconds"])
            # The load comes from the engine's own process, and its CPU time counts there.
            found = replace(found, generator_cpu_ms=0.0)
            print(json.dumps(asdict(found)), file=answers, flush=True)


def main() -> None:
    """Serves rounds until stdin is closed."""
    answers, sys.stdout = sys.stdout, sys.stderr  # where the engine's log goes
    asyncio.run(_serve(answers))
