"""The list of files that one action's request passes, as docs/request-flow.md has it, against a traced request."""

import contextlib
import io
import re
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import FrameType
from typing import Final

import pytest
import structlog

import node
from node.chain.quorum.reader import HeadWatch
from node.execution.routes import endpoints
from node.http.endpoint import account_gate
from node.values import hash_of_text, new_key
from node.wiring.logs import BatchedLines, LineLogger, as_json, with_level_and_time, without_values
from tests.execution.bench import Bench
from tests.support import http_server
from tests.support.http_server import Server, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT: Final = Path(node.__file__).parents[1]
PAGE: Final = ROOT / "docs" / "request-flow.md"
CODE: Final = "async function main({ a }) { return a; }"
REQUESTS: Final = 4
WARM_MAX, COLD_MAX = 42, 54
"""Files, without those of the engine's periodic work. Fewer is better: each is read by whoever follows a request."""


def listed(heading: str) -> set[str]:
    """The files in the section of the page with this heading."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"`(node/\S+\.py)`", section))


@contextlib.contextmanager
def traced() -> Iterator[set[str]]:
    """The node's files of which a function is called inside."""
    paths: set[str] = set()
    here = f"{ROOT}/node/"

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(here):
            paths.add(str(Path(frame.f_code.co_filename).relative_to(ROOT)))

    sys.setprofile(note)
    try:
        yield paths
    finally:
        sys.setprofile(None)


@contextlib.asynccontextmanager
async def node_over(bench: Bench, directory: Path) -> AsyncIterator[Server]:
    """The execution endpoints over real parts, with the node's own log."""
    lines = LineLogger(BatchedLines(io.StringIO()))
    logger = structlog.wrap_logger(
        lines,
        processors=[with_level_and_time, without_values, as_json],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
    ).bind()
    world = http_server.World(directory, cached_keys=bench.authorisations, logs=logger)  # type: ignore[arg-type]  # it asks no more of them
    reach = HeadWatch(bench.world.quorum, 10).reach
    async with serving(endpoints(bench.service, account_gate(2), reach, 100_000), world) as server:
        yield server


async def files_of(server: Server, key: str, code: str) -> set[str]:
    with traced() as paths:
        reply = await server.call("POST", "/svc_action", body={"code": code, "js_params": {"a": "b"}}, key=key)
    assert (reply.status, reply.body["response"]) == (200, "b")
    return paths


async def new_account(bench: Bench) -> str:
    """A key of an account that this node has never seen."""
    key, keyring = new_key(), bench.world.keyring
    account = hash_of_text(key)
    path = keyring.master_wallet_path(account)
    address = keyring.wallet(account, path).address
    await bench.world.chain.write("createManagedAccount", account, "account", "", address, path)
    return key


def hold(found: list[set[str]], expected: set[str]) -> None:
    """Every file that all runs pass is listed, and every listed file is passed."""
    always, ever = set.intersection(*found), set.union(*found)
    periodic = listed("The files of the engine's periodic work")
    assert always - expected - periodic == set(), "not in docs/request-flow.md"
    assert expected - ever == set(), "in docs/request-flow.md, and not passed"


async def test_a_warm_action_passes_the_files_that_are_listed(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as server:
        key = await new_account(bench)
        for _ in range(2):
            await files_of(server, key, CODE)
        hold([await files_of(server, key, CODE) for _ in range(REQUESTS)], listed("The files of a warm action"))
    assert len(listed("The files of a warm action")) <= WARM_MAX


async def test_a_cold_action_passes_those_and_more(bench: Bench, tmp_path: Path) -> None:
    expected = listed("The files of a warm action") | listed("The files of a cold action, beyond those")
    async with node_over(bench, tmp_path) as server:
        await files_of(server, await new_account(bench), CODE)
        found = [await files_of(server, await new_account(bench), f"{CODE} // {number}") for number in range(REQUESTS)]
        hold(found, expected)
    assert len(expected) <= COLD_MAX
