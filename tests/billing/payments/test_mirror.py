"""What the processor is told: in the end exactly the ledger's balances, whatever it did meanwhile."""

import asyncio
import base64
import random

import pytest
from prometheus_client import CollectorRegistry

from devkit.processor.faults import Fault
from node.api.errors import NodeError
from node.billing.payments.customers import KEY_LIFE_S, KEY_PAUSE_S
from node.billing.payments.outbox import FAILURES_MAX
from node.billing.payments.service import PaymentService
from node.billing.payments.tables import select
from node.database.port import Statement
from node.ledger.port import Posting, Source, Spender
from node.processor.port import ProcessorError
from node.runtime.clock import Clock
from node.values import u256_hex
from tests.support.clock import FakeClock
from tests.support.ledgers import CENT, RUN, pay
from tests.support.payments import EMAIL_SEALER, PaymentWorld, adapter, payments_room
from tests.support.processor_constants import change

ALICE, BOB = 0xA11CE, 0xB0B
BALANCE_CALLS = "/v1/customers/*/balance_transactions"


def balance_calls(world: PaymentWorld) -> int:
    """How often the processor was told of a change."""
    return len(list(world.local.control.store.balance_transactions.oldest_first()))


async def test_spending_is_gathered_and_told_once(world: PaymentWorld) -> None:
    await world.bought(ALICE, 500)
    await world.drain()
    for number in range(30):
        await pay(world.ledger, f"run-{number}", 1, Spender(ALICE))
    before = balance_calls(world)

    await world.drain()

    assert (world.told(ALICE), balance_calls(world)) == (470, before + 1)


async def test_millions_are_told_in_parts_that_the_processor_takes(world: PaymentWorld) -> None:
    await world.room.customers.of(ALICE)
    world.accounts.add(ALICE)
    for cents in (250_000_000, -220_000_000):
        await world.ledger.post(Posting(f"token:{cents}", ALICE, Source.TOKEN, cents * CENT))
        await world.drain(4)

    told = [change.amount for change in world.local.control.store.balance_transactions.oldest_first()]
    assert world.told(ALICE) == await world.credit(ALICE) == 30_000_000
    assert max(map(abs, told)) < 10**8


async def test_a_claim_by_a_clock_that_was_ahead_holds_nothing_up(world: PaymentWorld) -> None:
    await world.bought(ALICE, 500)
    await world.room.sweep()
    await world.room.customers.of(ALICE)
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path=BALANCE_CALLS, times=None))
    ours = FakeClock(world.clock() + 10 * 86_400)
    async with payments_room(world.ledger, world.processor, ours) as ahead:
        await ahead.sync_balances()  # each row that fails rests for some seconds of that clock
    world.local.control.faults.clear()

    await world.room.sync_balances()

    assert world.told(ALICE) == 500


async def test_parts_of_a_cent_are_carried_until_they_are_one(world: PaymentWorld) -> None:
    await world.bought(ALICE, 500)
    await world.drain()
    told = []
    for number in range(4):
        await world.ledger.reserve(Spender(ALICE), f"run-{number}", CENT)
        await world.ledger.settle(f"run-{number}", CENT // 2, RUN)
        await world.room.sync_balances()
        told.append(world.told(ALICE))

    assert told == [499, 499, 498, 498]


async def test_an_address_goes_to_the_processor_and_is_then_kept_nowhere(
    world: PaymentWorld, caplog: pytest.LogCaptureFixture
) -> None:
    await world.room.customers.opened(ALICE, "alice@example.com")
    await world.room.customers.opened(ALICE, "mallory@example.com")
    await world.room.sync_balances()

    customer = world.local.control.store.customers.get(world.customer(ALICE))
    assert customer.email == "alice@example.com"
    (rows,) = await world.ledger.execute(Statement("SELECT account, email FROM payments_customer"))
    assert [row[1] for row in rows] == [None]
    assert "alice" not in caplog.text
    assert "alice" not in repr(Statement("UPDATE payments_customer SET email = ?", ("alice@example.com",)))


async def stored_email(world: PaymentWorld, account: int) -> str | None:
    sql = "SELECT email FROM payments_customer WHERE account = ?"
    ((row,),) = await world.ledger.execute(Statement(sql, (u256_hex(account),)))
    assert row[0] is None or isinstance(row[0], str)
    return row[0]


async def store_email(world: PaymentWorld, account: int, stored: str) -> None:
    sql = "UPDATE payments_customer SET email = ? WHERE account = ?"
    await world.ledger.execute(Statement(sql, (stored, u256_hex(account))))


async def test_an_address_that_waits_is_sealed(world: PaymentWorld) -> None:
    await world.room.customers.opened(ALICE, "alice@example.com")
    stored = await stored_email(world, ALICE)
    assert stored is not None
    assert stored.startswith("sealed:")
    assert "@" not in stored
    sealed = base64.b64decode(stored.removeprefix("sealed:"))
    assert EMAIL_SEALER.open(sealed, u256_hex(ALICE).encode()) == b"alice@example.com"


async def test_addresses_of_an_earlier_version_are_sealed_at_the_start_and_sent(world: PaymentWorld) -> None:
    for account in (ALICE, BOB):
        await world.room.customers.opened(account, None)
    await store_email(world, ALICE, "alice@example.com")
    await world.room.open()
    assert (await stored_email(world, ALICE) or "").startswith("sealed:")
    assert await stored_email(world, BOB) is None
    # Written meanwhile by a node of the earlier version: read as it is.
    await store_email(world, BOB, "bob@example.com")
    await world.drain()
    customers = world.local.control.store.customers
    assert customers.get(world.customer(ALICE)).email == "alice@example.com"
    assert customers.get(world.customer(BOB)).email == "bob@example.com"


async def test_an_address_sealed_for_another_account_or_by_another_app_goes_nowhere(world: PaymentWorld) -> None:
    await world.room.customers.opened(ALICE, "alice@example.com")
    await world.room.customers.opened(BOB, "bob@example.com")
    await store_email(world, BOB, await stored_email(world, ALICE) or "")
    await store_email(world, ALICE, "sealed:!")
    await world.drain()
    customers = world.local.control.store.customers
    assert customers.get(world.customer(ALICE)).email is None
    assert customers.get(world.customer(BOB)).email is None


async def test_an_address_that_the_processor_refuses_costs_no_account_its_customer(world: PaymentWorld) -> None:
    await world.room.customers.opened(ALICE, "nowhere")
    await world.room.customers.opened(BOB, "bob@example.com")
    await world.drain()

    customers = world.local.control.store.customers
    assert customers.get(world.customer(ALICE)).email is None
    assert customers.get(world.customer(BOB)).email == "bob@example.com"


async def test_one_customer_that_cannot_be_made_keeps_no_other_and_no_balance_waiting(world: PaymentWorld) -> None:
    await world.bought(BOB, 500)
    await world.room.sweep()
    for account in range(1, 4):
        await world.room.customers.opened(account, None)
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path="/v1/customers", kept=True))
    with pytest.raises(ProcessorError):
        await world.room.sync_balances()

    assert world.told(BOB) == 500
    assert len(list(world.local.control.store.customers.oldest_first())) == 3
    world.clock.advance(KEY_LIFE_S)
    await world.drain()
    assert len(list(world.local.control.store.customers.oldest_first())) == 4


