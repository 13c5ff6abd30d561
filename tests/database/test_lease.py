"""Leases: a fence for processes that were replaced, and one judgement of which are gone."""

import asyncio
import random

import pytest

from node.database.lease import BURIED_KEPT_MS, ENDLESS_MS, ProcessLease, held_names, required, take
from node.database.port import Database, RequirementError, Row, Statement, whole
from tests.support.leases import bury, pass_time

SCOPE = "tests"
LEASE_S = 30.0
TOKENS = f"SELECT name, token FROM lease WHERE scope = '{SCOPE}' ORDER BY name"
ADD = Statement("INSERT INTO kept (name) VALUES ('x')")


async def fetched(database: Database, sql: str) -> list[Row]:
    (found,) = await database.execute(Statement(sql))
    return [tuple(row) for row in found]


async def held(database: Database) -> set[str]:
    """Names of processes that are not taken for gone."""
    return {str(name) for (name,) in await fetched(database, held_names(SCOPE))}


async def taken(database: Database, name: str, holder: str, duration_ms: int = ENDLESS_MS) -> int:
    """The token."""
    *_, ((token, _),) = await database.execute(*take(SCOPE, name, holder, duration_ms))
    return whole(token)


async def process(database: Database, name: str) -> ProcessLease:
    """A process that has just started."""
    lease = ProcessLease(database, SCOPE, name, LEASE_S)
    await lease.take()
    return lease


async def test_the_token_rises_with_each_change_of_holder_and_with_nothing_else(database: Database) -> None:
    holders = ("a", "a", "b", "a", "a")
    assert [await taken(database, "payer", holder) for holder in holders] == [1, 1, 2, 3, 3]
    assert await taken(database, "another", "b") == 1


async def test_what_was_replaced_changes_nothing_and_a_late_holder_has_lost_nothing(database: Database) -> None:
    await database.execute(Statement("CREATE TABLE kept (name TEXT)"))
    first = await taken(database, "payer", "a", duration_ms=0)
    await database.execute(required(SCOPE, "payer", "a", first), ADD)
    second = await taken(database, "payer", "b")
    with pytest.raises(RequirementError):
        await database.execute(ADD, required(SCOPE, "payer", "a", first), ADD)
    await database.execute(required(SCOPE, "payer", "b", second), ADD)
    assert await fetched(database, "SELECT COUNT(*) FROM kept") == [(2,)]


async def test_a_token_that_a_database_of_before_gives_again_is_of_one_holder_alone(database: Database) -> None:
    """A backup or a standby lacks the last change of holder: the next one gets the same number."""
    token = await taken(database, "payer", "a")
    await database.execute(Statement("DELETE FROM lease"))
    assert await taken(database, "payer", "b") == token
    with pytest.raises(RequirementError):
        await database.execute(required(SCOPE, "payer", "a", token))
    await database.execute(required(SCOPE, "payer", "b", token))


@pytest.mark.exhaustive
async def test_who_takes_the_name_waits_for_the_transaction_that_requires_it(database: Database) -> None:
    await database.execute(Statement("CREATE TABLE kept (name TEXT)"))
    token = await taken(database, "payer", "a")

    async def adds() -> bool:
        try:
            await database.execute(required(SCOPE, "payer", "a", token), *[ADD] * 20)
        except RequirementError:
            return False
        return True

    *added, _ = await asyncio.gather(*(adds() for _ in range(20)), taken(database, "payer", "b"))
    assert await fetched(database, "SELECT COUNT(*) FROM kept") == [(20 * sum(map(bool, added)),)]
    assert not await adds()


async def test_a_process_is_gone_once_another_has_watched_its_silence_for_a_lease(database: Database) -> None:
    await process(database, "silent")
    watching = await process(database, "watching")
    seen = []
    for _ in range(4):
        await watching.renew()
        seen.append("silent" in await held(database))
        await pass_time(database, SCOPE, watching.renewal_interval_s)
    assert seen == [True, True, True, False]
    assert await held(database) == {"watching"}


