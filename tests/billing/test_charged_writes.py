import asyncio
import json
from collections.abc import Awaitable
from dataclasses import dataclass, replace

import pytest

from devkit.starter import StarterLedger
from node.api.calls import Origin
from node.api.errors import ErrorCode, NodeError, as_node_error
from node.billing.charged_writes import MAX_DRAWS, MeteredWrites, WriteOrder
from node.billing.charging import Prices
from node.billing.free_writes import FreePart
from node.chain.errors import ChainUnavailableError, ContractConflictError, NotOnChainError
from node.chain.port import ContractCall
from node.errors import DomainError
from node.permissions.grants import Caller, Grants
from node.runtime.clock import Clock
from tests.billing.gated_writes import COST_WEI, GatedWrites
from tests.support.free_writes import Unbounded
from tests.support.starter_ledgers import StarterLedgers

OWNER = Caller(key_hash=1, master_hash=1, managed=True, grants=None)
USAGE_KEY = Caller(key_hash=2, master_hash=1, managed=True, grants=Grants(), cap_cents=1)
CALL = ContractCall("removeGroup", (1, 1))
IDEMPOTENCY_ID = "0123456789abcdef0123456789abcdef"
WHAT = ("group", 1, "wallet")


@dataclass
class World:
    writes: GatedWrites
    ledger: StarterLedger
    metered: MeteredWrites

    async def credit(self) -> tuple[int, int]:
        """Credit and reservations in cents."""
        balance = await self.ledger.balance(1)
        return balance.credit_microdollars // 10_000, balance.reserved_microdollars // 10_000


async def new_world(ledgers: StarterLedgers, starter_cents: int = 10, writes: GatedWrites | None = None) -> World:
    writes = writes or GatedWrites()
    ledger = await ledgers.make(starter_cents)
    metered = MeteredWrites(writes, ledger, Prices(), Unbounded())
    writes.observer = metered
    return World(writes, ledger, metered)


@pytest.fixture
async def world(ledgers: StarterLedgers) -> World:
    return await new_world(ledgers)


async def call() -> ContractCall:
    return CALL


def order(caller: Caller | None = OWNER, idempotency_id: str | None = None) -> WriteOrder:
    return WriteOrder(call, caller, Origin("request", idempotency_id))


async def code_of(work: Awaitable[object]) -> ErrorCode:
    with pytest.raises(DomainError) as raised:
        await work
    return as_node_error(raised.value).code


async def test_a_write_that_succeeds_costs_one_cent_once(world: World) -> None:
    result = await world.metered.write(order())
    assert (result.transaction_hash, result.block_number) == ("0x02", 9)
    assert await world.credit() == (9, 0)
    (intent,) = world.writes.journal.values()
    await world.metered.write_ended(intent, result)
    assert await world.credit() == (9, 0), "told of the end twice"
    assert intent.caller_hash == OWNER.key_hash
    assert intent.may_use_reserve


async def test_the_credit_is_set_aside_while_the_write_is_under_way(world: World) -> None:
    world.writes.gate.clear()
    writing = asyncio.create_task(world.metered.write(order()))
    await world.writes.entered.wait()
    assert await world.credit() == (10, 1)
    world.writes.gate.set()
    await writing
    assert await world.credit() == (9, 0)


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (NotOnChainError("refused"), ErrorCode.NOT_FOUND),
        (ContractConflictError("refused"), ErrorCode.CONFLICT),
        (ChainUnavailableError("refused"), ErrorCode.CHAIN_UNAVAILABLE),
    ],
    ids=lambda each: type(each).__name__,
)
async def test_what_is_refused_before_it_is_sent_costs_nothing(
    world: World, refusal: DomainError, code: ErrorCode
) -> None:
    world.writes.refusal = refusal
    assert await code_of(world.metered.write(order())) is code
    assert await world.credit() == (10, 0)


@pytest.mark.exhaustive
async def test_while_the_journal_cannot_tell_whether_it_has_a_write_the_reservation_stays(world: World) -> None:
    world.writes.refusal = NodeError(ErrorCode.INTERNAL_ERROR, "The node could not note this write on its disk.")
    world.writes.journal_is_out = True
    assert await code_of(world.metered.write(order())) is ErrorCode.INTERNAL_ERROR
    assert await world.credit() == (10, 1)
    await world.metered.close()


