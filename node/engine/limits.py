"""Limits of the engine that no operator has a reason to change."""

from dataclasses import dataclass
from typing import Final

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""One message from an action; a request's body of 3 MiB fits into it as base64."""
RESPONSE_VALUES_MAX: Final = 100_000
"""JSON values in the response of an action. Building them keeps everybody else waiting."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How processes are started, kept and given up. Nothing an operator tunes: parameters for tests."""

    runs_max: int = 10_000
    """Actions of one worker; a fresh one has an address layout and a heap that nobody has touched."""
    age_max_s: float = 600.0
    """Age from which on a worker takes no further action."""
    idle_max_s: float = 60.0
    """A worker without actions ends after this time."""
    idle_max_per_account: int = 8
    """Idle workers of one account: each holds some MiB, and new programs are free to invent."""
    end_timeout_s: float = 2.0
    """From telling a worker to end an action to its word that it did; slices of a worker are 10 ms."""
    starting_max: int = 2
    """Workers being started at a time. More would only make each of them later."""
    start_timeout_s: float = 10.0
    """From asking the zygote for a process to its being ready."""
    zygote_forks_max: int = 10_000
    """Workers forked from one zygote before a fresh one takes its place."""
    zygote_start_timeout_s: float = 20.0
    """From starting a zygote to its being ready, its snapshots loaded."""
    zygote_restart_delay_s: float = 0.1
    """Before another attempt when a zygote did not start or died young; doubled each time."""
    zygote_restart_delay_max_s: float = 5.0
    """What that delay grows to, and the age from which on a zygote did not die young."""
