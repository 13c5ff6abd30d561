"""The bounds of the listener."""

from dataclasses import dataclass, field

from node.chain.rpc import WebsocketLimits


@dataclass(frozen=True, slots=True)
class ListenerLimits:
    """How often an endpoint is asked, how much at once, and when something counts as lost.

    `rpc_log_interval_s`: the same trouble with an endpoint is logged at most once in so many seconds.
    `poll_s`: from the begin of a poll to that of the next when nothing wakes it, in seconds.
    `wake_min_s`: the least pause between two polls, and between two announcements that are read, in seconds.
    `backoff_min_s`, `backoff_max_s`: the pause after a poll that failed; doubled from failure to failure, in seconds.
    `exchange_timeout_s`: one request to an endpoint, in seconds.
    `batch_max_calls`: the most calls in one request; hosted endpoints refuse large batches.
    `log_range_blocks`: the most blocks whose logs are asked at once; halved when refused, and grown again.
    `logs_max`: the most logs that are taken from one answer; with more the range counts as refused.
    `chunks_max`: the most log ranges read in one poll; the next poll goes on from there.
    `overlap_blocks`: blocks read already whose logs are read again, for endpoints that index them late.
    `catch_up_max_blocks`: farther behind than that everything is voided instead of read.
    `margin_blocks`: a read may rely on a block so much older than an endpoint's head; where nothing older needs to
    be read (an empty cache, or one that was voided) logs are read from there.
    `behind_max_s`: an endpoint whose head stays below what it showed before has lost blocks, in seconds.
    `trail_max`: earlier positions that are kept, to find the newest block that a reorganisation left.
    `relied_max`: the most blocks that reads relied on and this endpoint has yet to confirm.
    `chain_max_head_age_s`: a poll whose head is older than that does not count as fresh, in seconds; 0 is off.
    `websocket_silence_s`: a subscription that announces nothing for so long is renewed, in seconds.
    `websocket_backoff_min_s`, `websocket_backoff_max_s`: the pause before a lost one is tried again, in seconds.
    """

    rpc_log_interval_s: float = 10.0
    poll_s: float = 10.0
    wake_min_s: float = 0.1
    backoff_min_s: float = 0.5
    backoff_max_s: float = 10.0
    exchange_timeout_s: float = 10.0
    batch_max_calls: int = 50
    log_range_blocks: int = 2000
    logs_max: int = 20_000
    chunks_max: int = 32
    overlap_blocks: int = 8
    catch_up_max_blocks: int = 50_000
    margin_blocks: int = 256
    behind_max_s: float = 30.0
    trail_max: int = 128
    relied_max: int = 256
    chain_max_head_age_s: float = 60.0
    websocket_silence_s: float = 120.0
    websocket_backoff_min_s: float = 1.0
    websocket_backoff_max_s: float = 60.0
    websocket: WebsocketLimits = field(default_factory=WebsocketLimits)
