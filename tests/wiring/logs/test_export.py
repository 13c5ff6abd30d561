"""The collector gets the lines of standard output, as free of secrets."""

import asyncio
import sys

import pytest

from tests.support.node import REPOSITORY
from tests.support.otlp import receiving

SECRET = "hush-hush-hush"
PROGRAM = """
import asyncio, logging, sys, threading
import structlog
from prometheus_client import CollectorRegistry
from node.wiring.logs import configure_logs, exported_logs

def failing(secret):
    held = secret + " in a variable"
    raise ValueError(secret + " in a message")

async def main():
    secret = sys.stdin.read()
    lines = configure_logs("info")
    async with exported_logs(lines, sys.argv[1], CollectorRegistry()):
        structlog.get_logger("one").info("begun")
        for log in (structlog.get_logger("one").exception, logging.getLogger("two").exception):
            try:
                failing(secret)
            except ValueError:
                log("it failed")
        other = threading.Thread(target=lambda: structlog.get_logger("three").info("elsewhere"))
        other.start()
        other.join()
        structlog.get_logger("one").info("ended")
    structlog.get_logger("one").info("after")

asyncio.run(main())
"""


@pytest.mark.exhaustive
@pytest.mark.asyncio
async def test_a_collector_gets_the_lines_of_standard_output_and_no_secret() -> None:
    async with receiving() as receiver:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            PROGRAM,
            receiver.url,
            cwd=REPOSITORY,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        written, _ = await asyncio.wait_for(child.communicate(SECRET.encode()), 60)
    *lines, after = written.decode().splitlines()
    assert child.returncode == 0
    assert sorted(receiver.bodies) == sorted(lines)
    assert len(lines) == 5
    assert sum("ValueError" in line for line in receiver.bodies) == 2
    assert "after" in after
    assert SECRET not in "".join(receiver.bodies)
