"""Best first: ask as many endpoints as it takes, and the next one where one fails or is late."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from node.chain.rpc import Endpoint, RpcUnavailableError

Ask: TypeAlias = Callable[[Endpoint], Coroutine[None, None, None]]
"""Asks one endpoint and notes what it says."""


@dataclass(frozen=True, slots=True)
class Hedge:
    """An answer that takes longer than `delay_s` is not waited for alone; `clock` is monotonic seconds.

    With `patience_s` nobody is waited for longer than that.
    """

    delay_s: float
    clock: Callable[[], float]
    patience_s: float | None = None


class _Questions:
    """The questions that are open, each a task of its own."""

    def __init__(self, order: Sequence[Endpoint], ask: Ask, hedge: Hedge) -> None:
        self._left = list(reversed(order))
        self._ask = ask
        self._hedge = hedge
        self._open: dict[asyncio.Task[None], tuple[Endpoint, float]] = {}

    def start(self, wanted: int) -> bool:
        """Have `wanted` endpoints at work that are not late, as far as there are more; whether any is at work."""
        now = self._hedge.clock()
        prompt = sum(now - since < self._hedge.delay_s for _, since in self._open.values())
        while self._left and prompt < wanted:
            endpoint = self._left.pop()
            self._open[asyncio.create_task(self._ask(endpoint))] = endpoint, now
            prompt += 1
        return bool(self._open)

    async def next(self, until: float | None) -> None:
        """Wait until one has answered, or one is late, or the clock shows `until`."""
        now = self._hedge.clock()
        ends = [since + self._hedge.delay_s for _, since in self._open.values()] if self._left else []
        ends = [end for end in ends if end > now] + ([until] if until is not None else [])
        timeout_s = min(ends) - now if ends else None
        done, _ = await asyncio.wait(self._open, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            del self._open[task]
            task.result()

    async def close(self) -> None:
        """Give up what is open; who was late is ordered last from now on."""
        now = self._hedge.clock()
        for task, (endpoint, since) in self._open.items():
            if now - since >= self._hedge.delay_s:
                endpoint.passed_over(now - since)
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


async def ask_best_first(
    order: Sequence[Endpoint],
    ask: Ask,
    missing: Callable[[], int],
    hedge: Hedge,
) -> None:
    """`ask` endpoints in this order until `missing()` is 0 or all have been asked; it says how many more it takes.

    An `ask` that raises RpcUnavailableError has answered nothing; any other error of it is raised. What is still open at
    the end, also when the caller is cancelled, is cancelled and has ended when this returns.
    """

    async def heard(endpoint: Endpoint) -> None:
        try:
            await ask(endpoint)
        except RpcUnavailableError:
            return

    questions = _Questions(order, heard, hedge)
    until = None if hedge.patience_s is None else hedge.clock() + hedge.patience_s
    try:
        while (wanted := missing()) and questions.start(wanted):
            if until is not None and hedge.clock() >= until:
                return
            await questions.next(until)
    finally:
        await questions.close()
