"""Several nodes, processes of their own, on one database."""

import asyncio
import contextlib
import signal
import time

import pytest

from node.ledger.errors import SpendingCapReachedError
from node.ledger.port import Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import ACCOUNT, CENT, KEY, RUN, assert_adds_up, cents, give, pay, rows
from tests.support.postgres_ledger import PostgresWorld
from tests.support.postgres_worker import ledger_worker

LEASE_S = 4.0
"""A node that lives must not be kept from renewing it for two thirds of that, however busy the machine is."""
VIGILANT_LEASE_S = 0.5
"""Looks six times a second for what lapsed."""
DEADLINE_S = 60.0


async def until_given_back(ledger: PostgresLedger) -> None:
    """Until the account has nothing reserved any more."""
    give_up = time.monotonic() + DEADLINE_S
    while (await ledger.balance(ACCOUNT)).reserved_microdollars:
        assert time.monotonic() < give_up
        await asyncio.sleep(0.05)


async def test_fifty_executions_on_two_nodes_spend_three_cents_of_three(world: PostgresWorld) -> None:
    with ledger_worker(world.url, "a") as a, ledger_worker(world.url, "b") as b:
        assert (a.heard(), b.heard()) == ("open", "open")
        assert a.ask("give", 3) == "ok"
        a.tell("spend", "a", 25)
        b.tell("spend", "b", 25)
        assert int(a.heard()) + int(b.heard()) == 3
    ledger = await world.node("c")
    assert await ledger.balance(ACCOUNT) == cents(0)
    assert await rows(ledger, "SELECT COUNT(*) FROM ledger_entry WHERE what IS NOT NULL") == [(3,)]
    await assert_adds_up(ledger)


async def test_a_cap_counts_what_another_node_has_set_aside_through_the_key(world: PostgresWorld) -> None:
    """Each node has its own allotment of the cap, and the sum of them is within it."""
    capped = Spender(ACCOUNT, KEY, 3 * CENT)
    ledger, other = await world.node("a"), await world.node("b")
    await give(ledger, 9)
    await ledger.reserve(capped, "e1", 2 * CENT)
    with pytest.raises(SpendingCapReachedError):
        await other.reserve(capped, "e2", 2 * CENT)
    await other.reserve(capped, "e3", CENT)
    with pytest.raises(SpendingCapReachedError):
        await ledger.extend("e1", CENT)
    assert await ledger.balance(ACCOUNT) == cents(9, 3)


@pytest.mark.exhaustive
async def test_what_a_killed_node_had_reserved_is_given_back_by_another(world: PostgresWorld) -> None:
    ledger = await world.node("b", lease_s=VIGILANT_LEASE_S)
    await give(ledger, 3)
    with ledger_worker(world.url, "a", lease_s=LEASE_S) as a:
        assert (a.heard(), a.ask("reserve", "e1", 2)) == ("open", "ok")
        assert await ledger.balance(ACCOUNT) == cents(3, 2)
        a.kill()
    await until_given_back(ledger)
    assert await ledger.balance(ACCOUNT) == cents(3)


@pytest.mark.exhaustive
async def test_a_node_that_lives_keeps_what_it_reserved_past_its_first_lease(world: PostgresWorld) -> None:
    ledger = await world.node("b", lease_s=VIGILANT_LEASE_S)
    await give(ledger, 3)
    with ledger_worker(world.url, "a", lease_s=LEASE_S) as a:
        assert (a.heard(), a.ask("reserve", "e1", 2)) == ("open", "ok")
        of_a = "FROM lease WHERE name LIKE 'a/%'"
        first = world.sql(f"SELECT until_ms {of_a}")
        outlived = f"SELECT until_ms > {first} + 1000 * {LEASE_S} {of_a}"
        give_up = time.monotonic() + DEADLINE_S
        while world.sql(outlived) != "t":
            assert time.monotonic() < give_up
            await asyncio.sleep(0.05)
        assert await ledger.balance(ACCOUNT) == cents(3, 2)
        assert a.ask("settle", "e1", 2) == "ok"
    assert await ledger.balance(ACCOUNT) == cents(1)


