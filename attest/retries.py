"""Whether a failed call may be made again: few times, spread out, and ever fewer the more of them fail."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """How a call to the guest agent is repeated; its deadline stays the same however often that happens."""

    attempts: int = 3
    """Attempts of one call, the first included."""
    delay_s: float = 0.05
    """Longest pause before the second attempt; it doubles, and a random share of it is taken."""
    budget: int = 10
    """Repetitions in a row for all calls together, before one earns the next."""
    budget_per_call: float = 0.1
    """What a call that succeeds gives back: an agent that is gone is asked by each caller once."""


def random_share() -> float:
    """A number from 0 to 1."""
    return random.random()  # noqa: S311 - spreads attempts, protects nothing


class RetryBudget:
    """What repetitions are left, for all calls together. `share` gives a number from 0 to 1, anew each time."""

    def __init__(self, limits: RetryLimits, share: Callable[[], float] = random_share) -> None:
        self._limits = limits
        self._share = share
        self._left = float(limits.budget)

    def succeeded(self) -> None:
        """A call was answered: the budget grows, up to where it began."""
        self._left = min(self._left + self._limits.budget_per_call, float(self._limits.budget))

    def pause_s(self, attempts: int) -> float | None:
        """How long to wait after so many failed attempts, one repetition taken; None: give up."""
        if attempts >= self._limits.attempts or self._left < 1:
            return None
        self._left -= 1
        return float(self._limits.delay_s * 2 ** (attempts - 1) * self._share())
