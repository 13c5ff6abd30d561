"""Settings of the chain's providers, the contract, and the node's transactions."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from pydantic import SecretStr, ValidationInfo, field_validator

from node.settings.field import OWNER_CHANGE_DELAY_MIN_S, WEI_PER_ETHER, WEI_PER_GWEI, Section
from node.settings.field import of as _of

_NAMED: Final = re.compile(r"([a-z][a-z0-9_]{0,31})=(?=[A-Za-z]+://)")
_KEY_PARAMETER: Final = re.compile(r"(?i)(api|access)?[-_.]?(d?key|token|secret|auth|authorization)")
"""Query parameters in which providers take a key."""
_KEY_IN_PATH: Final = re.compile(r"(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{32,}")
"""Path part of a provider's key (`/v2/…`, `/v3/…`), random characters of at least 128 bits."""
_INSTEAD: Final = (
    "in a URL, which everybody can read: replace it where it is valid, name the entry (`a=https://…`) and give the new one "
    "as the header SVC_RPC_AUTHORIZATION_A"
)


class RpcEntry(NamedTuple):
    """Entry of `rpc_endpoints`, `name=URL`, or a URL with an empty name."""

    name: str
    url: str


def rpc_entry(text: str) -> RpcEntry:
    """Returns the name and the URL of an entry."""
    named = _NAMED.match(text)
    return RpcEntry("", text) if named is None else RpcEntry(named[1], text[named.end() :])


