"""The execution endpoints over HTTP: shapes, headers, statuses, and a client that hangs up."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from node.api.errors import ErrorCode, NodeError
from node.chain.quorum.reader import HeadWatch
from node.engine.cid import cid_of_source
from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.execution.routes import endpoints, largest_answer_bytes
from node.http.endpoint import account_gate
from node.settings.execution import ActionSettings
from node.values import hash_of_text, new_key, u256_hex
from tests.engine.egress.servers import Asked, answer, server
from tests.execution.bench import IN_ONE, MASTER, Bench, World, bench_over
from tests.support import http_server
from tests.support.http_server import Server, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

ACCOUNT_KEY, USAGE_KEY = new_key(), new_key()
LARGEST = largest_answer_bytes(ActionSettings().action_response_bytes, ActionSettings().action_log_bytes)
SLEEP = "const main = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms));"


@contextlib.asynccontextmanager
async def node_over(bench: Bench, directory: Path) -> AsyncIterator[Server]:
    """Callers are known from the cache alone: running an action asks for them nowhere else."""
    world = http_server.World(directory, cached_keys=http_server.KeyTable())
    assert world.cached_keys is not None
    world.cached_keys.callers[hash_of_text(ACCOUNT_KEY)] = await bench.caller(MASTER)
    world.cached_keys.callers[hash_of_text(USAGE_KEY)] = await bench.caller(IN_ONE)
    async with serving(
        endpoints(bench.service, account_gate(2), HeadWatch(bench.world.quorum, 10).reach, LARGEST), world
    ) as server:
        yield server


async def test_the_answer_of_a_run(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as node:
        code = "async function main({ a }) { console.log(SvcHeaders['X-Request-Id']); return { a, s: '\\ud800' }; }"
        reply = await node.call(
            "POST", "/svc_action", body={"code": code, "js_params": {"a": [1, None]}}, key=ACCOUNT_KEY
        )
        assert reply.status == 200
        assert reply.body.pop("duration_ms") > 0
        logs = reply.headers["X-Request-Id"]
        expected = {"response": {"a": [1, None], "s": "\ufffd"}, "logs": logs, "has_error": False, "charged_cents": 1}
        assert reply.body == expected
        assert int(reply.headers["X-Authorized-At-Block"]) > 0
        assert reply.headers["Cache-Control"] == "no-store"


async def test_a_run_is_one_log_line(bench: Bench, tmp_path: Path) -> None:
    code = "const main = () => { throw new Error('hush'); };"
    async with node_over(bench, tmp_path) as node:
        with structlog.testing.capture_logs() as beside:
            reply = await node.call("POST", "/svc_action", body={"code": code}, key=ACCOUNT_KEY)
            await node.call("POST", "/svc_action", body={"code": code}, key=new_key())
        ran, refused = node.world.logs.named("request")[-2:]
    assert [line for line in beside if line["event"] == "action_executed"] == []
    for name, value in {
        "request_id": reply.headers["X-Request-Id"],
        "route": "/core/v1/svc_action",
        "status": 200,
        "client_address": "127.0.0.1",
        "account": u256_hex(MASTER),
        "cid": cid_of_source(code),
        "result": "error",
        "charged_cents": 1,
        "key_operations": 0,
        "outbound_requests": 0,
    }.items():
        assert ran[name] == value
    assert isinstance(ran["ran_ms"], float)
    assert isinstance(ran["duration_ms"], float)
    assert 0 < ran["ran_ms"] <= ran["duration_ms"]
    assert ran["execution_id"]
    assert "hush" not in repr(ran)
    assert "execution_id" not in refused


async def test_no_answer_is_longer_than_what_is_reserved_for_one(bench: Bench, tmp_path: Path) -> None:
    logs = "for (let i = 0; i < 99; i += 1) console.log('\\u0001'.repeat(1000));"
    thrown = "const e = new Error('\\u0002'.repeat(200000)); e.stack = '\\u0003'.repeat(100000); throw e;"
    async with node_over(bench, tmp_path) as node:
        for ending in ("return 'x'.repeat(1048574);", "return '\\u0001'.repeat(174762);", thrown):
            code = f"function main() {{ {logs} {ending} }}"
            reply = await node.call("POST", "/svc_action", body={"code": code}, key=ACCOUNT_KEY)
            assert reply.status == 200
            assert reply.body["has_error"] == (ending is thrown)
            assert 1_000_000 < len(reply.raw) <= LARGEST


async def test_a_fault_of_the_node_says_whether_it_is_charged_and_is_the_answer_of_its_key(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def out(*_: object) -> int:
        raise NodeError(ErrorCode.BILLING_UNAVAILABLE, "The ledger is out.", fix="Try again.", retry_after_s=7)

    charging = await bench_over(bench.world, limits=ActionSettings(action_uncharged_s_per_hour=0))
    headers, body = {"Idempotency-Key": "a-key-of-twenty-two-or-more"}, {"code": "function main() { return 1; }"}
    async with node_over(charging, tmp_path) as node:
        with monkeypatch.context() as patched:
            patched.setattr(charging.ledger, "settle", out)
            reply = await node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY, headers=headers)
        assert (reply.status, reply.body["error"]) == (503, "billing_unavailable")
        assert "Retry-After" not in reply.headers, "the action is not run again under this key"
        assert reply.body["details"]["charged_cents"] is None
        assert reply.body["details"]["ran_ms"] > 0
        assert reply.body["message"].startswith(
            "The ledger is out. What is charged is not known yet: the statement shows it"
        )
        assert "with a fresh one" in reply.body["fix"]
        again = await node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY, headers=headers)
        assert (again.status, again.body) == (reply.status, reply.body)
        assert again.headers["Idempotency-Replayed"] == "true"
        with monkeypatch.context() as patched:
            patched.setattr(charging.ledger, "settle", out)
            unkeyed = await node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY)
        assert (unkeyed.body["fix"], unkeyed.headers["Retry-After"]) == ("Try again.", "7")
        await charging.service.close()
        assert await charging.spent_cents() == 2
        with monkeypatch.context() as patched:
            patched.setattr(charging.world.engine, "run", out)
            bug = await node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY)
        assert (bug.status, "details" in bug.body) == (503, False), "it had not begun"
        assert await charging.spent_cents() == 2


async def test_the_answer_of_a_run_that_failed(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as node:
        body = {"code": "console.log('up to here');\nfunction main() {\n null.x }", "js_params": None}
        reply = await node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY)
        assert reply.status == 200
        assert reply.body["has_error"] is True
        assert reply.body["response"] is None
        assert reply.body["logs"] == "up to here"
        assert reply.body["error"]["name"] == "TypeError"
        assert "action.js:3:" in reply.body["error"]["stack"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"code": 1},
        {"code": "x", "js_params": []},
        {"code": "x", "js_params": "{}"},
        {"code": "x", "max_seconds": 0},
        {"code": "x", "max_seconds": 901},
        {"code": "x", "max_seconds": 1.5},
        {"code": "x", "max_seconds": "5"},
        {"code": "x", "max_seconds": True},
        {"code": "x", "min_block": True},
        {"code": "x", "min_block": -1},
        {"code": "x", "min_block": 1.5},
        {"code": "x", "extra": 1},
        ["x"],
        "x",
    ],
)
async def test_bad_bodies_cost_nothing(bench: Bench, tmp_path: Path, body: object) -> None:
    async with node_over(bench, tmp_path) as node:
        reply = await node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY)
        assert (reply.status, reply.body["error"]) == (400, "bad_request")
    assert await bench.spent_cents() == 0


async def test_refusals_by_status(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as node:
        body = {"code": "function main() {}"}
        forbidden = await node.call("POST", "/svc_action", body=body, key=USAGE_KEY)
        assert (forbidden.status, forbidden.body["details"]["missing"]) == (403, "execute_in_groups")
        assert (await node.call("POST", "/svc_action", body=body)).status == 401
        assert (await node.call("POST", "/svc_action", body=body, key=new_key())).status == 401


async def test_a_grant_that_nobody_told_of_counts_at_once(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as node:
        body = {"code": "function main() { return 1; }"}
        for _ in range(2):
            assert (await node.call("POST", "/svc_action", body=body, key=USAGE_KEY)).status == 403
        action = hash_of_text(cid_of_source(body["code"]))
        block = await bench.world.chain.write("addActionToGroup", MASTER, 1, action)
        reply = await node.call("POST", "/svc_action", body=body, key=USAGE_KEY)
        assert reply.status == 200
        assert int(reply.headers["X-Authorized-At-Block"]) >= block


async def test_the_cid_of_a_source(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as node:
        for source in ("", "async function main() {}", "x" * 300_000):
            reply = await node.call("POST", "/get_svc_action_ipfs_id", body=source)
            assert (reply.status, reply.body) == (200, cid_of_source(source))
        for body in ({"code": "x"}, 1, None, ["x"]):
            assert (
                await node.call(
                    "POST",
                    "/get_svc_action_ipfs_id",
                    data=json.dumps(body).encode(),
                    headers={"Content-Type": "application/json"},
                )
            ).status == 400


async def test_an_account_runs_so_many_at_a_time(world: World, tmp_path: Path) -> None:
    bench = await bench_over(world, egress=Egress(policy=AddressPolicy(allow_loopback=True)))
    refused = asyncio.Event()

    async def held(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        await refused.wait()
        writer.write(answer(b"", "Connection: close"))

    async with server() as origin, node_over(bench, tmp_path) as node:
        origin.by_path["/"] = held
        body = {"code": "async function main({ url }) { await fetch(url); }", "js_params": {"url": origin.url()}}
        calls = [asyncio.create_task(node.call("POST", "/svc_action", body=body, key=ACCOUNT_KEY)) for _ in range(4)]
        for early in itertools.islice(asyncio.as_completed(calls), 2):
            reply = await early
            assert (reply.status, bool(reply.headers["Retry-After"])) == (429, True)
        refused.set()
        replies = [reply for reply in await asyncio.gather(*calls) if reply.status == 200]
        assert [reply.body["has_error"] for reply in replies] == [False, False]
    assert await bench.spent_cents() == sum(reply.body["charged_cents"] for reply in replies)


async def test_a_client_that_hangs_up_ends_its_action(bench: Bench, tmp_path: Path) -> None:
    async with node_over(bench, tmp_path) as node:
        body = json.dumps({"code": SLEEP, "js_params": {"ms": 15_000}})
        head = f"POST /core/v1/svc_action HTTP/1.1\r\nHost: x\r\nX-Api-Key: {ACCOUNT_KEY}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        _, writer = await asyncio.open_connection("127.0.0.1", node.port)
        writer.write((head + body).encode())
        while not bench.world.engine.running:  # noqa: ASYNC110 - the engine's own count is what there is to watch
            await asyncio.sleep(0.01)
        with structlog.testing.capture_logs() as beside:
            writer.close()
            async with asyncio.timeout(14):
                while bench.world.engine.running:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.01)
            await bench.service.close()
        (hung_up,) = node.world.logs.named("request")[-1:]
    # Its own line was written when the client was gone: the run, which ends later, has another.
    (ran,) = [line for line in beside if line["event"] == "action_executed"]
    assert (hung_up["status"], ran["result"]) == (499, "cancelled")
    assert ran["request_id"] == hung_up["request_id"]
    assert await bench.spent_cents() == ran["charged_cents"]
    assert await bench.spent_cents() in {0, 1}
