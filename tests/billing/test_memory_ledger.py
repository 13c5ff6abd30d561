import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from node.dev.memory_ledger import MemoryLedger
from node.errors import ErrorCode, NodeError
from node.ledger.port import MICRODOLLARS_PER_CENT, Spender

CENT = MICRODOLLARS_PER_CENT
ACCOUNT = Spender(account=1)
Result = TypeVar("Result")


def at_once(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine that must not wait for anything: what never awaits is atomic in one event loop."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    raise AssertionError("the ledger waited")


async def credit(ledger: MemoryLedger, account: int = 1) -> tuple[int, int]:
    balance = await ledger.balance(account)
    return balance.credit_microdollars, balance.reserved_microdollars


async def refused(work: Coroutine[Any, Any, None]) -> NodeError:
    with pytest.raises(NodeError) as raised:
        await work
    assert raised.value.code is ErrorCode.PAYMENT_REQUIRED
    return raised.value


async def test_every_account_starts_with_the_starter_credit_whichever_call_sees_it_first() -> None:
    ledger = MemoryLedger(starter_cents=3)
    await ledger.open_account(1, email="somebody@example.com")
    await ledger.open_account(1, email=None)
    assert await credit(ledger, 1) == (3 * CENT, 0)
    assert await credit(ledger, 2) == (3 * CENT, 0)
    await ledger.reserve(Spender(account=3), "first", 3 * CENT)
    assert await credit(ledger, 3) == (3 * CENT, 3 * CENT)


async def test_settling_takes_what_is_asked_and_gives_the_rest_back() -> None:
    ledger = MemoryLedger(starter_cents=10)
    await ledger.reserve(ACCOUNT, "run", 2 * CENT)
    await ledger.extend("run", 5 * CENT)
    assert await credit(ledger) == (10 * CENT, 7 * CENT)
    await ledger.settle("run", 3 * CENT + 1)
    assert await credit(ledger) == (7 * CENT - 1, 0)


async def test_settling_never_takes_more_than_was_reserved() -> None:
    ledger = MemoryLedger(starter_cents=10)
    await ledger.reserve(ACCOUNT, "run", CENT)
    await ledger.settle("run", 9 * CENT)
    assert await credit(ledger) == (9 * CENT, 0)


@pytest.mark.parametrize("first", ["settle", "release"])
async def test_a_cause_that_ended_stays_ended(first: str) -> None:
    ledger = MemoryLedger(starter_cents=10)
    await ledger.reserve(ACCOUNT, "write", CENT)
    await (ledger.settle("write", CENT) if first == "settle" else ledger.release("write"))
    ended = await credit(ledger)
    await ledger.settle("write", CENT)
    await ledger.release("write")
    await ledger.reserve(ACCOUNT, "write", CENT)
    await ledger.settle("write", CENT)
    assert await credit(ledger) == ended == (((9 if first == "settle" else 10) * CENT), 0)


async def test_reserving_a_cause_twice_sets_credit_aside_once() -> None:
    ledger = MemoryLedger(starter_cents=10)
    await ledger.reserve(ACCOUNT, "write", CENT)
    await ledger.reserve(ACCOUNT, "write", CENT)
    assert await credit(ledger) == (10 * CENT, CENT)


async def test_a_drained_account_is_refused_with_what_is_needed_and_what_is_left() -> None:
    ledger = MemoryLedger(starter_cents=2)
    await ledger.reserve(ACCOUNT, "a", CENT)
    await ledger.settle("a", CENT)
    await ledger.reserve(ACCOUNT, "b", CENT // 2)
    error = await refused(ledger.reserve(ACCOUNT, "c", CENT))
    assert error.status == 402
    assert error.details == {"scope": "account", "needed_cents": 1, "credit_cents": 0}
    await refused(ledger.extend("b", CENT))
    assert await credit(ledger) == (CENT, CENT // 2), "a refused extension leaves what was reserved"
    await ledger.release("b")
    await ledger.reserve(ACCOUNT, "c", CENT)
    assert (await refused(ledger.reserve(Spender(account=1, usage_key=5), "d", 1))).details["scope"] == "account"


async def test_a_usage_keys_cap_counts_reservations_and_what_was_ever_spent() -> None:
    ledger = MemoryLedger(starter_cents=100)
    key = Spender(account=1, usage_key=5, cap_microdollars=3 * CENT)
    await ledger.reserve(key, "a", CENT)
    await ledger.settle("a", CENT)
    await ledger.reserve(key, "b", CENT)
    error = await refused(ledger.reserve(key, "c", 2 * CENT))
    assert error.details == {"scope": "usage_key", "needed_cents": 2, "credit_cents": 98, "cap_left_cents": 1}
    await ledger.extend("b", CENT)
    assert (await refused(ledger.extend("b", 1))).details["scope"] == "usage_key"
    await ledger.reserve(Spender(account=1, usage_key=6, cap_microdollars=CENT), "d", CENT)
    await ledger.reserve(ACCOUNT, "e", 90 * CENT)
    raised = Spender(account=1, usage_key=5, cap_microdollars=4 * CENT)
    await ledger.reserve(raised, "f", CENT)
    lifted = Spender(account=1, usage_key=5, cap_microdollars=0)
    await ledger.reserve(lifted, "g", CENT)


async def test_a_lowered_cap_below_what_was_spent_refuses_everything() -> None:
    ledger = MemoryLedger(starter_cents=100)
    await ledger.reserve(Spender(1, 5, 10 * CENT), "a", 8 * CENT)
    await ledger.settle("a", 8 * CENT)
    error = await refused(ledger.reserve(Spender(1, 5, 2 * CENT), "b", 1))
    assert error.details["cap_left_cents"] == 0


async def test_a_hundred_rivals_for_ten_cents_get_ten() -> None:
    ledger = MemoryLedger(starter_cents=10)
    tried = (ledger.reserve(ACCOUNT, f"write {number}", CENT) for number in range(100))
    outcomes = await asyncio.gather(*tried, return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 10
    assert await credit(ledger) == (10 * CENT, 10 * CENT)


def test_no_operation_waits_between_check_and_change() -> None:
    ledger = MemoryLedger(starter_cents=10)
    at_once(ledger.reserve(ACCOUNT, "a", CENT))
    at_once(ledger.extend("a", CENT))
    at_once(ledger.settle("a", CENT))
    at_once(ledger.release("a"))
    assert at_once(ledger.balance(1)).available_microdollars == 9 * CENT


@pytest.mark.parametrize("call", ["reserve", "extend", "settle"])
async def test_negative_amounts_mint_no_credit(call: str) -> None:
    ledger = MemoryLedger(starter_cents=1)
    await ledger.reserve(ACCOUNT, "a", CENT)
    work = {
        "reserve": ledger.reserve(ACCOUNT, "b", -CENT),
        "extend": ledger.extend("a", -CENT),
        "settle": ledger.settle("a", -CENT),
    }
    chosen = work.pop(call)
    for unused in work.values():
        unused.close()
    with pytest.raises(NodeError) as raised:
        await chosen
    assert raised.value.code is ErrorCode.INTERNAL_ERROR
    assert await credit(ledger) == (CENT, CENT)


async def test_what_was_never_reserved_cannot_be_extended() -> None:
    with pytest.raises(NodeError) as raised:
        await MemoryLedger().extend("nothing", CENT)
    assert raised.value.code is ErrorCode.INTERNAL_ERROR


async def test_the_memory_of_ended_causes_is_bounded() -> None:
    ledger = MemoryLedger(starter_cents=10, remembered_causes=2)
    for cause in "abc":
        await ledger.reserve(ACCOUNT, cause, CENT)
        await ledger.settle(cause, CENT)
    await ledger.reserve(ACCOUNT, "c", CENT)
    assert await credit(ledger) == (7 * CENT, 0)
    await ledger.reserve(ACCOUNT, "a", CENT)
    assert await credit(ledger) == (7 * CENT, CENT), "the oldest is forgotten"


class LedgerMachine(RuleBasedStateMachine):
    """The ledger beside the plainest model of it: a list of what was reserved and what was taken."""

    STARTER = 20
    CAP = 7

    def __init__(self) -> None:
        super().__init__()
        self.ledger = MemoryLedger(starter_cents=self.STARTER)
        self.open: dict[str, tuple[int | None, int]] = {}
        self.taken: list[tuple[int | None, int]] = []
        self.causes = 0

    def _used(self, key: int | None) -> int:
        return sum(amount for whose, amount in [*self.open.values(), *self.taken] if key is None or whose == key)

    def _fits(self, key: int | None, cents: int) -> bool:
        if self._used(None) + cents > self.STARTER:
            return False
        return key is None or self._used(key) + cents <= self.CAP

    @rule(key=st.none() | st.integers(1, 2), cents=st.integers(0, 9))
    def reserve(self, key: int | None, cents: int) -> None:
        self.causes += 1
        cause = str(self.causes)
        spender = Spender(1, key, 0 if key is None else self.CAP * CENT)
        try:
            at_once(self.ledger.reserve(spender, cause, cents * CENT))
        except NodeError:
            assert not self._fits(key, cents)
        else:
            assert self._fits(key, cents)
            self.open[cause] = (key, cents)

    @rule(data=st.data(), cents=st.integers(0, 9))
    def extend(self, data: st.DataObject, cents: int) -> None:
        if not self.open:
            return
        cause = data.draw(st.sampled_from(sorted(self.open)))
        key, before = self.open[cause]
        try:
            at_once(self.ledger.extend(cause, cents * CENT))
        except NodeError:
            assert not self._fits(key, cents)
        else:
            assert self._fits(key, cents)
            self.open[cause] = (key, before + cents)

    @rule(data=st.data(), cents=st.integers(0, 12), settle=st.booleans())
    def end(self, data: st.DataObject, cents: int, settle: bool) -> None:
        if not self.causes:
            return
        cause = str(data.draw(st.integers(1, self.causes)))
        at_once(self.ledger.settle(cause, cents * CENT) if settle else self.ledger.release(cause))
        if cause in self.open:
            key, reserved = self.open.pop(cause)
            self.taken.append((key, min(cents, reserved) if settle else 0))

    @invariant()
    def the_balance_is_the_models(self) -> None:
        balance = at_once(self.ledger.balance(1))
        assert balance.reserved_microdollars == sum(amount for _, amount in self.open.values()) * CENT
        assert balance.credit_microdollars == (self.STARTER - sum(amount for _, amount in self.taken)) * CENT
        assert balance.available_microdollars >= 0


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
