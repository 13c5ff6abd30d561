"""Settings of earlier versions that are constants now, and where each of them is."""

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    # http
    # chain
    # writes
    # execution
    "action_params_depth": "node.execution.service._PARAMS_DEPTH_MAX",
    "action_response_depth": "node.engine.session._RESPONSE_DEPTH_MAX",
    "action_response_values": "node.engine.limits.RESPONSE_VALUES_MAX",
    "action_response_inline_bytes": "node.engine.session._RESPONSE_INLINE_BYTES",
    "action_frame_bytes": "node.engine.limits.FRAME_BYTES_MAX",
    "action_host_call_values": "node.engine.calls._CALL_VALUES_MAX",
    "action_pending_host_calls": "node.engine.calls.PENDING_CALLS_MAX",
    "action_answer_backlog_bytes": "node.engine.calls.ANSWER_BACKLOG_BYTES",
    "action_derivations_remembered": "node.execution.wallet_keys.DERIVATIONS_REMEMBERED",
    "action_encrypt_message_bytes": "node.execution.host_calls.ENCRYPT_BYTES_MAX",
    "action_foreground_s": "node.engine.admission.gate.FOREGROUND_S",
    "action_foreground_per_processor": "node.engine.admission.gate.FOREGROUND_PER_PROCESSOR",
    "action_retry_after_max_s": "node.engine.admission.gate.RETRY_AFTER_MAX_S",
    "action_start_bytes": "node.engine.admission.memory.START_BYTES",
    "action_memory_reserve_percent": "node.engine.admission.memory.RESERVE_PERCENT",
    "action_memory_wait_s": "node.engine.admission.guard.MEMORY_WAIT_S",
    "action_memory_modest_bytes": "node.engine.admission.guard._MODEST_BYTES",
    "action_memory_interval_s": "node.engine.admission.admission.MEMORY_INTERVAL_S",
    "zygote_max_age_s": "node.engine.zygotes.ZYGOTE_MAX_AGE_S",
    "action_funds_lead_s": "node.execution.service.FUNDS_LEAD_S",
    "action_inline_cid_bytes": "node.execution.programs.INLINE_CID_CHARACTERS",
    "explain_max_tracked_accounts": "node.execution.explain._TRACKED_ACCOUNTS_MAX",
    # egress
    "egress_url_characters": "node.engine.egress.targets._URL_CHARACTERS_MAX",
    "egress_request_headers": "node.engine.egress.messages._HEADERS_MAX",
    "egress_request_header_bytes": "node.engine.egress.messages._HEADER_BYTES_MAX",
    "egress_response_headers": "node.engine.egress.client.RESPONSE_HEADERS_MAX",
    "egress_response_header_bytes": "node.engine.egress.client.RESPONSE_HEADER_BYTES_MAX",
    "egress_held_bytes_per_account": "node.engine.egress.egress.HELD_BYTES_PER_ACCOUNT",
    "egress_reading_cpu_s_per_action": "node.engine.egress.egress.READING_CPU_S",
    "egress_lookups": "node.engine.egress.egress._LOOKUPS_MAX",
    "egress_lookups_per_account": "node.engine.egress.egress._LOOKUPS_PER_ACCOUNT_MAX",
    "egress_sockets_per_account": "node.engine.egress.egress.SOCKETS_PER_ACCOUNT",
    # platform
    # ledger
    # processor
    # status
}
"""Former setting -> the constant that replaced it."""
