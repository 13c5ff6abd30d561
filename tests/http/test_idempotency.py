"""Idempotency-Key: the work is done once, whatever the client, the network or the power does."""

import asyncio
import json
import shutil
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from node.api.calls import Call, NoInput
from node.api.errors import ErrorCode, NodeError
from node.chain.errors import NotOnChainError, WriteLostError
from node.chain.port import RecalledWrite, WriteResult
from node.database.port import Statement
from node.http.answers import STATUS_OF
from node.http.endpoint import Access, Auth, Docs, Endpoint, Operation
from node.http.idempotency import TWINS_MAX
from node.ledger.port import Spender
from node.values import hash_of_text
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Reply, Server, World, serving
from tests.support.ledgers import CENT, RUN, SqliteWorld, cents, give
from tests.support.postgres_ledger import PostgresWorld

NOTE = {"name": "n"}


@pytest.fixture(params=["sqlite", "postgres"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """Every test here runs on both databases."""
    if request.param == "sqlite":
        yield World(tmp_path)
        return
    ledgers = PostgresWorld(request.getfixturevalue("postgres"))
    yield World(tmp_path, ledgers=ledgers)
    await ledgers.close()


def fresh() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4())}


def replayed(reply: Reply) -> bool:
    return reply.headers.get("Idempotency-Replayed") == "true"


async def test_a_repeated_request_gets_the_first_answer(server: Server, keys: Keys, desk: Desk) -> None:
    headers = fresh()
    first = await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)
    again = await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)
    assert (again.status, again.raw, replayed(first), replayed(again)) == (200, first.raw, False, True)
    assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]
    assert desk.count == 1


async def test_kept_answers_outlive_the_process(world: World, keys: Keys, desk: Desk) -> None:
    headers, raws = fresh(), []
    for _ in range(2):
        world.registry = type(world.registry)()
        async with serving(desk.endpoints(), world) as server:
            raws.append((await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)).raw)
    assert raws[0] == raws[1]
    assert desk.count == 1


async def test_keys_paths_and_callers_do_not_share_rows(server: Server, keys: Keys, desk: Desk) -> None:
    headers = fresh()
    for path, key in (("/note", keys.usage), ("/note", keys.account), ("/anonymous", None), ("/count", keys.usage)):
        body = None if path == "/count" else NOTE
        assert not replayed(await server.call("POST", path, body=body, key=key, headers=headers))
    assert desk.count == 4


@pytest.mark.parametrize("path", ["/note", "/anonymous"])
async def test_another_body_is_409(server: Server, keys: Keys, path: str) -> None:
    headers = fresh()
    assert (await server.call("POST", path, body=NOTE, key=keys.usage, headers=headers)).status == 200
    reply = await server.call("POST", path, body={"name": "other"}, key=keys.usage, headers=headers)
    assert (reply.status, reply.body["error"]) == (409, "conflict")


async def test_a_concurrent_twin_waits_for_the_first(server: Server, keys: Keys, desk: Desk) -> None:
    headers = fresh()
    twins = [asyncio.create_task(server.call("POST", "/abandoned", key=keys.usage, headers=headers)) for _ in range(5)]
    await desk.started.acquire()
    assert not any(twin.done() for twin in twins)
    desk.go_on.set()
    replies = await asyncio.gather(*twins)
    assert sorted(map(replayed, replies)) == [False, True, True, True, True]
    assert len({reply.raw for reply in replies}) == 1
    assert desk.ended.qsize() == 1


async def test_few_twins_wait_for_the_first(server: Server, desk: Desk, keys: Keys) -> None:
    """Repetitions cost nothing and hold a place of the node each, so an account could take them all."""

    async def send(headers: dict[str, str]) -> Reply:
        return await server.call("POST", "/abandoned", key=keys.usage, headers=headers)

    headers = fresh()
    twins = [asyncio.create_task(send(headers)) for _ in range(TWINS_MAX + 5)]
    await desk.started.acquire()
    done: set[asyncio.Task[Reply]] = set()
    while len(done) < 5:
        done, _ = await asyncio.wait(twins, return_when=asyncio.FIRST_COMPLETED)
    assert {(each.result().status, each.result().headers["Retry-After"]) for each in done} == {(429, "1")}
    desk.go_on.set()
    replies = [await each for each in twins if each not in done]
    assert [reply.status for reply in replies] == [200] * TWINS_MAX
    assert sum(map(replayed, replies)) == TWINS_MAX - 1
    assert (await send(headers)).status == 200


