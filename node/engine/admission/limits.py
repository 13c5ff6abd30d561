"""Limits of starting actions and of keeping many of them, as settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """What decides whether an action starts, waits or is refused; every field is a setting."""

    concurrent_max: int = 4096
    """Actions of the node running at a time, whatever memory there is; also at most a sixth of its descriptors."""
    foreground_s: float = 0.1
    """How long an action runs at the node's own priority; then its worker has what nobody else wants. Its turn is as long."""
    foreground_per_processor: int = 16
    """Actions in that first time together, for each processor; further ones wait, and one account has at most half."""
    queue_max: int = 512
    """Actions waiting for their turn; more are 429."""
    queue_wait_max_s: float = 10.0
    """An action that waits longer for its turn is 429."""
    retry_after_max_s: int = 60
    """The longest Retry-After of a 429; it is as long as turns are seen to take."""
    start_bytes: int = 1_500_000
    """What an action is counted with until its memory is measured, and at least."""
    memory_reserve_bytes: int = 256 * 1024 * 1024
    """Nothing starts while less than this is left; below half of it actions are ended, the greediest account's first."""
    memory_reserve_percent: int = 10
    """The same as a part of what the container may use; the larger one counts."""
    memory_together_bytes: int = 0
    """What all actions together may hold; 0: what the container has."""
    memory_wait_s: float = 1.0
    """When so long nothing could start for lack of memory, the greediest account's actions make room for others'."""
    memory_modest_bytes: int = 32 * 1024 * 1024
    """An account whose actions hold no more than this together makes no room; only below half of the reserve it may."""
    memory_interval_s: float = 0.05
    """How often memory is measured."""
