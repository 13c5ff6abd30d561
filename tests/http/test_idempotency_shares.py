"""Stored answers have a share for each account, reserved before the work: nobody's are lost through another's."""

import asyncio
import contextlib
import random
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from node.api.errors import ErrorCode, NodeError
from node.database.lease import ProcessLease
from node.database.port import DatabaseUnavailableError
from node.http.answers import Answer
from node.http.idempotency_store import ADDRESS, COMPONENT, ROW_BYTES, Finish, IdempotencyStore, Share
from node.ledger.port import LedgerDatabase
from node.permissions.grants import Caller
from node.runtime.limits import LimitReachedError
from node.settings.http import HttpSettings
from node.values import hash_of_text, new_key
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import LogLines, Reply, Server, World, serving
from tests.support.idempotent_nodes import Nodes, Work, error_of, keyed, ok
from tests.support.leases import bury
from tests.support.ledgers import LedgerWorld, SqliteWorld, rows
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import PostgresWorld

NOTE = {"name": "n"}
NOW = 1_800_000_000.0
BY_BYTES, BY_NUMBER = "http_idempotency_account_max_bytes", "http_idempotency_account_max_answers"
ROOM_FOR_TWO = HttpSettings.model_construct(http_idempotency_account_max_bytes=2 * 56_000)
"""Two of the largest answers of an ordinary endpoint, in flight."""


@pytest.fixture(params=["sqlite", "postgres"])
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    if request.param == "postgres":
        return PostgresWorld(request.getfixturevalue("postgres"))
    return SqliteWorld(tmp_path)


@pytest.fixture
async def world(ledgers: LedgerWorld, tmp_path: Path) -> AsyncIterator[World]:
    """Every test here runs on both databases."""
    yield World(tmp_path, ledgers=ledgers)
    if isinstance(ledgers, PostgresWorld):
        await ledgers.close()


@pytest.fixture
async def books(ledgers: LedgerWorld) -> AsyncIterator[LedgerDatabase]:
    books = await ledgers.open()
    yield books
    await books.close()


@pytest.fixture
def stranger(world: World) -> str:
    """The key of an account of its own."""
    key = new_key()
    world.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), 3, True, None)
    return key


def fresh() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4())}


def replayed(reply: Reply) -> bool:
    return reply.headers.get("Idempotency-Replayed") == "true"


async def note(server: Server, key: str, headers: dict[str, str]) -> Reply:
    return await server.call("POST", "/note", body=NOTE, key=key, headers=headers)


def assert_full(reply: Reply, limit: str) -> None:
    assert (reply.status, reply.body["error"], reply.body["details"]) == (429, "too_many_requests", {"limit": limit})
    assert int(reply.headers["Retry-After"]) > 0


async def test_one_account_evicts_nobody(world: World, keys: Keys, stranger: str, desk: Desk) -> None:
    """What is stored is looked through when the server starts."""
    limits, mine = HttpSettings.model_construct(http_idempotency_max_bytes=20_000), fresh()
    async with serving(desk.endpoints(), world, limits) as server:
        assert (await note(server, stranger, mine)).status == 200
        world.clock.advance(1)  # the oldest of all
        for _ in range(40):
            await note(server, keys.usage, fresh())
    world.registry = type(world.registry)()
    async with serving(desk.endpoints(), world, limits) as server:
        done = desk.count
        while (full := await note(server, keys.usage, fresh())).status == 200:  # until it has been looked through
            done += 1
        assert_full(full, "http_idempotency_max_bytes")
        assert replayed(await note(server, stranger, mine))
        assert desk.count == done
        world.clock.advance(86_400)
    world.registry = type(world.registry)()
    async with serving(desk.endpoints(), world, limits) as server:
        async with asyncio.timeout(10):
            while (await note(server, keys.usage, fresh())).status != 200:
                pass  # what is stored is looked through beside the requests


async def test_beyond_the_share_nothing_is_done_and_others_go_on(
    world: World, keys: Keys, stranger: str, desk: Desk
) -> None:
    stored: list[dict[str, str]] = []
    async with serving(
        desk.endpoints(), world, HttpSettings.model_construct(http_idempotency_account_max_bytes=60_000)
    ) as server:
        while (reply := await note(server, keys.usage, headers := fresh())).status == 200:
            stored.append(headers)
        assert_full(reply, BY_BYTES)
        assert desk.count == len(stored)
        assert_full(await note(server, keys.account, fresh()), BY_BYTES)
        for headers in stored:
            assert replayed(await note(server, keys.usage, headers))
        assert (await note(server, keys.usage, {})).status == 200, "without the header it is a call like any other"
        assert (await note(server, stranger, fresh())).status == 200
        world.clock.advance(86_400)
        assert (await note(server, keys.usage, stored[0])).status == 200
        assert desk.count == len(stored) + 3


