"""The bounds of token payments."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """When a deposit counts, how the chain is read for it, and how much one can credit.

    `token_confirmations`: blocks it takes, the deposit's own counted in, before it is credited for good.
    `token_first_block`: the block from which deposits are looked for: the deposit contract's own.
    `token_poll_s`: from one look to the next, in seconds, when no new head wakes it.
    `token_wake_min_s`: the shortest pause between two looks, in seconds.
    `token_backoff_min_s`, `token_backoff_max_s`: the pause after a look that failed, doubled each time, in seconds.
    `token_exchange_timeout_s`: one request to an endpoint, in seconds.
    `token_hedge_delay_s`: an endpoint that takes longer, in seconds, is not waited for alone.
    `token_log_range_blocks`: blocks whose logs are asked at once; halved when too few endpoints give them.
    `token_logs_max`: logs taken from one answer; with more the range counts as not given.
    `token_chunks_max`: ranges read in one look.
    `token_overlap_blocks`: settled blocks that are read again each time, for endpoints that index late.
    `token_rewind_blocks`: how far is gone back when a settled block is no longer there.
    `token_behind_max_s`: a head below the settled blocks for so long, in seconds, is gone back for as well.
    `token_stalled_after_s`: without a look that went well for so long, in seconds, /health says so.
    `token_max_credit_microdollars`: a deposit worth more is left to the operator.
    """

    token_confirmations: int = 30
    token_first_block: int = 0
    token_poll_s: float = 10.0
    token_wake_min_s: float = 5.0
    token_backoff_min_s: float = 1.0
    token_backoff_max_s: float = 30.0
    token_exchange_timeout_s: float = 10.0
    token_hedge_delay_s: float = 2.0
    token_log_range_blocks: int = 2000
    token_logs_max: int = 20_000
    token_chunks_max: int = 32
    token_overlap_blocks: int = 64
    token_rewind_blocks: int = 1024
    token_behind_max_s: float = 60.0
    token_stalled_after_s: float = 120.0
    token_max_credit_microdollars: int = 10**14
