"""What happens to payments while a node is killed, and what must hold once one is up again."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devkit.processor.server import LocalProcessor, LocalProcessorOptions, local_processor
from node.billing.payments.sweep import PAYMENT_LOOK_MAX_S, PAYMENT_OPEN_DAYS
from node.billing.payments.tables import CLAIM_S, select
from node.ledger.port import Spender
from tests.support.clock import FakeClock
from tests.support.ledgers import LedgerWorld, SqliteWorld, assert_adds_up
from tests.support.ledgers import pay as spend
from tests.support.nursery import KILLED, Nursery
from tests.support.payment_worker import distinct, sampled
from tests.support.payments import PaymentWorld, adapter, payments_room
from tests.support.payments import pay as pay_in_browser
from tests.support.postgres_ledger import PostgresWorld

ALICE, BOB = 0xA11CE, 0xB0B
NEVER = 10**9
STRIDE = 4
"""Of the sample on PostgreSQL, where each kill costs the most; SQLite is killed at every step that differs."""

Task = dict[str, Any]
Databases = Callable[[int], LedgerWorld]


@dataclass(frozen=True)
class Story:
    """What is there before a node is killed at `what`, and each account's cents in the end."""

    what: str
    before: Callable[[PaymentWorld], Awaitable[Task]]
    credit: Mapping[int, int]
    least_steps: int
    after: Callable[[PaymentWorld], Awaitable[None]] | None = None
    down_s: float = 2 * CLAIM_S
    """Until a node is up again: long enough for the dead one's claims to lapse."""


DAY_LATER_S = 30 * 3600.0
"""By then the processor has forgotten every idempotency key."""


async def nothing(_: PaymentWorld) -> Task:
    return {"account": ALICE}


async def pay_for_the_same(world: PaymentWorld) -> None:
    """The client repeats its request and pays: there must be one payment, of which no other can be paid."""
    begun = await world.room.payments.create(ALICE, 500, "request")
    assert len(list(world.local.control.store.payment_intents.oldest_first())) == 1
    await pay_in_browser(world.local, begun.client_secret)
    assert await world.room.payments.confirm(ALICE, begun.intent) == 500


async def paid(world: PaymentWorld) -> Task:
    return {"account": ALICE, "intent": await world.bought(ALICE)}


async def called(world: PaymentWorld) -> Task:
    """A payment, part of it refunded, and a dispute that was won."""
    intent = await world.bought(ALICE, 500)
    await world.refund(intent, 200)
    other = await world.bought(BOB, 700)
    control = world.local.control
    control.resolve_dispute(control.dispute(world.charge_of(other), 300), "won")
    for event in list(control.store.events.oldest_first()):
        if event.type == "refund.updated":  # what one event alone tells must not be lost with it
            control.store.events.drop(event.id)
    calls = []
    for event in control.store.events.oldest_first():
        payload = json.dumps(event.shown())
        signed = f"{int(world.clock())}.{payload}".encode()
        mac = hmac.new(b"whsec_local", signed, hashlib.sha256).hexdigest()
        calls.append((payload, f"t={int(world.clock())},v1={mac}"))
    return {"calls": calls}


async def spent(world: PaymentWorld) -> Task:
    """One account with a customer and a changed balance, one whose customer and address wait."""
    await world.bought(ALICE, 500)
    await world.drain()
    await spend(world.ledger, "run", 123, Spender(ALICE))
    await world.room.customers.opened(BOB, "bob@example.com")
    return {}


async def untold(world: PaymentWorld) -> Task:
    """A payment nobody told of; one that was credited and is refunded and disputed; credit given and taken by hand."""
    known = await world.bought(BOB, 700)
    await world.drain()
    await world.bought(ALICE, 500)
    await world.refund(known, 200)
    world.local.control.dispute(world.charge_of(known), 100)
    world.local.control.grant(world.customer(BOB), 50)
    world.local.control.grant(world.customer(BOB), -20)
    return {}


