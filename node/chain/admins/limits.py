"""The bounds of looking up who administered an account."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AdminHistoryLimits:
    """Bounds of reading histories, and of believing them.

    `authorisation_grant_ttl_s`: a history is used so long, in seconds, without asking who the admin is now, while no
    news comes. `authorisation_stalled_after_s`: a listener that lags more, in seconds, brings no news: then it is asked
    each time.
    `endpoint_timeout_s`: the longest that one endpoint may take over the logs of one account, in seconds.
    `exchange_timeout_s`: one request to an endpoint, in seconds.
    `batch_max_calls`: log ranges asked in one request, once an endpoint has refused to give all blocks' logs at once.
    `hedge_delay_s`: an endpoint that takes longer, in seconds, is not waited for alone.
    `max_per_account`: of an account that was handed on more often, the latest so many admins are used.
    `max_accounts`: accounts whose history is kept; beyond it the one used longest ago goes.
    """

    authorisation_grant_ttl_s: float = 300.0
    authorisation_stalled_after_s: float = 30.0
    endpoint_timeout_s: float = 20.0
    exchange_timeout_s: float = 5.0
    batch_max_calls: int = 10
    hedge_delay_s: float = 5.0
    max_per_account: int = 64
    max_accounts: int = 10_000