@pytest.mark.parametrize("journaled", [False, True])
async def test_once_the_journal_tells_only_what_it_has_stays_reserved(ledgers: StarterLedgers, journaled: bool) -> None:
    world = await new_world(ledgers)
    turns, looked_at = 0, asyncio.Event()

    async def pause(_: float) -> None:
        nonlocal turns
        turns += 1
        await looked_at.wait()
        world.writes.journal_is_out = turns < 3

    world.metered = MeteredWrites(world.writes, world.ledger, Prices(), Unbounded(), Clock(sleep=pause))
    world.writes.journal_is_out = True
    world.writes.times_out = journaled
    world.writes.refusal = None if journaled else NodeError(ErrorCode.BILLING_UNAVAILABLE, "not journaled")
    with pytest.raises(DomainError):
        await world.metered.write(order())
    assert await world.credit() == (10, 1)
    looked_at.set()
    while world.metered._unresolved._pending:  # noqa: ASYNC110 - what is to come to its end, and tells nobody
        await asyncio.sleep(0)
    assert await world.credit() == (10, int(journaled))
    for write_id in world.writes.journal:
        await world.writes.end(write_id, failed=True)
    assert await world.credit() == (10, 0)
    assert turns == 3


@pytest.mark.parametrize(
    "error", [NodeError(ErrorCode.NOT_FOUND, "no such wallet"), asyncio.CancelledError()], ids=["missing", "cancelled"]
)
async def test_what_preparing_raises_costs_nothing_and_sends_nothing(world: World, error: BaseException) -> None:
    async def prepare() -> ContractCall:
        raise error

    with pytest.raises(type(error)):
        await world.metered.write(WriteOrder(prepare, OWNER))
    assert await world.credit() == (10, 0)
    assert not world.writes.entered.is_set()


async def test_credit_is_asked_for_before_anything_is_looked_up(ledgers: StarterLedgers) -> None:
    world = await new_world(ledgers, starter_cents=0)

    async def missing() -> ContractCall:
        raise NodeError(ErrorCode.NOT_FOUND, "no such wallet")

    assert await code_of(world.metered.write(WriteOrder(missing, OWNER))) is ErrorCode.PAYMENT_REQUIRED
    assert not world.writes.entered.is_set()


@pytest.mark.parametrize(("failed", "expected"), [(False, (9, 0)), (True, (10, 0))])
async def test_after_a_timeout_the_reservation_waits_for_the_end(
    world: World, failed: bool, expected: tuple[int, int]
) -> None:
    world.writes.times_out = True
    assert await code_of(world.metered.write(order())) is ErrorCode.CHAIN_TIMEOUT
    assert await world.credit() == (10, 1)
    (write_id,) = world.writes.journal
    await world.writes.end(write_id, failed=failed)
    assert await world.credit() == expected


@pytest.mark.parametrize(("failed", "expected"), [(False, (9, 0)), (True, (10, 0))])
async def test_after_a_restart_the_journal_alone_settles(
    ledgers: StarterLedgers, failed: bool, expected: tuple[int, int]
) -> None:
    before = await new_world(ledgers)
    before.writes.times_out = True
    assert await code_of(before.metered.write(order())) is ErrorCode.CHAIN_TIMEOUT
    (intent,) = before.writes.journal.values()
    intent = replace(intent, charge=json.loads(json.dumps(dict(intent.charge))))
    after = await new_world(ledgers, writes=before.writes)
    after.writes.journal[intent.write_id] = intent
    await after.writes.end(intent.write_id, failed=failed)
    assert await after.credit() == expected


async def test_after_a_restart_credit_that_is_gone_is_not_pursued(ledgers: StarterLedgers) -> None:
    before = await new_world(ledgers)
    before.writes.times_out = True
    assert await code_of(before.metered.write(order())) is ErrorCode.CHAIN_TIMEOUT
    after = await new_world(ledgers, starter_cents=0, writes=before.writes)
    (write_id,) = after.writes.journal
    await after.writes.end(write_id)
    assert await after.credit() == (0, 0)