@pytest.mark.exhaustive
async def test_who_renews_is_never_gone(database: Database) -> None:
    both = [await process(database, "a"), await process(database, "b")]
    for _ in range(12):
        for lease in both:
            await lease.renew()
        await pass_time(database, SCOPE, lease.renewal_interval_s)
        assert await held(database) == {"a", "b"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
async def test_who_renewed_within_a_lease_is_never_gone_whatever_the_pauses(database: Database, seed: int) -> None:
    chance, silent_s = random.Random(seed), 0.0
    looked_at, watching = await process(database, "looked at"), await process(database, "watching")
    for _ in range(60):
        pause_s = chance.uniform(0.1, LEASE_S / 2) if chance.random() < 0.9 else 2 * LEASE_S
        await pass_time(database, SCOPE, pause_s)
        silent_s += pause_s
        if chance.random() < 0.3:
            await looked_at.renew()
            silent_s = 0.0
        await watching.renew()
        assert "looked at" in await held(database) or silent_s > LEASE_S - 1.0


async def test_after_a_time_in_which_it_could_not_renew_a_process_watches_anew(database: Database) -> None:
    """An outage of the database kept the other from renewing as well."""
    both = [await process(database, "a"), await process(database, "b")]
    for _ in range(4):
        for lease in both:
            await lease.renew()
        await pass_time(database, SCOPE, lease.renewal_interval_s)
    await pass_time(database, SCOPE, 2 * LEASE_S)
    watching, silent = both
    for _ in range(3):
        await watching.renew()
        assert await held(database) == {"a", "b"}
        await pass_time(database, SCOPE, watching.renewal_interval_s)
    await silent.renew()
    await watching.renew()
    assert await held(database) == {"a", "b"}


async def test_who_was_buried_watches_anew_before_it_takes_others_for_gone(database: Database) -> None:
    both = [await process(database, name) for name in ("a", "b")]
    for _ in range(4):
        for lease in both:
            await lease.renew()
        await pass_time(database, SCOPE, lease.renewal_interval_s)
    await pass_time(database, SCOPE, 2 * LEASE_S)
    await bury(database, "a")
    watching = both[0]
    for _ in range(3):
        await watching.renew()
        assert await held(database) == {"a", "b"}
        await pass_time(database, SCOPE, watching.renewal_interval_s)


async def test_who_wakes_unburied_goes_on_and_who_was_buried_takes_its_name_again(database: Database) -> None:
    late, buried, other = [await process(database, name) for name in ("late", "buried", "other")]
    before = await fetched(database, TOKENS)
    await pass_time(database, SCOPE, 2 * LEASE_S)
    await late.renew()
    await other.renew()
    await other.bury()
    assert await held(database) == {"late", "other"}
    await buried.renew()
    assert await held(database) == {"buried", "late", "other"}
    after = await fetched(database, TOKENS)
    raised = [(name, whole(now) > whole(then)) for (name, then), (_, now) in zip(before, after, strict=True)]
    assert raised == [("buried", True), ("late", False), ("other", False)]
    await buried.renew()
    assert await held(database) == {"buried", "late", "other"}


@pytest.mark.parametrize(
    "passed_s",
    [2 * LEASE_S, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in (0.0, LEASE_S / 2, LEASE_S - 1.0))],
)
async def test_what_is_added_under_a_name_keeps_it_until_the_next_renewal(database: Database, passed_s: float) -> None:
    late, other = await process(database, "late"), await process(database, "other")
    await pass_time(database, SCOPE, passed_s)
    await other.bury()
    await database.execute(late.keep())
    await pass_time(database, SCOPE, late.renewal_interval_s - 1.0)
    await other.bury()
    assert "late" in await held(database)
    await late.renew()
    await late.renew()
    assert "late" in await held(database)


@pytest.mark.exhaustive
async def test_a_name_that_is_kept_long_enough_is_not_written_again(database: Database) -> None:
    lease = await process(database, "a")
    before = await fetched(database, f"SELECT until_ms FROM lease WHERE scope = '{SCOPE}'")
    await database.execute(lease.keep())
    assert await fetched(database, f"SELECT until_ms FROM lease WHERE scope = '{SCOPE}'") == before


@pytest.mark.exhaustive
async def test_a_process_that_ends_gives_its_name_up_and_no_other(database: Database) -> None:
    ending = await process(database, "ending")
    await process(database, "other")
    await ending.end()
    assert await held(database) == {"other"}


@pytest.mark.exhaustive
async def test_a_scope_buries_its_own_and_forgets_them_after_a_week(database: Database) -> None:
    gone, other = await process(database, "gone"), await process(database, "other")
    await database.execute(*take("elsewhere", "gone", "gone", 1000))
    await pass_time(database, SCOPE, 2 * LEASE_S)
    await other.renew()
    await other.bury()
    assert await fetched(database, "SELECT scope, holder FROM lease WHERE name = 'gone' ORDER BY scope") == [
        ("elsewhere", "gone"),
        (SCOPE, ""),
    ]
    await pass_time(database, SCOPE, BURIED_KEPT_MS / 1000)
    await other.renew()
    await other.bury()
    assert await fetched(database, "SELECT scope FROM lease WHERE name = 'gone'") == [("elsewhere",)]
    await gone.renew()
    assert await held(database) == {"gone", "other"}