async def test_the_key_is_checked_again_before_a_replay(server: Server, keys: Keys, world: World) -> None:
    headers = fresh()
    assert (await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)).status == 200
    world.keys.callers.clear()
    assert (await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)).status == 401


async def test_a_kind_of_key_that_may_no_longer_call_is_shown_no_answer(
    server: Server, keys: Keys, world: World
) -> None:
    """The account was converted since: its old key only reads."""
    headers = fresh()
    assert (await server.call("POST", "/owner", key=keys.account, headers=headers)).status == 200
    caller = world.keys.callers[hash_of_text(keys.account)]
    world.keys.callers[hash_of_text(keys.account)] = replace(caller, managed=False)
    refused = await server.call("POST", "/owner", key=keys.account, headers=headers)
    assert (refused.status, refused.body["details"]) == (403, {"missing": "admin_wallet"})
    world.keys.callers[hash_of_text(keys.account)] = caller
    assert replayed(await server.call("POST", "/owner", key=keys.account, headers=headers))


REFUSED = NodeError(ErrorCode.FORBIDDEN, "Not any more.", fix="Ask for it.")


async def test_no_kind_of_stored_answer_is_shown_to_who_may_not_make_the_call(
    server: Server, keys: Keys, desk: Desk
) -> None:
    stored = []
    gone = NodeError(ErrorCode.NOT_FOUND, "No such group.", fix="Make it.")
    for failure in (None, gone, NodeError(ErrorCode.CONFLICT, "There.", fix="Use it.")):
        desk.fail_with, headers = failure, fresh()
        stored.append((headers, await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)))
    desk.fail_with, desk.refuse_with = None, REFUSED
    for headers, first in stored:
        refused = await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)
        assert (refused.status, refused.body["message"]) == (403, REFUSED.message)
        assert first.body.get("message", "secret") not in str(refused.body)
    desk.refuse_with = None
    for headers, first in stored:
        again = await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)
        assert (again.status, again.body | {"request_id": 0}) == (first.status, first.body | {"request_id": 0})
        assert replayed(again)
    assert desk.count == 3


async def test_a_refusal_before_any_work_binds_its_key_to_nothing(server: Server, keys: Keys, desk: Desk) -> None:
    """Who learns so that the body was too much asks for less, under the same key."""
    for code in (ErrorCode.PAYMENT_REQUIRED, ErrorCode.FORBIDDEN, ErrorCode.TOO_MANY_REQUESTS):
        desk.fail_with, headers = NodeError(code, "Not so.", fix="Ask for less."), fresh()
        assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status >= 400
        desk.fail_with = None
        less = await server.call("POST", "/granted", body={"name": "less"}, key=keys.usage, headers=headers)
        assert (less.status, replayed(less)) == (200, False)


async def test_a_secret_whose_time_is_over_is_not_told_of_to_who_may_not_ask(
    server: Server, keys: Keys, desk: Desk, world: World
) -> None:
    headers = fresh()
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 200
    world.clock.advance(600)
    desk.refuse_with = REFUSED
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 403
    desk.refuse_with = None
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 409


async def test_what_the_journal_tells_is_shown_to_who_may_make_the_call(
    server: Server, keys: Keys, desk: Desk, world: World
) -> None:
    headers = fresh()
    desk.fail_with = NodeError(ErrorCode.CHAIN_TIMEOUT, "Late.")
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 504
    desk.fail_with, desk.refuse_with = None, REFUSED
    (idempotency_id,) = desk.idempotency_ids
    assert idempotency_id is not None
    world.writes.ends[idempotency_id] = RecalledWrite({"usage_api_key": "k"}, RESULT, None, world.clock())
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 403
    desk.refuse_with = None
    reply = await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)
    assert (reply.status, reply.body["usage_api_key"], replayed(reply)) == (200, "k", True)
    assert desk.count == 1


