"""Settings of earlier versions that are constants now, and where each of them is."""

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    # http
    # chain
    "wallet_signature_timeout_s": "node.chain.wallet_contracts.SIGNATURE_TIMEOUT_S",
    "rpc_response_max_bytes": "node.chain.rpc.endpoint.RESPONSE_MAX_BYTES",
    "rpc_endpoint_rest_s": "node.chain.rpc.endpoint.ENDPOINT_REST_S",
    "rpc_behind_timeout_s": "node.chain.quorum.client.BEHIND_TIMEOUT_S",
    "rpc_behind_poll_s": "node.chain.quorum.client.BEHIND_POLL_S",
    "rpc_dissent_wait_s": "node.chain.quorum.client.TIE_BREAK_TIMEOUT_S",
    "rpc_log_interval_s": "node.chain.rpc.endpoint.LOG_INTERVAL_S",
    "rpc_relied_heads": "node.chain.quorum.heads.OBSERVED_HEADS_MAX",
    "chain_head_poll_s": "node.chain.quorum.reader.HEAD_POLL_S",
    "rpc_websocket_open_timeout_s": "node.chain.rpc.websocket.OPEN_TIMEOUT_S",
    "rpc_websocket_close_timeout_s": "node.chain.rpc.websocket.CLOSE_TIMEOUT_S",
    "rpc_websocket_heartbeat_s": "node.chain.rpc.websocket.HEARTBEAT_S",
    "rpc_websocket_message_max_bytes": "node.chain.rpc.websocket.MESSAGE_MAX_BYTES",
    "listener_wake_min_s": "node.chain.listener.listener.WAKE_MIN_S",
    "listener_backoff_min_s": "node.chain.listener.listener.BACKOFF_MIN_S",
    "listener_backoff_max_s": "node.chain.listener.listener.BACKOFF_MAX_S",
    "listener_exchange_timeout_s": "node.chain.listener.queries.EXCHANGE_TIMEOUT_S",
    "listener_logs_max": "node.chain.listener.queries.LOGS_MAX",
    "listener_chunks_max": "node.chain.listener.follower.RANGES_PER_POLL_MAX",
    "listener_overlap_blocks": "node.chain.listener.follower.OVERLAP_BLOCKS",
    "listener_catch_up_max_blocks": "node.chain.listener.follower.CATCH_UP_MAX_BLOCKS",
    "listener_margin_blocks": "node.chain.listener.follower.MARGIN_BLOCKS",
    "listener_behind_max_s": "node.chain.listener.follower.BEHIND_MAX_S",
    "listener_trail_max": "node.chain.listener.follower.CHECKPOINTS_MAX",
    "listener_relied_max": "node.chain.listener.follower.UNCONFIRMED_MAX",
    "listener_websocket_silence_s": "node.chain.listener.listener.WEBSOCKET_SILENCE_S",
    "listener_websocket_backoff_min_s": "node.chain.listener.listener.WEBSOCKET_BACKOFF_MIN_S",
    "listener_websocket_backoff_max_s": "node.chain.listener.listener.WEBSOCKET_BACKOFF_MAX_S",
    "authorisation_stalled_grant_ttl_s": "node.chain.authorisations.invalidation.STALLED_GRANT_TTL_S",
    "authorisation_max_readings_per_key": "node.chain.authorisations.cache.ENTRIES_PER_KEY_MAX",
    "authorisation_max_groups_per_key": "node.chain.authorisations.cache.GROUPS_PER_KEY_MAX",
    "authorisation_max_changed_accounts": "node.chain.authorisations.cache.CHANGED_ACCOUNTS_MAX",
    "authorisation_max_reorganisations": "node.chain.authorisations.cache.REORGANISATIONS_MAX",
    "admins_endpoint_timeout_s": "node.chain.admins.history.ENDPOINT_TIMEOUT_S",
    "admins_exchange_timeout_s": "node.chain.admins.history.EXCHANGE_TIMEOUT_S",
    "admins_batch_max_calls": "node.chain.admins.history.BATCH_MAX_CALLS",
    "admins_hedge_delay_s": "node.chain.admins.admins.HEDGE_DELAY_S",
    "admins_max_per_account": "node.chain.admins.history.ADMINS_PER_ACCOUNT_MAX",
    "admins_max_accounts": "node.chain.admins.admins.ACCOUNTS_MAX",
    "token_wake_min_s": "node.chain.deposits.watcher.WAKE_MIN_S",
    "token_backoff_min_s": "node.chain.deposits.watcher.BACKOFF_MIN_S",
    "token_backoff_max_s": "node.chain.deposits.watcher.BACKOFF_MAX_S",
    "token_exchange_timeout_s": "node.chain.deposits.reader.EXCHANGE_TIMEOUT_S",
    "token_hedge_delay_s": "node.chain.deposits.reader.HEDGE_DELAY_S",
    "token_log_range_blocks": "node.chain.deposits.watcher.LOG_RANGE_BLOCKS",
    "token_logs_max": "node.chain.deposits.reader.LOGS_MAX",
    "token_chunks_max": "node.chain.deposits.watcher.RANGES_PER_LOOK_MAX",
    "token_overlap_blocks": "node.chain.deposits.watcher.OVERLAP_BLOCKS",
    "token_rewind_blocks": "node.chain.deposits.watcher.REWIND_BLOCKS",
    "token_behind_max_s": "node.chain.deposits.watcher.BEHIND_MAX_POLLS",
    "token_stalled_after_s": "node.chain.deposits.watcher.STALLED_AFTER_S",
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
