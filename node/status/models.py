"""Responses of the node information endpoints."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, Field, JsonValue


class ChainConfig(BaseModel, frozen=True):
    """The settlement chain and its account contract, without RPC URLs."""

    chain_name: str
    chain_id: int
    is_evm: Literal[True] = True
    testnet: bool
    token: str = Field(description="Symbol of the chain's own currency.")
    contract_address: str = Field(description="EIP-55.")
    contract_abi: str = Field(
        default="/core/v1/get_account_contract_abi", description="Path on this node at which the contract's ABI is."
    )


class Version(BaseModel, frozen=True):
    """The running version. `commit` and `compose_hash` are null if unknown."""

    name: str
    version: str
    commit: str | None
    compose_hash: str | None


class ComponentStatus(StrEnum):
    """State of a component; `off` means that the settings switched it off."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"
    OFF = "off"


class ChainHead(BaseModel, frozen=True):
    """The last block on which the providers agreed."""

    block_number: int
    timestamp: int = Field(description="unix seconds")
    age_seconds: float


class RpcEndpointState(BaseModel, frozen=True):
    """State of an RPC provider, numbered as in the settings, since a URL may hold a credential."""

    number: int = Field(description="Place in `rpc_endpoints`, from 1.")
    healthy: bool
    block_number: int | None = Field(description="The last head it reported.")
    latency_ms: float | None
    consecutive_faults: int
    disagreements: int = Field(description="How often it was outvoted, or kept the endpoints from agreeing.")
    websocket: bool = Field(description="Whether it tells of new blocks by itself.")


class AuthorisationCacheSize(BaseModel, frozen=True):
    """Size of the authorisation cache."""

    keys: int = Field(description="API keys of which something is remembered.")
    readings: int = Field(description="Callers and decisions remembered, all keys together.")


class Freshness(BaseModel, frozen=True):
    """Freshness of this node's view of the chain, and the providers it depends on."""

    account_event_listener_lag_seconds: float | None = Field(description="null before the listener's first poll.")
    chain_head: ChainHead | None = Field(description="null before the endpoints agreed on one.")
    rpc_quorum: int = Field(description="How many endpoints must give the same answer.")
    rpc_endpoints: list[RpcEndpointState]
    authorisation_cache: AuthorisationCacheSize


class ScheduledOwnerChange(BaseModel, frozen=True):
    """Another admin payer that the contract's owner has scheduled."""

    admin_payer: str = Field(description="EIP-55.")
    effective_at: int = Field(description="unix seconds from which the owner may carry it out")


class AccountContractState(BaseModel, frozen=True):
    """Administration of the account contract as last read; null before the first read."""

    admin_payer: Literal["unknown", "unnamed", "own", "other", "replaced"] = Field(
        description="The admin payer in the contract: this enclave's (`own`), none yet, another, or (`replaced`) this "
        "enclave's after another one. API-mode accounts can do nothing under `other` and `replaced`."
    )
    admin_payer_replacements: int | None = Field(
        description="How often another admin payer was named in place of one; 0 on a sound contract."
    )
    owner: str | None = Field(description="EIP-55; may name another admin payer, after the delay.")
    owner_change_delay_seconds: int | None
    scheduled_owner_change: ScheduledOwnerChange | None
    payers_of_others: list[str] | None = Field(
        description="The contract's payers that are not this instance's, EIP-55. While admin_payer is `own`, only "
        "instances of this app can have added them; this instance cannot tell which."
    )


Tee = Literal["dstack", "simulator"]


class AttestationState(BaseModel, frozen=True):
    """Kind of the TEE, and age of the published evidence."""

    tee: Tee = Field(description="`simulator`: no hardware vouches for anything.")
    quote_age_seconds: float | None = Field(description="Of /attestation without a nonce; null before the first.")
    certificate_not_after: int | None = Field(
        description="unix seconds: when the first of the certificates in use expires; null where the node ends no TLS."
    )
    evidence_made_at: int | None = Field(description="unix seconds; null where there is no evidence set.")
    compose_hash_allowed: bool | None = Field(
        description="Whether the app's governance contract allows the running compose hash; null before the first read, "
        "and where that contract is not on the account contract's chain."
    )


class Condition(BaseModel, frozen=True):
    """State of the node and of its parts."""

    status: Literal["ok", "degraded", "down"]
    version: str
    action_runner: ComponentStatus
    chain: ComponentStatus
    billing: ComponentStatus
    tee: ComponentStatus
    account_contract: AccountContractState
    attestation: AttestationState
    action_isolation: list[str] = Field(
        description="Measures around actions beyond the mandatory ones (system call filter, limits, no new privileges), "
        "as far as kernel and container allow them: namespaces by name, landlock."
    )
    notes: dict[str, str] = Field(description="By component: what is wrong, or worth knowing.")
    insecure: list[str] = Field(description="Stand-ins in use that no production node may have.")


class Health(Freshness, Condition, frozen=True):
    """The node's condition, and how fresh its picture of the chain is."""


EXAMPLE_CHAIN: Final[dict[str, JsonValue]] = {
    "chain_name": "local development chain", "chain_id": 31337, "is_evm": True, "testnet": True, "token": "ETH",
    "contract_address": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0", "contract_abi": "/core/v1/get_account_contract_abi",
}  # fmt: skip
EXAMPLE_HEALTH: Final[dict[str, JsonValue]] = {
    "status": "ok", "version": "0.2.0", "action_runner": "ok", "chain": "ok", "billing": "ok", "tee": "ok",
    "account_contract": {
        "admin_payer": "own", "admin_payer_replacements": 0, "owner": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        "owner_change_delay_seconds": 604800, "scheduled_owner_change": None, "payers_of_others": [],
    },
    "attestation": {
        "tee": "dstack", "quote_age_seconds": 12.5, "certificate_not_after": 1803582083, "evidence_made_at": 1795806083,
        "compose_hash_allowed": True,
    },
    "action_isolation": ["oom", "net", "mount"], "notes": {}, "insecure": [],
    "account_event_listener_lag_seconds": 2.4,
    "chain_head": {"block_number": 91, "timestamp": 1795806161, "age_seconds": 3.4}, "rpc_quorum": 1,
    "rpc_endpoints": [{
        "number": 1, "healthy": True, "block_number": 91, "latency_ms": 2.9, "consecutive_faults": 0, "disagreements": 0,
        "websocket": True,
    }],
    "authorisation_cache": {"keys": 1, "readings": 4},
}  # fmt: skip
