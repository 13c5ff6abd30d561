"""Lines are written together, and none is lost when the process ends in order."""

import asyncio
import io
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

import pytest

from node.wiring.logs import BatchedLines, LineLogger
from tests.support.node import REPOSITORY

PROGRAM = """
import asyncio, logging, os, signal, sys, threading
import structlog
from node.wiring.logs import configure_logs

async def main():
    lines = configure_logs("info")
    log = structlog.get_logger("one")
    for number in range(3):
        log.info("line", number=number)
    match sys.argv[1]:
        case "return":
            return
        case "raise":
            raise SystemExit(3)
        case "stdlib":
            logging.getLogger("two").warning("line")
            os._exit(0)
        case "error":
            log.error("line")
            os._exit(0)
        case "thread":
            await asyncio.to_thread(log.info, "line", number=3)
            os._exit(0)
        case "timer":
            while True:
                await asyncio.sleep(1)
        case "many":
            for _ in range(1000):
                log.info("line", filler="x" * 100)
            os._exit(0)

asyncio.run(main())
"""


def written(how: str) -> list[dict[str, object]]:
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return [json.loads(line) for line in finished.stdout.splitlines()]


@pytest.mark.parametrize("how", ["return", "raise"])
def test_nothing_is_lost_at_the_end_of_the_process(how: str) -> None:
    assert [line["number"] for line in written(how)] == [0, 1, 2]


@pytest.mark.parametrize("how", ["stdlib", "error", "thread"])
def test_what_is_worse_than_normal_or_comes_from_a_thread_is_written_at_once_and_in_order(how: str) -> None:
    assert [line.get("number") for line in written(how)][:3] == [0, 1, 2]
    assert len(written(how)) == 4


def test_a_node_that_is_killed_loses_no_more_than_a_moment() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "timer"], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        read = [json.loads(process.stdout.readline())["number"] for _ in range(3)]
        process.send_signal(signal.SIGKILL)
    assert read == [0, 1, 2]


def test_what_waits_is_bounded() -> None:
    assert len(written("many")) > 400


async def test_lines_of_one_moment_are_one_write() -> None:
    class Counted(io.StringIO):
        writes = 0

        def write(self, text: str) -> int:
            self.writes += 1
            return super().write(text)

    stream = Counted()
    lines = BatchedLines(stream)
    log = LineLogger(lines)
    for number in range(100):
        log.info(str(number))
    assert stream.getvalue() == ""
    log.error("now")
    await asyncio.sleep(0)
    assert stream.getvalue().split() == [*map(str, range(100)), "now"]
    assert stream.writes == 1


async def test_a_finaliser_that_logs_while_lines_are_written_waits_for_nobody() -> None:
    class Forgotten:
        """Object that logs when it is collected, as an asyncio task with an unread exception does."""

        def __del__(self) -> None:
            LineLogger(lines).error("of a finaliser")

    forgotten = [Forgotten()]
    taken: list[str] = []

    def take(texts: Sequence[str]) -> None:
        forgotten.clear()
        taken.extend(texts)

    stream = io.StringIO()
    lines = BatchedLines(stream)
    lines.copy_to(take)
    # In a thread of its own, so that a wait without end fails this test and does not hang it.
    writing = threading.Thread(target=LineLogger(lines).error, args=("first",), daemon=True)
    writing.start()
    await asyncio.to_thread(writing.join, 10)
    assert not writing.is_alive()
    assert stream.getvalue().split("\n") == ["first", "of a finaliser", ""]
    assert sorted(taken) == ["first\n", "of a finaliser\n"]
