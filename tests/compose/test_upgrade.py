"""What strangers see of an upgrade before it counts, whatever one provider says; the upgrade itself: tests/docs/test_operators.py."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from svc_verifier.chain.abi import selector
from svc_verifier.chain.contracts import CONFIRMATIONS
from svc_verifier.check import Check, Status
from svc_verifier.cli.watch import watch
from svc_verifier.rendering.machine import json_report
from svc_verifier.rendering.text import page
from svc_verifier.session import Verification, look
from tests.compose.conftest import CHAIN_ID, OWNER_KEY, Run
from tests.support.machine import ask
from tests.support.measured_files import measured, node_alone
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy, honest
from tests.support.verifying import VerifiableNode, verifiable_node

DELAY = f"0x{selector('approvalDelay()').hex()}"
PENDING = f"0x{selector('pendingComposeHashes()').hex()}"
NOTHING = f"0x{(32).to_bytes(32).hex()}{bytes(32).hex()}"
"""An empty list."""
FILE = "app-compose.json"
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VerifiableNode]:
    with verifiable_node(tmp_path_factory.mktemp("node")) as running:
        yield running


@pytest.fixture
def announced(tmp_path: Path) -> str:
    """The hash of a file in the run's directory, which `approve` would announce."""
    file = measured(node_alone())
    (tmp_path / FILE).write_bytes(file.raw)
    return file.hash.hex()


async def sends(run: Run, node: VerifiableNode, command: str) -> None:
    """The owner approves, or takes back."""
    at = ["--app-id", f"0x{node.app_id.hex()}", "--chain-id", str(CHAIN_ID), "--rpc-url", node.chain]
    ran = await asyncio.to_thread(run, command, FILE, *at, "--key-file", "-", stdin=OWNER_KEY)
    assert ran.code == 0, ran.err
    await asyncio.to_thread(ask, node.chain, "anvil_mine", hex(CONFIRMATIONS + 1))


async def seen(node: VerifiableNode, behaviour: Behaviour, other: Behaviour = honest) -> Verification:
    """By a user who names two providers that do this."""
    async with RpcProxy(node.chain).running() as one, RpcProxy(node.chain).running() as two:
        one.behaviour, two.behaviour = behaviour, other
        trust = node.trust(one.url, two.url.replace("127.0.0.1", "localhost"))
        return await look(node.address, trust, node.sources())


def check(verification: Verification, name: str) -> Check:
    return next(check for check in verification.report.checks if check.id == name)


async def hides(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Nothing is announced."""
    answer = await forward()
    if asked["method"] == "eth_call" and asked["params"][0]["data"] == PENDING:
        answer["result"] = NOTHING
    return web.json_response(answer)


async def plain(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """A contract as dstack's own is: it knows neither a delay nor announcements."""
    answer = await forward()
    if asked["method"] == "eth_call" and asked["params"][0]["data"] in {DELAY, PENDING}:
        answer = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 3, "message": "execution reverted"}}
    return web.json_response(answer)


@pytest.mark.exhaustive
async def test_watching_tells_of_an_announcement_and_that_it_was_taken_back(
    node: VerifiableNode, run: Run, announced: str
) -> None:
    told = []
    async for sight in watch(node.address, node.trust(), node.sources(), interval_s=0.0, looks=3):
        told.append([(change.what, announced in change.after) for change in sight.changes])
        if len(told) < 3:
            await sends(run, node, "approve" if len(told) == 1 else "revoke")
    assert told == [[], [("scheduled approvals", True)], [("scheduled approvals", False)]]


@pytest.mark.exhaustive
async def test_every_form_of_the_report_shows_it_and_one_endpoint_cannot_hide_it(
    node: VerifiableNode, run: Run, announced: str
) -> None:
    await sends(run, node, "approve")
    try:
        shown, hidden = await seen(node, honest), await seen(node, hides)
        both_lie = await seen(node, hides, hides)
    finally:
        await sends(run, node, "revoke")
    pending = check(shown, "governance.pending")
    assert (pending.status, shown.report.verdict.value) == (Status.UNKNOWN, "accepted")
    assert announced in str(pending.why)
    for text in (json_report(shown.report), page(shown.report)):
        assert announced in text
    # A disagreement says nothing of the host: it is undecided, and names the providers.
    assert check(hidden, "governance.endpoints").status is Status.UNKNOWN
    assert check(hidden, "governance.pending").status is Status.UNKNOWN
    assert hidden.report.verdict.value == "undecided"
    assert check(both_lie, "governance.pending").status is Status.PASSED, "two that conspire can lie: verifying.md"


@pytest.mark.exhaustive
async def test_of_a_contract_that_announces_nothing_it_says_that_it_cannot_know(node: VerifiableNode) -> None:
    verification = await seen(node, plain, plain)
    pending = check(verification, "governance.pending")
    assert pending.status is Status.SKIPPED
    assert "cannot be known" in str(pending.why)
    assert verification.report.verdict.value == "accepted"
    assert check(await seen(node, plain), "governance.endpoints").status is Status.UNKNOWN
