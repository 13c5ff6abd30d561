"""The watcher run for ever: whatever is out is waited for, told, and made up for."""

import asyncio
from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry

from node.api.errors import ErrorCode, NodeError
from node.chain.deposits.watcher import DepositRunner, DepositWatcher, LookResult, SyncProgress
from tests.billing.tokens.bench import DOLLAR, Bench
from tests.support import rpc_proxy
from tests.support.clock import FakeClock
from tests.support.constants import replace_constants

pytestmark = pytest.mark.asyncio(loop_scope="module")

POLL_S, NEVER_S = 0.02, 3600
PATIENCE_S = 60


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hurried = {"WAKE_MIN_S": 0.001, "BACKOFF_MIN_S": 0.01, "BACKOFF_MAX_S": 0.02, "STALLED_AFTER_S": 60}
    replace_constants(monkeypatch, "node.chain.deposits", **hurried)


class Counted:
    """A watcher whose looks are counted, and may be told to end otherwise."""

    def __init__(self, watcher: DepositWatcher | None = None) -> None:
        self.watcher = watcher
        self.ends: Callable[[], LookResult] | None = None
        self.looks = 0
        self._looked = asyncio.Event()

    @property
    def progress(self) -> SyncProgress:
        return SyncProgress() if self.watcher is None else self.watcher.progress

    async def look(self) -> LookResult:
        self.looks += 1
        self._looked.set()
        if self.ends is not None:
            return self.ends()
        assert self.watcher is not None
        return await self.watcher.look()

    async def next(self, looks: int = 3) -> None:
        """Wait for so many further looks: the first of them may be under way, so those before the last have ended."""
        wanted = self.looks + looks
        async with asyncio.timeout(PATIENCE_S):
            while self.looks < wanted:
                self._looked.clear()
                await self._looked.wait()


def raising(error: Exception) -> Callable[[], LookResult]:
    def end() -> LookResult:
        raise error

    return end


async def test_endpoints_that_are_out_are_told_without_their_urls_and_waited_for(one: Bench) -> None:
    account = await one.payments.account("one")
    clock, watcher = FakeClock(), Counted(one.watcher())
    runner = DepositRunner(watcher, POLL_S, clock, CollectorRegistry())
    async with runner.running():
        await watcher.next()
        assert runner.problem() is None
        one.proxies[0].behaviour = rpc_proxy.drop
        await one.payments.pay(account, DOLLAR)
        await one.mine(3)
        await watcher.next()
        assert runner.problem() is None
        clock.advance(61)
        problem = runner.problem()
        assert problem is not None
        assert "61 s" in problem
        assert str(one.proxies[0].port) not in problem
        one.proxies[0].behaviour = rpc_proxy.honest
        await watcher.next(5)
        assert runner.problem() is None
    assert await one.credit(account) == DOLLAR


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NodeError(ErrorCode.BILLING_UNAVAILABLE, "The ledger is out."), "The ledger is out."),
        (RuntimeError("postgres://user:secret@host"), "RuntimeError"),
    ],
)
async def test_whatever_fails_is_told_and_tried_again(error: Exception, said: str) -> None:
    clock, watcher = FakeClock(), Counted()
    watcher.ends = raising(error)
    runner = DepositRunner(watcher, POLL_S, clock, CollectorRegistry())
    async with runner.running():
        await watcher.next()
        clock.advance(61)
        problem = runner.problem()
        assert problem is not None
        assert said in problem
        assert "secret" not in problem
        watcher.ends = lambda: LookResult.AT_HEAD
        await watcher.next()
        assert runner.problem() is None


async def test_catching_up_is_told_as_such_and_goes_on_at_once() -> None:
    clock, watcher = FakeClock(), Counted()
    watcher.ends = lambda: LookResult.MORE
    runner = DepositRunner(watcher, NEVER_S, clock, CollectorRegistry())
    async with runner.running():
        await watcher.next(20)
        clock.advance(61)
        assert "caught up" in (runner.problem() or "")


async def test_news_of_a_head_wake_it_but_not_from_its_pause_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain.deposits", BACKOFF_MIN_S=NEVER_S, BACKOFF_MAX_S=NEVER_S)
    watcher = Counted()
    watcher.ends = lambda: LookResult.AT_HEAD
    runner = DepositRunner(watcher, NEVER_S, FakeClock(), CollectorRegistry())
    async with runner.running():
        for _ in range(5):
            runner.wake()
            await watcher.next(1)
        watcher.ends = raising(NodeError(ErrorCode.CHAIN_UNAVAILABLE, "out"))
        runner.wake()
        await watcher.next(1)
        for _ in range(50):
            runner.wake()
            await asyncio.sleep(0)
        assert watcher.looks == 6


async def test_a_head_that_is_announced_during_a_look_is_looked_for_too() -> None:
    watcher = Counted()
    runner = DepositRunner(watcher, NEVER_S, FakeClock(), CollectorRegistry())

    def ends() -> LookResult:
        if watcher.looks == 1:
            runner.wake()
        return LookResult.AT_HEAD

    watcher.ends = ends
    async with runner.running():
        await watcher.next(2)
