"""The bounds of one JSON-RPC exchange."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RpcLimits:
    """How long and how much an endpoint may take.

    `attempt_timeout_s`: one HTTP exchange with one endpoint, in seconds.
    `call_timeout_s`: one call with all its fallbacks, in seconds.
    `response_max_bytes`: the largest answer that is read, decompressed.
    `endpoint_rest_s`: an endpoint that failed is asked last for so many seconds.
    `behind_timeout_s`: how long a read waits for a head that this node's own writes have passed, in seconds.
    `behind_poll_s`: the pause before such a read asks again, in seconds.
    `log_interval_s`: one and the same trouble with an endpoint is logged at most once in so many seconds.
    """

    attempt_timeout_s: float = 5.0
    call_timeout_s: float = 10.0
    response_max_bytes: int = 16 * 1024 * 1024
    endpoint_rest_s: float = 5.0
    behind_timeout_s: float = 3.0
    behind_poll_s: float = 0.05
    log_interval_s: float = 10.0
