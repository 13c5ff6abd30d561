"""Two nodes, and anything at all in any order while the processor fails at will: once it is well, the sums are exact."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from devkit.processor.faults import Fault
from node.billing.payments.service import PaymentService
from node.billing.payments.tables import select
from node.errors import DomainError
from node.ledger.port import Spender
from node.processor.port import ProcessorError
from tests.support.ledgers import assert_adds_up
from tests.support.ledgers import pay as spend
from tests.support.payments import PaymentWorld, payments_room
from tests.support.payments import pay as pay_as_browser

ACCOUNTS = (1, 2, 3)
STEPS = 120


class Days:
    """What happens to two nodes; `credit` is what each account should have in the end."""

    def __init__(self, world: PaymentWorld, rooms: tuple[PaymentService, PaymentService], dice: random.Random) -> None:
        self.world = world
        self.rooms = rooms
        self.dice = dice
        self.credit: Counter[int] = Counter()
        self.left: dict[tuple[int, str], int] = {}
        self.runs = 0

    async def live(self) -> None:
        works: tuple[Callable[[PaymentService, int], Awaitable[None]], ...] = (
            self.buy, self.confirm, self.sweep, self.tell, self.spend, self.grant, self.refund, self.wait,
        )  # fmt: skip
        for _ in range(STEPS):
            self.world.local.control.faults.clear()
            if self.dice.random() < 0.5:
                self.world.local.control.faults.add(self.any_fault())
            with suppress(ProcessorError, DomainError):
                await self.dice.choice(works)(self.dice.choice(self.rooms), self.dice.choice(ACCOUNTS))
        self.world.local.control.faults.clear()
        for _ in range(4):
            self.world.clock.advance(3700)
            for room in self.rooms:
                await room.sweep()
                await room.sync_balances()

    def any_fault(self) -> Fault:
        dice = self.dice
        if dice.random() < 0.2:
            return Fault(kind="rate_limit", retry_after_s=0)
        return Fault(
            kind=dice.choice(("server_error", "dropped")),
            method=dice.choice(("GET", "POST", None)),
            times=dice.randint(1, 3),
            after_work=dice.random() < 0.5,
            kept=dice.random() < 0.3,
        )

    async def buy(self, room: PaymentService, account: int) -> None:
        cents = self.dice.randint(500, 600)
        begun = await room.payments.create(account, cents, None)
        self.world.local.control.faults.clear()
        await pay_as_browser(self.world.local, begun.client_secret)
        self.credit[account] += cents
        self.left[account, begun.intent] = cents

    async def confirm(self, room: PaymentService, _account: int) -> None:
        for account, intent in self.dice.sample(sorted(self.left), min(1, len(self.left))):
            await room.payments.confirm(account, intent)

    async def sweep(self, room: PaymentService, _account: int) -> None:
        await room.sweep()

    async def tell(self, room: PaymentService, _account: int) -> None:
        """Broken off anywhere, or to its end."""
        telling = asyncio.create_task(room.sync_balances())
        if self.dice.random() < 0.5:
            for _ in range(self.dice.randint(0, 60)):
                await asyncio.sleep(0)
            telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)

    async def spend(self, _room: PaymentService, account: int) -> None:
        self.runs += 1
        cents = self.dice.randint(1, 9)
        await spend(self.world.ledger, f"run-{self.runs}", cents, Spender(account))
        self.credit[account] -= cents

    async def grant(self, _room: PaymentService, account: int) -> None:
        with suppress(ValueError):  # no customer yet
            customer = self.world.customer(account)
            cents = self.dice.randint(1, 300) * self.dice.choice((-1, 1))
            self.world.local.control.grant(customer, cents)
            self.credit[account] += cents

    async def refund(self, _room: PaymentService, _account: int) -> None:
        self.world.local.control.faults.clear()
        whole = [key for key, cents in sorted(self.left.items()) if cents]
        for account, intent in self.dice.sample(whole, min(1, len(whole))):
            cents = self.dice.randint(1, self.left[account, intent])
            await self.world.refund(intent, cents)
            self.left[account, intent] -= cents
            self.credit[account] -= cents

    async def wait(self, _room: PaymentService, _account: int) -> None:
        self.world.clock.advance(self.dice.choice((1, 30, 60, 3000, 3600, 30 * 3600)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happened_the_processor_has_what_the_ledger_has(world: PaymentWorld, seed: int) -> None:
    async with payments_room(world.ledger, world.processor, world.clock) as other:
        days = Days(world, (world.room, other), random.Random(seed))
        await days.live()

    assert {account: await world.credit(account) for account in ACCOUNTS} == {one: days.credit[one] for one in ACCOUNTS}
    assert {account: world.told(account) for account in ACCOUNTS} == {one: days.credit[one] for one in ACCOUNTS}
    assert await select(world.ledger, "SELECT account FROM payments_delta") == []
    await assert_adds_up(world.ledger)
