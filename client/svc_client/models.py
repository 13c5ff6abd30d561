"""Responses of the node as frozen models. Unknown members are ignored, so nodes may add some."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Answer(BaseModel):
    """Base of all responses."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Listed(Answer):
    """Item of a list. `id` is unique in the list."""

    id: str


class Mutation(Answer):
    """A change. `transaction_hash` and `block_number` are None if no transaction was needed."""

    success: bool
    transaction_hash: str | None = None
    block_number: int | None = None


class NewWallet(Mutation):
    """A new wallet of the account."""

    wallet_address: str

    @property
    def address(self) -> str:
        """Checksummed address (EIP-55)."""
        return self.wallet_address


class NewGroup(Mutation):
    """A new group."""

    group_id: str


class MintedWallet(Mutation):
    """A wallet that is registered to no account yet."""

    wallet_address: str
    derivation_path: str

    @property
    def address(self) -> str:
        """Checksummed address (EIP-55)."""
        return self.wallet_address


class MintedUsageKey(MintedWallet):
    """A usage key that is attached to no account yet, shown once."""

    usage_api_key: str = Field(repr=False)


class Wallet(Listed):
    """A wallet. `id` is its running number in the account, `0` the master wallet."""

    pkp_id: str
    wallet_address: str
    name: str
    description: str

    @property
    def address(self) -> str:
        """Checksummed address (EIP-55)."""
        return self.wallet_address


class Run(Answer):
    """The result of an action. The right to run was decided at block `authorized_at_block`."""

    response: JsonValue
    logs: str
    duration_ms: float
    charged_cents: int
    authorized_at_block: int | None = None


class Explanation(Answer):
    """Why a key may or may not run an action and use a wallet."""

    decision: Literal["allow", "deny"]
    group: str | None = None
    missing: str | None = None
    block_number: int
    price_cents_per_second: int


class StatementLine(Answer):
    """Sum of one key's charges for one item: an action's CID, or a write's contract function."""

    service: Literal["execution", "write"]
    item: str
    api_key_hash: str | None
    charges: int
    duration_ms: int
    charged_cents: int


class Statement(Answer):
    """Cost of a period, highest line first. A line's `api_key_hash` is None for the account key."""

    from_time: str
    to_time: str
    charged_cents: int
    lines: tuple[StatementLine, ...]


class Token(Answer):
    """A token that can be paid with. Prices are micro-dollars of a whole token."""

    address: str
    symbol: str
    decimals: int
    microdollars_per_token: int
    price_display: str


class TokenConfig(Answer):
    """Terms of payment in tokens."""

    enabled: bool
    chain_id: int
    deposit_contract: str
    deposit_contract_abi: str
    confirmations: int
    tokens: tuple[Token, ...]
    how_to_pay: dict[str, JsonValue]


class TokenPayment(Answer):
    """A deposit that the node saw. Amounts in tokens are decimal strings of the smallest unit."""

    transaction_hash: str
    log_index: int
    block_number: int
    status: Literal["pending", "credited", "ignored", "dropped"]
    reason: str | None
    confirmations: int | None
    confirmations_needed: int
    payer: str
    token: str
    symbol: str | None
    decimals: int | None
    amount: str
    amount_display: str | None
    microdollars_per_token: int | None
    credited_microdollars: int
    credited_display: str
    seen_at: int

    @property
    def id(self) -> str:
        """Place of the deposit on chain, which tells it from the others."""
        return f"{self.transaction_hash}:{self.log_index}"


class Health(Answer):
    """Health of the node; parts the client does not name are in `model_extra`."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    status: Literal["ok", "degraded", "down"]
    version: str
    action_runner: str
    chain: str
    billing: str
    tee: str
    notes: dict[str, str]
    insecure: tuple[str, ...]
    account_event_listener_lag_seconds: float | None


class Info(Answer):
    """The TEE platform's description of the node."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    app_id: str
    instance_id: str
    compose_hash: str
    tcb_info: dict[str, JsonValue]


# Made of client/endpoints.toml by `make format`, from here on:


class Usage(Listed):
    """A charge. `time` is RFC 3339."""

    time: str
    service: Literal["execution", "write"]
    charged_cents: int
    api_key_hash: str | None
    action_ipfs_cid: str | None
    operation: str | None
    duration_ms: int | None
    request_id: str | None


class NewUsageKey(Mutation):
    """A new usage key, shown once."""

    usage_api_key: str = Field(repr=False)


class Action(Listed):
    """A registered action. `action_ipfs_cid` is None if only the hash is known."""

    hashed_cid: str
    name: str
    description: str
    action_ipfs_cid: str | None


class Attestation(Answer):
    """A quote of the node (docs/specification.md section 12)."""

    quote: str
    event_log: str
    vm_config: str
    report_data: str
    statement: str | None = None


class Balance(Answer):
    """Credit in cents. `balance_cents` is negative with credit, as the card processor counts it."""

    balance_cents: int
    balance_display: str
    credit_cents: int
    reserved_cents: int


class ChainConfig(Answer):
    """The settlement chain and the account contract."""

    chain_name: str
    chain_id: int
    is_evm: bool
    testnet: bool
    token: str
    contract_address: str
    contract_abi: str


class ConfirmedPayment(Answer):
    """A payment that was credited."""

    success: bool
    credited_cents: int
    balance_cents: int


class Converted(Mutation):
    """An account that is ChainSecured now. `wallet_address` is the admin's."""

    wallet_address: str
    api_key_hash: str


class PaymentIntent(Answer):
    """A card payment that was begun. The page that takes the card needs `client_secret`."""

    client_secret: str = Field(repr=False)
    payment_intent_id: str


class Group(Listed):
    """A group with the wallets and the hashes of the actions it permits."""

    name: str
    description: str
    pkp_ids_permitted: tuple[str, ...]
    cid_hashes_permitted: tuple[str, ...]


class NewAccount(Mutation):
    """A new account. `api_key` is shown once; `wallet_address` is the master wallet's."""

    api_key: str = Field(repr=False)
    wallet_address: str


class UsageKey(Listed):
    """A usage key with its grants; group `0` is every group. `balance` is its cap in cents or 0."""

    api_key_hash: str
    name: str
    description: str
    expiration: str
    balance: int
    can_create_groups: bool
    can_delete_groups: bool
    can_create_pkps: bool
    can_manage_ipfs_ids_in_groups: tuple[str, ...]
    can_add_pkp_to_groups: tuple[str, ...]
    can_remove_pkp_from_groups: tuple[str, ...]
    can_execute_in_groups: tuple[str, ...]


class Version(Answer):
    """Version of the software, as the node names it."""

    name: str
    version: str
    commit: str | None
    compose_hash: str | None