async def begun_long_ago(world: PaymentWorld) -> Task:
    """A payment nobody made, and one of which nobody told."""
    await world.room.payments.create(ALICE, 500, "request")
    world.clock.advance((PAYMENT_OPEN_DAYS + 1) * 86_400.0)
    await world.bought(BOB, 700)
    return {}


async def given_up(world: PaymentWorld) -> None:
    """Nobody can make it any longer, and nothing is left of it here: at the next look, a day later at most."""
    world.clock.advance(PAYMENT_LOOK_MAX_S)
    await world.drain()
    statuses = [intent.status for intent in world.local.control.store.payment_intents.oldest_first()]
    assert statuses == ["canceled", "succeeded"]
    assert len(await select(world.ledger, "SELECT payment FROM payments_payment")) == 1


@asynccontextmanager
async def node(databases: LedgerWorld, local: LocalProcessor, clock: FakeClock) -> AsyncIterator[PaymentWorld]:
    """A node in this process, which lives."""
    async with AsyncExitStack() as stack:
        ledger = await databases.open()
        stack.push_async_callback(ledger.close)
        processor = adapter(local.url, clock)
        stack.push_async_callback(processor.close)
        room = await stack.enter_async_context(payments_room(ledger, processor, clock))
        yield PaymentWorld(ledger, local, processor, room, clock)


async def nothing_lost_and_nothing_doubled(story: Story, lives: Nursery, fresh: Databases, *, every: bool) -> None:
    """Kill a node at the steps of the story's life, each time with a database and a processor of its own."""
    first = fresh(0)
    steps = await _killed(story, lives, first, NEVER)
    assert len(steps) > story.least_steps
    for step in _places(steps, first, every=every):
        said = await _killed(story, lives, fresh(step), step)
        assert said == steps[:step]


def _places(steps: Sequence[Sequence[str]], world: LedgerWorld, *, every: bool) -> Sequence[int]:
    if every:
        return range(1, len(steps) + 1)
    return sampled(steps, STRIDE) if isinstance(world, PostgresWorld) else distinct(steps)


async def _killed(story: Story, lives: Nursery, databases: LedgerWorld, step: int) -> Sequence[Sequence[str]]:
    """A node killed at the step, and another one after it; the steps of the first."""
    clock = FakeClock()
    async with local_processor(LocalProcessorOptions(), clock) as local:
        async with node(databases, local, clock) as world:
            task = await story.before(world)
        place = databases.url if isinstance(databases, PostgresWorld) else str(_file(databases))
        given = {"what": story.what, "kill_at": step, "now": clock(), "processor": local.url, "database": place}
        life = await lives.life(given | task)
        assert life.code == (0 if step == NEVER else KILLED), f"at step {step}"
        clock.advance(story.down_s)
        async with node(databases, local, clock) as world:
            await _recover(world, story, step)
    return life.said


async def _recover(world: PaymentWorld, story: Story, step: int) -> None:
    await world.drain()
    if story.after is not None:
        await story.after(world)
    for _ in range(2):
        await world.drain(1)
        for account, cents in story.credit.items():
            assert (await world.credit(account), world.told(account)) == (cents, cents), f"at step {step}"
    assert await select(world.ledger, "SELECT email FROM payments_customer WHERE email IS NOT NULL") == []
    assert await select(world.ledger, "SELECT cause FROM payments_reversal WHERE posted = 0") == []
    assert await select(world.ledger, "SELECT account FROM payments_delta") == []
    causes = [
        change.metadata.get("svc_cause") for change in world.local.control.store.balance_transactions.oldest_first()
    ]
    assert len(causes) == len(set(causes) - {None}) + causes.count(None)
    await assert_adds_up(world.ledger)


def _file(databases: LedgerWorld) -> Path:
    assert isinstance(databases, SqliteWorld)
    return databases.path
