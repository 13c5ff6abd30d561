"""Any order of writes, news, readings in the air, forks and clocks: what the cache answers is never older than it may be."""

import asyncio
import itertools
from dataclasses import dataclass

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from node.chain.authorisations.cache import STALLED_GRANT_TTL_S
from node.chain.port import Authorisation
from node.errors import DomainError
from node.permissions.grants import Caller
from node.settings.chain import AuthorisationSettings
from tests.chain.authorisations.model import ACTION, Bench, Key, bench_of, granted

ACCOUNT_OF = {1: 100, 2: 100, 3: 200}
KEYS = st.sampled_from(sorted(ACCOUNT_OF))
ENDPOINTS = 2


@dataclass(frozen=True)
class Change:
    """An event on chain, and the news of it."""

    account: int
    block_number: int


@dataclass(frozen=True)
class Fork:
    block_number: int


News = Change | Fork


@dataclass(frozen=True)
class Told:
    order: int
    elapsed_s: float
    news: News


@dataclass(frozen=True)
class Asked:
    """A call of the execute path, and when it was made."""

    order: int
    key: int
    min_block: int
    may_reread: bool
    task: "asyncio.Task[Authorisation]"


class CacheMachine(RuleBasedStateMachine):
    """`pending` are the news a provider has not told yet; `told` all that were, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.settings = AuthorisationSettings()
        keys = {key: Key(account, frozenset({ACTION})) for key, account in ACCOUNT_OF.items()}
        self.bench: Bench = bench_of(keys, self.settings)
        self.orders = itertools.count(1)
        self.bench.chain.orders = self.orders.__next__
        self.pending: list[list[News]] = [[] for _ in range(ENDPOINTS)]
        self.told: list[Told] = []
        self.asked: list[Asked] = []
        self.bench.chain.floor = self.bench.chain.head.number
        self.seconds = 0
        self.read_at: dict[int, int] = {}

    def teardown(self) -> None:
        self._release_all()
        self.loop.close()

    @rule(key=KEYS, blocks=st.integers(1, 3))
    def write(self, key: int, blocks: int) -> None:
        """A grant is given or taken, and blocks follow."""
        self._toggle(key)
        for _ in range(blocks - 1):
            self.bench.chain.mine()

    @rule(provider=st.integers(0, ENDPOINTS - 1), index=st.integers(0, 5), again=st.booleans())
    def tell(self, provider: int, index: int, again: bool) -> None:
        """A provider tells of one thing it has not told yet, in any order, perhaps to tell it again."""
        news = self.pending[provider]
        if news:
            index %= len(news)
            self._tell(news[index] if again else news.pop(index))

    @rule(account=st.sampled_from([100, 200]), block=st.integers(0, 20))
    def lie(self, account: int, block: int) -> None:
        """A provider tells of a change that is not there."""
        self._tell(Change(account, block))

    @rule(block=st.integers(0, 20))
    def lie_of_a_fork(self, block: int) -> None:
        self._tell(Fork(block))

    @rule(depth=st.integers(1, 3), rewritten=st.one_of(st.none(), KEYS))
    def fork(self, depth: int, rewritten: int | None) -> None:
        """The last blocks go, and as many others come; providers will tell, of the fork before what came after it."""
        chain = self.bench.chain
        fork = max(2, chain.head.number - depth)
        gone = chain.head.number - fork
        chain.fork_at(fork)
        for news in self.pending:
            news.append(Fork(fork))
        for _ in range(gone):
            if rewritten is None:
                chain.mine()
            else:
                self._toggle(rewritten)

    @rule(behind=st.integers(0, 2))
    def lag_behind(self, behind: int) -> None:
        """The quorum agrees on an earlier block than the newest."""
        self.bench.chain.behind = behind

    @rule(
        seconds=st.sampled_from([1, 9, 11, 29, 31, 200, 301, 700]),
        suspended=st.sampled_from(["", "clock", "monotonic"]),
    )
    def pass_time(self, seconds: int, suspended: str) -> None:
        if suspended != "monotonic":
            self.bench.monotonic.advance(seconds)
        if suspended != "clock":
            self.bench.clock.advance(seconds)
        self.seconds += seconds
        self.bench.cache._elapsed()  # as any call would: what no clock shows for a moment nobody can know

    @rule(seconds=st.sampled_from([-5000, 5000]))
    def set_the_clock(self, seconds: int) -> None:
        self.bench.clock.advance(seconds)
        self.bench.cache._elapsed()

    @rule(lag_s=st.sampled_from([None, 0.0, 31.0]))
    def lag(self, lag_s: float | None) -> None:
        self.bench.lag_s = lag_s

    @rule()
    def hold(self) -> None:
        """Readings stay in the air from now on."""
        self.bench.chain.held = self.bench.chain.held or []

    @rule(index=st.integers(0, 5))
    def release(self, index: int) -> None:
        held = self.bench.chain.held
        if held:
            held.pop(index % len(held)).set()
            self._settle()

    @rule(key=KEYS, may_reread=st.booleans(), later=st.sampled_from([None, 0, 1]))
    def ask(self, key: int, may_reread: bool, later: int | None) -> None:
        """A call, perhaps for the newest block or the one before it."""
        order, number = next(self.orders), self.bench.chain.head.number
        min_block = 0 if later is None else number - later
        caller = Caller(key, ACCOUNT_OF[key], managed=True, grants=None)
        work = self.bench.cache.execution(caller, ACTION, min_block, lambda: may_reread)
        self.asked.append(Asked(order, key, min_block, may_reread, self.loop.create_task(work)))
        self._settle()

    @invariant()
    def every_answer_is_as_new_as_it_must_be(self) -> None:
        for asked in [asked for asked in self.asked if asked.task.done()]:
            self.asked.remove(asked)
            failure = asked.task.exception()
            if failure is None:
                self._check(asked, asked.task.result())
            else:
                # The block a call waited for went while its reading was in the air.
                assert isinstance(failure, DomainError)
                assert asked.min_block > 0

    def _check(self, asked: Asked, decision: Authorisation) -> None:
        read = self.bench.chain.reads[decision.block_timestamp]
        assert decision.may_execute == (ACTION in read.block.keys[asked.key].runs)
        assert decision.block_number >= asked.min_block
        if read.order > asked.order:
            return
        assert decision.may_execute or not asked.may_reread, "a denial was told that could have been read again"
        age = self.seconds - self.read_at[read.order]
        short = self.bench.lag_s is None or self.bench.lag_s > self.settings.authorisation_stalled_after_s
        grants_live = STALLED_GRANT_TTL_S if short else self.settings.authorisation_grant_ttl_s
        assert age < (grants_live if decision.may_execute else self.settings.authorisation_denial_ttl_s), (
            "it is too old"
        )
        for told in self.told:
            if isinstance(told.news, Fork):
                assert told.order < read.order or told.news.block_number >= read.block.number, "its block is gone"
            elif told.news.account == ACCOUNT_OF[asked.key] and not self._is_long_ago(told):
                assert told.news.block_number <= read.block.number, "its account has changed"

    def _is_long_ago(self, told: Told) -> bool:
        return self.bench.cache._elapsed() - told.elapsed_s > 2 * self.settings.authorisation_grant_ttl_s

    def _toggle(self, key: int) -> None:
        written = self.bench.chain.head.keys[key]
        number = self.bench.chain.mine({key: granted(written) if written.runs else granted(written, ACTION)})
        for news in self.pending:
            news.append(Change(ACCOUNT_OF[key], number))

    def _tell(self, news: News) -> None:
        cache = self.bench.cache
        self.told.append(Told(next(self.orders), cache._elapsed(), news))
        if isinstance(news, Fork):
            cache.reorganised(news.block_number)
        else:
            cache.account_changed(news.account, news.block_number)

    def _release_all(self) -> None:
        held, self.bench.chain.held = self.bench.chain.held, None
        for released in held or []:
            released.set()
        self._settle()

    def _settle(self) -> None:
        """Let everything happen that can."""

        async def turns() -> None:
            for _ in range(12):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())
        for order in self.bench.chain.reads:
            self.read_at.setdefault(order, self.seconds)


@pytest.mark.exhaustive
def test_no_answer_is_older_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.chain.authorisations.cache.CHANGED_ACCOUNTS_MAX", 1)
    monkeypatch.setattr("node.chain.authorisations.cache.REORGANISATIONS_MAX", 2)
    run_state_machine_as_test(
        CacheMachine, settings=settings(max_examples=150, stateful_step_count=40, deadline=None, database=None)
    )
