"""Pool of spare workers and of workers bound to a program of an account."""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from node.engine.admission.admission import Admission
from node.engine.errors import EngineStoppingError
from node.engine.worker_process import Loss, Worker
from node.errors import DomainError
from node.runtime.limits import FairQueue, TokenBuckets
from node.runtime.processor_time import ClientTime
from node.runtime.tasks import TaskSet
from node.settings.execution import ActionSettings

_BURST: Final = 8.0
"""Workers that an account may start at once, more than it needs for new programs in a second."""
_PER_PROCESSOR_S: Final = 10.0
"""Further starts a second and processor. A worker costs 6 ms, 6 % of each processor."""
_OTHERS_S: Final = 5.0
"""Time after an action of another account during which an account is not alone."""
_ACCOUNTS_MAX: Final = 10_000
"""Accounts whose starts are remembered, longer than any of them takes to have its burst again."""


class StartBudgets:
    """Bounds the workers that an account starts; one that is alone may start any number."""

    def __init__(self, processors: int, clock: Callable[[], float]) -> None:
        period_s = _BURST / (processors * _PER_PROCESSOR_S)
        self._buckets = TokenBuckets("workers", _BURST, period_s, clock, _ACCOUNTS_MAX)
        self._clock = clock
        self._latest: tuple[int | None, float] = (None, float("-inf"))
        self._latest_other = float("-inf")
        """Last activity of any account but the latest."""

    def active(self, account: int) -> None:
        """Note that the account asks for a worker, or begins an action in one."""
        if self._latest[0] != account:
            self._latest_other = self._latest[1]
        self._latest = (account, self._clock())

    def may(self, account: int) -> bool:
        """Return whether the account may start a worker now."""
        others_at = self._latest_other if self._latest[0] == account else self._latest[1]
        return self._clock() - others_at >= _OTHERS_S or not self._buckets.wait_s(account)

    def took(self, account: int) -> None:
        """Counts a start. The bucket stays above zero, so starts made while alone count briefly."""
        self._buckets.take_up_to(account, 1)


RUNS_MAX: Final = 10_000
"""Maximum actions of a worker, since a new one has another address layout and a clean heap."""
AGE_MAX_S: Final = 600.0
"""Age at which a worker takes no further action."""
IDLE_MAX_S: Final = 60.0
"""Time after which a worker without actions ends."""
IDLE_MAX_PER_ACCOUNT: Final = 8
"""Maximum idle workers of an account, each of some MiB, as new programs are free."""
_STARTING_MAX: Final = 2
"""Maximum concurrent starts of workers. More would only delay each of them."""
_RECENT_S: Final = 1.0
"""Time after an account took a spare worker during which the last ones are kept for others."""
_TOP_UP_DELAY_S: Final = 0.01
"""Delay before a spare worker is replaced, if others are left. A start takes processor time from
the first action of the worker that was taken."""

Key = tuple[int, str]
"""An account and the CID of a program."""


@dataclass(eq=False, slots=True)
class _Request:
    """A program that waits for a worker, with `waiting` actions."""

    key: Key
    program: bytes
    share: ClientTime
    bound: "asyncio.Future[None]"
    waiting: int = field(default=0)


