"""One answer for everybody who asks within a while, asked for once however many ask at a time."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from attest.errors import AttestError, AttestErrorCode

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class KeptLimits:
    """How long an answer is told again.

    `rest_s`: a refusal likewise, so that nobody is hammered. `waiting`: callers that wait for one question; more are
    sent away, since each of them holds a place of the node.
    """

    max_age_s: float
    rest_s: float
    waiting: int


class Kept(Generic[Answer]):
    """Keeps what `ask` answers. `clock` is monotonic seconds.

    Callers at the same time share one question, which goes on when one of them leaves.
    """

    def __init__(self, ask: Callable[[], Awaitable[Answer]], limits: KeptLimits, clock: Callable[[], float]) -> None:
        self._ask = ask
        self._limits = limits
        self._clock = clock
        self._waiting = 0
        self._kept: tuple[float, Answer] | None = None
        self._refused: tuple[float, AttestError] | None = None
        self._asking: asyncio.Task[Answer] | None = None

    async def get(self) -> Answer:
        """The answer. Raises the AttestError of `ask`, or BUSY."""
        now = self._clock()
        if self._kept is not None and now - self._kept[0] < self._limits.max_age_s:
            return self._kept[1]
        if self._refused is not None and (rest_s := self._refused[0] + self._limits.rest_s - now) > 0:
            error = self._refused[1]
            wait_s = max(error.retry_after_s or 1, math.ceil(rest_s))
            raise AttestError(error.code, error.message, retry_after_s=wait_s)
        if self._waiting >= self._limits.waiting:
            raise AttestError(AttestErrorCode.BUSY, f"{self._waiting} callers wait already.", retry_after_s=1)
        if self._asking is None:
            self._asking = asyncio.create_task(self._fetch())
            self._asking.add_done_callback(self._fetched)
        self._waiting += 1
        try:
            return await asyncio.shield(self._asking)
        finally:
            self._waiting -= 1

    def age_s(self) -> float | None:
        """How old the kept answer is; None before the first."""
        return None if self._kept is None else self._clock() - self._kept[0]

    async def close(self) -> None:
        """End a question that is under way."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _fetch(self) -> Answer:
        try:
            answer = await self._ask()
        except AttestError as error:
            self._refused = (self._clock(), error)
            raise
        self._kept, self._refused = (self._clock(), answer), None
        return answer

    def _fetched(self, asking: asyncio.Task[Answer]) -> None:
        self._asking = None
        if not asking.cancelled():
            asking.exception()  # seen here: those who asked may be gone