async def test_the_share_is_bounded_by_number_too(world: World, keys: Keys, stranger: str, desk: Desk) -> None:
    async with serving(
        desk.endpoints(), world, HttpSettings.model_construct(http_idempotency_account_max_answers=3)
    ) as server:
        for _ in range(3):
            assert (await note(server, keys.usage, fresh())).status == 200
        assert_full(await note(server, keys.usage, headers := fresh()), BY_NUMBER)
        assert_full(await note(server, keys.usage, headers), BY_NUMBER)
        assert (await note(server, stranger, fresh())).status == 200
        assert desk.count == 4


async def test_callers_without_a_key_share_by_address(world: World, desk: Desk) -> None:
    async with serving(
        desk.endpoints(), world, HttpSettings.model_construct(http_idempotency_account_max_answers=2)
    ) as server:
        for status in (200, 200, 429):
            assert (await server.call("POST", "/anonymous", body=NOTE, headers=fresh())).status == status
        assert desk.count == 2


async def test_requests_under_way_hold_what_they_may_be_answered(
    world: World, keys: Keys, stranger: str, desk: Desk
) -> None:
    async with serving(desk.endpoints(), world, ROOM_FOR_TWO) as server:

        async def slow(key: str, headers: dict[str, str]) -> Reply:
            return await server.call("POST", "/abandoned", key=key, headers=headers)

        two = [asyncio.create_task(slow(keys.usage, fresh())) for _ in range(2)]
        for _ in two:
            await desk.started.acquire()
        third = fresh()
        assert_full(await slow(keys.account, third), BY_BYTES)
        others = asyncio.create_task(slow(stranger, fresh()))
        await desk.started.acquire()
        desk.go_on.set()
        assert {(await each).status for each in (*two, others)} == {200}
        assert (await slow(keys.account, third)).status == 200, "what was not taken up is returned"
        assert desk.ended.qsize() == 4


async def test_what_came_to_nothing_holds_nothing(world: World, keys: Keys, desk: Desk) -> None:
    async with serving(desk.endpoints(), world, ROOM_FOR_TWO) as server:
        for code, status in ((ErrorCode.CHAIN_UNAVAILABLE, 503), (ErrorCode.FORBIDDEN, 403)):
            desk.fail_with = NodeError(code, "No.", fix="Ask otherwise.")
            for _ in range(6):
                assert (await note(server, keys.usage, fresh())).status == status
        desk.fail_with = None
        assert (await note(server, keys.usage, fresh())).status == 200


async def store_of(books: LedgerDatabase, name: str, limits: HttpSettings) -> IdempotencyStore:
    """Of a process of this name, which shares the database."""
    lease = ProcessLease(books, COMPONENT, name, 15.0)
    store = IdempotencyStore(books, limits, lease, LogLines(), time.monotonic)
    await store.open()
    return store


async def held(books: LedgerDatabase) -> int:
    """What all rows take, which their owners' counts agree with."""
    sums = "SELECT owner, sum(size_bytes), count(*) FROM idempotency GROUP BY owner ORDER BY owner"
    counts = "SELECT owner, bytes, answers FROM idempotency_owner WHERE answers > 0 ORDER BY owner"
    summed = await rows(books, sums)
    assert summed == await rows(books, counts)
    assert await rows(books, "SELECT id FROM idempotency WHERE size_bytes <> counted_bytes") == []
    return sum(int(str(row[1])) for row in summed)


async def claimed(store: IdempotencyStore, number: int, share: Share) -> bool:
    try:
        row = await store.claim(number.to_bytes(32), bytes(32), f"token {number}", share, NOW)
    except LimitReachedError:
        return False
    return row.claim == f"token {number}"


async def filled(store: IdempotencyStore, owners: list[str], first: int) -> list[int]:
    """How many answers each owner claimed before it was refused; what is stored is counted after each."""
    counts: list[int] = []
    for owner in owners:
        number = first
        while await claimed(store, number, Share(owner, 3_000)):
            number += 1
        counts.append(number - first)
        first = number
        await store.purge(NOW)
    return counts


