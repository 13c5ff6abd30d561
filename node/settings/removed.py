"""Settings of earlier versions that are constants now, and the place of each."""

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    # http
    # chain
    # writes
    # execution
    # egress
    # platform
    "guest_agent_connect_timeout_s": "attest.guest_agent.CONNECT_TIMEOUT_S",
    "guest_agent_call_timeout_s": "attest.guest_agent.CALL_TIMEOUT_S",
    "guest_agent_quote_timeout_s": "attest.guest_agent.QUOTE_TIMEOUT_S",
    "guest_agent_response_bytes": "attest.guest_agent.RESPONSE_MAX_BYTES",
    "guest_agent_retry_attempts": "attest.guest_agent.RETRY_ATTEMPTS",
    "guest_agent_retry_delay_s": "attest.guest_agent.RETRY_PAUSE_MAX_S",
    "guest_agent_retry_budget": "attest.guest_agent.RETRY_BUDGET",
    "guest_agent_retry_budget_per_call": "attest.guest_agent.RETRY_BUDGET_PER_CALL",
    "quote_turn_timeout_s": "attest.quote_queue.TURN_TIMEOUT_S",
    "certificate_files_poll_s": "attest.certificates.files.POLL_S",
    "certificate_files_max_bytes": "attest.certificates.files.FILE_MAX_BYTES",
    "certificate_self_signed_life_s": "attest.certificates.renewal.SELF_SIGNED_LIFE_S",
    "certificate_first_wait_s": "attest.certificates.renewal.FIRST_WAIT_S",
    "certificate_renew_at_fraction": "attest.certificates.renewal.RENEW_AT_FRACTION",
    "certificate_renew_jitter_fraction": "attest.certificates.renewal.RENEW_JITTER_FRACTION",
    "certificate_retry_min_s": "attest.certificates.renewal.RETRY_MIN_S",
    "certificate_retry_max_s": "attest.certificates.renewal.RETRY_MAX_S",
    "certificate_retry_after_max_s": "attest.certificates.renewal.RETRY_AFTER_MAX_S",
    "certificate_look_again_s": "attest.certificates.renewal.CLOCK_CHECK_S",
    "acme_dns_hook_timeout_s": "attest.certificates.challenges.DNS_HOOK_TIMEOUT_S",
    "acme_request_timeout_s": "attest.certificates.acme_network.REQUEST_TIMEOUT_S",
    "acme_response_bytes": "attest.certificates.acme_network.RESPONSE_MAX_BYTES",
    "acme_nonce_retries": "attest.certificates.acme_network.NONCE_RETRIES",
    "acme_poll_s": "attest.certificates.acme_issuer.POLL_S",
    "acme_order_timeout_s": "attest.certificates.acme_issuer.ORDER_TIMEOUT_S",
    "attestation_info_max_age_s": "node.attestation.service.INFO_MAX_AGE_S",
    "attestation_rest_s": "node.attestation.service.REFUSAL_MAX_AGE_S",
    "attestation_waiting": "node.attestation.service.WAITING_MAX",
    "attestation_max_tracked_addresses": "node.attestation.service.TRACKED_ADDRESSES_MAX",
    "evidence_retry_min_s": "attest.evidence.RETRY_MIN_S",
    "evidence_retry_max_s": "attest.evidence.RETRY_MAX_S",
    "evidence_previous_sets": "attest.evidence.PREVIOUS_SETS",
    "evidence_folder_file_bytes": "attest.evidence_folder.FILE_MAX_BYTES",
    "evidence_folder_files": "attest.evidence_folder.FILES_MAX",
    "evidence_folder_poll_s": "attest.evidence_folder.POLL_S",
    # ledger
    # processor
    # status
    "health_probe_deadline_s": "node.status.health.PROBE_TIMEOUT_S",
    "health_probe_max_age_s": "node.status.health.PROBE_MAX_AGE_S",
    "health_watch_interval_s": "node.status.health.WATCH_INTERVAL_S",
}
"""Former setting -> the constant that replaced it."""
