"""Two nodes on one PostgreSQL database, each with everything at work at once: the sums are exact all the same."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from devkit.processor.server import LocalProcessor
from node.ledger.port import Spender
from node.processor.port import ProcessorError
from tests.support.clock import FakeClock
from tests.support.ledgers import assert_adds_up, pay
from tests.support.payments import PaymentWorld, adapter, payments_room
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import PostgresWorld

ACCOUNTS = range(1, 9)


@pytest.fixture
async def nodes(
    postgres: PostgresServer, local: LocalProcessor, clock: FakeClock
) -> AsyncIterator[tuple[PaymentWorld, PaymentWorld]]:
    """Each with its own connections."""
    shared = PostgresWorld(postgres)
    worlds = []
    for name in ("one", "two"):
        ledger, processor = await shared.node(name), adapter(local.url, clock)
        async with payments_room(ledger, processor, clock) as room:
            worlds.append(PaymentWorld(ledger, local, processor, room, clock))
    yield worlds[0], worlds[1]
    for world in worlds:
        await world.processor.close()
        await world.ledger.close()


@pytest.mark.parametrize("seed", range(3))
async def test_everything_at_once_adds_up(nodes: tuple[PaymentWorld, PaymentWorld], seed: int) -> None:
    dice = random.Random(seed)
    one = nodes[0]
    intents = {account: [await dice.choice(nodes).bought(account, 500) for _ in range(2)] for account in ACCOUNTS}
    refunded: dict[int, int] = {}
    for account in ACCOUNTS:
        one.local.control.grant(one.customer(account), 10 * account)
        if account % 2:
            refunded[account] = dice.randint(1, 500)
            await one.refund(intents[account][0], refunded[account])
    events = list(await one.processor.events_since(0))
    payloads = [event for event in events if event.change is not None] * 2
    dice.shuffle(payloads)

    await asyncio.gather(
        *(
            world.room.payments.confirm(account, intent)
            for world in nodes
            for account in ACCOUNTS
            for intent in intents[account]
        ),
        *(dice.choice(nodes).room.events.handle(event) for event in payloads),
        *(world.room.sweep() for world in nodes for _ in range(2)),
        *(world.room.sync_balances() for world in nodes for _ in range(3)),
    )
    runs = {account: dice.randint(0, 20) for account in ACCOUNTS}
    await asyncio.gather(
        *(
            pay(dice.choice(nodes).ledger, f"run-{account}-{number}", 1, Spender(account))
            for account in ACCOUNTS
            for number in range(runs[account])
        ),
        *(world.room.sync_balances() for world in nodes),
    )
    await one.drain()
    await nodes[1].drain()

    expected = [1000 + 10 * account - refunded.get(account, 0) - runs[account] for account in ACCOUNTS]
    assert [await nodes[1].credit(account) for account in ACCOUNTS] == expected
    assert [one.told(account) for account in ACCOUNTS] == expected
    await assert_adds_up(one.ledger)


async def test_customers_wanted_on_both_nodes_are_made_once(nodes: tuple[PaymentWorld, PaymentWorld]) -> None:
    made = await asyncio.gather(
        *(world.room.customers.of(account) for world in nodes for account in ACCOUNTS for _ in range(2)),
        return_exceptions=True,
    )
    # The processor answers 409 to what is under way with the same key: whoever met that asks again.
    again = [await world.room.customers.of(account) for world in nodes for account in ACCOUNTS]

    assert not [each for each in made if isinstance(each, BaseException) and not isinstance(each, ProcessorError)]
    assert len(set(again)) == len(ACCOUNTS)
    assert len(list(nodes[0].local.control.store.customers.oldest_first())) == len(ACCOUNTS)
