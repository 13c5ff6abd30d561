"""Limits and prices that `/get_svc_action_client_config` publishes."""

import json
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from node.chain.contract.artifacts import GROUPS_MAX_PER_ACCOUNT, GROUPS_RESERVED_FOR_ACCOUNT_KEY
from node.engine.protocol import RESPONSE_VALUES_MAX
from node.keyring.signing import VALUES_MAX
from node.keyring.transactions import ACCESS_LIST_ENTRIES_MAX, ACCESS_LIST_STORAGE_KEYS_MAX, SIGNED_BYTES_MAX
from node.settings import Settings

SHOWN: Final = (
    "http_max_body_bytes",
    "http_max_other_body_bytes",
    "action_code_bytes",
    "action_params_bytes",
    "action_timeout_s",
    "action_memory_bytes",
    "action_response_bytes",
    "action_log_bytes",
    "action_log_lines",
    "action_key_operations",
    "action_host_time_s",
    "egress_requests",
    "egress_response_body_bytes",
    "egress_request_body_bytes",
    "egress_timeout_s",
    "egress_redirects",
    "action_concurrent_max_per_account",
    "action_concurrent_max",
    "action_min_block_timeout_s",
    "explain_per_minute_per_account",
    "usage_export_max_rows",
    "usage_exports_per_minute_per_account",
    "name_bytes",
    "description_bytes",
    "list_max_entries_per_call",
    "http_idempotency_account_max_bytes",
    "http_idempotency_account_max_answers",
    "http_chain_reads_per_minute_per_account",
    "http_chain_reads_per_minute_per_address",
    "write_gas_limit_max",
    "http_mints_per_minute_per_address",
    "free_writes_per_hour_wei",
    "price_write_cents",
    "price_execution_cents_per_second",
)
"""Published settings, which are limits, rates and prices that clients meet (docs/api.md)."""

OF_THE_CONTRACT: Final[dict[str, JsonValue]] = {
    "groups_max_per_account": GROUPS_MAX_PER_ACCOUNT,
    "groups_reserved_for_account_key": GROUPS_RESERVED_FOR_ACCOUNT_KEY,
}
"""Limits of the account contract, equal on every node."""

FIXED: Final[Mapping[str, JsonValue]] = {
    "action_response_values": RESPONSE_VALUES_MAX,
    "action_signed_bytes": SIGNED_BYTES_MAX,
    "action_access_list_entries": ACCESS_LIST_ENTRIES_MAX,
    "action_access_list_storage_keys": ACCESS_LIST_STORAGE_KEYS_MAX,
    "action_typed_data_values": VALUES_MAX,
}
"""Limits of signed values, not settings since no chain or wallet uses more."""


def client_config(settings: Settings) -> dict[str, JsonValue]:
    """Returns the published limits and prices by name."""
    shown: dict[str, JsonValue] = json.loads(settings.model_dump_json(include=set(SHOWN)))
    # Most clients read JSON numbers exactly up to 2^53 (RFC 8259, 6), so wei are decimal text.
    public = {name: str(shown[name]) if name.endswith("_wei") else shown[name] for name in SHOWN}
    return {**public, **OF_THE_CONTRACT, **FIXED}
