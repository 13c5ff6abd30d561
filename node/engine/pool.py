"""Children started ahead: each is used once, and its replacement starts while it works."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial

from node.engine.child_process import ChildProcess
from node.errors import ErrorCode, NodeError


class ChildPool:
    """Keeps `idle` children ready and hands each out once; made inside a running event loop.

    `spawn` is called from tasks of the pool's own, which are never cancelled: who waits for a child may be.
    """

    def __init__(self, spawn: Callable[[], Awaitable[ChildProcess]], idle: int) -> None:
        self._spawn = spawn
        self._idle_children = idle
        self._idle_wanted = 0
        self._idle: deque[ChildProcess] = deque()
        self._waiting: deque[asyncio.Future[ChildProcess]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending: set[ChildProcess] = set()
        self._spawning = 0
        self._closed = False

    async def fill(self) -> None:
        """Start the first children and wait for them. Raises NodeError `runner_unavailable` when one does not start."""
        waiting = [self._wait_for_one() for _ in range(max(self._idle_children, 1))]
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        self._idle_wanted = self._idle_children
        for outcome in outcomes:
            if isinstance(outcome, ChildProcess):
                self._offer(outcome)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def probe(self) -> None:
        """Pass when a child is ready, or can be made so. Raises NodeError `runner_unavailable`."""
        if not any(child.alive for child in self._idle):
            self._offer(await self._wait_for_one())

    async def take(self) -> ChildProcess:
        """A ready child, the caller's from now on. Raises NodeError `runner_unavailable`."""
        while self._idle:
            child = self._idle.popleft()
            if child.alive:
                self._top_up()
                return child
            self._forget(child)
        return await self._wait_for_one()

    async def discard(self, child: ChildProcess) -> None:
        """Kill a child now and wait until nothing is left of it; cancelled, that goes on without the caller."""
        self._forget(child)
        await child.exit_signal()

    async def close(self) -> None:
        """End every idle child and wait for all that were discarded."""
        self._closed = True
        while self._tasks or self._idle or self._ending:
            while self._idle:
                self._forget(self._idle.popleft())
            await asyncio.gather(*self._tasks, *(child.exit_signal() for child in self._ending))

    async def _wait_for_one(self) -> ChildProcess:
        if self._closed:
            raise NodeError(ErrorCode.RUNNER_UNAVAILABLE, "The node is stopping.", retry_after_s=5)
        waiter: asyncio.Future[ChildProcess] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._top_up()
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._offer(waiter.result())
            raise

    def _top_up(self) -> None:
        wanted = self._idle_wanted + sum(not waiter.done() for waiter in self._waiting)
        while not self._closed and len(self._idle) + self._spawning < wanted:
            self._spawning += 1
            _ = self._in_background(self._spawn_one())

    async def _spawn_one(self) -> None:
        try:
            child = await self._spawn()
        except NodeError as error:
            waiter = self._next_waiter()
            if waiter is not None:
                waiter.set_exception(error)
        else:
            self._offer(child)
        finally:
            self._spawning -= 1

    def _offer(self, child: ChildProcess) -> None:
        waiter = self._next_waiter()
        if waiter is not None:
            waiter.set_result(child)
        elif self._closed or len(self._idle) >= self._idle_wanted:
            self._forget(child)
        else:
            self._idle.append(child)

    def _next_waiter(self) -> "asyncio.Future[ChildProcess] | None":
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None

    def _forget(self, child: ChildProcess) -> None:
        child.end()
        if child.alive:
            self._ending.add(child)
            child.when_gone(partial(self._ending.discard, child))

    def _in_background(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
