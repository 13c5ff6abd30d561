"""A process that writes groups and kills itself at a named step: `python -m tests.support.write_worker JSON`.

It says on standard output what it was told, a line each, so that the test knows what the world knew before the kill.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from node.chain.port import WriteIntent, WriteResult
from node.chain.rpc import JsonRpc
from node.chain.writes.model import WriteStep
from node.keyring.enclave import EnclaveKeyring
from tests.support.postgres_ledger import SharedDatabase
from tests.support.writes import ANYWHERE, CHAIN_ID, ROOT, WriteWorld

AT_ONCE = 7
"""Sent together, they may pass a step as one; those that follow one by one pass it once each."""


def say(*words: str) -> None:
    """One line, at once: it is out even if the next instruction is the kill."""
    os.write(1, (" ".join(words) + "\n").encode())


class Saying:
    """An observer that says what it hears."""

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        say("told", intent.write_id, "mined" if result else "failed")

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """Nothing is said: it is the ends that are counted."""

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Nothing is said."""

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """Nothing is said."""


def killer(step: str, occurrence: int) -> Callable[[WriteStep], None]:
    """SIGKILL to this process when `step` is passed for the `occurrence`-th time."""
    seen = 0

    def on_step(passed: WriteStep) -> None:
        nonlocal seen
        seen += passed == step
        if seen == occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    return on_step


def place_of(task: dict[str, Any]) -> Path | SharedDatabase:
    """Where the task's journal lies: a file, or a database that another process has made."""
    if "ledger_url" not in task:
        return Path(task["database"])
    return SharedDatabase(task["ledger_url"])


async def work(task: dict[str, Any]) -> None:
    """Write every group of the task: many at once, then one by one, so that every step is passed several times."""
    async with aiohttp.ClientSession() as session:
        keyring = EnclaveKeyring(ROOT, CHAIN_ID, ANYWHERE)
        world = WriteWorld(JsonRpc(session, [task["url"]]), task["url"], task["contract"], keyring)
        armed: list[Callable[[WriteStep], None]] = []

        def on_step(step: WriteStep) -> None:
            for each in armed:
                each(step)

        async with world.open(place_of(task), told=Saying(), on_step=on_step) as writes:
            armed.append(killer(task["step"], task["occurrence"]))

            async def one(name: str) -> None:
                call = world.add_group(task["account"], name).call
                await writes.writer.write(WriteIntent(name, call, idempotency_id=name, answer={"name": name}))
                say("answered", name)

            names: list[str] = task["names"]
            await asyncio.gather(*(one(name) for name in names[:AT_ONCE]))
            for name in names[AT_ONCE:]:
                await one(name)


if __name__ == "__main__":
    asyncio.run(work(json.loads(sys.argv[1])))
