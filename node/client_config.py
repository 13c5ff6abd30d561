"""What get_svc_action_client_config shows: the limits a client meets, and the prices (pure)."""

import json
from typing import Final

from pydantic import JsonValue

from node.settings import Settings

SHOWN: Final = (
    "http_max_body_bytes",
    "action_code_bytes",
    "action_params_bytes",
    "action_timeout_s",
    "action_memory_bytes",
    "action_response_bytes",
    "action_response_values",
    "action_log_bytes",
    "action_log_lines",
    "action_key_operations",
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
    "write_gas_limit_max",
    "http_mints_per_minute_per_address",
    "free_writes_per_hour_wei",
    "price_write_cents",
    "price_execution_cents_per_second",
)
"""The settings it shows: the limits of decisions.md section 6, of what else a client is told to
wait or come back for, and the prices."""


def client_config(settings: Settings) -> dict[str, JsonValue]:
    """The settings a client may know, by name."""
    shown: dict[str, JsonValue] = json.loads(settings.model_dump_json(include=set(SHOWN)))
    # JSON numbers are exact up to 2^53 in most clients (RFC 8259, 6): amounts of wei are decimal text.
    return {name: str(shown[name]) if name.endswith("_wei") else shown[name] for name in SHOWN}
