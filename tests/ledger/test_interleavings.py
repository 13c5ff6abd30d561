"""Random operations, many at once, with restarts between: some order of them explains every answer and the books."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from node.errors import DomainError
from node.ledger.errors import NegativeAmountError, PaymentRequiredError, ReservationMissingError
from node.ledger.port import Balance, LedgerDatabase, Posting, Source, Spender
from tests.support.ledger_model import (
    ANOTHER,
    DONE,
    NO_SUCH,
    Answer,
    Ask,
    Extend,
    Model,
    Operation,
    Post,
    Release,
    Reserve,
    Settle,
)
from tests.support.ledgers import RUN, LedgerWorld, assert_adds_up, rows

ACCOUNTS = (1, 2)
KEYS = (11, 12)
"""One of each account."""
AT_ONCE = 4
AMOUNTS = st.integers(0, 4)
CAUSES = st.sampled_from(["a", "b"])
NUMBERS = count(1)

reservations = st.builds(
    lambda cause, account, keyed, cap, amount: Reserve(cause, account, 10 + account if keyed else None, cap, amount),
    CAUSES,
    st.sampled_from(ACCOUNTS),
    st.booleans(),
    st.sampled_from([0, 3, 6]),
    AMOUNTS,
)
postings = st.builds(
    Post, st.sampled_from(["p", "q", "r", "s"]), st.sampled_from(ACCOUNTS), st.sampled_from([-3, -1, 2, 5, 9])
)
operations: st.SearchStrategy[Operation] = st.one_of(
    reservations,
    reservations,
    st.builds(Extend, CAUSES, AMOUNTS),
    st.builds(Settle, CAUSES, AMOUNTS),
    st.builds(Settle, CAUSES, AMOUNTS),
    st.builds(Release, CAUSES),
    postings,
    st.builds(Ask, st.sampled_from(ACCOUNTS)),
)
rounds = st.lists(operations, min_size=1, max_size=AT_ONCE)
RESTART = "restart"
histories = st.lists(st.one_of(rounds, rounds, rounds, st.just(RESTART)), min_size=1, max_size=14)


class Real:
    """Does operations on a ledger, under names that no other example used."""

    def __init__(self, ledger: LedgerDatabase, number: int) -> None:
        self.ledger = ledger
        self.number = number

    def account(self, account: int) -> int:
        return self.number * 1000 + account

    def cause(self, cause: str) -> str:
        return f"{self.number}:{cause}"

    async def answer(self, operation: Operation) -> Answer:
        try:
            return await self._do(operation)
        except DomainError as error:
            if isinstance(error, PaymentRequiredError):
                return str(error.details["scope"])
            if isinstance(error, ReservationMissingError | NegativeAmountError):
                return NO_SUCH
            raise
        except ValueError:
            return ANOTHER

    async def charges(self) -> set[tuple[str, int]]:
        """Causes and amounts of what the books have as charges."""
        query = "SELECT cause, amount_microdollars FROM ledger_entry WHERE cause LIKE ? AND what IS NOT NULL"
        found = await rows(self.ledger, query, f"{self.number}:%")
        return {(str(cause).partition(":")[2], int(str(amount))) for cause, amount in found}

    async def _do(self, operation: Operation) -> Answer:
        match operation:
            case Ask(account):
                return await self.ledger.balance(self.account(account))
            case Post(cause, account, amount):
                return await self.ledger.post(Posting(self.cause(cause), self.account(account), Source.CARD, amount))
            case Reserve(cause, account, key, cap, amount):
                through = None if key is None else self.account(key)
                await self.ledger.reserve(Spender(self.account(account), through, cap), self.cause(cause), amount)
            case Extend(cause, amount):
                await self.ledger.extend(self.cause(cause), amount)
            case Settle(cause, amount):
                await self.ledger.settle(self.cause(cause), amount, RUN)
            case Release(cause):
                await self.ledger.release(self.cause(cause))
        return DONE


def explanations(model: Model, done: Sequence[tuple[Operation, Answer]], books: Sequence[Answer]) -> Iterator[Model]:
    """The model after each order of these that gives these answers, and then these balances."""
    if not done:
        if [model.apply(Ask(account)) for account in ACCOUNTS] == list(books):
            yield model
        return
    for position, (operation, answer) in enumerate(done):
        after = model.copy()
        if after.apply(operation) == answer:
            yield from explanations(after, [*done[:position], *done[position + 1 :]], books)


def possible(models: Sequence[Model], done: Sequence[tuple[Operation, Answer]], books: Sequence[Answer]) -> list[Model]:
    """All that may be the case now; several, where balances do not tell who of two was first."""
    found = {repr(after): after for model in models for after in explanations(model, done, books)}
    return list(found.values())


async def drive(world: LedgerWorld, history: Sequence[list[Operation] | str]) -> None:
    models = [Model()]
    real = Real(await world.open(), next(NUMBERS))
    try:
        for step in history:
            if isinstance(step, str):
                await world.die(real.ledger)
                real.ledger = await world.open()
                for model in models:
                    model.restart()
                continue
            answers = await asyncio.gather(*(real.answer(operation) for operation in step))
            books = [await real.ledger.balance(real.account(account)) for account in ACCOUNTS]
            before, models = models, possible(models, list(zip(step, answers, strict=True)), books)
            assert models, (step, answers, books, before)
        charges = await real.charges()
        assert any(charges == {(cause, amount) for cause, _, _, amount in model.charges} for model in models)
        await assert_adds_up(real.ledger)
    finally:
        await real.ledger.close()


BOTH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.exhaustive
@settings(BOTH, max_examples=150)
@given(history=histories)
def test_on_sqlite_every_history_is_one_the_model_could_have_had(
    sqlite_world: LedgerWorld, history: list[list[Operation] | str]
) -> None:
    asyncio.run(drive(sqlite_world, history))


@pytest.mark.exhaustive
@settings(BOTH, max_examples=25)
@given(history=histories)
def test_on_postgresql_every_history_is_one_the_model_could_have_had(
    postgres_world: LedgerWorld, history: list[list[Operation] | str]
) -> None:
    asyncio.run(drive(postgres_world, history))


@pytest.mark.exhaustive
def test_the_model_refuses_a_wrong_answer() -> None:
    """So that the tests above can fail: no order gives both of two who ask for the last cent."""
    model = Model()
    model.apply(Post("p", 1, 1))
    first, second = (Reserve(cause, 1, None, 0, 1) for cause in "ab")
    assert not possible([model], [(first, DONE), (second, DONE)], [Balance(1, 2), Balance(0, 0)])
    assert possible([model], [(first, "account"), (second, DONE)], [Balance(1, 1), Balance(0, 0)])
