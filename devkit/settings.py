"""Settings of `svc-devkit run` alone, and its own defaults for the rest."""

from typing import Literal

from pydantic import Field

from devkit.deployed_contract import OWNER_CHANGE_DELAY_S
from node.settings import WEI_PER_ETHER, Settings


class DevelopmentSettings(Settings):
    """Settings of the development node alone."""

    dev_chain_port: int = Field(default=8545, description="port of the local chain; 0 takes a free one", ge=0, le=65535)
    dev_block_time_s: float | None = Field(
        default=None, description="the local chain's block time; empty: a block for each transaction, at once", gt=0
    )
    dev_starter_cents: int = Field(
        default=10_000_000, description="credit an account begins with, in US cents; 0: none", ge=0
    )
    dev_processor_port: int = Field(
        default=8420, description="port of the local card processor; 0 takes a free one", ge=0, le=65535
    )

    egress_allow_loopback: bool = Field(
        default=False, description="lets actions reach this machine's loopback, to try them against local servers"
    )

    domain: str = Field(default="localhost", description="its name; the addresses of loopback mean it as well")
    chain_id: int = Field(default=31337, description="chain id of the local chain", gt=0)
    min_owner_change_delay_s: int = Field(
        default=OWNER_CHANGE_DELAY_S,
        description="the delay of the local contract; INSECURE: nobody can act in it",
        ge=0,
    )
    chain_name: str = Field(default="local development chain", description="its name")
    chain_testnet: bool = Field(default=True, description="whether it is a test network")
    chain_max_head_age_s: float = Field(
        default=0.0, description="off: the local chain has no block while nothing happens", ge=0
    )
    free_writes_per_hour_wei: int = Field(
        default=1000 * WEI_PER_ETHER, description="as good as none: gas of the local chain costs nobody anything", ge=0
    )
    write_replace_after_s: float = Field(
        default=3.0, description="a higher fee is offered after so long; it also wakes a chain that forgot one", gt=0
    )
    http_shutdown_timeout_s: float = Field(
        default=3.0, description="how long Ctrl-C lets running requests end; actions are ended at once", gt=0
    )
    certificate_mode: Literal["", "acme", "files", "self-signed"] = Field(
        default="self-signed", description="nobody vouches for it; the API is on http_port as well"
    )
    token_poll_s: float = Field(
        default=0.4,
        description="longest time between two looks; the local chain loses its last blocks when it is killed, and what is"
        " lost is read again after six of them",
        gt=0,
    )
    token_confirmations: int = Field(
        default=1, description="the local chain is nobody else's: a deposit counts at once", ge=1
    )