async def test_while_a_permission_cannot_be_read_nothing_is_shown(server: Server, keys: Keys, desk: Desk) -> None:
    headers = fresh()
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 200
    desk.refuse_with = WriteLostError("Out.")
    assert (await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers)).status == 503
    desk.refuse_with = None
    assert replayed(await server.call("POST", "/granted", body=NOTE, key=keys.usage, headers=headers))


KEPT = {
    ErrorCode.BAD_REQUEST: True,
    ErrorCode.NOT_FOUND: True,
    ErrorCode.CONFLICT: True,
    ErrorCode.UNAUTHORIZED: False,
    ErrorCode.PAYMENT_REQUIRED: False,
    ErrorCode.FORBIDDEN: False,
    ErrorCode.TOO_MANY_REQUESTS: False,
    ErrorCode.CHAIN_UNAVAILABLE: False,
    ErrorCode.CHAIN_TIMEOUT: False,
    ErrorCode.INTERNAL_ERROR: False,
}


@pytest.mark.parametrize(("code", "kept"), KEPT.items())
async def test_which_answers_are_final(server: Server, keys: Keys, desk: Desk, code: ErrorCode, kept: bool) -> None:
    headers = fresh()
    desk.fail_with = NodeError(code, "No.", fix="Ask otherwise.")
    first = await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)
    desk.fail_with = None
    again = await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)
    assert first.status == STATUS_OF[code]
    assert (again.status == first.status, replayed(again)) == (kept, kept)


async def test_a_refused_body_is_final_too(server: Server, keys: Keys) -> None:
    headers = fresh()
    for expected in (False, True):
        reply = await server.call("POST", "/note", body={}, key=keys.usage, headers=headers)
        assert (reply.status, replayed(reply)) == (400, expected)


async def test_after_a_day_the_key_is_new(server: Server, keys: Keys, desk: Desk, world: World) -> None:
    headers, seen = fresh(), []
    for age_s in (0.0, 86_399.0, 1.0):
        world.clock.advance(age_s)
        seen.append(replayed(await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)))
    assert seen == [False, True, False]
    assert len(set(desk.idempotency_ids)) == 2


async def test_a_secret_is_shown_again_for_ten_minutes(server: Server, world: World, desk: Desk) -> None:
    headers = fresh()
    first = await server.call("POST", "/secret", body=NOTE, headers=headers)
    world.clock.advance(599)
    again = await server.call("POST", "/secret", body=NOTE, headers=headers)
    assert (again.raw, replayed(again)) == (first.raw, True)
    assert again.headers["Cache-Control"] == "no-store"
    other = await server.call("POST", "/secret", body={"name": "other"}, headers=headers)
    assert (other.status, b"usage_api_key" in other.raw) == (409, False)
    world.clock.advance(1)
    late = await server.call("POST", "/secret", body=NOTE, headers=headers)
    assert late.status == 409
    assert "cannot be shown again" in late.body["message"]
    assert desk.count == 1


async def test_nothing_readable_is_on_disk(world: World, keys: Keys, desk: Desk) -> None:
    headers = fresh()
    async with serving(desk.endpoints(), world) as server:
        reply = await server.call("POST", "/secret", body={"name": "marker-of-the-body"}, headers=headers)
    if isinstance(world.ledgers, PostgresWorld):
        stored = world.ledgers.sql("SELECT to_json(idempotency) FROM idempotency").encode()
        assert b"sealed" in stored
    else:
        stored = b"".join(path.read_bytes() for path in world.directory.rglob("*") if path.is_file())
        assert b"idempotency" in stored
    for secret in (reply.body["usage_api_key"], headers["Idempotency-Key"], "marker-of-the-body", "/secret"):
        assert secret.encode() not in stored