@pytest.mark.exhaustive
async def test_however_many_owners_take_what_they_can_a_newcomer_finds_room(books: LedgerDatabase) -> None:
    """Accounts and addresses cost nothing: were sixteen full shares all there is, they would stop everybody for a day."""
    store = await store_of(books, "life", HttpSettings.model_construct(http_idempotency_max_bytes=1_500_000))
    attackers = await filled(store, [f"attacker {number}" for number in range(16)], 0)
    (newcomer,) = await filled(store, ["newcomer"], 1_000_000)
    assert newcomer >= attackers[0] // 3
    assert sum(attackers) * (ROW_BYTES + 4_000) < 1_500_000 * 3 / 4 * 3 / 4
    by_address = await filled(store, [f"{ADDRESS}{number}" for number in range(60)], 2_000_000)
    assert sum(by_address) * (ROW_BYTES + 4_000) < 1_500_000 / 3
    assert (await filled(store, ["another newcomer"], 3_000_000))[0] >= newcomer - 1, (
        "addresses take nothing from accounts"
    )


async def test_claims_at_several_nodes_at_once_never_exceed_the_share(books: LedgerDatabase) -> None:
    limits = HttpSettings.model_construct(http_idempotency_account_max_bytes=10 * (ROW_BYTES + 400))
    stores = [await store_of(books, f"life {number}", limits) for number in range(4)]
    shares = [Share("one", 300), Share("other", 300)]
    claims = [claimed(stores[n % 4], n, shares[n % 2]) for n in range(80)]
    assert sum(await asyncio.gather(*claims)) == 20
    assert await held(books) == 20 * (ROW_BYTES + 400)


async def test_a_reservation_ends_with_its_claim(books: LedgerDatabase) -> None:
    limits, share = (
        HttpSettings.model_construct(http_idempotency_account_max_bytes=2 * (ROW_BYTES + 4_000)),
        Share("one", 3_000),
    )
    one, two = await store_of(books, "one", limits), await store_of(books, "two", limits)
    assert [await claimed(one, number, share) for number in range(3)] == [True, True, False]
    assert not await claimed(two, 3, share)
    await one.release((0).to_bytes(32), "token 0")
    assert await held(books) == 2 * ROW_BYTES + 4_000
    await one.finish((1).to_bytes(32), "token 1", Finish(b"abc", NOW, False, "one"))
    assert await held(books) == 2 * ROW_BYTES + 4
    assert await claimed(one, 4, share)
    assert not await claimed(two, 0, share), "taken up again, it is reserved again"
    await bury(books, "one")
    assert await two.release_gone() == 1
    assert await held(books) == 3 * ROW_BYTES + 4
    assert await claimed(two, 0, share)
    await two.end()
    assert await held(books) == 3 * ROW_BYTES + 4


async def test_what_a_killed_process_had_reserved_is_returned_when_it_starts_again(books: LedgerDatabase) -> None:
    limits, share = (
        HttpSettings.model_construct(http_idempotency_account_max_bytes=ROW_BYTES + 4_000),
        Share("one", 3_000),
    )
    killed, again = (IdempotencyStore(books, limits, None, LogLines(), time.monotonic) for _ in range(2))
    await killed.open()
    assert await claimed(killed, 1, share)
    await again.open()
    assert await held(books) == ROW_BYTES
    row = await again.claim((1).to_bytes(32), bytes(32), "later", share, NOW)
    assert (row.claim, row.fresh) == ("later", False)


async def test_a_secret_that_is_erased_returns_what_it_took(books: LedgerDatabase) -> None:
    limits = HttpSettings()
    store = await store_of(books, "one", limits)
    assert await claimed(store, 1, Share("one", 3_000))
    await store.finish((1).to_bytes(32), "token 1", Finish(bytes(3_000), NOW, True, "one"))
    assert await held(books) == ROW_BYTES + 4_000
    await store.purge(NOW + limits.http_secret_replay_s)
    assert await held(books) == ROW_BYTES, "of the row itself only"


async def test_an_answer_larger_than_the_share_reserves_all_of_it(books: LedgerDatabase) -> None:
    store = await store_of(books, "one", HttpSettings.model_construct(http_idempotency_account_max_bytes=5_000))
    assert [await claimed(store, number, Share("one", 1_000_000)) for number in range(2)] == [True, False]


async def test_a_row_taken_up_from_another_address_counts_where_it_was_made(books: LedgerDatabase) -> None:
    limits = HttpSettings.model_construct(http_idempotency_account_max_bytes=2 * ROW_BYTES + 4_000)
    store = await store_of(books, "one", limits)
    assert await claimed(store, 1, Share("here", 3_000))
    await store.release((1).to_bytes(32), "token 1")
    assert await claimed(store, 2, Share("here", 2_400))
    for share in (Share("here", 3_000), Share("there", 3_000)):
        assert not await claimed(store, 1, share)
    await store.forget((2).to_bytes(32), "token 2")
    assert await claimed(store, 1, Share("there", 3_000))
    assert await held(books) == ROW_BYTES + 4_000


