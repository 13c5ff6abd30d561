"""A node's ledger in a process of its own: `python -m tests.support.postgres_worker JSON`, then one command a line.

It answers each line with one: `ok`, `refused`, `out`, or what was asked for. `LedgerWorker` is the other end.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from node.database import postgres_connections
from node.ledger.errors import LedgerUnavailableError, PaymentRequiredError
from node.ledger.port import Spender
from node.ledger.postgres_ledger import LEASE_S, PostgresLedger
from node.settings.ledger import PostgresSettings
from tests.support.clock import FakeClock
from tests.support.ledgers import ACCOUNT, CENT, RUN, give

DEADLINE_S = 60.0
ANSWER = "= "


class LedgerWorker:
    """A node in another process, which may be stopped, continued and killed."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def ask(self, *words: object) -> str:
        """One command and its answer."""
        self.tell(*words)
        return self.heard()

    def tell(self, *words: object) -> None:
        """One command, whose answer is not waited for."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def heard(self) -> str:
        """The next answer; empty when the process is gone."""
        assert self.process.stdout is not None
        while (line := self.process.stdout.readline()) and not line.startswith(ANSWER):
            pass  # the log goes the same way
        return line.removeprefix(ANSWER).strip()

    def send(self, what: signal.Signals) -> None:
        self.process.send_signal(what)
        if what is signal.SIGSTOP:
            os.waitpid(self.process.pid, os.WUNTRACED)

    def kill(self) -> None:
        """`kill -9`, and it is gone."""
        self.process.kill()
        self.process.wait(DEADLINE_S)


@contextlib.contextmanager
def ledger_worker(
    url: str, node_id: str, lease_s: float = LEASE_S, idle_in_transaction_timeout_s: float | None = None
) -> Iterator[LedgerWorker]:
    """One that opens the database at once; its first answer, `open`, is still to be heard."""
    task = json.dumps({"url": url, "node_id": node_id, "lease_s": lease_s, "idle_s": idle_in_transaction_timeout_s})
    command = [sys.executable, "-m", "tests.support.postgres_worker", task]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield LedgerWorker(process)
        finally:
            process.kill()


async def spend(ledger: PostgresLedger, cause: str) -> str:
    """One execution of a started second."""
    return await outcome_of(_reserve_and_settle(ledger, cause))


async def _reserve_and_settle(ledger: PostgresLedger, cause: str) -> None:
    await ledger.reserve(Spender(ACCOUNT), cause, CENT)
    await ledger.settle(cause, CENT, RUN)


async def outcome_of(work: Any) -> str:
    """`ok`, `refused` for credit, `out` for the database."""
    try:
        await work
    except PaymentRequiredError:
        return "refused"
    except LedgerUnavailableError:
        return "out"
    return "ok"


async def obey(ledger: PostgresLedger, words: list[str]) -> str:
    """Do one command."""
    match words:
        case ["give", cents]:
            return await outcome_of(give(ledger, int(cents)))
        case ["reserve", cause, cents]:
            return await outcome_of(ledger.reserve(Spender(ACCOUNT), cause, int(cents) * CENT))
        case ["extend", cause, cents]:
            return await outcome_of(ledger.extend(cause, int(cents) * CENT))
        case ["settle", cause, cents]:
            return await outcome_of(ledger.settle(cause, int(cents) * CENT, RUN))
        case ["spend", name, many]:
            outcomes = await asyncio.gather(*(spend(ledger, f"{name}{i}") for i in range(int(many))))
            return str(outcomes.count("ok"))
        case _:
            raise AssertionError(words)


def answer(text: str) -> None:
    """One line, at once: it is out even if the next instruction is the kill."""
    os.write(1, f"{ANSWER}{text}\n".encode())


async def work(task: dict[str, Any]) -> None:
    """Open, then obey line by line until there are no more."""
    if task["idle_s"] is not None:
        postgres_connections.IDLE_IN_TRANSACTION_TIMEOUT_S = task["idle_s"]  # type: ignore[misc]  # of this process alone
    settings, lease_s = PostgresSettings(), task["lease_s"]
    ledger = await PostgresLedger.open(task["url"], task["node_id"], settings, FakeClock(), lease_s=lease_s)
    answer("open")
    while line := await asyncio.to_thread(sys.stdin.readline):
        answer(await obey(ledger, line.split()))
    await ledger.close()


if __name__ == "__main__":
    asyncio.run(work(json.loads(sys.argv[1])))
