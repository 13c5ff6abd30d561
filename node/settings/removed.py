"""Settings of earlier versions that are constants now, and where each of them is."""

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    # http
    "http_max_body_values": "node.http.inputs.BODY_VALUES_MAX",
    "http_max_body_values_without_key": "node.http.inputs.BODY_VALUES_WITHOUT_KEY_MAX",
    "http_max_arriving_bodies_per_address": "node.http.body.ARRIVING_BODIES_PER_ADDRESS_MAX",
    "http_body_timeout_s": "node.http.body.BODY_TIMEOUT_S",
    "http_answer_timeout_s": "node.http.protocol.ANSWER_TIMEOUT_S",
    "http_max_header_bytes": "node.http.protocol.HEADER_MAX_BYTES",
    "http_max_headers": "node.http.protocol.HEADERS_MAX",
    "http_rereads_per_minute_per_address": "node.http.server.REREADS_PER_MINUTE_PER_ADDRESS",
    "http_anonymous_idempotency_keys_per_minute_per_address": (
        "node.http.server.ANONYMOUS_IDEMPOTENCY_KEYS_PER_MINUTE_PER_ADDRESS"
    ),
    "http_max_tracked_addresses": "node.http.rate.TRACKED_ADDRESSES_MAX",
    "http_idempotency_wait_s": "node.http.idempotency.WAIT_S",
    "http_idempotency_unstored_max_bytes": "node.http.idempotency_claims.UNSTORED_MAX_BYTES",
    "https_handshake_timeout_s": "node.http.listener.HANDSHAKE_TIMEOUT_S",
    "https_shutdown_timeout_s": "node.http.listener.GOODBYE_TIMEOUT_S",
    # chain
    # writes
    # execution
    # egress
    # platform
    # ledger
    "ledger_max_entries_per_commit": "node.ledger.sqlite.group_commit.MAX_ENTRIES_PER_COMMIT",
    "ledger_remembered_causes": "node.ledger.sqlite.ledger.REMEMBERED_CAUSES",
    "ledger_max_concurrent_reads": "node.database.sqlite_reader.CONCURRENT_READS_MAX",
    "ledger_retry_after_s": "node.database.port.RETRY_AFTER_S",
    "ledger_postgres_connect_timeout_s": "node.database.postgres_connections.CONNECT_TIMEOUT_S",
    "ledger_postgres_statement_timeout_s": "node.database.postgres_connections.STATEMENT_TIMEOUT_S",
    "ledger_postgres_lock_timeout_s": "node.database.postgres_connections.LOCK_TIMEOUT_S",
    "ledger_postgres_idle_in_transaction_timeout_s": "node.database.postgres_connections.IDLE_IN_TRANSACTION_TIMEOUT_S",
    "ledger_postgres_read_timeout_s": "node.database.postgres.READ_TIMEOUT_S",
    "ledger_postgres_migration_timeout_s": "node.database.migrations.MIGRATION_TIMEOUT_S",
    "ledger_postgres_max_waiting": "node.ledger.postgres.queue.MAX_WAITING",
    "ledger_postgres_lease_s": "node.ledger.postgres.ledger.LEASE_S",
    "ledger_postgres_reservation_idle_s": "node.ledger.postgres.expiry.RESERVATION_IDLE_S",
    "ledger_postgres_ended_kept_s": "node.ledger.postgres.expiry.ENDED_KEPT_S",
    # processor
    "processor_connect_timeout_s": "node.processor.transport.CONNECT_TIMEOUT_S",
    "processor_attempt_timeout_s": "node.processor.transport.ATTEMPT_TIMEOUT_S",
    "processor_call_timeout_s": "node.processor.exchange.CALL_TIMEOUT_S",
    "processor_check_timeout_s": "node.processor.stripe_processor.CHECK_TIMEOUT_S",
    "processor_repetitions": "node.processor.stripe_processor.REPETITIONS",
    "processor_response_max_bytes": "node.processor.transport.RESPONSE_MAX_BYTES",
    "processor_response_max_values": "node.processor.transport.RESPONSE_MAX_VALUES",
    "processor_listed_max": "node.processor.exchange.LISTED_MAX",
    "processor_concurrent_max": "node.processor.transport.CONCURRENT_MAX",
    "processor_requests_per_second": "node.processor.transport.REQUESTS_PER_SECOND",
    "processor_too_many_rest_s": "node.processor.transport.TOO_MANY_REST_S",
    "processor_too_many_rest_max_s": "node.processor.transport.TOO_MANY_REST_MAX_S",
    "processor_failures_to_open": "node.processor.exchange.FAILURES_TO_OPEN",
    "processor_open_s": "node.processor.exchange.OPEN_S",
    "processor_failures_to_degrade": "node.processor.exchange.FAILURES_TO_DEGRADE",
    "processor_successes_to_recover": "node.processor.exchange.SUCCESSES_TO_RECOVER",
    "processor_webhook_max_bytes": "node.processor.port.WEBHOOK_MAX_BYTES",
    "processor_webhook_tolerance_s": "node.processor.events.WEBHOOK_TOLERANCE_S",
    "processor_sweep_overlap_s": "node.billing.payments.tables.OVERLAP_S",
    "processor_sweep_claim_s": "node.billing.payments.tables.CLAIM_S",
    "processor_events_kept_s": "node.billing.payments.sweep.EVENTS_KEPT_S",
    "processor_reversal_open_s": "node.billing.payments.sweep.REVERSAL_OPEN_S",
    "processor_key_life_s": "node.billing.payments.keys.KEY_LIFE_S",
    "processor_key_rest_s": "node.billing.payments.keys.KEY_PAUSE_S",
    "processor_sweep_payments": "node.billing.payments.sweep.PAYMENTS_PER_SWEEP",
    "processor_sweep_reversals": "node.billing.payments.sweep.REVERSALS_PER_SWEEP",
    "processor_sweep_customers": "node.billing.payments.operator_credit.CUSTOMERS_PER_SWEEP",
    "processor_sweep_changed_customers": "node.billing.payments.operator_credit.CHANGED_CUSTOMERS_PER_SWEEP",
    "processor_payment_look_max_s": "node.billing.payments.sweep.PAYMENT_LOOK_MAX_S",
    "processor_payment_look_for_s": "node.billing.payments.sweep.PAYMENT_LOOK_FOR_S",
    "processor_payment_open_days": "node.billing.payments.sweep.PAYMENT_OPEN_DAYS",
    "processor_forgotten_payments": "node.billing.payments.sweep.FORGOTTEN_PAYMENTS_PER_SWEEP",
    "processor_confirmed_per_minute_per_account": "node.billing.payments.intents.CONFIRMED_PER_MINUTE_PER_ACCOUNT",
    "processor_asked_at_once_max": "node.billing.payments.intents.ASKED_AT_ONCE_MAX",
    "mirror_every_s": "node.billing.payments.service.BALANCE_SYNC_INTERVAL_S",
    "mirror_accounts": "node.billing.payments.balance_sync.ACCOUNTS_PER_ROUND",
    "mirror_rows": "node.billing.payments.outbox.ROWS_AT_ONCE",
    "mirror_per_second": "node.billing.payments.outbox.SENT_PER_SECOND",
    "mirror_lanes": "node.billing.payments.outbox.SENDERS",
    "mirror_refused_wait_s": "node.billing.payments.outbox.REFUSED_WAIT_S",
    "mirror_failed_wait_s": "node.billing.payments.outbox.FAILED_WAIT_S",
    "mirror_failures": "node.billing.payments.outbox.FAILURES_MAX",
    # status
}
"""Former setting -> the constant that replaced it."""
