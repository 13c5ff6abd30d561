"""A node that dies (tests.support.nursery): it opens the ledger, does what the task says and is killed at a step.

There is one before and one after every call of the ledger's books and of the card processor. It says each.
"""

import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, cast

import pytest

from node.billing.payments.service import PaymentService
from node.database.port import Database
from node.ledger.port import LedgerDatabase
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.sqlite_ledger import SqliteLedger
from node.processor.port import CardProcessor
from node.settings.ledger import LedgerSettings
from tests.support.clock import FakeClock
from tests.support.nursery import say
from tests.support.payments import adapter, payments_room
from tests.support.postgres_ledger import IMPATIENT
from tests.support.processor_constants import UNHURRIED, change

BEGUN: Final = "begun"
ENDED: Final = "ended"
TELLING: Final = frozenset({"post", "create_customer", "create_intent", "add_to_balance"})
"""Calls that move money, or make something at the processor."""


def distinct(steps: Sequence[Sequence[str]]) -> list[int]:
    """The steps, from 1, at which a kill leaves something behind that no earlier one leaves.

    Whatever lasts is done by a call: before one begins everything is as the one before it left it, unless a third is
    under way.
    """
    found, under_way = [], 0
    for number, (_, edge) in enumerate(steps, 1):
        if edge == ENDED or under_way or number == 1:
            found.append(number)
        under_way += 1 if edge == BEGUN else -1
    return found


def sampled(steps: Sequence[Sequence[str]], stride: int) -> list[int]:
    """Every `stride`-th of the distinct steps, and those on both sides of each call that moves money."""
    every = distinct(steps)
    telling = [number for number, (call, _) in enumerate(steps, 1) if call in TELLING]
    return sorted({*every[::stride], *(max(step for step in every if step <= number) for number in telling)})


class Fuse:
    """Ends the process, as a kill does, at one step."""

    def __init__(self, kill_at: int) -> None:
        self._left = kill_at

    def burn(self, call: str, edge: str) -> None:
        """One step."""
        say(call, edge)
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)


class Doomed:
    """A port, each of whose calls is two steps."""

    def __init__(self, port: object, fuse: Fuse) -> None:
        self._port = port
        self._fuse = fuse

    def __getattr__(self, name: str) -> Callable[..., object]:
        method: Callable[..., object] = getattr(self._port, name)

        async def rest(begun: Awaitable[object]) -> object:
            result = await begun
            self._fuse.burn(name, ENDED)
            return result

        def call(*given: object) -> object:
            self._fuse.burn(name, BEGUN)
            result = method(*given)
            if isinstance(result, Awaitable):
                return rest(result)
            self._fuse.burn(name, ENDED)
            return result

        return call


async def work(task: dict[str, Any]) -> None:
    """One node's life."""
    clock = FakeClock(task["now"])
    change(pytest.MonkeyPatch(), UNHURRIED)  # for the whole life of this process
    async with AsyncExitStack() as stack:
        ledger = await _ledger(task, clock)
        stack.push_async_callback(ledger.close)
        processor = adapter(task["processor"], clock)
        stack.push_async_callback(processor.close)
        await stack.enter_async_context(payments_room(ledger, processor, clock))
        fuse = Fuse(task["kill_at"])
        books = cast("Database", Doomed(ledger, fuse))
        doomed = cast("CardProcessor", Doomed(processor, fuse))
        room = await stack.enter_async_context(payments_room(cast("LedgerDatabase", books), doomed, clock))
        await _do(room, task)


async def _ledger(task: dict[str, Any], clock: FakeClock) -> LedgerDatabase:
    if task["database"].startswith("postgres"):
        return await PostgresLedger.open(task["database"], "doomed", IMPATIENT, clock)
    return await SqliteLedger.open(Path(task["database"]), LedgerSettings(), clock)


async def _do(room: PaymentService, task: dict[str, Any]) -> None:
    match task["what"]:
        case "create":
            await room.payments.create(task["account"], 500, "request")
        case "confirm":
            await room.payments.confirm(task["account"], task["intent"])
        case "webhook":
            for payload, signature in task["calls"]:
                await room.webhook.receive(payload.encode(), signature)
        case "outbox":
            await room.sync_balances()
        case "sweep":
            await room.sweep()
        case unknown:
            raise ValueError(unknown)
