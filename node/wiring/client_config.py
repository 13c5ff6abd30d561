"""What get_svc_action_client_config shows: the limits a client meets, and the prices (pure)."""

import json
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from node.chain.contract.bounds import GROUPS_MAX_PER_ACCOUNT, GROUPS_RESERVED_FOR_ACCOUNT_KEY
from node.engine.limits import RESPONSE_VALUES_MAX
from node.keyring.transaction_model import ACCESS_LIST_ENTRIES_MAX, ACCESS_LIST_STORAGE_KEYS_MAX, SIGNED_BYTES_MAX
from node.keyring.typed_data import DEFAULT_LIMITS
from node.settings import Settings

SHOWN: Final = (
    "http_max_body_bytes",
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
"""The settings it shows: the limits of decisions.md section 6, of what else a client is told to
wait or come back for, and the prices."""

OF_THE_CONTRACT: Final[dict[str, JsonValue]] = {
    "groups_max_per_account": GROUPS_MAX_PER_ACCOUNT,
    "groups_reserved_for_account_key": GROUPS_RESERVED_FOR_ACCOUNT_KEY,
}
"""The limits that the account contract sets for every node."""


FIXED: Final[Mapping[str, JsonValue]] = {
    "action_response_values": RESPONSE_VALUES_MAX,
    "action_signed_bytes": SIGNED_BYTES_MAX,
    "action_access_list_entries": ACCESS_LIST_ENTRIES_MAX,
    "action_access_list_storage_keys": ACCESS_LIST_STORAGE_KEYS_MAX,
    "action_typed_data_values": DEFAULT_LIMITS.values,
}
"""Limits that are no settings: of the response, and of what is signed, where no chain and no wallet has a use for more."""


def client_config(settings: Settings) -> dict[str, JsonValue]:
    """The limits and prices a client may know, by name."""
    shown: dict[str, JsonValue] = json.loads(settings.model_dump_json(include=set(SHOWN)))
    # JSON numbers are exact up to 2^53 in most clients (RFC 8259, 6): amounts of wei are decimal text.
    public = {name: str(shown[name]) if name.endswith("_wei") else shown[name] for name in SHOWN}
    return {**public, **OF_THE_CONTRACT, **FIXED}
