"""One deadline over a whole look, whoever is slow: the host, a provider, the collateral's source."""

import asyncio
import os
import pty
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import web

from svc_verifier.check import Verdict
from svc_verifier.gathering.collateral import CollateralSource
from svc_verifier.gathering.gather import gather
from svc_verifier.material import Missing, Platform, ProviderAnswers
from svc_verifier.session import look
from tests.support import rpc_proxy
from tests.support.instances import Instance, running_app
from tests.support.node import REPOSITORY
from tests.support.rpc_proxy import RpcProxy
from tests.support.verifying import PATIENT, Impostor, Meet, VerifiableNode, at

LOOK_S = 2.0
ENDS_WITHIN_S = 20.0
"""Far more than a look may take, far less than the limits of single answers add up to."""


async def drips(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.01)


async def continues(request: web.Request) -> web.StreamResponse:
    """Interim responses without end (RFC 9110 section 15.2): each is an answer, none the last."""
    assert request.transport is not None
    while not request.transport.is_closing():
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        await asyncio.sleep(0.001)
    return web.Response()


async def lists_slow_files(request: web.Request) -> web.StreamResponse:
    if "/file" in request.path:
        await asyncio.sleep(0.5)
    return web.Response(body=b"".join(b"%064x  file%d\n" % (number, number) for number in range(30)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("meet", [drips, continues, lists_slow_files])
async def test_a_slow_host_is_given_one_deadline(development_node: VerifiableNode, meet: Meet) -> None:
    limits = replace(PATIENT, look_timeout_s=LOOK_S)
    async with Impostor(meet).running() as impostor:
        address, trust = at(development_node, impostor)
        async with asyncio.timeout(ENDS_WITHIN_S):
            report = (await look(address, trust, development_node.sources(limits))).report
    assert report.verdict is not Verdict.ACCEPTED


@asynccontextmanager
async def slow_endpoint() -> AsyncIterator[str]:
    async with RpcProxy(None).running() as proxy:
        proxy.behaviour = rpc_proxy.drip
        yield proxy.url


@pytest.mark.exhaustive
async def test_a_slow_endpoint_is_given_what_is_left_and_costs_no_other_its_answer() -> None:
    async with running_app(Instance("a")) as app, slow_endpoint() as slow:
        sources = app.sources()
        sources = replace(sources, limits=replace(sources.limits, look_timeout_s=12.0))
        trust = replace(app.trust, rpc_urls=(*app.trust.rpc_urls, slow))
        async with asyncio.timeout(2 * ENDS_WITHIN_S):
            material = await gather(app.address, trust, sources)
    honest, late = material.providers
    assert isinstance(honest, ProviderAnswers)
    assert isinstance(late, Missing)
    assert "127.0.0.1" in late.why


class NoCollateral(CollateralSource):
    """A service that accepts the question and never answers."""

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        await asyncio.get_running_loop().create_future()
        raise AssertionError


@pytest.mark.exhaustive
async def test_a_silent_source_of_collateral_is_given_what_is_left() -> None:
    async with running_app(Instance("a")) as app:
        sources = app.sources()
        sources = replace(sources, collateral=NoCollateral(), limits=replace(sources.limits, look_timeout_s=LOOK_S))
        async with asyncio.timeout(ENDS_WITHIN_S):
            material = await gather(app.address, app.trust, sources)
    assert isinstance(material.collateral, Missing)
    assert "--timeout" in material.collateral.why


async def test_progress_is_told_and_taken_back() -> None:
    async with running_app(Instance("a")) as app:
        told: list[str] = []
        await gather(app.address, app.trust, replace(app.sources(), progress=told.append))
    assert told[0].startswith("asking localhost")
    assert len(told) >= 3
    assert told[-1] == ""


async def ran(origin: str, *arguments: str, stderr: int) -> tuple[int | None, bytes]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "svc_verifier", origin, *arguments,
        cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
    )  # fmt: skip
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, out


async def test_the_command_ends_in_time_and_shows_progress_to_a_person_alone() -> None:
    master, terminal = pty.openpty()
    try:
        async with Impostor(drips).running() as impostor:
            known = (
                "--app-id",
                "0x" + "11" * 20,
                "--rpc-url",
                "http://127.0.0.1:1",
                "--collateral-url",
                "http://127.0.0.1:1",
            )
            started_s = time.monotonic()
            code, out = await ran(impostor.origin, *known, "--timeout", "1", stderr=terminal)
            assert code == 20
            assert time.monotonic() - started_s < 50, "far less than the single limits add up to"
            shown = os.read(master, 65_536)
            assert b"asking localhost for its evidence" in shown
            assert b"asking" not in out
            code, out = await ran(impostor.origin, *known, "--timeout", "1", stderr=subprocess.STDOUT)
            assert code == 20
            assert b"asking localhost" not in out
    finally:
        os.close(master)
        os.close(terminal)
