"""Public JSON-RPC endpoints for those who name none of their own: two operators for each chain, so that one lie shows."""

from collections.abc import Mapping
from typing import Final

DEFAULT_CHAIN_ID: Final = 8453
"""Base, where dstack's public governance contracts are."""

DEVELOPMENT_CHAIN_ID: Final = 31337
"""What local chains call themselves; the default under a development root."""

DEFAULT_ENDPOINTS: Final[Mapping[int, tuple[str, str]]] = {
    1: ("https://ethereum-rpc.publicnode.com", "https://eth.drpc.org"),
    10: ("https://mainnet.optimism.io", "https://optimism-rpc.publicnode.com"),
    8453: ("https://mainnet.base.org", "https://base-rpc.publicnode.com"),
    42161: ("https://arb1.arbitrum.io/rpc", "https://arbitrum-one-rpc.publicnode.com"),
    84532: ("https://sepolia.base.org", "https://base-sepolia-rpc.publicnode.com"),
    11155111: ("https://ethereum-sepolia-rpc.publicnode.com", "https://sepolia.drpc.org"),
}
"""By chain id. Ours to choose and yours to replace (`--rpc-url`): the two of a chain belong to different operators."""
