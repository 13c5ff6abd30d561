"""Settings of reading the chain."""

from pydantic import SecretStr, field_validator

from node.settings.field import MIB, OWNER_CHANGE_DELAY_MIN_S, Section
from node.settings.field import of as _of


class ChainSettings(Section):
    """The settlement chain and the account contract."""

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
    chain_max_head_age_s: float = _of(
        60.0,
        "nothing is granted at an older head (503); 0: off, for a chain without blocks while nothing happens",
        ge=0,
    )


class WalletContractSettings(Section):
    """ERC-1271 checks of contract wallets."""

    wallet_signature_gas: int = _of(
        3_000_000, "most gas isValidSignature of a contract wallet may burn (ERC-1271)", ge=50_000, le=100_000_000
    )
    wallet_signature_timeout_s: float = _of(8.0, "how long asking one may take; then 503", gt=0)


class RpcSettings(Section):
    """JSON-RPC providers, their quorum and timeouts."""

    rpc_endpoints: tuple[str, ...] = _of((), "JSON-RPC URLs; what they say is believed as far as rpc_quorum agree")
    rpc_quorum: int = _of(0, "how many endpoints must give the same answer; 0: the majority (all of two, 2 of 3)", ge=0)
    rpc_websocket_endpoints: tuple[str, ...] = _of(
        (), "ws(s) URL of each entry of rpc_endpoints, in the same order; none: the same URL with ws for http is tried"
    )
    rpc_authorization: SecretStr = _of(SecretStr(""), "Authorization header sent to the RPC endpoints; empty: none")
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
    rpc_websocket_open_timeout_s: float = _of(5.0, "opening a websocket", gt=0)
    rpc_websocket_close_timeout_s: float = _of(1.0, "closing one; then it is dropped", gt=0)
    rpc_websocket_heartbeat_s: float = _of(20.0, "how often a websocket is pinged", gt=0)
    rpc_websocket_message_max_bytes: int = _of(256 * 1024, "largest message of a websocket that is read", ge=1024)

    @field_validator("rpc_endpoints")
    @classmethod
    def _different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """One endpoint has one voice, however often it is named."""
        if len({url.rstrip("/").lower() for url in value}) < len(value):
            raise ValueError("names an endpoint twice")
        return value


class ListenerSettings(Section):
    """The followers of contract events, one for each RPC provider."""

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


class AuthorisationSettings(Section):
    """The cache of authorisation decisions."""

    authorisation_grant_ttl_s: float = _of(300.0, "longest a grant is believed", gt=0)
    authorisation_stalled_grant_ttl_s: float = _of(30.0, "the same while the listener has stalled", gt=0)
    authorisation_stalled_after_s: float = _of(30.0, "a listener that lags more has stalled", gt=0)
    authorisation_denial_ttl_s: float = _of(10.0, "longest a denial is told again without asking the chain", ge=0)
    authorisation_max_readings: int = _of(300_000, "callers and decisions kept, of some 350 bytes each", ge=1)
    authorisation_max_readings_per_key: int = _of(64, "the same for one key", ge=2)
    authorisation_max_groups_per_key: int = _of(64, "group ids of a key in the cache; who has more is read anew", ge=0)
    authorisation_max_changed_accounts: int = _of(100_000, "accounts whose last change is remembered", ge=1)
    authorisation_max_reorganisations: int = _of(64, "reorganisations remembered", ge=2)


class AdminHistorySettings(Section):
    """The search for former admins of ChainSecured accounts."""

    admins_endpoint_timeout_s: float = _of(20.0, "one endpoint's logs of one account's admins", gt=0)
    admins_exchange_timeout_s: float = _of(5.0, "one request for such logs", gt=0)
    admins_batch_max_calls: int = _of(10, "log ranges in one request, where all blocks at once are refused", ge=1)
    admins_hedge_delay_s: float = _of(5.0, "an endpoint slower than this is not waited for alone", gt=0)
    admins_max_per_account: int = _of(64, "admins of one account that count, the latest first", ge=1)
    admins_max_accounts: int = _of(10_000, "accounts whose admins are kept", ge=1)
