"""The process is killed before and after every call of the ledger's books while it credits deposits: nothing twice, nothing lost."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from node.database.port import Statement
from tests.billing.tokens.bench import CHAIN_ID, DOLLAR, Bench, to_head, token_bench
from tests.support.deposits import Payments
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.nursery import KILLED, Life, Nursery, nursery
from tests.support.postgres_ledger import PostgresWorld

pytestmark = [pytest.mark.exhaustive, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(400)]

NEVER = 10**9


@pytest.fixture(scope="module")
def lives() -> Iterator[Nursery]:
    with nursery("tests.support.deposit_worker") as lives:
        yield lives


async def lived(lives: Nursery, bench: Bench, ledger: str, call: int, *, before: bool) -> Life:
    """A process that is killed there."""
    task: dict[str, Any] = {
        "ledger": ledger,
        "url": bench.payments.chain.url,
        "contract": bench.payments.contract.address,
        "chain_id": CHAIN_ID,
        "prices": [f"{bench.payments.token.address}:LUSD:6:{DOLLAR}"],
        "call": call,
        "before": before,
    }
    return await lives.life(task)


def place_of(world: LedgerWorld) -> str:
    """Where the ledger is, as a worker is told."""
    return world.url if isinstance(world, PostgresWorld) else str(cast("SqliteWorld", world).path)


async def assert_exact(bench: Bench, accounts: list[int], world: LedgerWorld) -> None:
    """A process that starts after the killed one has everything exact, and so has one that starts once more."""
    ledger = await world.open()
    try:
        for _ in range(2):
            book = bench.book(ledger)
            await book.open()
            await to_head(bench.watcher(book))
        credited = [(await ledger.balance(each)).credit_microdollars for each in accounts]
        assert credited == [3 * DOLLAR, 2 * DOLLAR]
        sums = "SELECT status, count(*) FROM token_deposit GROUP BY status ORDER BY status"
        (rows, ((entries,),)) = await ledger.read(
            Statement(sums), Statement("SELECT count(*) FROM ledger_entry WHERE cause LIKE 'token:%'")
        )
        assert [tuple(row) for row in rows] == [("credited", 3), ("ignored", 1), ("pending", 1)]
        assert entries == 3
    finally:
        await ledger.close()


@pytest.fixture(params=["sqlite", "postgres"])
def new_world(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], LedgerWorld]:
    """Makes fresh, empty databases."""
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        return lambda: PostgresWorld(server)
    return lambda: SqliteWorld(Path(tempfile.mkdtemp(dir=tmp_path)))


async def test_killed_at_any_call_every_deposit_is_credited_exactly_once(
    payments: Payments, lives: Nursery, new_world: Callable[[], LedgerWorld]
) -> None:
    accounts = [await payments.account("one"), await payments.account("two")]
    hostile = await payments.hostile()
    await payments.pay(accounts[0], DOLLAR)
    await payments.pay(accounts[0], DOLLAR, hostile)
    await payments.pay(accounts[1], 2 * DOLLAR)
    await payments.pay(accounts[0], 2 * DOLLAR)
    await payments.chain.rpc.ask("anvil_mine", "0x2")
    await payments.pay(accounts[0], 4 * DOLLAR)
    async with token_bench(payments, new_world(), 1) as bench:
        whole = await lived(lives, bench, place_of(new_world()), NEVER, before=True)
        assert whole.code == 0
        calls = int(whole.said[-1][0])
        assert calls > 8
        for call in range(1, calls + 1):
            for before in (True, False):
                world = new_world()
                life = await lived(lives, bench, place_of(world), call, before=before)
                assert life.code == KILLED
                await assert_exact(bench, accounts, world)