def _require_no_key(url: str) -> None:
    """Checks that the URL holds no known form of credential. Raises ValueError without the URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return  # not a URL, reported where it is used
    if "@" in parts.netloc:
        raise ValueError(f"holds a user or password {_INSTEAD}")
    in_query = any(_KEY_PARAMETER.fullmatch(name) for name, _ in parse_qsl(parts.query))
    if in_query or any(_KEY_IN_PATH.fullmatch(part) for part in parts.path.split("/")):
        raise ValueError(f"holds an access key {_INSTEAD}")


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

    # The caller chooses the contract, and the providers run it.
    wallet_signature_gas: int = _of(
        3_000_000, "most gas isValidSignature of a contract wallet may burn (ERC-1271)", ge=50_000, le=100_000_000
    )


class RpcSettings(Section):
    """JSON-RPC providers, their quorum, and the age up to which a head of theirs is believed."""

    rpc_endpoints: tuple[str, ...] = _of(
        (),
        "JSON-RPC URLs of the providers, each with a name if it needs a secret (`a=https://…`); a result counts when "
        "rpc_quorum of them agree",
    )
    rpc_quorum: int = _of(0, "providers that must return the same result; 0 is the majority (2 of 2, 2 of 3)", ge=0)
    rpc_websocket_endpoints: tuple[str, ...] = _of(
        (), "ws(s) URL of each entry of rpc_endpoints, in the same order; none: the same URL with ws for http is tried"
    )
    rpc_authorization: SecretStr = _of(
        SecretStr(""), "Authorization header for a single provider; of several each has its own. Empty: none"
    )
    rpc_authorizations: Mapping[str, SecretStr] = _of(
        {}, "Authorization header of each named entry of rpc_endpoints: SVC_RPC_AUTHORIZATION_A is sent to `a` alone"
    )
    rpc_attempt_timeout_s: float = _of(5.0, "time-out of one request to one provider", gt=0)
    rpc_call_timeout_s: float = _of(10.0, "time-out of one call with all its fallbacks", gt=0)
    rpc_hedge_delay_s: float = _of(0.25, "time after which the next provider is asked too", gt=0)
    # Stalled providers agree on an old head, at which removed keys would still be valid.
    chain_max_head_age_s: float = _of(
        60.0,
        "maximum age of the head for decisions, else 503; 0: off, for a chain that makes no empty blocks",
        ge=0,
    )

    @field_validator("rpc_endpoints")
    @classmethod
    def _different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuses a repeated provider, a repeated name, and a key in a URL."""
        entries = [rpc_entry(text) for text in value]
        # One provider in two spellings would have two votes of the quorum.
        if len({entry.url.rstrip("/").lower() for entry in entries}) < len(value):
            raise ValueError("names an endpoint twice")
        names = [entry.name for entry in entries if entry.name]
        if len(set(names)) < len(names):
            raise ValueError("gives a name twice")
        for entry in entries:
            _require_no_key(entry.url)
        return value

    @field_validator("rpc_authorization")
    @classmethod
    def _of_one_endpoint(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        """Refuses one secret for several providers, each of which could use it."""
        if value.get_secret_value() and len(info.data.get("rpc_endpoints", ())) > 1:
            raise ValueError(
                "would be sent to every entry of rpc_endpoints: name the entries (`a=https://…`), set "
                "SVC_RPC_AUTHORIZATION_A for `a` and so on, and unset SVC_RPC_AUTHORIZATION"
            )
        return value

    @field_validator("rpc_authorizations")
    @classmethod
    def _of_named_entries(cls, value: Mapping[str, SecretStr], info: ValidationInfo) -> Mapping[str, SecretStr]:
        names = {rpc_entry(text).name for text in info.data.get("rpc_endpoints", ())}
        if value.keys() - names:
            raise ValueError("no entry of rpc_endpoints has that name")
        return value

    @property
    def rpc_urls(self) -> tuple[str, ...]:
        """URLs of `rpc_endpoints`, in their order."""
        return tuple(rpc_entry(text).url for text in self.rpc_endpoints)

    def authorization_of(self, url: str) -> str:
        """Returns the Authorization header for this provider only; empty if it has none."""
        entries = [rpc_entry(text) for text in self.rpc_endpoints]
        name = next((entry.name for entry in entries if entry.url == url), None)
        if name is None:
            return ""
        # `_of_one_endpoint` allows `rpc_authorization` only if there is a single provider.
        own = self.rpc_authorizations.get(name) if name else None
        return (own or self.rpc_authorization).get_secret_value()


class ListenerSettings(Section):
    """The followers of contract events, one for each RPC provider."""

    listener_poll_s: float = _of(10.0, "interval of polls without a websocket", gt=0)
    listener_batch_max_calls: int = _of(50, "calls in one request of a follower; some providers refuse more", ge=3)
    listener_log_range_blocks: int = _of(2000, "blocks in one request for logs; halved when refused", ge=1)


class AuthorisationSettings(Section):
    """The cache of authorisation decisions."""

    # Events void a grant within seconds. This limits the harm of an event that never arrives.
    authorisation_grant_ttl_s: float = _of(300.0, "maximum age of a cached grant", gt=0)
    authorisation_stalled_after_s: float = _of(30.0, "a listener that lags more has stalled", gt=0)
    authorisation_denial_ttl_s: float = _of(10.0, "maximum age of a cached denial", ge=0)
    authorisation_max_readings: int = _of(300_000, "maximum cached callers and decisions, of some 350 bytes each", ge=1)


class FeeSettings(Section):
    """Gas fees offered for transactions (EIP-1559)."""

    fee_max_fee_cap_wei: int = _of(500 * WEI_PER_GWEI, "maximum fee per gas", ge=1)
    fee_priority_fee_min_wei: int = _of(WEI_PER_GWEI // 10_000, "minimum tip per gas", ge=0)


class WriteSettings(FeeSettings):
    """Transactions the node sends: deadlines, resending, gas, fees."""

    write_receipt_timeout_s: float = _of(30.0, "how long a caller waits for a write before 504", gt=0)
    write_replace_after_s: float = _of(30.0, "time after which a higher fee is offered", gt=0)
    # A cancellation too early pays gas in vain; one too late blocks the payer's nonces.
    write_cancel_after_s: float = _of(600.0, "time after which a write that is not on chain is cancelled", gt=0)
    write_stop_timeout_s: float = _of(5.0, "how long a stopping node waits for the writes it sent", gt=0)
    write_gas_limit_max: int = _of(
        3_000_000, "most gas a user's write may take; more is 400 (docs/operators.md: what one cent covers)", ge=600_000
    )


class PayerSettings(Section):
    """The payer accounts that send transactions, and the budget of free writes."""

    # Without a limit, new accounts could empty the payers.
    free_writes_per_hour_wei: int = _of(
        WEI_PER_ETHER // 50,
        "gas money an hour for writes that no account pays, half of it for new accounts; more are 429 (docs/operators.md)",
        ge=0,
    )
    payer_count: int = _of(4, "payers of this instance", ge=1, le=64)
    payer_low_balance_wei: int = _of(WEI_PER_ETHER // 5, "below it a payer is topped up by the admin payer", ge=0)
    payer_target_balance_wei: int = _of(
        WEI_PER_ETHER // 2, "balance after a top-up; a payer keeps a tenth of it for paid writes", ge=0
    )
    payer_rebalance_interval_s: float = _of(60.0, "how often payers' balances are read", gt=0)


class ChainWriteSettings(WriteSettings, PayerSettings):
    """All settings of chain writes."""
