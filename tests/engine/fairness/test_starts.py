"""An account that comes with ever new programs has its burst of workers, then a steady few; nobody else waits for it."""

import asyncio
from typing import cast

import pytest

from node.engine.admission.admission import Admission
from node.engine.worker_process import Loss, Worker
from node.engine.workers import StartBudgets, Workers
from node.runtime.processor_time import ClientTime, ProcessorShares
from node.settings.execution import ActionSettings

FLOODER, OTHER, STRANGER = 1, 2, 3
BURST, PER_S = 8, 20


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class UnboundWorker:
    """A worker without a process, as far as `Workers` looks at one."""

    pid, runs, fibers, bound_at = 0, 0, 0, 0.0
    alive = usable = True
    busy = lowered = retired = is_ending = False
    account, cid = 0, ""

    def observe(self, observer: Workers) -> None:
        self.observer = observer

    def bind(self, account: int, cid: str, _program: bytes, _share: ClientTime) -> None:
        self.account, self.cid = account, cid

    def kill(self, _loss: Loss) -> None:
        if self.alive:
            self.alive = self.usable = False
            asyncio.get_running_loop().call_soon(self.observer.worker_gone, cast("Worker", self))

    async def exit_signal(self) -> None:
        return


class Starts(StartBudgets):
    """The budgets of two processors, with a clock that stands still."""

    def __init__(self, *active: int) -> None:
        self.clock = Clock()
        super().__init__(2, self.clock)
        for account in active:
            self.active(account)

    def taken(self, account: int, seconds: int = 0) -> int:
        """How many workers an account gets that takes every one it may have, looked at ten times a second."""
        count = 0
        for look in range(seconds * 10 + 1):
            self.clock.now += 0.1 if look else 0.0
            while count < 10_000 and self.may(account):
                self.took(account)
                count += 1
        return count


@pytest.mark.parametrize("seconds", [0, 1, 4])
def test_beside_others_an_account_has_its_burst_and_then_a_share(seconds: int) -> None:
    assert Starts(OTHER, FLOODER).taken(FLOODER, seconds) == pytest.approx(BURST + PER_S * seconds, abs=1)


@pytest.mark.parametrize(
    "accounts", [[FLOODER], [FLOODER, OTHER, FLOODER], [OTHER, FLOODER, STRANGER, FLOODER, FLOODER]]
)
def test_who_is_alone_or_has_been_for_long_is_not_held_up(accounts: list[int]) -> None:
    starts = Starts(*accounts)
    starts.clock.now += 6.0
    starts.active(FLOODER)
    assert starts.taken(FLOODER) == 10_000


def test_whose_budget_is_used_up_keeps_no_other_account_from_starting() -> None:
    starts = Starts(OTHER, FLOODER)
    starts.taken(FLOODER, 1)
    assert not starts.may(FLOODER)
    assert starts.taken(STRANGER) == BURST


def test_two_floods_are_each_held_to_their_own_share() -> None:
    starts = Starts(OTHER, FLOODER)
    began = starts.clock.now
    first = starts.taken(FLOODER, 1)
    starts.clock.now = began
    assert starts.taken(OTHER, 1) == first


async def test_ever_new_programs_of_one_account_wait_while_a_stranger_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, started = Clock(), 0

    async def spawn() -> Worker:
        nonlocal started
        started += 1
        return cast("Worker", UnboundWorker())

    monkeypatch.setattr("node.engine.workers.IDLE_MAX_S", 1e9)
    monkeypatch.setattr("node.engine.workers.IDLE_MAX_PER_ACCOUNT", 1000)
    settings = ActionSettings(action_spare_workers=4, action_idle_workers=1000)
    workers = Workers(spawn, Admission(processors=2), settings, clock)
    share = ProcessorShares().of
    await workers.fill()
    await workers.bind((OTHER, "an action"), b"", share(OTHER))
    flood = [asyncio.create_task(workers.bind((FLOODER, str(each)), b"", share(FLOODER))) for each in range(100)]
    await _settled(workers)
    assert sum(task.done() for task in flood) == BURST
    assert started <= BURST + 10, "workers were started for programs that may not have one"
    stranger = asyncio.create_task(workers.bind((STRANGER, "an action"), b"", share(STRANGER)))
    await _settled(workers)
    assert stranger.done()
    clock.now += 0.25
    workers.sweep()
    await _settled(workers)
    assert sum(task.done() for task in flood) == BURST + PER_S // 4
    clock.now += 10
    workers.sweep()
    await asyncio.wait_for(asyncio.gather(*flood), 10)
    await workers.close()


async def test_a_worker_that_has_ended_before_it_is_one_of_them_is_no_spare_and_is_not_waited_for() -> None:
    async def spawn() -> Worker:
        worker = UnboundWorker()
        worker.alive = worker.usable = False
        return cast("Worker", worker)

    workers = Workers(spawn, Admission(processors=2), ActionSettings(action_spare_workers=1), Clock())
    await workers.probe()
    assert workers.counts["spare"] == 0
    async with asyncio.timeout(5):
        await workers.close()


async def _settled(workers: Workers) -> None:
    """Until nothing more happens without the clock: every step is a callback that is ready."""
    for _ in range(1000):
        await asyncio.sleep(0)
    assert workers.counts["spare"] <= 4 + 2
