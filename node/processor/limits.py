"""The bounds of what is asked of the card processor and of what it tells."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProcessorLimits:
    """Settings.

    `connect_timeout_s`, `attempt_timeout_s`: one HTTP exchange, in seconds.
    `call_timeout_s`: one call with its waits and repetitions, in seconds.
    `check_timeout_s`: each of the three calls at the start, in seconds.
    `repetitions`: how often a call that met no answer, a 409 or a 5xx is repeated, half a second to five apart.
    `response_max_bytes`, `response_max_values`: the largest answer that is read, decompressed, and the most JSON values in it.
    `listed_max`: the most objects one listing gathers.
    `concurrent_max`, `requests_per_second`: of this node; the processor allows an account 100 of either kind a second,
    25 in test mode (https://docs.stripe.com/rate-limits).
    `too_many_rest_s`, `too_many_rest_max_s`: nothing is asked for so long after a 429 that does not say, or says, how long.
    `failures_to_open`, `open_s`: after so many failures in a row nothing is asked for so long.
    `failures_to_degrade`, `successes_to_recover`: in a row, until health says so.
    `webhook_max_bytes`: the largest event a webhook call may hold.
    `webhook_tolerance_s`: how far the time of a webhook's signature may be from ours, in seconds.
    """

    connect_timeout_s: float = 5.0
    attempt_timeout_s: float = 10.0
    call_timeout_s: float = 25.0
    check_timeout_s: float = 10.0
    repetitions: int = 2
    response_max_bytes: int = 16 * 1024 * 1024
    response_max_values: int = 500_000
    listed_max: int = 1_000_000
    concurrent_max: int = 8
    requests_per_second: float = 20.0
    too_many_rest_s: float = 1.0
    too_many_rest_max_s: float = 30.0
    failures_to_open: int = 5
    open_s: float = 10.0
    failures_to_degrade: int = 3
    successes_to_recover: int = 2
    webhook_max_bytes: int = 512 * 1024
    webhook_tolerance_s: float = 300.0
