"""Whatever goes wrong, and whoever logs it, a log line has the type and the place, never a value."""

import json
import subprocess
import sys

import pytest

from node.wiring.logs import as_json
from tests.support.node import REPOSITORY

SECRET = "hush-hush-hush"
PROGRAM = """
import asyncio, logging, sys
import structlog
from node.wiring.logs import configure_logs

def failing(secret):
    held = secret + " in a variable"
    raise ValueError(secret + " in a message")

async def main():
    configure_logs("info", for_people=sys.argv[1] == "people")
    secret = sys.stdin.read()
    for log in (structlog.get_logger("one").exception, logging.getLogger("two").exception):
        try:
            failing(secret)
        except ValueError:
            log("it failed")
    async def lost():
        failing(secret)
    task = asyncio.create_task(lost())
    await asyncio.sleep(0)
    del task
    import gc
    gc.collect()

asyncio.run(main())
"""


@pytest.mark.parametrize("reader", [pytest.param("people", marks=pytest.mark.exhaustive), "machines"])
def test_an_exception_is_logged_without_what_it_held(reader: str) -> None:
    command = [sys.executable, "-c", PROGRAM, reader]
    finished = subprocess.run(command, cwd=REPOSITORY, input=SECRET, capture_output=True, text=True, check=True)
    assert SECRET not in finished.stdout + finished.stderr
    assert finished.stdout.count("ValueError") == 3
    assert finished.stdout.count(" failing") == 3


def test_a_line_is_written_whatever_it_holds() -> None:
    line = as_json(None, "info", {"b": "\ud800", "a": {1, 2}, "c": b"\xff", "d": object})
    assert list(json.loads(line)) == ["a", "b", "c", "d"]
    assert line.isascii()
