"""Nodes that die: `python -m tests.world.payment_worker` forks one for each task it reads, and tells how it ended.

A task is a line of JSON. Its node opens the ledger, does what the task says and is killed at the `kill_at`-th step: one
before and one after every call of the ledger's books and of the card processor. Everything is imported once, here.
"""

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, cast

from node.billing.payments.room import PaymentsRoom
from node.ledger.books import Books, LedgerDatabase
from node.ledger.limits import LedgerLimits
from node.ledger.postgres.ledger import PostgresLedger
from node.ledger.sqlite.ledger import SqliteLedger
from node.processor.port import CardProcessor
from tests.world.clock import FakeClock
from tests.world.payments import adapter, payments_room
from tests.world.postgres_ledger import IMPATIENT

KILLED: Final = 42
FAILED: Final = 1
DONE: Final = 0


class Fuse:
    """Ends the process, as a kill does, at one step."""

    def __init__(self, kill_at: int) -> None:
        self._left = kill_at

    def burn(self) -> None:
        """One step."""
        self._left -= 1
        if not self._left:
            os._exit(KILLED)


class Doomed:
    """A port, each of whose calls is two steps."""

    def __init__(self, port: object, fuse: Fuse) -> None:
        self._port = port
        self._fuse = fuse

    def __getattr__(self, name: str) -> Callable[..., object]:
        method: Callable[..., object] = getattr(self._port, name)

        async def rest(begun: Awaitable[object]) -> object:
            result = await begun
            self._fuse.burn()
            return result

        def call(*given: object) -> object:
            self._fuse.burn()
            result = method(*given)
            if isinstance(result, Awaitable):
                return rest(result)
            self._fuse.burn()
            return result

        return call


async def work(task: dict[str, Any]) -> None:
    """One node's life."""
    clock = FakeClock(task["now"])
    async with AsyncExitStack() as stack:
        ledger = await _ledger(task, clock)
        stack.push_async_callback(ledger.close)
        processor = adapter(task["processor"], clock)
        stack.push_async_callback(processor.close)
        await stack.enter_async_context(payments_room(ledger, processor, clock))
        fuse = Fuse(task["kill_at"])
        books = cast("Books", Doomed(ledger, fuse))
        doomed = cast("CardProcessor", Doomed(processor, fuse))
        room = await stack.enter_async_context(payments_room(cast("LedgerDatabase", books), doomed, clock))
        await _do(room, task)


async def _ledger(task: dict[str, Any], clock: FakeClock) -> LedgerDatabase:
    if task["database"].startswith("postgres"):
        return await PostgresLedger.open(task["database"], "doomed", LedgerLimits(), IMPATIENT, clock)
    return await SqliteLedger.open(Path(task["database"]), LedgerLimits(), clock)


async def _do(room: PaymentsRoom, task: dict[str, Any]) -> None:
    match task["what"]:
        case "create":
            await room.payments.create(task["account"], 500, "request")
        case "confirm":
            await room.payments.confirm(task["account"], task["intent"])
        case "webhook":
            for payload, signature in task["calls"]:
                await room.webhook.receive(payload.encode(), signature)
        case "outbox":
            await room.tell()
        case "sweep":
            await room.sweep()
        case unknown:
            raise ValueError(unknown)


def _life(task: dict[str, Any]) -> int:
    """In a process of its own; how it ended."""
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(work(task))
        except BaseException:  # noqa: BLE001 - whatever it was, the child must not go on as the parent
            traceback.print_exc()
            os._exit(FAILED)
        os._exit(DONE)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{_life(json.loads(line))}\n")
        sys.stdout.flush()
