"""Baselines in Python: aiohttp with the engine in its own process, and with a fresh process for each action."""

import asyncio
import multiprocessing
import sys
from pathlib import Path

import _quickjs
from aiohttp import web
from aiohttp.typedefs import Handler

from benchmarks.actions.bare_engine import evaluate
from benchmarks.origin import announce_and_serve
from node.keyring.signing import sign_message
from node.keyring.signing_key import Secp256k1Key

_PROGRAM = "import sys; sys.path.append(sys.argv[1]); import runpy; runpy.run_path(sys.argv[2], run_name='__main__')"


def serve_in_process(ports: "multiprocessing.Queue[int]") -> None:
    """A fresh context for each request, and a host function that signs; no isolation, no limits, no authorisation."""
    key = Secp256k1Key(b"\x11" * 32)

    def sign(message: str) -> str:
        return "0x" + sign_message(key, message).hex()

    async def run(request: web.Request) -> web.Response:
        return web.Response(
            text=evaluate(await request.read(), {"hostSignMessage": sign}), content_type="application/json"
        )

    _serve(run, ports)


def serve_fresh_processes(ports: "multiprocessing.Queue[int]") -> None:
    """A Python started for each request, which loads the engine, runs the action and ends."""
    program = str(Path(__file__).with_name("bare_engine.py"))
    engine = str(Path(_quickjs.__file__).parent)
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, engine, program]

    async def run(request: web.Request) -> web.Response:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        answer, _ = await process.communicate(await request.read())
        return web.Response(body=answer, content_type="application/json")

    _serve(run, ports)


def _serve(run: Handler, ports: "multiprocessing.Queue[int]") -> None:
    application = web.Application()
    application.router.add_post("/", run)
    asyncio.run(announce_and_serve(application, ports))