async def test_customers_that_fail_each_time_keep_no_others_waiting(world: PaymentWorld) -> None:
    """After an outage the processor repeats its fault to the keys that met it, for as long as they are used."""
    failures = FAILURES_MAX
    for account in range(1, failures + 3):
        await world.room.customers.opened(account, None)
    fault = Fault(kind="server_error", method="POST", path="/v1/customers", kept=True, times=failures)
    world.local.control.faults.add(fault)
    for _ in range(2):
        with pytest.raises(ProcessorError):
            await world.room.sync_balances()
        world.clock.advance(10)

    assert len(list(world.local.control.store.customers.oldest_first())) == 2


@pytest.mark.exhaustive
async def test_a_hang_of_the_processor_leaves_executions_alone_and_is_made_good(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = range(1, 31)
    for account in accounts:
        await world.ledger.post(Posting(f"payment:pi_{account}", account, Source.CARD, 1000 * CENT))
        await world.room.customers.opened(account, None)
    await world.drain()
    change(monkeypatch, {"attempt_timeout_s": 0.5, "call_timeout_s": 0.5})
    impatient = adapter(world.local.url, world.clock)
    async with payments_room(world.ledger, impatient, world.clock) as room:
        world.local.control.faults.add(Fault(kind="hang", times=None))
        await pay(world.ledger, "run-first", 1, Spender(1))
        hanging = asyncio.create_task(room.sync_balances())
        await world.local.control.faults.someone_hangs()
        spent = 1
        for number in range(300):
            account = random.Random(number).choice(accounts)
            await asyncio.wait_for(pay(world.ledger, f"run-{number}", 1, Spender(account)), 10)
            spent += 1
        await asyncio.gather(hanging, return_exceptions=True)
        with pytest.raises(ProcessorError):
            await room.sync_balances()
        world.local.control.faults.clear()
    await impatient.close()
    world.clock.advance(60)
    await world.drain()

    assert [world.told(account) for account in accounts] == [await world.credit(account) for account in accounts]
    assert sum([await world.credit(account) for account in accounts]) == 30_000 - spent


@pytest.mark.parametrize("wait_s", [30, 3600, 30 * 3600])
@pytest.mark.parametrize(
    "fault",
    [
        Fault(kind="dropped", method="POST", path=BALANCE_CALLS, after_work=True),
        Fault(kind="dropped", method="POST", path=BALANCE_CALLS),
        Fault(kind="server_error", method="POST", path=BALANCE_CALLS, after_work=True),
        Fault(kind="server_error", method="POST", path=BALANCE_CALLS, kept=True),
        Fault(kind="rate_limit", method="POST", path=BALANCE_CALLS),
    ],
    ids=["done-and-lost", "lost", "done-and-500", "500-repeated", "429"],
)
async def test_after_every_fault_it_is_told_once(world: PaymentWorld, fault: Fault, wait_s: float) -> None:
    await world.bought(ALICE, 500)
    await world.room.sweep()
    world.local.control.faults.add(fault)
    await world.room.sync_balances()
    world.local.control.faults.clear()
    for _ in range(3):
        world.clock.advance(wait_s)
        await world.drain()
    world.clock.advance(3600)
    await world.drain()

    assert (world.told(ALICE), balance_calls(world)) == (500, 1)


async def test_one_customer_that_fails_keeps_no_other_waiting(world: PaymentWorld) -> None:
    for account in (ALICE, BOB):
        await world.bought(account, 500)
    await world.room.sweep()
    path = f"/v1/customers/{world.customer(ALICE)}/balance_transactions"
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path=path, times=None))
    await world.room.sync_balances()

    assert (world.told(ALICE), world.told(BOB)) == (0, 500)