RESULT = WriteResult("0x" + "ab" * 32, 7)


async def timed_out(server: Server, desk: Desk, headers: dict[str, str]) -> str:
    """A request whose write was sent and not confirmed; the id by which the journal knows it."""
    desk.fail_with = NodeError(ErrorCode.CHAIN_TIMEOUT, "Late.", details={"transaction_hash": RESULT.transaction_hash})
    assert (await server.call("POST", "/secret", body=NOTE, headers=headers)).status == 504
    desk.fail_with = None
    idempotency_id = desk.idempotency_ids[-1]
    assert idempotency_id is not None
    return idempotency_id


async def test_a_write_that_timed_out_is_resolved_from_the_journal(server: Server, desk: Desk, world: World) -> None:
    headers = fresh()
    idempotency_id = await timed_out(server, desk, headers)
    world.writes.ends[idempotency_id] = NodeError(ErrorCode.CHAIN_TIMEOUT, "Still late.")
    assert (await server.call("POST", "/secret", body=NOTE, headers=headers)).status == 504
    world.writes.ends[idempotency_id] = RecalledWrite({"usage_api_key": "k"}, RESULT, None, world.clock())
    for _ in range(2):
        reply = await server.call("POST", "/secret", body=NOTE, headers=headers)
        assert json.loads(reply.raw) == {
            "success": True,
            "usage_api_key": "k",
            "transaction_hash": RESULT.transaction_hash,
            "block_number": 7,
        }
        assert (reply.status, replayed(reply), reply.headers["Cache-Control"]) == (200, True, "no-store")
    assert desk.count == 1


async def test_a_journaled_failure_is_answered_and_kept(server: Server, desk: Desk, world: World) -> None:
    headers = fresh()
    idempotency_id = await timed_out(server, desk, headers)
    failure = NotOnChainError("Gone.", fix="Make it.")
    world.writes.ends[idempotency_id] = RecalledWrite({}, None, failure, world.clock())
    for _ in range(2):
        reply = await server.call("POST", "/secret", body=NOTE, headers=headers)
        assert (reply.status, reply.body["message"]) == (404, "Gone.")
        world.writes.ends.clear()
    assert desk.count == 1


async def test_a_write_that_was_never_sent_is_done_anew(server: Server, desk: Desk, world: World) -> None:
    headers = fresh()
    idempotency_id = await timed_out(server, desk, headers)
    unavailable = WriteLostError("Out.")
    world.writes.ends[idempotency_id] = RecalledWrite({}, None, unavailable, world.clock())
    reply = await server.call("POST", "/secret", body=NOTE, headers=headers)
    assert (reply.status, replayed(reply), desk.count) == (200, False, 2)
    assert desk.idempotency_ids[0] == desk.idempotency_ids[1]


async def test_a_request_the_process_died_in_asks_the_journal(world: World, desk: Desk, keys: Keys) -> None:
    headers = fresh()
    async with serving(desk.endpoints(), world) as server:
        desk.fail_with = asyncio.CancelledError()
        with pytest.raises(Exception, match=r".*"):
            await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)
    desk.fail_with = None
    (idempotency_id,) = desk.idempotency_ids
    assert idempotency_id is not None
    world.writes.ends[idempotency_id] = NodeError(ErrorCode.CHAIN_TIMEOUT, "Late.")
    world.registry = type(world.registry)()
    async with serving(desk.endpoints(), world) as server:
        assert (await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)).status == 504
    assert desk.count == 1


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
async def test_what_a_killed_process_left_is_gone_on_with_at_once(
    tmp_path: Path, keys: Keys, desk: Desk, world: World
) -> None:
    """The file as the kill leaves it is a copy of it; on PostgreSQL a claim outlives its process by a lease."""
    headers = fresh()
    async with serving(desk.endpoints(), world) as server:
        first = asyncio.create_task(server.call("POST", "/slow", key=keys.usage, headers=headers))
        await desk.started.acquire()
        await asyncio.to_thread(shutil.copytree, world.directory, tmp_path / "left")
        desk.go_on.set()
        await first
    left = World(tmp_path / "left", keys=world.keys)
    async with serving(desk.endpoints(), left) as server, asyncio.timeout(20):
        reply = await server.call("POST", "/slow", key=keys.usage, headers=headers)
    assert (reply.status, replayed(reply), len(left.writes.asked)) == (200, False, 1)


