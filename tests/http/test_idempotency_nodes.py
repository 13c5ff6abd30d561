"""An Idempotency-Key at several nodes that share a PostgreSQL: one does the work, the others wait, take over, or replay."""

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from node.api.calls import Call
from node.api.errors import ErrorCode
from node.chain.port import RecalledWrite, WriteResult
from node.database.port import DatabaseUnavailableError, Statement
from node.database.port import Row as Values
from node.http.answers import Answer
from node.http.endpoint import Access, Auth, Docs, Endpoint, Operation
from node.http.idempotency import WAIT_S, KeyedRequest
from node.http.idempotency_store import Finish, Row, Share
from node.ledger.errors import LedgerUnavailableError
from node.settings.http import HttpSettings
from node.settings.ledger import PostgresSettings
from tests.http.endpoints import Desk, Note, Noted
from tests.support.http_server import World, serving
from tests.support.idempotent_nodes import LIMITS, Node, Nodes, Work, error_of, keyed, ok
from tests.support.postgres import PostgresServer, fragile_postgres
from tests.support.postgres_ledger import PostgresWorld, impatient
from tests.support.statement_faults import COMMIT, Fault, Place, fault_at

pytestmark = pytest.mark.exhaustive

__all__ = ["fragile_postgres"]

SHARE = Share("owner", 100)
QUICK = impatient(settle_patience_s=1.0, reserve_patience_s=1.0)


@pytest.fixture
async def nodes(postgres: PostgresServer) -> AsyncIterator[Nodes]:
    world = PostgresWorld(postgres)
    yield Nodes(world)
    await world.close()


@pytest.fixture
async def fragile_nodes(fragile_postgres: PostgresServer) -> AsyncIterator[Nodes]:
    """On a server that the test may crash."""
    world = PostgresWorld(fragile_postgres)
    yield Nodes(world)
    await world.close()


def key() -> str:
    return str(uuid.uuid4())


def replayed(answer: Answer) -> bool:
    return answer.headers.get("Idempotency-Replayed") == "true"


async def waits(nodes: Nodes, times: int = 3) -> None:
    """Until somebody has looked so often at a row that another has."""
    for _ in range(times):
        await nodes.clocks.paused.acquire()


async def test_the_other_node_gives_the_first_answer_again(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key()), Work.quick()
    first, again = await a.ask(request, work), await b.ask(request, work)
    assert (again.status, again.body, replayed(first), replayed(again)) == (200, first.body, False, True)
    assert len(work.ids) == 1


