"""Every setting of chain writes, with its unit in its name."""

from dataclasses import dataclass, field

GWEI = 10**9
ETHER = 10**18
TRANSACTION_GAS_MAX = 16_000_000
"""Chains refuse a transaction of more than 2^24 gas (EIP-7825); this stays clear of it."""


@dataclass(frozen=True, slots=True)
class FeeLimits:
    """Bounds of the fees that are offered (EIP-1559), in wei per gas.

    `max_fee_cap_wei`: nothing is ever offered above it. `priority_fee_min_wei` and `priority_fee_max_wei` bound the
    tip around what the endpoint suggests. `base_fee_headroom_percent`: how far the base fee may rise before an offer
    is too low. `bump_percent`: how much more each replacement offers (mempools refuse less than 10).
    `suggestion_age_s`: how long the endpoint's suggested tip is used again.
    """

    max_fee_cap_wei: int = 500 * GWEI
    priority_fee_min_wei: int = GWEI // 10_000
    priority_fee_max_wei: int = 50 * GWEI
    base_fee_headroom_percent: int = 100
    bump_percent: int = 25
    suggestion_age_s: float = 10.0


@dataclass(frozen=True, slots=True)
class PayerLimits:
    """Settings of this instance's payers and their gas money.

    `count`: how many. `low_balance_wei`: below it a payer is topped up, to `target_balance_wei`. `reserve_wei`: what
    each payer keeps for paid writes: free writes (new accounts) stop there. `in_flight_max`: unfinished
    transactions a payer may have (mempools drop long queues of one sender). `rebalance_interval_s`: how often
    balances are read; `retry_interval_s`: how soon after a round that did not succeed. `setup_timeout_s`: how long a
    start waits for registration and the first top-ups.
    """

    count: int = 4
    low_balance_wei: int = ETHER // 5
    target_balance_wei: int = ETHER // 2
    reserve_wei: int = ETHER // 20
    in_flight_max: int = 64
    rebalance_interval_s: float = 60.0
    retry_interval_s: float = 5.0
    setup_timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class WriteLimits:
    """Settings of how writes are sent and tracked.

    `receipt_timeout_s`: how long a caller waits before `chain_timeout`; the write is tracked further.
    `queue_timeout_s`: how long it waits before that for a payer below `in_flight_max`.
    `poll_min_s`, `poll_max_s`: pause between polls for receipts; it grows with the time waited.
    `follow_interval_s`: how often unfinished writes and payers' nonces are gone over.
    `resend_after_s`: the same bytes are sent again after so long. `replace_after_s`: a higher fee is offered after so
    long. `cancel_after_s`: a write still not on chain is replaced by an empty transaction, so that the payer's later
    ones are not stuck behind it; it then fails. `nonce_proof_s`: how long a nonce must be seen used by none of our
    transactions before the write is given up. `recovery_wait_s`: how long a start waits for what it sent again.
    `stop_timeout_s`: how long a stop waits for observers and the journal. `keep_finished_s`: how long finished writes
    stay (idempotency, and to send again what a chain has lost).
    `gas_margin_percent`: added to the estimated gas; `gas_limit_max`: no write of a user may need more. The admin payer's
    transactions, which only the operator's settings shape, are bounded by `TRANSACTION_GAS_MAX` alone.
    `fillers_max`: how many nonces without a kept transaction are filled after a chain lost blocks.
    """

    receipt_timeout_s: float = 30.0
    queue_timeout_s: float = 10.0
    poll_min_s: float = 0.001
    poll_max_s: float = 1.0
    follow_interval_s: float = 1.0
    resend_after_s: float = 5.0
    replace_after_s: float = 30.0
    cancel_after_s: float = 600.0
    nonce_proof_s: float = 3.0
    recovery_wait_s: float = 10.0
    stop_timeout_s: float = 5.0
    keep_finished_s: float = 25 * 3600.0
    gas_margin_percent: int = 30
    gas_limit_max: int = 3_000_000
    fillers_max: int = 1000
    fees: FeeLimits = field(default_factory=FeeLimits)
