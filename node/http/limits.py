"""Every limit of the HTTP layer, as settings (decisions.md section 6)."""

from dataclasses import dataclass, field

from node.http.fields import FieldLimits


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What one client, one address and the node as a whole may do; units stand in the names."""

    max_body_bytes: int = 10 * 1024 * 1024
    """Larger request bodies are 413."""
    max_body_values: int = 600_000
    """JSON values in a body of more than 64 KiB: more than `js_params` of its largest size can hold."""
    max_body_values_without_key: int = 10_000
    """The same on endpoints without authentication, none of which takes more than a few."""
    max_arriving_bodies_per_address: int = 256
    """Bodies that one client address is sending at a time; more are 429."""
    body_timeout_s: float = 60.0
    """A body that takes longer to arrive is refused, and the connection closed."""
    answer_timeout_s: float = 60.0
    """A client that takes longer to read its answer is disconnected."""
    keepalive_timeout_s: float = 75.0
    """An idle connection, or one whose headers do not arrive, is closed after this time."""
    shutdown_timeout_s: float = 60.0
    """How long a stopping node lets running requests end before it cancels them; actions it ends at once."""
    max_header_bytes: int = 8190
    """Longest single header and longest request line; a longer one is 400."""
    max_headers: int = 128
    """Most headers of one request; more are 400."""
    max_connections: int = 8192
    """Open connections; one address has at most half of them, and all together half of the process's descriptors."""
    max_concurrent_requests: int = 1024
    """Requests in work on this node; more are 429."""
    mints_per_minute_per_address: int = 30
    """new_account and the two minting endpoints together, by client address (IPv4, IPv6 /64)."""
    unknown_keys_per_minute_per_address: int = 60
    """Look-ups of keys nobody has, by client address: each costs a read of the chain."""
    rereads_per_minute_per_address: int = 60
    """Denials the cache knows of that are read once more at the head before they are told, by client address."""
    chain_reads_per_minute_per_account: int = 600
    """Reads of the chain that an account's requests cause and no payment covers: lists, authentication, explain, writes
    and runs that are refused."""
    chain_reads_per_minute_per_address: int = 1200
    """The same by client address (IPv4, IPv6 /64), of all accounts behind it."""
    anonymous_idempotency_keys_per_minute_per_address: int = 60
    """Idempotency-Keys on endpoints without authentication, by client address: each costs a stored row."""
    max_tracked_addresses: int = 100_000
    """Addresses whose counters are kept in memory; beyond it the one seen longest ago is forgotten."""
    idempotency_kept_s: float = 24 * 3600.0
    """How long the first final answer to an Idempotency-Key is replayed."""
    idempotency_max_bytes: int = 1024 * 1024 * 1024
    """Kept answers together, of all nodes that share the database, a quarter of it for callers without a key: a flood
    fills no disk, and no answer goes before its time. Who holds a sixteenth of what is left is 429 until that changes."""
    idempotency_account_max_bytes: int = 64 * 1024 * 1024
    """Kept answers of one account, or of one client address without a key; a keyed request reserves the largest answer
    it may get, and further ones are 429."""
    idempotency_account_max_answers: int = 10_000
    """The same by number: a claim adds up the rows of its account."""
    idempotency_wait_s: float = 60.0
    """How long a repeated request waits for the first, which is under way at another node, before it is 409."""
    idempotency_lease_s: float = 15.0
    """How long a node that shares the database may be silent before others take over what it was answering."""
    idempotency_unstored_max_bytes: int = 64 * 1024 * 1024
    """Answers kept in memory until the database that is out can take them; beyond it the oldest of the account that has
    most are given up."""
    secret_replay_s: float = 600.0
    """How long an answer that shows a secret once is replayed."""
    fields: FieldLimits = field(default_factory=FieldLimits)
    """Lengths of names and descriptions."""
