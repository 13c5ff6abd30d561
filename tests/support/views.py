"""Reads of the contract for tests: over one provider or several, on chains that have no block while nothing happens."""

from collections.abc import Callable
from typing import Final

from node.chain.abi import account_config_abi
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.reads import AccountReader, ContractViews
from node.chain.rpc import JsonRpc
from node.settings.chain import RpcSettings

ANY_AGE: Final = RpcSettings(chain_max_head_age_s=0)


def quorum_over(rpc: JsonRpc, floor: MinimumBlock | None = None, settings: RpcSettings = ANY_AGE) -> QuorumReader:
    """A quorum of the providers of `rpc`, of all of two by default."""
    return QuorumReader(QuorumClient(rpc, settings), floor or MinimumBlock())


def views_over(rpc: JsonRpc, contract: str, floor: MinimumBlock | None = None) -> ContractViews:
    """Views of the account contract at `contract`."""
    return ContractViews(quorum_over(rpc, floor), account_config_abi(), contract)


def reader_over(
    rpc: JsonRpc, contract: str, clock: Callable[[], float], floor: MinimumBlock | None = None
) -> AccountReader:
    """Reads of the account contract at `contract`; `clock` is the node's, in unix seconds."""
    return AccountReader(views_over(rpc, contract, floor), account_config_abi(), clock)
