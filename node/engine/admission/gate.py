"""Shares places for actions fairly among accounts, limited by memory and by recent starts."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, Literal

import prometheus_client
from prometheus_client import CollectorRegistry, Gauge

from node.engine.admission.memory import Measured
from node.runtime.counts import Durations
from node.runtime.limits import FairPlaces, LimitReachedError
from node.settings.execution import ActionSettings

_BUCKETS_S: Final = (0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class AdmissionMetrics:
    """Prometheus counts with a closed set of labels."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._queue = Gauge("svc_action_queue_length", "Actions waiting to be admitted.", registry=registry)
        self._waited = Durations(
            "svc_action_queue_wait_seconds", "Time that actions waited to be admitted.", _BUCKETS_S, registry
        )
        self._refused = prometheus_client.Counter(
            "svc_action_queue_refusals", "Actions that were not admitted, by reason.", ["reason"], registry=registry
        )
        self._shed = prometheus_client.Counter(
            "svc_action_sheds", "Actions ended because the node lacked memory.", registry=registry
        )
        self._available = Gauge(
            "svc_action_memory_available_bytes", "What the container has left, reserve included.", registry=registry
        )
        self._workers = Gauge(
            "svc_action_workers", "Processes that run actions, by what they do.", ["state"], registry=registry
        )

    def watch(self, waiting: Callable[[], int]) -> None:
        """Exports the number of waiting actions, read at each scrape."""
        self._queue.set_function(waiting)

    def watch_workers(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """Exports the numbers of workers, read at each scrape."""
        for state in ("busy", "idle", "spare"):
            self._workers.labels(state).set_function(partial(_count, counts, state))

    def waited(self, seconds: float) -> None:
        """Counts the wait of an admitted action."""
        self._waited.add(seconds)

    def refused(self, reason: str) -> None:
        """Counts a refusal, "full" or "waited"."""
        self._refused.labels(reason).inc()

    def shed(self) -> None:
        """Counts an action that was ended."""
        self._shed.inc()

    def memory(self, available_bytes: int) -> None:
        """Sets the measured memory."""
        self._available.set(available_bytes)


def _count(counts: Callable[[], Mapping[str, int]], state: str) -> int:
    return counts()[state]


START_BYTES: Final = 1_500_000
"""Memory counted for an action before its measurement, and the minimum after it."""
RESERVE_PERCENT: Final = 10
"""Part of the container's memory kept free, if larger than `action_memory_reserve_bytes`."""
FOREGROUND_S: Final = 0.1
"""Time that a new action runs at the node's own priority, in which most actions end."""
FOREGROUND_PER_PROCESSOR: Final = 16
"""Maximum actions in the foreground per processor. One account has at most half."""
RETRY_AFTER_MAX_S: Final = 60
"""Maximum Retry-After of a 429 for load. A longer estimate would be a guess."""
_RATE_WINDOW_S: Final = 10.0
_STARTS_REMEMBERED: Final = 256


class Headroom:
    """Decides by the last measurement and later starts whether another action fits (pure).

    Before the first measurement every action fits.
    """

    def __init__(self, settings: ActionSettings) -> None:
        self._reserve_bytes = settings.action_memory_reserve_bytes
        self._together_bytes = settings.action_memory_together_bytes
        self._spare_bytes: int | None = None
        self._started_since = 0

    def measured(self, memory: Measured, held_bytes: int, beginning: int = 0) -> int:
        """Stores a measurement. Returns how many bytes are lacking, or 0.

        `held_bytes` is the memory of all actions but those `beginning`, which have no process yet.
        """
        reserve_bytes = self.reserve_bytes(memory)
        spare_bytes = memory.available_bytes - reserve_bytes
        # Half of the reserve: between half and the whole, no action begins and none must end.
        lacking_bytes = reserve_bytes // 2 - memory.available_bytes
        if self._together_bytes:
            spare_bytes = min(spare_bytes, self._together_bytes - held_bytes)
            lacking_bytes = max(lacking_bytes, held_bytes - self._together_bytes)
        self._spare_bytes = spare_bytes
        self._started_since = beginning
        return max(lacking_bytes, 0)

    def reserve_bytes(self, memory: Measured) -> int:
        """Returns how much memory is kept free."""
        return max(self._reserve_bytes, memory.total_bytes * RESERVE_PERCENT // 100)

    def started(self) -> None:
        """Counts one more action until the next measurement."""
        self._started_since += 1

    def lacking_for_one_bytes(self) -> int:
        """Returns how many bytes another action lacks, 0 if it fits."""
        if self._spare_bytes is None:
            return 0
        return max((self._started_since + 1) * START_BYTES - self._spare_bytes, 0)

    def for_one_more(self) -> bool:
        """Returns whether another action fits."""
        return not self.lacking_for_one_bytes()


class Place:
    """Place of one action, from admission to its end."""

    __slots__ = ("account", "began_at", "foreground")

    def __init__(self, account: int, began_at: float) -> None:
        self.account = account
        self.began_at = began_at
        self.foreground = True


class RetryAfter:
    """Estimates a refused client's Retry-After from the recent rate of admissions (pure).

    All times are of one monotonic clock, in seconds.
    """

    def __init__(self, now: float, longest_s: int) -> None:
        self._starts: deque[float] = deque([now], maxlen=_STARTS_REMEMBERED)
        self._longest_s = longest_s

    def started(self, now: float) -> None:
        """Counts an admission."""
        self._starts.append(now)

    def seconds(self, waiting: int, now: float) -> int:
        """Returns in how many seconds a client behind `waiting` others is admitted, at least 1.

        Time without an admission lengthens the estimate.
        """
        while len(self._starts) > 1 and self._starts[0] < now - _RATE_WINDOW_S:
            self._starts.popleft()
        for_each_s = max(now - self._starts[0], 0.0) / len(self._starts)
        return min(max(math.ceil((waiting + 1) * for_each_s), 1), self._longest_s)


class Gate:
    """Admits actions. `clock` is in monotonic seconds; both maxima depend on the machine."""

    def __init__(
        self,
        settings: ActionSettings,
        headroom: Headroom,
        metrics: AdmissionMetrics,
        *,
        foreground_max: int,
        places_max: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.foreground_s = FOREGROUND_S
        self._settings = settings
        self._headroom = headroom
        self._metrics = metrics
        self._clock = clock
        self._places_max = min(settings.action_concurrent_max, places_max)
        # An account has at most half of the foreground, so that another one finds a place.
        self._foreground = FairPlaces(foreground_max, (foreground_max + 1) // 2, self._admit, self._is_open)
        self._retry_after = RetryAfter(clock(), RETRY_AFTER_MAX_S)
        self._begun: deque[Place] = deque()
        self.running = 0
        metrics.watch(lambda: self.waiting)

    @property
    def waiting(self) -> int:
        """Number of waiting actions."""
        return len(self._foreground.queue)

    @property
    def waiting_accounts(self) -> Collection[int]:
        """Accounts of the waiting actions."""
        return self._foreground.queue.accounts

    async def enter(self, account: int) -> Place:
        """Waits for a place. Raises LimitReachedError. A cancellation leaves nothing behind."""
        if self._foreground.may_have(account):
            self._metrics.waited(0.0)
            return self._foreground.give(account)
        if self.waiting >= self._settings.action_queue_max:
            raise self._refuse("full", "The node runs and queues as many actions as it can.")
        began_at = self._clock()
        try:
            async with asyncio.timeout(self._settings.action_queue_wait_max_s):
                place = await self._foreground.take(account, self.leave)
        except TimeoutError:
            raise self._refuse("waited", "The node is too busy to run the action now.") from None
        self._metrics.waited(self._clock() - began_at)
        return place

    def to_background(self, place: Place) -> None:
        """End the action's foreground, so that others may begin."""
        # Told by the first host call, by age and by the end: only the first of them counts.
        if place.foreground:
            place.foreground = False
            self._foreground.free(place.account)

    def age(self) -> None:
        """Ends the foreground of actions that have used it up. Called periodically."""
        oldest = self._clock() - self.foreground_s
        # They are in the order of their start. Those that ended early are removed here.
        while self._begun and (not self._begun[0].foreground or self._begun[0].began_at <= oldest):
            self.to_background(self._begun.popleft())

    def leave(self, place: Place) -> None:
        """Frees the place of an action that has ended."""
        self.running -= 1
        self.to_background(place)
        self.let_in()

    def let_in(self) -> None:
        """Admit waiting actions while there are places. Called whenever there may be more."""
        self._foreground.serve()

    def retry_after_s(self) -> int:
        """Return when a newcomer would be admitted."""
        return self._retry_after.seconds(self.waiting, self._clock())

    def _is_open(self) -> bool:
        return self.running < self._places_max and self._headroom.for_one_more()

    def _admit(self, account: int) -> Place:
        self.running += 1
        self._headroom.started()
        now = self._clock()
        self._retry_after.started(now)
        place = Place(account, now)
        self._begun.append(place)
        return place

    def _refuse(self, reason: Literal["full", "waited"], message: str) -> LimitReachedError:
        self._metrics.refused(reason)
        fix = "Nothing ran and nothing was charged: send the request again after Retry-After."
        return LimitReachedError(message, fix=fix, retry_after_s=self.retry_after_s())
