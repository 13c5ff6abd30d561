"""Limits of one action and of the engine, as decisions.md section 6 sets them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """What the engine enforces; every field is a setting."""

    action_timeout_s: float = 900.0
    """Wall time of one action."""
    action_memory_bytes: int = 128 * 1024 * 1024
    """Memory of the script, as its engine counts it."""
    process_overhead_bytes: int = 256 * 1024 * 1024
    """Address space of an action's process beyond the script's memory."""
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
    """One message from an action's process."""
    host_calls: int = 1_000
    """Calls of one action to the node, of every kind."""
    host_call_values: int = 20_000
    """JSON values in one call; an action that sends more is ended, since building them holds up everybody else."""
    host_time_s: float = 5.0
    """Processor time of the node for one action's calls, logs and response; every limit of them used up takes 2 to 3 s."""
    pending_host_calls: int = 16
    """Calls of one action worked on at a time; further ones wait."""
    waiting_call_bytes: int = 4 * 1024 * 1024
    """Calls of one action that wait; at more, nothing further of it is read until one has its turn."""
    answer_backlog_bytes: int = 8 * 1024 * 1024
    """Answers to calls that the action has not read; while there are more, no further call is begun."""
    idle_children: int = 4
    """Processes started ahead, so that starting one is not waited for."""
    child_start_timeout_s: float = 10.0
    """From asking the zygote for a process to its being ready."""
    children_starting: int = 8
    """Processes asked of the zygote at a time; further requests wait."""
    zygote_max_children: int = 10_000
    """Processes forked from one zygote before a fresh one, with an address layout of its own, takes its place."""
    zygote_max_age_s: float = 600.0
    """Age at which the same happens."""
    zygote_start_timeout_s: float = 20.0
    """From starting a zygote to its being ready, the libraries of actions loaded."""
    zygote_restart_delay_s: float = 0.1
    """Before another attempt when a zygote did not start or died young; doubled each time."""
    zygote_restart_delay_max_s: float = 5.0
    """What that delay grows to, and the age from which on a zygote did not die young."""
