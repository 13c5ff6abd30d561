"""Starts the baseline of Node.js, `vm_server.mjs`."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.origin import Served
from tests.world.node import REPOSITORY

NODE_JS = Path(sys.executable).with_name("node")
"""The locked one beside this Python: a machine needs none of its own."""

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