async def test_another_body_is_a_conflict_at_the_other_node_too(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    name, work = key(), Work()
    first = asyncio.create_task(a.ask(keyed(name), work))
    await work.begun.wait()
    assert (await error_of(b.ask(keyed(name, b"other"), work))).code is ErrorCode.CONFLICT
    work.may_end.set()
    await first
    assert (await error_of(b.ask(keyed(name, b"other"), work))).code is ErrorCode.CONFLICT
    assert len(work.ids) == 1


async def test_twins_at_two_nodes_are_one_request(nodes: Nodes) -> None:
    both = [await nodes.start(), await nodes.start()]
    for _ in range(20):
        request, work = keyed(key()), Work()
        twins = [asyncio.create_task(node.ask(request, work)) for node in both * 3]
        await work.begun.wait()
        await waits(nodes)
        assert not any(twin.done() for twin in twins)
        work.may_end.set()
        answers = await asyncio.gather(*twins)
        assert len({answer.body for answer in answers}) == len(work.ids) == 1
        assert sorted(map(replayed, answers)) == [False, *[True] * 5]


async def test_whoever_waits_too_long_is_told_that_it_is_under_way(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key()), Work()
    first = asyncio.create_task(a.ask(request, work))
    await work.begun.wait()
    nodes.clocks.pauses_advance_s = 1.0
    began = nodes.clocks.monotonic()
    errors = await asyncio.gather(*(error_of(b.ask(request, work)) for _ in range(3)))
    assert nodes.clocks.monotonic() - began == pytest.approx(WAIT_S), "one after the other"
    for error in errors:
        assert (error.code, error.details, error.retry_after_s) == ("conflict", {"in_progress": True}, 5)
    work.may_end.set()
    assert (await b.ask(request, work)).body == (await first).body
    assert len(work.ids) == 1


@pytest.mark.parametrize("status", [500, 503, 504])
async def test_an_answer_that_is_not_final_leaves_the_other_node_to_go_on_at_once(nodes: Nodes, status: int) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, failing, work = keyed(key()), Work.quick(Answer(status, b"{}")), Work.quick()
    assert (await a.ask(request, failing)).status == status
    nodes.writes.ends[failing.ids[0]] = RecalledWrite({"key": "k"}, WriteResult("0xab", 7), None, 0.0)
    answer = await b.ask(request, work)
    assert (answer.status, replayed(answer), b'"key":"k"' in answer.body, work.ids) == (200, True, True, [])
    assert nodes.clocks.paused.locked(), "nobody had to wait"


async def test_a_request_whose_client_left_is_free_for_the_other_node(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key()), Work()
    first = asyncio.create_task(a.ask(request, work))
    await work.begun.wait()
    first.cancel()
    await asyncio.wait([first])
    work.may_end.set()
    assert (await b.ask(request, work)).status == 200
    assert work.ids[0] == work.ids[1], "the journal is asked under the same id"


async def test_an_answer_whose_client_left_while_it_was_stored_is_not_made_again(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work, other = keyed(key()), Work.quick(), Work.quick(ok("again"))
    storing = asyncio.Event()

    async def held(*_: object) -> None:
        storing.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr(a.store, "finish", held)
        asking = asyncio.create_task(a.ask(request, work))
        await storing.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await a.store._releases.drain()
    waiting, paused = asyncio.create_task(b.ask(request, other)), asyncio.create_task(waits(nodes))
    await asyncio.wait([waiting, paused], return_when=asyncio.FIRST_COMPLETED)
    await a.store.maintain()
    assert (await waiting).body == work.answer.body
    assert other.ids == []


async def test_a_claim_that_was_made_for_nobody_is_given_up(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    await a.store.maintain()
    row_id, body_mac = bytes(32), bytes(32)
    await a.store.claim(row_id, body_mac, "cancelled while it was asked", SHARE, 0.0)
    with a.store.working() as working:
        await a.store.claim(bytes([1]) * 32, body_mac, working, SHARE, 0.0)
        await a.store.maintain()
        assert (await b.store.claim(row_id, body_mac, "b", SHARE, 0.0)).claim == "b"
        assert (await b.store.claim(bytes([1]) * 32, body_mac, "b", SHARE, 0.0)).claim == working


async def test_a_claim_that_is_made_while_the_claims_are_read_is_kept(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = await nodes.start(), await nodes.start()
    await a.store.maintain()
    execute, made = a.ledger.database.execute, list[str]()
    with contextlib.ExitStack() as work:

        async def claiming(*statements: Statement) -> Sequence[Sequence[Values]]:
            if statements[0].sql.startswith("SELECT id, claim"):
                made.append(work.enter_context(a.store.working()))
                await a.store.claim(bytes(32), bytes(32), made[-1], SHARE, 0.0)
            return await execute(*statements)

        monkeypatch.setattr(a.ledger.database, "execute", claiming)
        await a.store.maintain()
        assert [(await b.store.claim(bytes(32), bytes(32), "b", SHARE, 0.0)).claim] == made


async def test_what_a_killed_node_had_is_taken_over_by_exactly_one(nodes: Nodes) -> None:
    a, b, c = await nodes.start(), await nodes.start(), await nodes.start()
    request, unfinished, work = keyed(key()), Work(), Work.quick()
    await a.store.maintain()
    first = asyncio.create_task(a.ask(request, unfinished))
    await unfinished.begun.wait()
    await nodes.world.die(a.ledger)
    twins = [asyncio.create_task(node.ask(request, work)) for node in (b, c, b, c)]
    await nodes.silence()
    await waits(nodes)
    await nodes.silence(b, c)
    answers = await asyncio.gather(*twins)
    assert (len({answer.body for answer in answers}), len(work.ids)) == (1, 1)
    assert work.ids == unfinished.ids
    first.cancel()
    await asyncio.wait([first])


async def test_a_killed_nodes_write_is_found_in_the_journal(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, unfinished, work = keyed(key()), Work(), Work.quick()
    first = asyncio.create_task(a.ask(request, unfinished))
    await unfinished.begun.wait()
    await nodes.world.die(a.ledger)
    nodes.writes.ends[unfinished.ids[0]] = RecalledWrite({"key": "k"}, WriteResult("0xab", 7), None, 0.0)
    await nodes.silence(b)
    answer = await b.ask(request, work)
    assert (b'"key":"k"' in answer.body, replayed(answer), work.ids) == (True, True, [])
    first.cancel()
    await asyncio.wait([first])


async def test_a_node_that_beats_keeps_its_claims_however_long_the_work(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key()), Work()
    first = asyncio.create_task(a.ask(request, work))
    await work.begun.wait()
    for _ in range(5):
        await nodes.silence(a, b)
    second = asyncio.create_task(b.ask(request, work))
    await waits(nodes)
    work.may_end.set()
    assert (await first).body == (await second).body
    assert len(work.ids) == 1


async def test_a_node_that_was_paused_gives_the_answer_of_whoever_took_over(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, paused = keyed(key()), Work(ok("of the paused one"))
    first = asyncio.create_task(a.ask(request, paused))
    await paused.begun.wait()
    await nodes.silence(b)
    other = Work(ok("of the other"))
    second = asyncio.create_task(b.ask(request, other))
    await other.begun.wait()
    paused.may_end.set()
    await waits(nodes)
    assert not first.done()
    other.may_end.set()
    answers = await asyncio.gather(first, second)
    assert [b"of the other" in answer.body for answer in answers] == [True, True]
    assert b"of the other" in (await a.ask(request, paused)).body


async def test_a_paused_nodes_answer_counts_when_nobody_took_over(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key()), Work()
    first = asyncio.create_task(a.ask(request, work))
    await work.begun.wait()
    await nodes.silence(b)
    work.may_end.set()
    assert (await first).status == 200
    assert replayed(await b.ask(request, work))
    assert len(work.ids) == 1


async def test_a_secret_is_shown_again_by_the_other_node_for_ten_minutes(nodes: Nodes) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key(), secret=True), Work.quick(ok("the secret"))
    await a.ask(request, work)
    nodes.clocks.unix.advance(599)
    assert b"the secret" in (await b.ask(request, work)).body
    nodes.clocks.unix.advance(1)
    assert "cannot be shown again" in (await error_of(b.ask(request, work))).message
    await b.store.purge(nodes.clocks.unix())
    nodes.clocks.unix.advance(-600)
    assert "cannot be shown again" in (await error_of(a.ask(request, work))).message
    assert len(work.ids) == 1


@pytest.mark.parametrize("fault", [Fault.CUT_BEFORE, Fault.CUT_AFTER])
@pytest.mark.parametrize("number", [1, 2])
async def test_a_connection_cut_at_a_commit_changes_nothing(nodes: Nodes, fault: Fault, number: int) -> None:
    a, b = await nodes.start(), await nodes.start()
    request, work = keyed(key()), Work.quick()
    with fault_at(Place(number, COMMIT), fault) as came:
        first = await a.ask(request, work)
        assert came()
    again = await b.ask(request, work)
    assert (first.body, replayed(first), replayed(again)) == (again.body, False, True)
    assert (len(work.ids), nodes.writes.asked) == (1, []), "the claim was fresh, whether its commit was heard of or not"


async def test_without_the_database_a_keyed_request_is_503_and_any_other_is_served(
    fragile_postgres: PostgresServer, tmp_path: Path, desk: Desk
) -> None:
    world = World(tmp_path, ledgers=PostgresWorld(fragile_postgres, QUICK))
    limits = HttpSettings(http_idempotency_lease_s=0.3)
    async with serving(desk.endpoints(), world, limits) as server:
        headers = {"Idempotency-Key": key()}
        await asyncio.to_thread(fragile_postgres.crash)
        refused = await server.call("POST", "/anonymous", body={"name": "n"}, headers=headers)
        assert (refused.status, refused.body["error"], desk.count) == (503, "billing_unavailable", 0)
        assert int(refused.headers["Retry-After"]) > 0
        assert (await server.call("POST", "/anonymous", body={"name": "n"})).status == 200
        await world.logs.wait_for("idempotency_not_tended", 1)
        await asyncio.to_thread(fragile_postgres.start)
        reply = await server.call("POST", "/anonymous", body={"name": "n"}, headers=headers)
        assert (reply.status, desk.count) == (200, 2)


async def test_a_keyed_request_waits_for_the_database_once(
    fragile_postgres: PostgresServer, tmp_path: Path, desk: Desk
) -> None:
    """With the patience that a node has by itself: when the database dies under the work, and when it is out before."""

    async def meet_its_end(_: Call, __: Note) -> Noted:
        await asyncio.to_thread(fragile_postgres.crash)
        ended_at.append(time.monotonic())
        raise LedgerUnavailableError(5)

    ended_at: list[float] = []
    world = World(tmp_path, ledgers=PostgresWorld(fragile_postgres, PostgresSettings()))
    errors = frozenset({ErrorCode.BILLING_UNAVAILABLE})
    dying = Endpoint(
        Operation("POST", "/dying", Note, Noted, meet_its_end), Docs("Dying"), "Test", Access(Auth.NONE), errors
    )
    async with serving([*desk.endpoints(), dying], world, HttpSettings()) as server:

        async def refused_at() -> float:
            refused = await server.call("POST", "/dying", body={"name": "n"}, headers={"Idempotency-Key": key()})
            assert (refused.status, refused.body["error"]) == (503, "billing_unavailable")
            return time.monotonic()

        assert await refused_at() - ended_at[0] < 2.0, "the release of the claim takes the patience once more"
        begun_at = time.monotonic()
        assert await refused_at() - begun_at < 3.0
        assert len(ended_at) == 1
        await asyncio.to_thread(fragile_postgres.start)


async def test_an_answer_is_given_while_the_database_is_out_and_stored_later(fragile_nodes: Nodes) -> None:
    nodes = fragile_nodes
    a, b = await nodes.start(QUICK), await nodes.start()
    first = await _answered_without_database(nodes, a, request := keyed(key()), work := Work())
    await a.store.maintain()
    again = await b.ask(request, work)
    assert (again.body, replayed(again), len(work.ids)) == (first.body, True, 1)


async def test_the_same_node_stores_it_before_it_looks_at_a_repetition(fragile_nodes: Nodes) -> None:
    nodes = fragile_nodes
    a = await nodes.start(QUICK)
    first = await _answered_without_database(nodes, a, request := keyed(key()), work := Work())
    again = await a.ask(request, work)
    assert (again.body, replayed(again), len(work.ids)) == (first.body, True, 1)


async def test_a_stopping_node_stores_it_too(fragile_nodes: Nodes) -> None:
    nodes = fragile_nodes
    a, b = await nodes.start(QUICK), await nodes.start()
    await _answered_without_database(nodes, a, request := keyed(key()), work := Work())
    await a.store.close(0)
    assert replayed(await b.ask(request, work))


async def _answered_without_database(nodes: Nodes, node: Node, request: KeyedRequest, work: Work) -> Answer:
    """The server dies between claim and answer; the client is answered; the server is back."""
    asked = asyncio.create_task(node.ask(request, work))
    await work.begun.wait()
    await asyncio.to_thread(nodes.world.server.crash)
    work.may_end.set()
    answer = await asked
    assert (answer.status, replayed(answer)) == (200, False)
    refused = await error_of(node.ask(request, work))
    assert (refused.code, len(work.ids)) == (ErrorCode.DATABASE_UNAVAILABLE, 1)
    await asyncio.to_thread(nodes.world.server.start)
    return answer


async def test_a_node_with_many_answers_to_store_after_an_outage_is_not_taken_for_gone(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes a second: the others would take its claims, and do again what is done."""
    a, b = await nodes.start(), await nodes.start()
    assert a.store.own_lease is not None
    requests, finish = [keyed(key()) for _ in range(20)], a.store.finish
    renew = a.store.own_lease.renew
    renewed_at = [nodes.clocks.monotonic()]

    async def out(*_: object) -> None:
        raise DatabaseUnavailableError(1)

    async def slowly(row_id: bytes, token: str, finished: Finish) -> Row | None:
        nodes.clocks.monotonic.advance(1.0)
        return await finish(row_id, token, finished)

    async def renewed() -> None:
        renewed_at.append(nodes.clocks.monotonic())
        await renew()

    monkeypatch.setattr(a.store, "finish", out)
    for request in requests:
        await a.ask(request, Work.quick())
    monkeypatch.setattr(a.store, "finish", slowly)
    monkeypatch.setattr(a.store.own_lease, "renew", renewed)
    await a.store.maintain()
    # The last one is not stored yet, and its claim is kept.
    waiting, paused = asyncio.create_task(b.ask(requests[-1], again := Work.quick())), asyncio.create_task(waits(nodes))
    await asyncio.wait([waiting, paused], return_when=asyncio.FIRST_COMPLETED)
    for _ in range(5):
        await a.store.maintain()
    assert replayed(await waiting)
    assert again.ids == []
    assert max(later - earlier for earlier, later in pairwise(renewed_at)) <= LIMITS.http_idempotency_lease_s / 3
    for request in requests:
        assert replayed(await b.ask(request, Work.quick()))
