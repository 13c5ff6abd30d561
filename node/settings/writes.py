"""Settings of the transactions the node sends."""

from node.settings.field import WEI_PER_ETHER, WEI_PER_GWEI, Section
from node.settings.field import of as _of


class WriteSettings(Section):
    """Transactions the node sends: deadlines, resending, gas."""

    write_receipt_timeout_s: float = _of(30.0, "how long a caller waits for a write before 504", gt=0)
    write_queue_timeout_s: float = _of(10.0, "how long a write waits for its payer's turn", gt=0)
    write_poll_min_s: float = _of(0.001, "shortest pause between looks for receipts", gt=0)
    write_poll_max_s: float = _of(1.0, "longest pause between looks for receipts", gt=0)
    write_follow_interval_s: float = _of(1.0, "how often unfinished writes are gone over", gt=0)
    write_resend_after_s: float = _of(5.0, "the same bytes are sent again after so long", gt=0)
    write_replace_after_s: float = _of(30.0, "a higher fee is offered after so long", gt=0)
    write_cancel_after_s: float = _of(600.0, "a write still not on chain is cancelled after so long", gt=0)
    write_stop_timeout_s: float = _of(5.0, "how long a stopping node waits for the writes it sent", gt=0)
    write_nonce_proof_s: float = _of(3.0, "how long a foreign nonce must be seen before a write is given up", gt=0)
    write_recovery_wait_s: float = _of(10.0, "how long a start waits for the writes it sent again", gt=0)
    write_keep_finished_s: float = _of(90_000.0, "how long finished writes stay in the journal", gt=0)
    write_gas_margin_percent: int = _of(30, "added to estimated gas", ge=0)
    write_gas_limit_max: int = _of(
        3_000_000, "most gas a user's write may take; more is 400 (docs/operators.md: what one cent covers)", ge=600_000
    )
    write_fillers_max: int = _of(1000, "nonces filled after a chain lost blocks", ge=0)


class FeeSettings(Section):
    """Gas fees offered for transactions."""

    fee_max_fee_cap_wei: int = _of(500 * WEI_PER_GWEI, "most that is ever offered per gas", ge=1)
    fee_priority_fee_min_wei: int = _of(WEI_PER_GWEI // 10_000, "smallest tip per gas", ge=0)
    fee_priority_fee_max_wei: int = _of(50 * WEI_PER_GWEI, "largest tip per gas", ge=0)
    fee_base_fee_headroom_percent: int = _of(100, "how far the base fee may rise before an offer is too low", ge=0)
    fee_bump_percent: int = _of(25, "how much more each replacement offers", ge=10)
    fee_suggestion_age_s: float = _of(10.0, "how long an endpoint's suggested tip is used again", ge=0)


class PayerSettings(Section):
    """The payer accounts that send transactions, and the budget of free writes."""

    free_writes_per_hour_wei: int = _of(
        WEI_PER_ETHER // 50,
        "gas money an hour for writes nobody pays for, half of it for new accounts; more are 429 (docs/operators.md)",
        ge=0,
    )
    payer_count: int = _of(4, "payers of this instance", ge=1, le=64)
    payer_low_balance_wei: int = _of(WEI_PER_ETHER // 5, "below it a payer is topped up by the admin payer", ge=0)
    payer_target_balance_wei: int = _of(WEI_PER_ETHER // 2, "what a payer is topped up to", ge=0)
    payer_reserve_wei: int = _of(WEI_PER_ETHER // 20, "what a payer keeps for writes that are paid for", ge=0)
    payer_in_flight_max: int = _of(64, "unfinished transactions of one payer", ge=1)
    payer_rebalance_interval_s: float = _of(60.0, "how often payers' balances are looked at", gt=0)
    payer_retry_interval_s: float = _of(5.0, "how soon a payer that cannot pay yet is looked at again", gt=0)
    payer_setup_timeout_s: float = _of(60.0, "how long a start waits for payers to be named and funded", gt=0)
