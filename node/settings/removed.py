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
    # processor
    # status
}
"""Former setting -> the constant that replaced it."""
