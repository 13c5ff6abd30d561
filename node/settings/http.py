"""Settings of HTTP requests."""

from node.settings.field import MIB, Section
from node.settings.field import of as _of


class FieldSettings(Section):
    """Limits of names, descriptions and lists in requests."""

    name_bytes: int = _of(256, "longest name, in bytes of UTF-8", ge=1)
    description_bytes: int = _of(2048, "longest description, in bytes of UTF-8", ge=1)
    list_max_entries_per_call: int = _of(100, "entries in all lists of one call together", ge=1)


class HttpSettings(FieldSettings):
    """Limits of every HTTP request and of its fields: sizes, deadlines, rates, idempotency."""

    http_max_body_bytes: int = _of(10 * MIB, "largest request body; more is 413", ge=1)
    http_keepalive_timeout_s: float = _of(75.0, "an idle connection is closed after this time", gt=0)
    http_shutdown_timeout_s: float = _of(
        60.0, "how long a stopping node lets running requests end; actions are ended at once", gt=0
    )
    http_max_connections: int = _of(
        8192, "open connections, at most half of them of one address; further ones are closed", ge=2
    )
    http_max_concurrent_requests: int = _of(1024, "requests in work on this node; more are 429", ge=1)
    http_mints_per_minute_per_address: int = _of(
        30, "new_account and the two minting endpoints together, by client address (IPv4, IPv6 /64)", ge=1
    )
    http_chain_reads_per_minute_per_account: int = _of(
        600, "reads of the chain by an account's requests that no payment covers; more are 429", ge=10
    )
    http_chain_reads_per_minute_per_address: int = _of(
        1200, "the same by client address (IPv4, IPv6 /64), of all accounts behind it", ge=10
    )
    http_unknown_keys_per_minute_per_address: int = _of(60, "look-ups of keys nobody has, by client address", ge=1)
    http_idempotency_kept_s: float = _of(86_400.0, "how long an answer is replayed to its Idempotency-Key", gt=0)
    http_idempotency_max_bytes: int = _of(
        1024 * MIB,
        "kept answers of all nodes together, a quarter of it for callers without a key; beyond it keyed requests are 429",
        ge=MIB,
    )
    http_idempotency_account_max_bytes: int = _of(
        64 * MIB, "kept answers of one account, or of one client address without a key; more are 429", ge=4 * MIB
    )
    http_idempotency_account_max_answers: int = _of(
        10_000, "the number of kept answers of one account, or of one such address; more are 429", ge=1
    )
    http_idempotency_lease_s: float = _of(
        15.0, "how long a node that shares the ledger may be silent before others take over what it was answering", gt=0
    )
    http_secret_replay_s: float = _of(600.0, "how long an answer that shows a secret once is replayed", gt=0)
