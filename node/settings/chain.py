"""Settings of reading the chain."""

from pydantic import SecretStr, field_validator

from node.settings.field import OWNER_CHANGE_DELAY_MIN_S, Section
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


class WalletContractSettings(Section):
    """ERC-1271 checks of contract wallets."""

    wallet_signature_gas: int = _of(
        3_000_000, "most gas isValidSignature of a contract wallet may burn (ERC-1271)", ge=50_000, le=100_000_000
    )


class RpcSettings(Section):
    """JSON-RPC providers, their quorum, and the age up to which a head of theirs is believed."""

    rpc_endpoints: tuple[str, ...] = _of((), "JSON-RPC URLs; what they say is believed as far as rpc_quorum agree")
    rpc_quorum: int = _of(0, "how many endpoints must give the same answer; 0: the majority (all of two, 2 of 3)", ge=0)
    rpc_websocket_endpoints: tuple[str, ...] = _of(
        (), "ws(s) URL of each entry of rpc_endpoints, in the same order; none: the same URL with ws for http is tried"
    )
    rpc_authorization: SecretStr = _of(SecretStr(""), "Authorization header sent to the RPC endpoints; empty: none")
    rpc_attempt_timeout_s: float = _of(5.0, "one exchange with one endpoint", gt=0)
    rpc_call_timeout_s: float = _of(10.0, "one call with all its fallbacks", gt=0)
    rpc_hedge_delay_s: float = _of(0.25, "an answer later than this is not waited for alone: the next is asked", gt=0)
    chain_max_head_age_s: float = _of(
        60.0,
        "nothing is granted at an older head (503); 0: off, for a chain without blocks while nothing happens",
        ge=0,
    )

    @field_validator("rpc_endpoints")
    @classmethod
    def _different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse duplicates: an endpoint has one vote in a quorum, however often it is named."""
        if len({url.rstrip("/").lower() for url in value}) < len(value):
            raise ValueError("names an endpoint twice")
        return value


class ListenerSettings(Section):
    """The followers of contract events, one for each RPC provider."""

    listener_poll_s: float = _of(10.0, "from one poll to the next, when no websocket wakes it", gt=0)
    listener_batch_max_calls: int = _of(50, "calls in one request of a follower; some providers refuse more", ge=3)
    listener_log_range_blocks: int = _of(2000, "blocks whose logs are asked at once; halved when refused", ge=1)


class AuthorisationSettings(Section):
    """The cache of authorisation decisions."""

    authorisation_grant_ttl_s: float = _of(300.0, "longest a grant is believed", gt=0)
    authorisation_stalled_after_s: float = _of(30.0, "a listener that lags more has stalled", gt=0)
    authorisation_denial_ttl_s: float = _of(10.0, "longest a denial is repeated without asking the chain", ge=0)
    authorisation_max_readings: int = _of(300_000, "callers and decisions kept, of some 350 bytes each", ge=1)
