"""Limits of one action and of the engine, as decisions.md section 6 sets them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """What the engine enforces; every field is a setting."""

    action_timeout_s: float = 900.0
    """Wall time of one action."""
    action_memory_bytes: int = 128 * 1024 * 1024
    """Memory of the script's instance."""
    response_bytes: int = 1024 * 1024
    """JSON text of the response, UTF-8."""
    response_depth: int = 100
    """Nesting of arrays and objects in the response."""
    response_values: int = 100_000
    """JSON values in the response: building them keeps everybody else waiting."""
    response_inline_bytes: int = 64 * 1024
    """Responses above this size are parsed in a thread, so that others do not wait for it."""
    log_bytes: int = 100 * 1024
    """All logs of one action, UTF-8, line ends included."""
    log_lines: int = 10_000
    """Lines of the logs; each costs the node some twenty microseconds, however short it is."""
    frame_bytes: int = 4 * 1024 * 1024
    """One message from an action."""
    host_calls: int = 1_000
    """Calls of one action to the node, of every kind."""
    host_call_values: int = 20_000
    """JSON values in one call; an action that sends more is ended, since building them holds up everybody else."""
    host_time_s: float = 5.0
    """Processor time of the node for one action's calls, logs and response; every limit of them used up takes 2 to 3 s."""
    pending_host_calls: int = 16
    """Calls of one action worked on at a time; further ones wait."""
    answer_backlog_bytes: int = 8 * 1024 * 1024
    """Answers that a worker has not read; while there are more, no further call of its actions is begun."""
    spare_workers: int = 4
    """Workers started ahead, so that the first action of a program waits for none."""
    idle_workers: int = 64
    """Workers kept for the next action of their program; beyond that the least recently used ends."""
    zygote_max_age_s: float = 600.0
    """Age at which a zygote, and with it the address layout of the workers, is replaced."""


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