@pytest.mark.parametrize("value", ["", "x" * 21, "x" * 256, "é" * 30, "tab\tinside-the-key-value-x"])
async def test_malformed_keys_are_400(server: Server, keys: Keys, desk: Desk, value: str) -> None:
    headers = {"Idempotency-Key": value}
    reply = await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)
    assert (reply.status, desk.count) == (400, 0)


@pytest.mark.parametrize("value", ["x" * 22, "x" * 255, "~ !" * 10 + "z"])
async def test_well_formed_keys_are_taken(server: Server, keys: Keys, value: str) -> None:
    headers = {"Idempotency-Key": value}
    assert (await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)).status == 200


async def test_two_keys_in_one_request_are_400(server: Server, keys: Keys) -> None:
    one = f"Idempotency-Key: {uuid.uuid4()}\r\n"
    head = f"POST /core/v1/count HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: {keys.usage}\r\n"
    answer = await server.raw((head + one + one + "Content-Length: 0\r\n\r\n").encode())
    assert answer.startswith(b"HTTP/1.1 400")


async def test_anonymous_rows_are_limited_by_address(world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.http.server.ANONYMOUS_IDEMPOTENCY_KEYS_PER_MINUTE_PER_ADDRESS", 2)
    async with serving(desk.endpoints(), world) as server:
        statuses = [(await server.call("POST", "/text", body="a", headers=fresh())).status for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert (await server.call("POST", "/text", body="a")).status == 200


@pytest.mark.parametrize("world", ["postgres"], indirect=True)
async def test_a_run_that_is_told_to_be_free_is_charged_by_no_other_node(world: World, keys: Keys) -> None:
    """The node that runs it settles it after another has answered for it."""
    assert isinstance(world.ledgers, PostgresWorld)
    running = await world.ledgers.node("running")
    account = 1
    await give(running, 3, account)
    await running.reserve(Spender(account), "run-1", CENT)

    async def begin(call: Call, _: NoInput) -> bool:
        assert call.attempt is not None
        await call.attempt.commit("run-1")
        call.attempt.begin()
        raise ZeroDivisionError

    run = Endpoint(Operation("POST", "/run", NoInput, bool, begin), Docs("Run"), "Test", Access(Auth.ANY_KEY))
    async with serving([run], world) as server:
        headers = fresh()
        lost, told = [await server.call("POST", "/run", key=keys.usage, headers=headers) for _ in range(2)]
    assert (lost.status, told.status) == (500, 409)
    assert (told.body["details"]["reason"], told.body["details"]["charged_cents"]) == ("outcome_unknown", 0)
    assert await running.settle("run-1", CENT, RUN) == 0
    assert await running.balance(account) == cents(3)


async def test_an_answer_is_shown_for_its_own_request_alone(world: World, keys: Keys, desk: Desk) -> None:
    """Otherwise an attacker who writes the database could show a client the response to another."""
    mine, theirs = fresh(), fresh()
    async with serving(desk.endpoints(), world) as server:
        await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=mine)
        shown = await server.call("POST", "/secret", body=NOTE, headers=theirs)
    books = await (world.ledgers or SqliteWorld(world.directory / "kept")).open()
    of_the_other = "SELECT sealed FROM idempotency WHERE shows_secret = 1"
    await books.execute(Statement(f"UPDATE idempotency SET sealed = ({of_the_other})", ()))
    await books.close()
    world.registry = type(world.registry)()
    async with serving(desk.endpoints(), world) as server:
        again = await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=mine)
        assert again.status == 500
        assert shown.body["usage_api_key"].encode() not in again.raw
        assert (await server.call("POST", "/secret", body=NOTE, headers=theirs)).raw == shown.raw
