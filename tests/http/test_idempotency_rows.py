"""The rows behind Idempotency-Key, on both databases: one claim at a time, one answer, and an end to everything kept."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from node.database.lease import ProcessLease
from node.http.idempotency_store import COMPONENT, Finish, IdempotencyStore, Row, Share
from node.ledger.port import LedgerDatabase
from node.settings.http import HttpSettings
from tests.support.http_server import LogLines
from tests.support.leases import bury
from tests.support.ledgers import LedgerWorld, SqliteWorld, rows
from tests.support.postgres_ledger import PostgresWorld

ROW, MAC, OTHER_MAC = b"\x01" * 32, b"\x02" * 32, b"\x03" * 32
DAY_S = 86_400
NOW = 1_800_000_000.123457
LIMITS = HttpSettings()


@pytest.fixture(params=["sqlite", "postgres"])
async def books(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[LedgerDatabase]:
    world: LedgerWorld = SqliteWorld(tmp_path)
    if request.param == "postgres":
        world = PostgresWorld(request.getfixturevalue("postgres"))
    books = await world.open()
    yield books
    await books.close()


SHARE = Share("owner", 100)


async def store_of(books: LedgerDatabase, name: str = "one") -> IdempotencyStore:
    """Of a process of this name."""
    lease = ProcessLease(books, COMPONENT, name, LIMITS.http_idempotency_lease_s)
    store = IdempotencyStore(books, LIMITS, lease, LogLines(), time.monotonic)
    await store.open()
    return store


def finish(at: float = NOW, sealed: bytes = b"sealed", *, shows_secret: bool = False) -> Finish:
    return Finish(sealed, at, shows_secret, SHARE.owner)


async def count(books: LedgerDatabase) -> int:
    ((found,),) = await rows(books, "SELECT count(*) FROM idempotency")
    assert isinstance(found, int)
    return found


async def test_a_claim_is_fresh_once_and_keeps_its_moment_to_the_microsecond(books: LedgerDatabase) -> None:
    store = await store_of(books)
    for attempt in range(2):
        made = await store.claim(ROW, MAC, "token", SHARE, NOW + attempt)
        assert made == Row(MAC, 1_800_000_000_123_457, "token", True, None, False, None, SHARE.owner, ""), (
            "also when it is asked again"
        )
    taken_up = await store.claim(ROW, MAC, "next", SHARE, NOW + 5)
    assert (taken_up.claim, taken_up.fresh, taken_up.created_us) == ("next", False, made.created_us)


async def test_another_life_finds_the_row_claimed_until_it_is_given_up(books: LedgerDatabase) -> None:
    one, two = await store_of(books, "one"), await store_of(books, "two")
    await one.claim(ROW, MAC, "of one", SHARE, NOW)
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of one"
    await two.release(ROW, "of two")
    await two.forget(ROW, "of two")
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of one"
    await one.release(ROW, "of one")
    taken = await two.claim(ROW, MAC, "of two", SHARE, NOW)
    assert (taken.claim, taken.fresh) == ("of two", False)


async def test_another_body_takes_nothing_up(books: LedgerDatabase) -> None:
    store = await store_of(books)
    await store.claim(ROW, MAC, "token", SHARE, NOW)
    row = await store.claim(ROW, OTHER_MAC, "other", SHARE, NOW)
    assert (row.body_mac, row.claim) == (MAC, "token")


async def test_twins_at_two_lives_have_one_claim_between_them(books: LedgerDatabase) -> None:
    stores = [await store_of(books, f"life {number}") for number in range(8)]
    for number in range(10):
        row_id = bytes([number]) * 32
        claimed = await asyncio.gather(*(store.claim(row_id, MAC, store._holder, SHARE, NOW) for store in stores))
        assert len({row.claim for row in claimed}) == 1
        await stores[0].release(row_id, claimed[0].claim)
        again = await asyncio.gather(
            *(store.claim(row_id, MAC, f"{store._holder} again", SHARE, NOW) for store in stores)
        )
        assert len({row.claim for row in again}) == 1
        assert again[0].claim.endswith("again")


async def test_an_answer_is_stored_once_and_by_who_has_the_claim(books: LedgerDatabase) -> None:
    one, two = await store_of(books, "one"), await store_of(books, "two")
    await one.claim(ROW, MAC, "of one", SHARE, NOW)
    refused = await two.finish(ROW, "of two", finish(sealed=b"two's"))
    assert refused is not None
    assert (refused.claim, refused.finished_at) == ("of one", None)
    for _ in range(2):
        stored = await one.finish(ROW, "of one", finish())
        assert stored == Row(MAC, 1_800_000_000_123_457, "of one", True, NOW, False, b"sealed", SHARE.owner, "")
    assert await one.finish(ROW, "of one", finish(NOW + 1, b"another")) == stored
    assert await two.claim(ROW, MAC, "of two", SHARE, NOW) == stored
    await one.forget(ROW, "of one")
    assert await count(books) == 1


async def test_an_answer_that_nobody_else_works_on_is_stored_after_all(books: LedgerDatabase) -> None:
    store = await store_of(books)
    await store.claim(ROW, MAC, "token", SHARE, NOW)
    await store.release(ROW, "token")
    stored = await store.finish(ROW, "token", finish())
    assert stored is not None
    assert (stored.claim, stored.sealed) == ("token", b"sealed")


async def test_an_answer_without_a_row_is_told_so(books: LedgerDatabase) -> None:
    store = await store_of(books)
    assert await store.finish(ROW, "token", finish()) is None


async def test_after_a_day_the_row_is_new(books: LedgerDatabase) -> None:
    store = await store_of(books)
    await store.claim(ROW, MAC, "token", SHARE, NOW)
    await store.finish(ROW, "token", finish())
    assert (await store.claim(ROW, OTHER_MAC, "later", SHARE, NOW + DAY_S - 0.001)).claim == "token"
    row = await store.claim(ROW, OTHER_MAC, "later", SHARE, NOW + DAY_S)
    assert (row.claim, row.fresh, row.sealed, row.body_mac) == ("later", True, None, OTHER_MAC)


async def test_claims_are_released_of_a_process_that_is_gone_and_of_no_other(books: LedgerDatabase) -> None:
    one, two = await store_of(books, "one"), await store_of(books, "two")
    await one.claim(ROW, MAC, "of one", SHARE, NOW)
    assert await two.release_gone() == 0
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of one"
    await bury(books, "one")
    assert [await two.release_gone() for _ in range(2)] == [1, 0]
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of two"
    lost = await one.finish(ROW, "of one", finish())
    assert lost is not None
    assert (lost.claim, lost.finished_at) == ("of two", None)


async def test_a_process_that_was_gone_keeps_what_it_claims_from_then_on(books: LedgerDatabase) -> None:
    """Its next renewal may be seconds away: it takes its lease with the claim."""
    one, two = await store_of(books, "one"), await store_of(books, "two")
    await bury(books, "one")
    await one.claim(ROW, MAC, "of one", SHARE, NOW)
    assert await two.release_gone() == 0
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of one"


async def test_what_is_finished_is_taken_from_nobody(books: LedgerDatabase) -> None:
    one, two = await store_of(books, "one"), await store_of(books, "two")
    await one.claim(ROW, MAC, "of one", SHARE, NOW)
    await one.finish(ROW, "of one", finish())
    await bury(books, "one")
    assert await two.release_gone() == 0
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of one"


async def test_a_process_that_ends_holds_nothing(books: LedgerDatabase) -> None:
    one, two = await store_of(books, "one"), await store_of(books, "two")
    await one.claim(ROW, MAC, "of one", SHARE, NOW)
    await one.end()
    assert (await two.claim(ROW, MAC, "of two", SHARE, NOW)).claim == "of two"


async def test_the_purge_wipes_secrets_and_drops_old_rows(books: LedgerDatabase) -> None:
    store = await store_of(books)
    for row_id, shows_secret in ((b"secret", True), (b"plain", False)):
        assert (await store.claim(row_id, MAC, "token", SHARE, NOW)).fresh
        await store.finish(row_id, "token", finish(shows_secret=shows_secret))

    async def kept(row_id: bytes, age_s: float) -> bytes | None:
        await store.purge(NOW + age_s)
        return (await store.claim(row_id, MAC, "token", SHARE, NOW + age_s)).sealed

    assert await kept(b"secret", 599) == b"sealed"
    assert await kept(b"secret", 600) is None
    assert await kept(b"plain", 600) == b"sealed"
    assert await count(books) == 2
    await store.purge(NOW + DAY_S)
    assert await count(books) == 0


async def test_an_answer_stored_twice_brings_no_secret_back(books: LedgerDatabase) -> None:
    store = await store_of(books)
    await store.claim(ROW, MAC, "token", SHARE, NOW)
    await store.finish(ROW, "token", finish(shows_secret=True))
    await store.purge(NOW + 600)
    row = await store.finish(ROW, "token", finish(shows_secret=True))
    assert row is not None
    assert (row.claim, row.sealed) == ("token", None)