async def test_a_client_that_hangs_up_changes_nothing(world: World) -> None:
    world.writes.gate.clear()
    writing = asyncio.create_task(world.metered.write(order()))
    await world.writes.entered.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await world.credit() == (10, 1)
    world.writes.gate.set()
    await world.metered.close()
    assert await world.credit() == (9, 0)
    assert len(world.writes.results) == 1


async def test_a_refusal_nobody_waits_for_is_released_all_the_same(world: World) -> None:
    world.writes.refusal = NodeError(ErrorCode.NOT_FOUND, "refused")
    world.writes.gate.clear()
    writing = asyncio.create_task(world.metered.write(order()))
    await world.writes.entered.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    world.writes.gate.set()
    await world.metered.close()
    assert await world.credit() == (10, 0)


async def test_a_repeated_request_finds_its_write_and_pays_once(world: World) -> None:
    first = await world.metered.write(replace(order(idempotency_id=IDEMPOTENCY_ID), answer={"secret": "first"}))
    again = await world.metered.write(replace(order(idempotency_id=IDEMPOTENCY_ID), answer={"secret": "second"}))
    assert again == first
    assert again.answer == {"secret": "first"}
    assert await world.credit() == (9, 0)


async def test_what_a_write_in_doubt_is_charged_is_told_as_not_known(world: World) -> None:
    async def there() -> bool:
        raise AssertionError("its earlier write is found first")

    world.writes.times_out = True
    metered, repeated = world.metered, order(idempotency_id=IDEMPOTENCY_ID)
    for write in (metered.write(repeated), metered.write(repeated), metered.write_unless(repeated, "it", there)):
        with pytest.raises(NodeError) as raised:
            await write
        assert raised.value.code is ErrorCode.CHAIN_TIMEOUT
        assert raised.value.details == {"transaction_hash": "0x01", "charged_cents": None}


async def test_a_repeated_request_needs_no_credit_of_its_own(ledgers: StarterLedgers) -> None:
    world = await new_world(ledgers, starter_cents=1)
    world.writes.times_out = True
    assert await code_of(world.metered.write(order(idempotency_id=IDEMPOTENCY_ID))) is ErrorCode.CHAIN_TIMEOUT
    assert await code_of(world.metered.write(order(idempotency_id=IDEMPOTENCY_ID))) is ErrorCode.CHAIN_TIMEOUT
    (write_id,) = world.writes.journal
    await world.writes.end(write_id)
    assert (await world.metered.write(order(idempotency_id=IDEMPOTENCY_ID))).write_id == write_id
    assert await world.credit() == (0, 0)


async def test_twins_at_the_same_time_pay_once(world: World) -> None:
    world.writes.gate.clear()
    twins = [asyncio.create_task(world.metered.write(order(idempotency_id=IDEMPOTENCY_ID))) for _ in range(2)]
    await world.writes.entered.wait()
    world.writes.gate.set()
    first, second = await asyncio.gather(*twins)
    assert first == second
    assert await world.credit() == (9, 0)


async def test_a_usage_keys_cap_binds_its_writes(world: World) -> None:
    await world.metered.write(order(USAGE_KEY))
    with pytest.raises(DomainError) as raised:
        await world.metered.write(order(USAGE_KEY))
    assert raised.value.details["scope"] == "usage_key"
    await world.metered.write(order(OWNER))
    assert await world.credit() == (8, 0)


async def test_ten_cents_buy_ten_of_fifty_concurrent_writes(world: World) -> None:
    tried = (world.metered.write(order()) for _ in range(50))
    outcomes = await asyncio.gather(*tried, return_exceptions=True)
    refusals = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
    assert len(refusals) == 40
    assert {as_node_error(refusal).code for refusal in refusals} == {ErrorCode.PAYMENT_REQUIRED}
    assert len(world.writes.results) == 10
    assert await world.credit() == (0, 0)


async def test_a_free_write_never_meets_the_ledger(ledgers: StarterLedgers) -> None:
    world = await new_world(ledgers, starter_cents=0)
    await world.metered.write_free(order(caller=None))
    (intent,) = world.writes.journal.values()
    assert intent.charge == {}
    assert not intent.may_use_reserve, "the gas kept for paid writes is not for what nobody pays for"