@pytest.mark.exhaustive
async def test_a_node_paused_past_its_lease_wakes_and_settles_what_is_left(world: PostgresWorld) -> None:
    ledger = await world.node("b", lease_s=VIGILANT_LEASE_S)
    await give(ledger, 3)
    with ledger_worker(world.url, "a", lease_s=LEASE_S) as a:
        assert (a.heard(), a.ask("reserve", "e1", 2)) == ("open", "ok")
        a.send(signal.SIGSTOP)
        await until_given_back(ledger)
        await pay(ledger, "e2", 2)
        a.send(signal.SIGCONT)
        assert a.ask("settle", "e1", 2) == "ok"
        assert await ledger.balance(ACCOUNT) == cents(0)
        assert a.ask("reserve", "e1", 2) == "ok"  # known, so it changes nothing
        await give(ledger, 5, cause="payment:pi_2")
        assert a.ask("settle", "e1", 2) == "ok"
    await ledger.settle("e1", 2 * CENT, RUN)
    assert await ledger.balance(ACCOUNT) == cents(5)
    await assert_adds_up(ledger)


@pytest.mark.exhaustive
async def test_a_node_paused_in_the_middle_of_a_batch_does_not_hold_the_others_up(world: PostgresWorld) -> None:
    """Wherever it is stopped: the server ends a transaction that says no more, and with it its locks."""
    ledger = await world.node("b")
    await give(ledger, 1000)
    with ledger_worker(world.url, "a", idle_in_transaction_timeout_s=0.5) as a:
        assert a.heard() == "open"
        for turn in range(10):
            a.tell("spend", f"a{turn}:", 50)
            await pay(ledger, f"before{turn}")
            a.send(signal.SIGSTOP)
            await pay(ledger, f"meanwhile{turn}")
            a.send(signal.SIGCONT)
            assert a.heard() == "50"
    assert await ledger.balance(ACCOUNT) == cents(1000 - 10 * 52)
    await assert_adds_up(ledger)


async def test_nodes_that_start_at_once_on_an_empty_database_make_its_tables_once(world: PostgresWorld) -> None:
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(ledger_worker(world.url, f"n{i}")) for i in range(4)]
        assert [node.heard() for node in nodes] == ["open"] * 4
        assert nodes[0].ask("give", 4) == "ok"
        assert [node.ask("spend", i, 1) for i, node in enumerate(nodes)] == ["1"] * 4
    assert (
        world.sql("SELECT component, steps FROM schema_version ORDER BY component") == "database|2\nlease|1\nledger|4"
    )


async def test_many_who_migrate_at_the_same_moment_do_it_once(world: PostgresWorld) -> None:
    await asyncio.gather(*(world.node(f"n{i}") for i in range(8)))
    nodes = world.opened
    await asyncio.gather(*(node.migrate("parcels", ["CREATE TABLE parcel (name TEXT)"]) for node in nodes))
    assert (
        world.sql("SELECT component, steps FROM schema_version ORDER BY component")
        == "database|2\nlease|1\nledger|4\nparcels|1"
    )


async def test_leases_of_a_database_that_the_ledger_made_itself_are_kept(world: PostgresWorld) -> None:
    """Earlier versions made the tables of leases in a step of the ledger."""
    world.sql(
        "CREATE TABLE ledger_lease (holder TEXT PRIMARY KEY, expires_at TIMESTAMPTZ NOT NULL);"
        "INSERT INTO ledger_lease VALUES ('earlier', clock_timestamp() + interval '1 hour');"
        "CREATE TABLE ledger_transaction (mark TEXT PRIMARY KEY, made_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp());"
        "CREATE INDEX ledger_transaction_made ON ledger_transaction (made_at);"
        f"ALTER TABLE ledger_lease OWNER TO {world.role}; ALTER TABLE ledger_transaction OWNER TO {world.role}"
    )
    ledger = await world.node("now")
    await give(ledger, 3)
    await pay(ledger, "e1")
    assert world.sql("SELECT count(*) FROM lease WHERE holder = name") == "2"
