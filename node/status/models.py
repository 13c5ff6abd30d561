"""What the node says of itself (decisions.md section 2)."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, Field


class ChainConfig(BaseModel, frozen=True):
    """The settlement chain and the account contract on it; never an RPC URL."""

    chain_name: str
    chain_id: int
    is_evm: Literal[True] = True
    testnet: bool
    token: str = Field(description="Symbol of the chain's own currency.")
    contract_address: str = Field(description="EIP-55.")


class Version(BaseModel, frozen=True):
    """What is running; `commit` and `compose_hash` are null where it was not built or deployed from one."""

    name: str
    version: str
    commit: str | None
    compose_hash: str | None


class ComponentStatus(StrEnum):
    """How one part of the node does; `off` is what the settings switched off."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"
    OFF = "off"


class Health(BaseModel, frozen=True):
    """The node as a whole and part by part."""

    status: Literal["ok", "degraded", "down"]
    version: str
    action_runner: ComponentStatus
    chain: ComponentStatus
    billing: ComponentStatus
    tee: ComponentStatus
    account_event_listener_lag_seconds: float | None = Field(description="null before the listener's first poll.")
    notes: dict[str, str] = Field(description="By component: what is wrong, or worth knowing.")
    insecure: list[str] = Field(description="Stand-ins in use that no production node may have.")
