"""Every setting and every limit of the node, in one place: name with its unit, default, meaning.

`node.settings_source` reads them, `node.sections` hands each room its part, `svc-node settings` prints them.
"""

from ipaddress import ip_network
from pathlib import Path
from typing import Final, Literal

from pydantic import ConfigDict, SecretStr, field_validator

from attest.hosts import canonical_host
from node.credit_settings import CreditSettings
from node.engine.egress.rules import HostList
from node.setting_field import of as _of

PREFIX: Final = "SVC_"
"""Of the environment variable that stands for a setting: `SVC_HTTP_PORT` for `http_port`."""
OWNER_CHANGE_DELAY_MIN_S: Final = 86_400
"""A day: what users need to see that another admin payer is scheduled, and to convert their accounts."""
WEI_PER_ETHER: Final = 10**18
WEI_PER_GWEI: Final = 10**9
MIB: Final = 1024 * 1024
LISTS: Final = (
    *("rpc_endpoints", "rpc_websocket_endpoints", "trusted_proxies", "egress_allow_hosts", "egress_deny_hosts"),
    *("acme_contact", "acme_challenges", "acme_dns_hook", "token_prices"),
)
"""Settings that hold several values."""


class Settings(CreditSettings):
    """What a node is told. Immutable once built; a wrong value is named, never shown."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    # Where it listens and keeps its data
    http_host: str = _of("127.0.0.1", "address the API listens on")
    http_port: int = _of(8000, "port of the API; 0 takes a free one", ge=0, le=65535)
    metrics_host: str = _of("127.0.0.1", "address /metrics listens on; keep it off the public network")
    metrics_port: int = _of(9464, "port of /metrics; 0 takes a free one", ge=0, le=65535)
    data_dir: Path = _of(Path(".data"), "directory of the node's database; private to it")
    instance_id: str = _of("", "names this instance among those of one app; empty: a random one, kept in data_dir")
    forwarding_header: str = _of("X-Forwarded-For", "header in which a proxy of trusted_proxies names its client")
    trusted_proxies: tuple[str, ...] = _of(
        (), "networks (CIDR) of proxies whose forwarding_header, or PROXY header, is believed; empty: none is"
    )
    proxy_protocol: bool = _of(
        False,
        "connections of trusted_proxies to the HTTP and HTTPS ports begin with a PROXY header (v1 or v2), or are "
        "closed; forwarding_header is then read from nobody",
    )
    source_commit: str = _of("", "commit the node was built from, shown by /version")
    log_level: Literal["debug", "info", "warning", "error"] = _of("info", "what is logged")

    # The chain
    chain_id: int = _of(0, "chain id of the settlement chain", ge=0)
    chain_name: str = _of("", "its name, shown by get_node_chain_config")
    chain_testnet: bool = _of(False, "whether it is a test network, shown likewise")
    chain_token: str = _of("ETH", "its gas token, shown likewise")
    contract_address: str = _of("", "address of the AccountConfig contract")
    min_owner_change_delay_s: int = _of(
        OWNER_CHANGE_DELAY_MIN_S,
        "a contract whose owner may replace the admin payer after less than this is refused; below a day: INSECURE",
        ge=0,
    )
    rpc_endpoints: tuple[str, ...] = _of((), "JSON-RPC URLs; what they say is believed as far as rpc_quorum agree")
    rpc_quorum: int = _of(0, "how many endpoints must give the same answer; 0: the majority (all of two, 2 of 3)", ge=0)
    rpc_websocket_endpoints: tuple[str, ...] = _of(
        (), "ws(s) URL of each entry of rpc_endpoints, in the same order; none: the same URL with ws for http is tried"
    )
    chain_max_head_age_s: float = _of(
        60.0,
        "nothing is granted at an older head (503); 0: off, for a chain without blocks while nothing happens",
        ge=0,
    )
    rpc_authorization: SecretStr = _of(SecretStr(""), "Authorization header sent to the RPC endpoints; empty: none")

    # The platform
    guest_agent: str = _of("/var/run/dstack.sock", "dstack guest agent: path of its unix socket, or URL")
    kms_root_public_key: str = _of(
        "",
        "33-byte compressed public key, hex, that the guest agent's key chain must end in",
        pattern="^([0-9a-f]{66})?$",
    )

    # HTTP
    http_max_body_bytes: int = _of(10 * MIB, "largest request body; more is 413", ge=1)
    http_max_body_values: int = _of(600_000, "JSON values in a body of more than 64 KiB; more are 400", ge=1)
    http_max_body_values_without_key: int = _of(10_000, "the same without a key; more are 400", ge=1)
    http_max_arriving_bodies_per_address: int = _of(256, "bodies an address is sending at a time; more are 429", ge=1)
    http_body_timeout_s: float = _of(60.0, "longest a body may take to arrive", gt=0)
    http_answer_timeout_s: float = _of(60.0, "longest a client may take to read its answer", gt=0)
    http_keepalive_timeout_s: float = _of(75.0, "an idle connection is closed after this time", gt=0)
    http_shutdown_timeout_s: float = _of(
        60.0, "how long a stopping node lets running requests end; actions are ended at once", gt=0
    )
    http_max_header_bytes: int = _of(8190, "longest single header, and longest request line", ge=1024)
    http_max_headers: int = _of(128, "most headers of one request", ge=16)
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
    http_rereads_per_minute_per_address: int = _of(
        60, "cached denials read once more at the head before they are told, by client address", ge=1
    )
    http_anonymous_idempotency_keys_per_minute_per_address: int = _of(
        60, "Idempotency-Keys on endpoints without authentication, by client address", ge=1
    )
    http_max_tracked_addresses: int = _of(100_000, "client addresses whose counters are kept in memory", ge=1)
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
    http_idempotency_wait_s: float = _of(
        60.0, "how long a repeated request waits for the first at another node, then 409", gt=0
    )
    http_idempotency_lease_s: float = _of(
        15.0, "how long a node that shares the ledger may be silent before others take over what it was answering", gt=0
    )
    http_idempotency_unstored_max_bytes: int = _of(
        64 * MIB, "answers kept in memory until a ledger that is out can take them", ge=MIB
    )
    http_secret_replay_s: float = _of(600.0, "how long an answer that shows a secret once is replayed", gt=0)
    name_bytes: int = _of(256, "longest name, in bytes of UTF-8", ge=1)
    description_bytes: int = _of(2048, "longest description, in bytes of UTF-8", ge=1)
    list_max_entries_per_call: int = _of(100, "entries in all lists of one call together", ge=1)

    # Chain access
    rpc_attempt_timeout_s: float = _of(5.0, "one exchange with one endpoint", gt=0)
    rpc_call_timeout_s: float = _of(10.0, "one call with all its fallbacks", gt=0)
    rpc_response_max_bytes: int = _of(16 * MIB, "largest answer that is read", ge=1024)
    rpc_endpoint_rest_s: float = _of(5.0, "an endpoint that failed is asked last for so long", ge=0)
    rpc_behind_timeout_s: float = _of(3.0, "how long a read waits for a head that this node's writes have passed", gt=0)
    rpc_behind_poll_s: float = _of(0.05, "pause before such a read asks again", gt=0)
    rpc_hedge_delay_s: float = _of(0.25, "an answer later than this is not waited for alone: the next is asked", gt=0)
    rpc_dissent_wait_s: float = _of(2.0, "how long further endpoints may take to decide a dispute about a write", gt=0)
    rpc_log_interval_s: float = _of(10.0, "the same trouble with an endpoint is logged once in so long", ge=0)
    rpc_relied_heads: int = _of(4096, "blocks decisions were taken at that followers check for reorganisations", ge=1)
    chain_head_poll_s: float = _of(0.25, "how often the head is looked at while a request waits for min_block", gt=0)
    wallet_signature_gas: int = _of(
        3_000_000, "most gas isValidSignature of a contract wallet may burn (ERC-1271)", ge=50_000, le=100_000_000
    )
    wallet_signature_timeout_s: float = _of(8.0, "how long asking one may take; then 503", gt=0)
    rpc_websocket_open_timeout_s: float = _of(5.0, "opening a websocket", gt=0)
    rpc_websocket_close_timeout_s: float = _of(1.0, "closing one; then it is dropped", gt=0)
    rpc_websocket_heartbeat_s: float = _of(20.0, "how often a websocket is pinged", gt=0)
    rpc_websocket_message_max_bytes: int = _of(256 * 1024, "largest message of a websocket that is read", ge=1024)

    # The listener: one follower for each RPC endpoint
    listener_poll_s: float = _of(10.0, "from one poll to the next, when no websocket wakes it", gt=0)
    listener_wake_min_s: float = _of(0.1, "shortest pause between two polls", gt=0)
    listener_backoff_min_s: float = _of(0.5, "pause after a poll that failed, doubled each time", gt=0)
    listener_backoff_max_s: float = _of(10.0, "longest such pause", gt=0)
    listener_exchange_timeout_s: float = _of(10.0, "one request of a follower", gt=0)
    listener_batch_max_calls: int = _of(50, "calls in one request of a follower", ge=3)
    listener_log_range_blocks: int = _of(2000, "blocks whose logs are asked at once; halved when refused", ge=1)
    listener_logs_max: int = _of(20_000, "logs taken from one answer; with more the range counts as refused", ge=1)
    listener_chunks_max: int = _of(32, "log ranges read in one poll", ge=1)
    listener_overlap_blocks: int = _of(8, "blocks whose logs are read twice, for endpoints that index late", ge=0)
    listener_catch_up_max_blocks: int = _of(50_000, "farther behind, all cached decisions are dropped instead", ge=1)
    listener_margin_blocks: int = _of(256, "how far behind an endpoint's head a decision may have been taken", ge=0)
    listener_behind_max_s: float = _of(30.0, "a head that stays lower than it was for so long has lost blocks", gt=0)
    listener_trail_max: int = _of(128, "earlier positions kept, to find where a reorganisation began", ge=1)
    listener_relied_max: int = _of(256, "blocks decisions were taken at that one endpoint has yet to confirm", ge=1)
    listener_websocket_silence_s: float = _of(120.0, "a subscription silent for so long is renewed", gt=0)
    listener_websocket_backoff_min_s: float = _of(1.0, "pause before a lost websocket is tried again, doubled", gt=0)
    listener_websocket_backoff_max_s: float = _of(60.0, "longest such pause", gt=0)

    # Cached decisions: who may run what, and use which wallet
    authorisation_grant_ttl_s: float = _of(300.0, "longest a grant is believed", gt=0)
    authorisation_stalled_grant_ttl_s: float = _of(30.0, "the same while the listener has stalled", gt=0)
    authorisation_stalled_after_s: float = _of(30.0, "a listener that lags more has stalled", gt=0)
    authorisation_denial_ttl_s: float = _of(10.0, "longest a denial is told again without asking the chain", ge=0)
    authorisation_max_readings: int = _of(300_000, "callers and decisions kept, of some 350 bytes each", ge=1)
    authorisation_max_readings_per_key: int = _of(64, "the same for one key", ge=2)
    authorisation_max_groups_per_key: int = _of(64, "group ids of a key in the cache; who has more is read anew", ge=0)
    authorisation_max_changed_accounts: int = _of(100_000, "accounts whose last change is remembered", ge=1)
    authorisation_max_reorganisations: int = _of(64, "reorganisations remembered", ge=2)

    # Under which former admins' hashes a ChainSecured account's wallets may have been derived
    admins_endpoint_timeout_s: float = _of(20.0, "one endpoint's logs of one account's admins", gt=0)
    admins_exchange_timeout_s: float = _of(5.0, "one request for such logs", gt=0)
    admins_batch_max_calls: int = _of(10, "log ranges in one request, where all blocks at once are refused", ge=1)
    admins_hedge_delay_s: float = _of(5.0, "an endpoint slower than this is not waited for alone", gt=0)
    admins_max_per_account: int = _of(64, "admins of one account that count, the latest first", ge=1)
    admins_max_accounts: int = _of(10_000, "accounts whose admins are kept", ge=1)

    # Writes
    write_receipt_timeout_s: float = _of(30.0, "how long a caller waits for a write before 504", gt=0)
    write_queue_timeout_s: float = _of(10.0, "how long a write waits for its payer's turn", gt=0)
    write_poll_min_s: float = _of(0.001, "shortest pause between looks for receipts", gt=0)
    write_poll_max_s: float = _of(1.0, "longest pause between looks for receipts", gt=0)
    write_follow_interval_s: float = _of(1.0, "how often unfinished writes are gone over", gt=0)
    write_resend_after_s: float = _of(5.0, "the same bytes are sent again after so long", gt=0)
    write_replace_after_s: float = _of(30.0, "a higher fee is offered after so long", gt=0)
    write_cancel_after_s: float = _of(600.0, "a write still not on chain is cancelled after so long", gt=0)
    write_stop_timeout_s: float = _of(5.0, "how long a stopping node waits for the writes it sent", gt=0)
    write_nonce_proof_s: float = _of(3.0, "how long a foreign nonce must be seen before a write is given up", gt=0)
    write_recovery_wait_s: float = _of(10.0, "how long a start waits for the writes it sent again", gt=0)
    write_keep_finished_s: float = _of(90_000.0, "how long finished writes stay in the journal", gt=0)
    write_gas_margin_percent: int = _of(30, "added to estimated gas", ge=0)
    write_gas_limit_max: int = _of(
        3_000_000, "most gas a user's write may take; more is 400 (docs/operators.md: what one cent covers)", ge=600_000
    )
    write_fillers_max: int = _of(1000, "nonces filled after a chain lost blocks", ge=0)
    fee_max_fee_cap_wei: int = _of(500 * WEI_PER_GWEI, "most that is ever offered per gas", ge=1)
    fee_priority_fee_min_wei: int = _of(WEI_PER_GWEI // 10_000, "smallest tip per gas", ge=0)
    fee_priority_fee_max_wei: int = _of(50 * WEI_PER_GWEI, "largest tip per gas", ge=0)
    fee_base_fee_headroom_percent: int = _of(100, "how far the base fee may rise before an offer is too low", ge=0)
    fee_bump_percent: int = _of(25, "how much more each replacement offers", ge=10)
    fee_suggestion_age_s: float = _of(10.0, "how long an endpoint's suggested tip is used again", ge=0)
    free_writes_per_hour_wei: int = _of(
        WEI_PER_ETHER // 50,
        "gas money an hour for writes nobody pays for, half of it for new accounts; more are 429 (docs/operators.md)",
        ge=0,
    )
    payer_count: int = _of(4, "payers of this instance", ge=1, le=64)
    payer_low_balance_wei: int = _of(WEI_PER_ETHER // 5, "below it a payer is topped up by the admin payer", ge=0)
    payer_target_balance_wei: int = _of(WEI_PER_ETHER // 2, "what a payer is topped up to", ge=0)
    payer_reserve_wei: int = _of(WEI_PER_ETHER // 20, "what a payer keeps for writes that are paid for", ge=0)
    payer_in_flight_max: int = _of(64, "unfinished transactions of one payer", ge=1)
    payer_rebalance_interval_s: float = _of(60.0, "how often payers' balances are looked at", gt=0)
    payer_retry_interval_s: float = _of(5.0, "how soon a payer that cannot pay yet is looked at again", gt=0)
    payer_setup_timeout_s: float = _of(60.0, "how long a start waits for payers to be named and funded", gt=0)

    # Actions
    action_timeout_s: float = _of(900.0, "wall time of one action", gt=0)
    action_code_bytes: int = _of(4 * MIB, "source of one action, UTF-8", ge=1)
    action_params_bytes: int = _of(MIB, "js_params as JSON", ge=2)
    action_params_depth: int = _of(100, "nesting of arrays and objects in js_params", ge=1, le=200)
    action_memory_bytes: int = _of(128 * MIB, "memory of the script's instance", ge=MIB)
    action_response_bytes: int = _of(MIB, "JSON text of the response", ge=4)
    action_response_depth: int = _of(100, "nesting of arrays and objects in the response", ge=1, le=200)
    action_response_values: int = _of(100_000, "JSON values in the response", ge=100)
    action_response_inline_bytes: int = _of(64 * 1024, "responses above this size are parsed in a thread", ge=0)
    action_log_bytes: int = _of(100 * 1024, "all logs of one action", ge=0)
    action_log_lines: int = _of(10_000, "lines of the logs of one action; more end it", ge=1)
    action_frame_bytes: int = _of(4 * MIB, "one message from an action", ge=1024)
    action_host_calls: int = _of(1_000, "calls of one action to the node, of every kind", ge=0)
    action_host_call_values: int = _of(20_000, "JSON values in one call of an action; more end it", ge=100)
    action_pending_host_calls: int = _of(16, "calls of one action worked on at a time", ge=1)
    action_answer_backlog_bytes: int = _of(
        8 * MIB, "answers that a worker has not read; with more, no further call of its actions is begun", ge=0
    )
    action_host_time_s: float = _of(5.0, "processor time of the node for one action's calls, logs and response", gt=0)
    action_key_operations: int = _of(100, "calls of one action to Svc.Actions", ge=0)
    action_derivations_remembered: int = _of(4096, "wallets of which it is kept for which admin they were minted", ge=0)
    action_encrypt_message_bytes: int = _of(MIB, "what Encrypt takes at a time", ge=0)
    action_concurrent_max: int = _of(
        4096,
        "actions of the node running at a time, whatever memory there is; at most a sixth of its descriptors",
        ge=1,
    )
    action_concurrent_max_per_account: int = _of(16, "actions of one account running at a time; more are 429", ge=1)
    action_foreground_s: float = _of(
        0.1,
        "how long an action runs at the node's priority; then it has what nobody else wants",
        gt=0,
    )
    action_foreground_per_processor: int = _of(
        16, "actions in that first time, for each processor; further ones wait, one account has at most half", ge=1
    )
    action_queue_max: int = _of(512, "actions waiting for their turn; more are 429", ge=0)
    action_queue_wait_max_s: float = _of(10.0, "an action that waits longer for its turn is 429", gt=0)
    action_retry_after_max_s: int = _of(
        60, "longest Retry-After of a 429 for load; it is as turns are seen to come", ge=1
    )
    action_start_bytes: int = _of(
        1_500_000, "memory an action is counted with until it is measured, and at least", ge=1
    )
    action_memory_reserve_bytes: int = _of(
        256 * MIB, "no action starts while less memory is left; below half of it the greediest are ended (503)", ge=0
    )
    action_memory_reserve_percent: int = _of(
        10, "the same in percent of what the container may use; the larger counts", ge=0, le=90
    )
    action_memory_together_bytes: int = _of(0, "memory all actions may hold together; 0: what the container has", ge=0)
    action_memory_wait_s: float = _of(
        1.0, "after so long without memory for another action, the greediest account makes room for others", gt=0
    )
    action_memory_modest_bytes: int = _of(32 * MIB, "an account that holds no more makes no such room for others", ge=0)
    action_memory_interval_s: float = _of(0.05, "how often memory is measured", gt=0)
    action_spare_workers: int = _of(
        4, "worker processes started ahead, so that a program's first action waits for none", ge=0
    )
    action_idle_workers: int = _of(
        64, "worker processes kept for the next action of their program; beyond that the least recently used end", ge=0
    )
    zygote_max_age_s: float = _of(600.0, "age at which the process that workers are forked from is replaced", gt=0)
    action_min_block_timeout_s: float = _of(10.0, "how long a request waits for its min_block", gt=0)
    action_funds_lead_s: float = _of(0.1, "how long before a second begins its price is set aside", ge=0)
    action_uncharged_s_per_hour: float = _of(
        60.0, "run time of an account not charged when faults of the node ended its actions; what goes beyond is", ge=0
    )
    action_inline_cid_bytes: int = _of(256 * 1024, "sources above this size are hashed in a thread", ge=0)
    explain_per_minute_per_account: int = _of(60, "questions to explain of all keys of one account; more are 429", ge=1)
    explain_max_tracked_accounts: int = _of(100_000, "accounts whose counters of it are kept in memory", ge=1)

    # Outbound requests of actions
    egress_requests: int = _of(50, "calls of one action to fetch; the next one ends it", ge=0)
    egress_concurrent_requests: int = _of(6, "requests of one action on their way at a time; further ones wait", ge=1)
    egress_timeout_s: float = _of(30.0, "one call of fetch, redirects and body included", gt=0)
    egress_redirects: int = _of(5, "redirects one call of fetch follows", ge=0)
    egress_url_characters: int = _of(8_192, "longest URL, also of a redirect", ge=64)
    egress_request_headers: int = _of(64, "headers of a request", ge=0)
    egress_request_header_bytes: int = _of(16 * 1024, "names and values of a request's headers together", ge=0)
    egress_request_body_bytes: int = _of(
        3 * MIB, "body of a request; as base64 it must fit into action_frame_bytes", ge=0
    )
    egress_response_headers: int = _of(100, "headers of an answer", ge=16)
    egress_response_header_bytes: int = _of(8_192, "a single header of an answer", ge=1024)
    egress_response_body_bytes: int = _of(10 * MIB, "body of an answer, before and after decompression", ge=0)
    egress_held_bytes_per_account: int = _of(
        32 * MIB, "bodies on their way to the actions of one account at a time, until the actions have read them", ge=0
    )
    egress_held_bytes: int = _of(192 * MIB, "the same of all accounts", ge=0)
    egress_reading_cpu_s_per_action: float = _of(2.0, "processor time of taking one action's answers apart", gt=0)
    egress_lookups: int = _of(64, "names looked up at a time", ge=1)
    egress_lookups_per_account: int = _of(16, "the same of one account", ge=1)
    egress_sockets: int = _of(
        1_024, "connections of all actions open at a time; at most a sixth of the process's descriptors", ge=1
    )
    egress_sockets_per_account: int = _of(96, "the same of one account", ge=1)
    egress_allow_hosts: tuple[str, ...] = _of(
        (), "names, `*.` and names, networks: nothing else is reached; empty: all that is public"
    )
    egress_deny_hosts: tuple[str, ...] = _of((), "likewise: what is not reached, whatever egress_allow_hosts says")

    # Health
    health_probe_deadline_s: float = _of(2.0, "a part that has not answered by then is down", gt=0)
    health_probe_max_age_s: float = _of(2.0, "how long a finding is told again", ge=0)
    health_watch_interval_s: float = _of(15.0, "how often the node asks its parts by itself, for the metrics", gt=0)

    # The guest agent
    guest_agent_connect_timeout_s: float = _of(2.0, "connecting to the guest agent", gt=0)
    guest_agent_call_timeout_s: float = _of(10.0, "one call of the guest agent but GetQuote", gt=0)
    guest_agent_quote_timeout_s: float = _of(30.0, "GetQuote, waiting for its turn included", gt=0)
    guest_agent_response_bytes: int = _of(4 * MIB, "largest answer of the guest agent that is read", ge=1024)
    guest_agent_retry_attempts: int = _of(3, "attempts of one call whose connection breaks, the first included", ge=1)
    guest_agent_retry_delay_s: float = _of(
        0.05, "longest pause before the second; doubled, and a random share of it is taken", ge=0
    )
    guest_agent_retry_budget: int = _of(10, "repetitions in a row for all calls together", ge=0)
    guest_agent_retry_budget_per_call: float = _of(0.1, "what a call that is answered gives back of it", ge=0)
    quote_places: int = _of(16, "callers waiting behind the quote that is being made; more are 503", ge=0)
    quote_turn_timeout_s: float = _of(20.0, "longest a caller waits for its turn; then 503", gt=0)

    # The certificate, and the port that speaks TLS
    certificate_mode: Literal["", "acme", "files", "self-signed"] = _of(
        "",
        "where the certificate of `domain` comes from; then the API is on https_port alone. `self-signed` is insecure; "
        "empty: no TLS here",
    )
    https_host: str = _of("127.0.0.1", "address the API listens on with TLS")
    https_port: int = _of(8443, "its port; 0 takes a free one", ge=0, le=65535)
    https_public_port: int = _of(443, "port under which clients reach https_port", ge=1, le=65535)
    https_handshake_timeout_s: float = _of(
        10.0, "longest a TLS handshake may take, and a PROXY header on either port", gt=0
    )
    https_shutdown_timeout_s: float = _of(5.0, "how long the other side may take to say goodbye", gt=0)
    https_max_handshakes: int = _of(
        1024,
        "handshakes under way (on the HTTP port: PROXY headers), at most half of them with one address; further "
        "connections are closed",
        ge=2,
    )
    certificate_chain_file: str = _of("", "`files`: PEM file of the chain, leaf first")
    certificate_key_file: str = _of("", "`files`: PEM file of its private key, unencrypted")
    certificate_files_poll_s: float = _of(5.0, "how often these files are looked at", gt=0)
    certificate_files_max_bytes: int = _of(256 * 1024, "largest of them that is read", ge=1024)
    certificate_self_signed_life_s: float = _of(90 * 86_400.0, "life of a self-signed certificate", ge=60)
    certificate_first_wait_s: float = _of(
        10.0, "how long a start waits for the first certificate; then the node is up, and HTTPS follows", ge=0
    )
    certificate_renew_at_fraction: float = _of(2 / 3, "of its life: then the next one is asked for", gt=0, lt=1)
    certificate_renew_jitter_fraction: float = _of(
        0.05, "of its life: at most so much earlier, at random", ge=0, le=0.3
    )
    certificate_retry_min_s: float = _of(120.0, "pause after a failed attempt, doubled each time", gt=0)
    certificate_retry_max_s: float = _of(3600.0, "longest such pause", gt=0)
    certificate_retry_after_max_s: float = _of(86_400.0, "longest pause a certificate authority may ask for", ge=0)
    certificate_look_again_s: float = _of(3600.0, "how often the clock is looked at until a renewal is due", gt=0)
    acme_directory_url: str = _of(
        "https://acme-v02.api.letsencrypt.org/directory",
        "`acme`: directory of the certificate authority",
        pattern="^https://",
    )
    acme_contact: tuple[str, ...] = _of((), "e-mail addresses the authority may write to")
    acme_ca_file: str = _of("", "PEM roots that vouch for a private authority; empty: the public ones")
    acme_challenges: tuple[Literal["tls-alpn-01", "http-01", "dns-01"], ...] = _of(
        ("tls-alpn-01", "http-01"),
        "proofs in the order they are tried; tls-alpn-01 needs one instance behind the name, the others do not",
        min_length=1,
    )
    acme_dns_hook: tuple[str, ...] = _of(
        (), "`dns-01`: command that is called with `present` or `cleanup`, the record's name and its value"
    )
    acme_dns_credential: SecretStr = _of(
        SecretStr(""), "handed to that command alone, as the variable ACME_DNS_CREDENTIAL; empty: none"
    )
    acme_dns_hook_timeout_s: float = _of(60.0, "one call of it; then it is killed", gt=0)
    acme_dns_propagation_s: float = _of(30.0, "how long the world may take to see the record", ge=0)
    acme_request_timeout_s: float = _of(30.0, "one exchange with the authority", gt=0)
    acme_response_bytes: int = _of(MIB, "largest answer of it that is read", ge=1024)
    acme_nonce_retries: int = _of(10, "how often a request is repeated whose nonce was refused", ge=1)
    acme_poll_s: float = _of(1.0, "pause between looks at an order", gt=0)
    acme_order_timeout_s: float = _of(300.0, "from the order to the certificate", gt=0)

    # What the node publishes about itself
    domain: str = _of(
        "",
        "name under which clients reach this node, lower case without a port: the host of its statements; "
        "empty: it makes none",
    )
    attestation_quote_max_age_s: float = _of(60.0, "how long /attestation tells the same quote without a nonce", ge=0)
    attestation_info_max_age_s: float = _of(10.0, "the same of /info", ge=0)
    attestation_rest_s: float = _of(1.0, "how long the platform is left alone after it refused", ge=0)
    attestation_waiting: int = _of(64, "callers that wait for one such answer; more are 503", ge=1)
    attestation_nonces_per_minute_per_address: int = _of(
        30, "/attestation with a nonce, by client address (IPv4, IPv6 /64); more are 429", ge=1
    )
    attestation_max_tracked_addresses: int = _of(100_000, "addresses whose counters of it are kept in memory", ge=1)
    evidence_folder: str = _of(
        "", "folder of a sidecar that holds the certificate and makes the evidence; empty: the node makes its own"
    )
    evidence_retry_min_s: float = _of(1.0, "pause after evidence could not be had, doubled each time", gt=0)
    evidence_retry_max_s: float = _of(60.0, "longest such pause", gt=0)
    evidence_previous_sets: int = _of(3, "evidence sets before the current one that stay readable", ge=1)
    evidence_folder_file_bytes: int = _of(MIB, "largest file taken from evidence_folder", ge=1024)
    evidence_folder_files: int = _of(64, "most files taken from it", ge=4)
    evidence_folder_poll_s: float = _of(5.0, "how often it is looked at", gt=0)

    @field_validator("domain")
    @classmethod
    def _canonical(cls, value: str) -> str:
        """Written one way only: it is compared with what requests name, and hashed."""
        if value and canonical_host(value) != value:
            raise ValueError("is no host name in lower case, without port and final dot")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Each must be a network, said at the start and not at the first request."""
        for network in value:
            ip_network(network)
        return value

    @field_validator("rpc_endpoints")
    @classmethod
    def _different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """One endpoint has one voice, however often it is named."""
        if len({url.rstrip("/").lower() for url in value}) < len(value):
            raise ValueError("names an endpoint twice")
        return value

    @field_validator("egress_allow_hosts", "egress_deny_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Each must be a name or a network, said at the start and not at the first request."""
        HostList.of(value)
        return value

    @field_validator(*LISTS, mode="before")
    @classmethod
    def _from_commas(cls, value: object) -> object:
        """A list may be written with commas, as an environment variable must."""
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


SECRETS: Final = frozenset(
    {"rpc_authorization", "acme_dns_credential", "ledger_url", "processor_secret_key", "processor_webhook_secret"}
)
"""The only settings `svc-node serve` takes from its environment."""
