"""Settings of earlier versions that are constants now, and where each of them is."""

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    # http
    # chain
    # writes
    "write_queue_timeout_s": "node.chain.writes.writer.QUEUE_TIMEOUT_S",
    "write_poll_min_s": "node.chain.writes.broadcast.POLL_MIN_S",
    "write_poll_max_s": "node.chain.writes.broadcast.POLL_MAX_S",
    "write_follow_interval_s": "node.chain.writes.tracker.CHECK_INTERVAL_S",
    "write_resend_after_s": "node.chain.writes.tracker.RESEND_AFTER_S",
    "write_nonce_proof_s": "node.chain.writes.tracker.NONCE_PROOF_S",
    "write_recovery_wait_s": "node.chain.writes.recovery.RECOVERY_WAIT_S",
    "write_keep_finished_s": "node.chain.writes.transactor.KEEP_FINISHED_S",
    "write_gas_margin_percent": "node.chain.writes.simulation.GAS_MARGIN_PERCENT",
    "write_fillers_max": "node.chain.writes.recovery.FILLERS_MAX",
    "fee_priority_fee_max_wei": "node.chain.writes.simulation.PRIORITY_FEE_MAX_WEI",
    "fee_base_fee_headroom_percent": "node.chain.writes.simulation.BASE_FEE_HEADROOM_PERCENT",
    "fee_bump_percent": "node.chain.writes.simulation.BUMP_PERCENT",
    "fee_suggestion_age_s": "node.chain.writes.simulation.TIP_MAX_AGE_S",
    "payer_reserve_wei": "node.chain.writes.payer_accounts.RESERVE_PART",
    "payer_in_flight_max": "node.chain.writes.payer_accounts.IN_FLIGHT_MAX",
    "payer_retry_interval_s": "node.chain.writes.payers.RETRY_INTERVAL_S",
    "payer_setup_timeout_s": "node.chain.writes.payers.SETUP_TIMEOUT_S",
    # execution
    # egress
    # platform
    # ledger
    # processor
    # status
}
"""Former setting -> the constant that replaced it."""