async def test_what_is_there_already_is_free_and_sends_nothing(ledgers: StarterLedgers) -> None:
    world = await new_world(ledgers, starter_cents=0)

    async def there() -> bool:
        return True

    async def not_there() -> bool:
        return False

    assert await world.metered.write_unless(order(), WHAT, there) is None
    assert not world.writes.entered.is_set()
    assert await code_of(world.metered.write_unless(order(), WHAT, not_there)) is ErrorCode.PAYMENT_REQUIRED


async def test_what_several_ask_for_at_once_is_written_and_charged_once(world: World) -> None:
    async def there() -> bool:
        return bool(world.writes.results)

    asked = [world.metered.write_unless(order(), WHAT, there) for _ in range(5)]
    results = await asyncio.gather(*asked)
    assert [result is None for result in results] == [False, True, True, True, True]
    assert await world.credit() == (9, 0)


async def test_who_asks_for_something_else_waits_for_nobody(world: World) -> None:
    both_ask = asyncio.Barrier(2)

    async def not_there() -> bool:
        await both_ask.wait()
        return False

    async with asyncio.timeout(10):
        asked = [world.metered.write_unless(order(), what, not_there) for what in range(2)]
        assert None not in await asyncio.gather(*asked)


async def test_a_repeated_request_is_told_of_the_write_that_brought_it_about(world: World) -> None:
    there_now = False

    async def there() -> bool:
        return there_now

    first = await world.metered.write_unless(order(idempotency_id=IDEMPOTENCY_ID), WHAT, there)
    there_now = True
    assert first is not None
    assert await world.metered.write_unless(order(idempotency_id=IDEMPOTENCY_ID), WHAT, there) == first


async def test_a_taken_value_is_drawn_again_and_paid_once(world: World) -> None:
    drawn: list[int] = []

    def draw() -> WriteOrder:
        drawn.append(len(drawn))
        world.writes.refusal = ContractConflictError("taken") if len(drawn) < MAX_DRAWS else None
        return WriteOrder(call, OWNER, answer={"draw": drawn[-1]})

    result = await world.metered.write_drawn(draw)
    assert result.answer == {"draw": MAX_DRAWS - 1}
    assert await world.credit() == (9, 0)


async def test_drawing_ends(world: World) -> None:
    world.writes.refusal = ContractConflictError("taken")
    drawn = 0

    def draw() -> WriteOrder:
        nonlocal drawn
        drawn += 1
        return order()

    assert await code_of(world.metered.write_drawn(draw)) is ErrorCode.CONFLICT
    assert drawn == MAX_DRAWS
    assert await world.credit() == (10, 0)


async def test_only_a_taken_value_is_drawn_again(world: World) -> None:
    world.writes.refusal = ChainUnavailableError("out")
    drawn = 0

    def draw() -> WriteOrder:
        nonlocal drawn
        drawn += 1
        return order()

    assert await code_of(world.metered.write_drawn(draw, free=True)) is ErrorCode.CHAIN_UNAVAILABLE
    assert drawn == 1


@pytest.mark.parametrize(
    ("caller", "write_cents", "part"),
    [
        (None, 1, FreePart.SIGN_UP),
        (OWNER, 1, FreePart.ACCOUNT),
        (OWNER, 0, FreePart.ACCOUNT),
    ],
    ids=["nobody's", "an account's", "an account's where writes have no price"],
)
async def test_a_free_write_takes_its_gas_from_the_budget(
    ledgers: StarterLedgers, caller: Caller | None, write_cents: int, part: FreePart
) -> None:
    budget, writes = Unbounded(), GatedWrites()
    metered = MeteredWrites(writes, await ledgers.make(10), Prices(write_cents=write_cents), budget)
    asked = replace(order(caller), origin=Origin("request", None, "2001:db8::/64"))
    await (metered.write_free(asked) if write_cents else metered.write(asked))
    assert budget.taken == [(part, "2001:db8::/64", COST_WEI)]
    (intent,) = writes.journal.values()
    await metered.offer_raised(intent, 7)
    assert budget.added == [(part, 7)], "a better offer costs more, and is sent whatever is left"


async def test_a_write_that_is_paid_for_takes_nothing_of_the_budget(world: World) -> None:
    budget = Unbounded()
    metered = MeteredWrites(world.writes, world.ledger, Prices(), budget)
    await metered.write(order())
    (intent,) = world.writes.journal.values()
    await metered.offer_raised(intent, 7)
    assert (budget.taken, budget.added) == ([], [])