async def test_whatever_becomes_of_rows_their_owners_counts_agree(books: LedgerDatabase) -> None:
    """Claims, ends and purges of three lives and five owners, one after the other and at once."""
    chance = random.Random(15)
    limits = HttpSettings.model_construct(
        http_idempotency_account_max_bytes=40_000, http_idempotency_account_max_answers=12
    )
    stores = [await store_of(books, f"life {number}", limits) for number in range(3)]

    async def taken_over() -> None:
        await bury(books, "life 1")
        await stores[0].release_gone()

    async def step() -> None:
        store, number = chance.choice(stores), chance.randrange(100)
        row_id, token, now = number.to_bytes(32), f"token {number}", NOW + chance.randrange(5) * 30_000
        match chance.randrange(8):
            case 0 | 1 | 2:
                with contextlib.suppress(LimitReachedError):
                    share = Share(f"owner {number % 5}", chance.randrange(9_000))
                    await store.claim(row_id, bytes(32), token, share, now)
            case 3 | 4:
                finish = Finish(bytes(chance.randrange(3_000)), now, chance.random() < 0.5, "owner")
                await store.finish(row_id, token, finish)
            case 5:
                await store.release(row_id, token)
            case 6:
                await store.forget(row_id, token)
            case _:
                await chance.choice((store.end, lambda: store.purge(now), taken_over))()

    for _ in range(40):
        await asyncio.gather(*(step() for _ in range(chance.choice((1, 1, 8)))))
        assert await held(books) <= 5 * 40_000
    assert await rows(books, "SELECT count(*) FROM idempotency WHERE finished_us IS NOT NULL") != [(0,)]
    await stores[0].purge(NOW + 500_000)
    assert await held(books) == 0
    assert await rows(books, "SELECT count(*) FROM idempotency_owner") == [(0,)]


@pytest.fixture
async def nodes(postgres: PostgresServer) -> AsyncIterator[Nodes]:
    world = PostgresWorld(postgres)
    yield Nodes(world)
    await world.close()


async def test_answers_that_wait_for_the_database_are_lost_by_who_has_most(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.idempotency_store.UNSTORED_MAX_BYTES", 4_000)
    node = await nodes.start()
    finish = node.store.finish

    async def out(*_: object) -> None:
        raise DatabaseUnavailableError(1)

    async def ask(owner: bytes, name: str, work: Work) -> Answer:
        return await node.ask(keyed(name, owner=owner), work)

    monkeypatch.setattr(node.store, "finish", out)
    mine, theirs = str(uuid.uuid4()), [str(uuid.uuid4()) for _ in range(10)]
    await ask(b"mine", mine, Work.quick(ok("x" * 1_000)))
    for name in theirs:
        await ask(b"theirs", name, Work.quick(ok("y" * 1_000)))
    monkeypatch.setattr(node.store, "finish", finish)
    again = Work.quick()
    assert (await ask(b"mine", mine, again)).headers.get("Idempotency-Replayed") == "true"
    assert again.ids == []
    assert len(nodes.logs.named("idempotency_answer_lost")) == 8


async def test_at_another_node_the_share_is_the_same(nodes: Nodes) -> None:
    limits = HttpSettings.model_construct(http_idempotency_account_max_answers=2)
    a, b = await nodes.start(limits=limits), await nodes.start(limits=limits)
    await a.ask(keyed("first"), Work.quick())
    await b.ask(keyed("second"), Work.quick())
    for node in (a, b):
        refused = await error_of(node.ask(keyed("third"), work := Work.quick()))
        assert (refused.code, refused.details, work.ids) == ("too_many_requests", {"limit": BY_NUMBER}, [])


async def test_what_a_dead_node_had_reserved_is_returned_after_its_lease(nodes: Nodes) -> None:
    limits = HttpSettings.model_construct(http_idempotency_account_max_bytes=30_000)
    a, b = await nodes.start(limits=limits), await nodes.start(limits=limits)
    await a.store.maintain()
    unfinished = Work()
    first = asyncio.create_task(a.ask(keyed("first", largest_answer_bytes=12_000), unfinished))
    await unfinished.begun.wait()
    await nodes.world.die(a.ledger)
    refused = await error_of(b.ask(keyed("second", largest_answer_bytes=12_000), Work.quick()))
    assert refused.details == {"limit": BY_BYTES}
    await nodes.silence(b)
    assert (await b.ask(keyed("second", largest_answer_bytes=12_000), Work.quick())).status == 200
    first.cancel()
    await asyncio.wait([first])