async def test_two_nodes_tell_once(world: PaymentWorld) -> None:
    accounts = range(1, 21)
    for account in accounts:
        await world.ledger.post(Posting(f"payment:pi_{account}", account, Source.CARD, account * CENT))
        await world.room.customers.opened(account, None)
    async with payments_room(world.ledger, world.processor, world.clock) as other:
        for _ in range(3):
            await asyncio.gather(*(room.sync_balances() for room in (world.room, other) for _ in range(2)))

    assert [world.told(account) for account in accounts] == list(accounts)
    assert balance_calls(world) == len(accounts)


async def test_calls_are_no_more_than_so_many_a_second(world: PaymentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, {"sent_per_second": 50.0})
    monotonic, slept = FakeClock(), []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        monotonic.advance(seconds)

    for account in range(1, 16):
        await world.ledger.post(Posting(f"payment:pi_{account}", account, Source.CARD, CENT))
        await world.room.customers.of(account)
    clock = Clock(monotonic, world.clock, sleep)
    room = PaymentService(world.ledger, world.processor, CollectorRegistry(), EMAIL_SEALER, clock=clock)
    await room.sync_balances()

    assert sum(slept) == pytest.approx(14 / 50)
    assert balance_calls(world) == 15


async def test_rows_are_read_in_turn(world: PaymentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.billing.payments.balance_sync.ACCOUNTS_PER_ROUND", 4)
    monkeypatch.setattr("node.billing.payments.balance_sync.DELTAS_PER_ROUND", 3)
    monkeypatch.setattr("node.billing.payments.outbox.ROWS_AT_ONCE", 3)
    accounts = range(1, 11)
    for account in accounts:
        await world.ledger.post(Posting(f"payment:pi_{account}", account, Source.CARD, account * CENT))
        await world.room.customers.of(account)
    async with payments_room(world.ledger, world.processor, world.clock) as room:
        for _ in range(4):
            await room.sync_balances()

    assert [world.told(account) for account in accounts] == list(accounts)


async def test_a_customer_that_was_deleted_is_replaced_and_told_everything(world: PaymentWorld) -> None:
    await world.bought(ALICE, 500)
    await world.drain()
    world.local.control.grant(world.customer(ALICE), 70)
    await world.drain()
    deleted = world.customer(ALICE)
    customers = world.local.control.store.customers
    customers.get(deleted).deleted = True
    await world.ledger.post(Posting("payment:pi_1", ALICE, Source.CARD, 30 * CENT))
    for _ in range(3):
        world.clock.advance(60)
        await world.drain()

    (replaced,) = [customer for customer in customers.oldest_first() if not customer.deleted]
    assert (replaced.balance, await world.credit(ALICE)) == (-600, 600)
    assert await select(world.ledger, "SELECT account FROM payments_delta") == []


async def test_an_account_whose_customer_was_deleted_can_pay(world: PaymentWorld) -> None:
    deleted = await world.room.customers.of(ALICE)
    world.local.control.store.customers.get(deleted).deleted = True
    world.clock.advance(60)
    with pytest.raises(NodeError):
        await world.room.payments.create(ALICE, 500, None)
    await world.room.payments.create(ALICE, 500, None)


async def test_a_customer_that_another_account_at_the_processor_lacks_is_not_replaced(world: PaymentWorld) -> None:
    customer = await world.room.customers.of(ALICE)
    await world.ledger.post(Posting("payment:pi_1", ALICE, Source.CARD, 30 * CENT))
    world.local.control.store.customers.drop(customer)
    for _ in range(3):
        world.clock.advance(60)
        await world.room.sync_balances()
    assert await world.room.customers.of(ALICE) == customer


async def test_no_call_begins_while_its_key_is_about_to_be_forgotten(world: PaymentWorld) -> None:
    """A late call could arrive after the search for what calls with its key made, and count twice."""
    await world.bought(ALICE, 500)
    await world.room.sweep()
    world.local.control.faults.add(Fault(kind="dropped", method="POST", path=BALANCE_CALLS, times=None))
    await world.room.sync_balances()
    world.local.control.faults.clear()
    world.clock.advance(KEY_LIFE_S - KEY_PAUSE_S)
    await world.drain()
    assert balance_calls(world) == 0
    world.clock.advance(KEY_PAUSE_S)
    await world.drain()
    assert (world.told(ALICE), balance_calls(world)) == (500, 1)
