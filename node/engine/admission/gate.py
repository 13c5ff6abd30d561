"""Places for actions: given in turn, as long as there is memory and not too many have just begun."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from typing import Literal

from node.engine.admission.headroom import Headroom
from node.engine.admission.limits import AdmissionLimits
from node.engine.admission.metrics import AdmissionMetrics
from node.engine.admission.pace import Pace
from node.errors import ErrorCode, NodeError
from node.runtime.fair_queue import FairQueue


class Place:
    """One action's place, from its turn to its end; `foreground` in its first time."""

    __slots__ = ("account", "began_at", "foreground")

    def __init__(self, account: int, began_at: float) -> None:
        self.account = account
        self.began_at = began_at
        self.foreground = True


class Gate:
    """Lets actions in. `clock` is monotonic, in seconds; `processors` and `places_max` are the machine's."""

    def __init__(
        self,
        limits: AdmissionLimits,
        headroom: Headroom,
        metrics: AdmissionMetrics,
        *,
        processors: int,
        places_max: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._headroom = headroom
        self._metrics = metrics
        self._clock = clock
        self._places_max = min(limits.concurrent_max, places_max)
        self._foreground_max = max(limits.foreground_per_processor * processors, 1)
        self._share = (self._foreground_max + 1) // 2
        self._turns: FairQueue[asyncio.Future[Place]] = FairQueue()
        self._pace = Pace(clock(), limits.retry_after_max_s)
        self._foreground: Counter[int] = Counter()
        self._in_foreground = 0
        self._begun: deque[Place] = deque()
        self.running = 0
        metrics.watch(lambda: len(self._turns))

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._turns)

    @property
    def waiting_accounts(self) -> Collection[int]:
        """Whose they are."""
        return self._turns.accounts

    async def enter(self, account: int) -> Place:
        """Wait for a turn of the account. Raises NodeError `too_many_requests`. Cancelled, nothing is left of it."""
        # Whoever could have had a turn before has it: those that wait are beyond their share, and nobody is passed over.
        if self._open() and self._within_share(account):
            self._metrics.waited(0.0)
            return self._give(account)
        if len(self._turns) >= self._limits.queue_max:
            raise self._refuse("full", "The node runs and queues as many actions as it can.")
        return await self._wait(account)

    def to_background(self, place: Place) -> None:
        """The action's first time is over: others may begin."""
        if not place.foreground:
            return
        place.foreground = False
        self._in_foreground -= 1
        self._foreground[place.account] -= 1
        if not self._foreground[place.account]:
            del self._foreground[place.account]
        self.let_in()

    def age(self) -> None:
        """End the first time of those that have had it; to be called every now and then."""
        oldest = self._clock() - self._limits.foreground_s
        while self._begun and (not self._begun[0].foreground or self._begun[0].began_at <= oldest):
            self.to_background(self._begun.popleft())

    def leave(self, place: Place) -> None:
        """The action has ended."""
        self.running -= 1
        self.to_background(place)
        self.let_in()

    def let_in(self) -> None:
        """Give turns while there are places; to be called whenever there may be more."""
        while self._turns and self._open():
            turn = self._turns.next(self._within_share)
            if turn is None:
                return
            account, ticket = turn
            if not ticket.done():
                ticket.set_result(self._give(account))

    def retry_after_s(self) -> int:
        """When a newcomer would have its turn, at the pace that is seen."""
        return self._pace.retry_after_s(len(self._turns), self._clock())

    async def _wait(self, account: int) -> Place:
        began_at = self._clock()
        ticket: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        self._turns.join(account, ticket)
        self.let_in()
        try:
            async with asyncio.timeout(self._limits.queue_wait_max_s):
                place = await ticket
        except BaseException as error:
            self._withdraw(account, ticket)
            if isinstance(error, TimeoutError):
                raise self._refuse("waited", "The node is too busy to run the action now.") from None
            raise
        self._metrics.waited(self._clock() - began_at)
        return place

    def _withdraw(self, account: int, ticket: "asyncio.Future[Place]") -> None:
        self._turns.leave(account, ticket)
        if not ticket.cancelled() and ticket.done():
            self.leave(ticket.result())

    def _open(self) -> bool:
        free = self.running < self._places_max and self._in_foreground < self._foreground_max
        return free and self._headroom.for_one_more()

    def _within_share(self, account: int) -> bool:
        """Half of those that begin may be one account's, so that another finds room at once."""
        return self._foreground[account] < self._share

    def _give(self, account: int) -> Place:
        self.running += 1
        self._in_foreground += 1
        self._foreground[account] += 1
        self._headroom.started()
        now = self._clock()
        self._pace.started(now)
        place = Place(account, now)
        self._begun.append(place)
        return place

    def _refuse(self, reason: Literal["full", "waited"], message: str) -> NodeError:
        self._metrics.refused(reason)
        return NodeError(
            ErrorCode.TOO_MANY_REQUESTS,
            message,
            fix="Nothing ran and nothing was charged: send the request again after Retry-After.",
            retry_after_s=self.retry_after_s(),
        )
