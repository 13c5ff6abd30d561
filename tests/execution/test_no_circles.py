"""A request that is over is freed at once: circles of objects wait for a full collection, and keep a body and its frames."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from benchmarks.actions.kinds import TRIVIAL
from benchmarks.actions.node_part import KEYS, InstantEngine, instant_application
from benchmarks.wire import Connection, post
from node.engine.port import ActionOutcome
from node.http.server import create_runner

REQUESTS = 5


@contextmanager
def no_collection() -> Iterator[list[web.Request]]:
    """Collect once, then nothing; the requests of other tests that are alive still."""
    gc.collect()
    gc.disable()
    try:
        yield requests_alive()
    finally:
        gc.enable()


def requests_alive() -> list[web.Request]:
    return [each for each in gc.get_objects() if type(each) is web.Request]


@pytest.mark.parametrize("hangs_up", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
async def test_nothing_of_a_request_outlives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hangs_up: bool
) -> None:
    began, ended = asyncio.Semaphore(0), asyncio.Semaphore(0)

    async def run(*arguments: object) -> ActionOutcome:
        began.release()
        try:
            await asyncio.Event().wait()
        finally:
            ended.release()
        raise AssertionError(arguments)

    if hangs_up:
        monkeypatch.setattr(InstantEngine, "run", run)
    async with instant_application(tmp_path) as application:
        runner = create_runner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/core/v1/svc_action"
        request = post(url, {"code": TRIVIAL.code, "js_params": {}}, {"X-Api-Key": KEYS[0]})
        with no_collection() as others:
            for _ in range(REQUESTS):
                connection = await Connection.open(url)
                asking = asyncio.create_task(connection.ask(request))
                if hangs_up:
                    await began.acquire()
                    asking.cancel()
                    connection.close()
                    await ended.acquire()
                else:
                    assert TRIVIAL.answered(await asking)
                    connection.close()
            async with asyncio.timeout(10):
                while len(requests_alive()) > len(others):  # noqa: ASYNC110 - what frees an object sets no event
                    await asyncio.sleep(0.01)
        await runner.cleanup()