class Workers:
    """Finds a worker for each action and ends unneeded ones. An `Observer` of its workers.

    Create it inside a running event loop. `spawn` makes a worker in a task that is never cancelled.
    A program may have one worker for each processor. Workers whose priority was lowered because of
    a long action are not counted.
    """

    def __init__(
        self,
        spawn: Callable[[], Awaitable[Worker]],
        admission: Admission,
        settings: ActionSettings,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spawn = spawn
        self._guard = admission.guard
        self._priorities = admission.priorities
        self._spares_wanted = settings.action_spare_workers
        self._idle_max = settings.action_idle_workers
        self._processors = admission.processors
        self._monotonic = monotonic
        self._spares: deque[Worker] = deque()
        self._bound: dict[Key, list[Worker]] = {}
        self._idle: OrderedDict[Worker, float] = OrderedDict()
        self._all: set[Worker] = set()
        self._requests: dict[Key, _Request] = {}
        self._queue: FairQueue[_Request] = FairQueue()
        self._took_at: dict[int, float] = {}
        self._starts = StartBudgets(admission.processors, monotonic)
        self._tasks = TaskSet("workers")
        self._starting = 0
        self._closed = False

    @property
    def bound(self) -> Iterable[Worker]:
        """Workers of programs, also idle ones."""
        return [worker for workers in self._bound.values() for worker in workers]

    @property
    def counts(self) -> Mapping[str, int]:
        """Numbers of workers with actions ("busy"), with a program only ("idle"), and "spare"."""
        bound = sum(map(len, self._bound.values()))
        return {"busy": bound - len(self._idle), "idle": len(self._idle), "spare": len(self._spares)}

    async def fill(self) -> None:
        """Starts the spares and waits. Raises EngineUnavailableError if one does not start."""
        # At least one, so that startup finds a sandbox that does not work.
        wanted = max(self._spares_wanted, 1)
        self._starting += wanted
        started = await asyncio.gather(*(self._spawn() for _ in range(wanted)), return_exceptions=True)
        self._starting -= wanted
        for outcome in started:
            if isinstance(outcome, Worker):
                self._adopt(outcome)
        for outcome in started:
            if isinstance(outcome, BaseException):
                raise outcome
        self._drop_spares()

    async def probe(self) -> None:
        """Checks that a worker lives or can be started. Raises EngineUnavailableError."""
        if not any(worker.alive for worker in (*self._spares, *self._idle)):
            self._offer(await self._spawn())
            self._drop_spares()

    def at_hand(self, key: Key) -> Worker | None:
        """Returns the program's least busy worker that takes an action now, or None."""
        workers = self._bound.get(key)
        if workers is None:
            return None
        best: Worker | None = None
        for worker in workers:
            if worker.usable and (best is None or (worker.busy, worker.fibers) < (best.busy, best.fibers)):
                best = worker
        if best is None or not best.busy:
            return best
        # More workers than processors gain nothing; delayed ones do not count.
        counted = sum(not worker.lowered for worker in workers)
        return None if counted < self._processors and self._is_eligible(key[0]) else best

    async def bind(self, key: Key, program: bytes, share: ClientTime) -> Worker:
        """Waits for a worker. Accounts take turns. Raises EngineUnavailableError."""
        while True:
            if self._closed:
                raise EngineStoppingError
            request = self._requests.get(key)
            if request is None:
                request = _Request(key, program, share, asyncio.get_running_loop().create_future())
                self._requests[key] = request
                self._queue.join(key[0], request)
                self._starts.active(key[0])
                self._serve()
            if not request.bound.done():
                await self._wait(request)
            request.bound.result()
            # Search again, since other waiting actions may have filled the worker.
            worker = self.at_hand(key)
            if worker is not None:
                return worker

    def fiber_began(self, worker: Worker) -> None:
        """See `Observer.fiber_began`."""
        self._starts.active(worker.account)
        self._idle.pop(worker, None)

    def fiber_ended(self, worker: Worker) -> None:
        """Ends or idles the worker. See `Observer.fiber_ended`."""
        # Also by count, so that traces of runs in a process do not stay.
        worker.retired = worker.retired or worker.runs >= RUNS_MAX
        if worker.fibers:
            return
        # Only when empty, as its other actions are honest until shown otherwise.
        if worker.retired:
            self._end(worker)
        else:
            self._idle[worker] = self._monotonic()

    def worker_gone(self, worker: Worker) -> None:
        """Forgets the worker. See `Observer.worker_gone`."""
        self._forget(worker)
        self._all.discard(worker)
        # After reaping, since its memory is in use until then.
        self._guard.forget(worker)

    def sweep(self) -> None:
        """Ends workers that are old, idle for long, or too many. Called periodically."""
        now = self._monotonic()
        for worker in self.bound:
            # An attacker keeps a worker no longer than this, since its actions end too.
            worker.retired = worker.retired or worker.bound_at + AGE_MAX_S <= now
        for worker, since in list(self._idle.items()):
            if worker.retired or since + IDLE_MAX_S <= now:
                self._end(worker)
        for account in {worker.account for worker in self._idle}:
            self._end_superfluous(account)
        if not self._queue:
            self._drop_spares()  # started for programs that no longer wait
        self._took_at = {account: at for account, at in self._took_at.items() if at + _RECENT_S > now}
        # Also for accounts whose budget of starts has filled up meanwhile.
        self._serve()

    def give_back_idle(self) -> bool:
        """Ends every idle worker, since memory is short. Returns whether there was one."""
        idle = list(self._idle)
        for worker in idle:
            self._end(worker)
        return bool(idle)

    async def close(self) -> None:
        """Ends every worker, and waits until nothing is left of them."""
        self._closed = True
        for request in list(self._requests.values()):
            self._settle(request, EngineStoppingError())
        while self._tasks or self._all:
            for worker in self._all:
                worker.kill(Loss.CLOSED)
            await asyncio.gather(self._tasks.drain(), *(worker.exit_signal() for worker in self._all))
            # The callbacks of a reaped worker run in the next turn of the event loop.
            await asyncio.sleep(0)

    def _is_eligible(self, account: int) -> bool:
        """Returns whether the account may take a spare worker.

        An account that has just taken some leaves half to others. Its budget limits the rate.
        """
        if not self._starts.may(account):
            return False
        kept = self._spares_wanted // 2 if self._took_at.get(account, -_RECENT_S) > self._monotonic() - _RECENT_S else 0
        return len(self._spares) > kept

    async def _wait(self, request: _Request) -> None:
        request.waiting += 1
        try:
            # All waiting actions of the program share it, so one must not cancel it for others.
            await asyncio.shield(request.bound)
        finally:
            request.waiting -= 1
            if not request.waiting and not request.bound.done():
                self._queue.leave(request.key[0], request)
                self._settle(request, None)

    def _settle(self, request: _Request, error: DomainError | None) -> None:
        del self._requests[request.key]
        if error is None:
            request.bound.set_result(None)
        else:
            request.bound.set_exception(error)
            # Retrieve it, or asyncio would log it as lost if all waiters are gone.
            request.bound.exception()

    def _serve(self) -> None:
        """Binds spare workers to waiting programs, account by account, and starts more."""
        while self._queue:
            following = self._queue.next(self._is_eligible)
            if following is None:
                break
            account, request = following
            worker = self._spares.popleft()
            self._took_at[account] = self._monotonic()
            self._starts.took(account)
            # Bound for life: no process ever holds the data of two accounts.
            worker.bind(account, request.key[1], request.program, request.share)
            worker.bound_at = self._monotonic()
            self._priorities.begins(worker)
            self._bound.setdefault(request.key, []).append(worker)
            self._settle(request, None)
            self._end_superfluous(account)
            # Idle until its first action, whose client may be gone.
            self._idle[worker] = self._monotonic()
        if self._queue or not self._spares:
            self._start_wanted()
        elif self._lacking(self._spares_wanted):
            asyncio.get_running_loop().call_later(_TOP_UP_DELAY_S, self._start_wanted)

    def _start_wanted(self) -> None:
        """Start workers for the programs that wait and may have one, and spare ones."""
        wanted = self._spares_wanted + self._queue.count(self._starts.may)
        while not self._closed and self._starting < _STARTING_MAX and self._lacking(wanted):
            self._starting += 1
            self._tasks.start(self._start_one())

    def _lacking(self, wanted: int) -> bool:
        return len(self._spares) + self._starting < wanted

    async def _start_one(self) -> None:
        try:
            worker = await self._spawn()
        except DomainError as error:
            self._starting -= 1
            following = self._queue.next(lambda _: True)
            if following is not None:
                self._settle(following[1], error)
                self._serve()
        else:
            self._starting -= 1
            self._offer(worker)

    def _offer(self, worker: Worker) -> None:
        self._adopt(worker)
        self._serve()

    def _adopt(self, worker: Worker) -> None:
        """Registers a new worker as a spare one, unless it has ended meanwhile."""
        worker.observe(self)
        # A worker that ended before `observe` reports nothing, so `close` would wait without end.
        if not worker.alive:
            return
        self._all.add(worker)
        if self._closed:
            worker.kill(Loss.CLOSED)
        else:
            self._spares.append(worker)

    def _drop_spares(self) -> None:
        while len(self._spares) > self._spares_wanted:
            self._spares.pop().kill(Loss.CLOSED)

    def _end_superfluous(self, account: int) -> None:
        """Keeps few idle workers of each account and in all. The longest idle end first."""
        own = [worker for worker in self._idle if worker.account == account]
        for worker in own[: max(len(own) - IDLE_MAX_PER_ACCOUNT, 0)]:
            self._end(worker)
        while len(self._idle) > self._idle_max:
            counts = Counter(worker.account for worker in self._idle)
            most = max(counts.values())
            self._end(next(worker for worker in self._idle if counts[worker.account] == most))

    def _end(self, worker: Worker) -> None:
        self._priorities.ends(worker)
        self._forget(worker)
        worker.kill(Loss.CLOSED)

    def _forget(self, worker: Worker) -> None:
        self._idle.pop(worker, None)
        if worker in self._spares:
            self._spares.remove(worker)
            self._serve()
        key = worker.account, worker.cid
        workers = self._bound.get(key)
        if workers is not None and worker in workers:
            workers.remove(worker)
            if not workers:
                del self._bound[key]
