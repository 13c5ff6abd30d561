"""Bounds that the account contract enforces (docs/contract.md, "Bounds"); a test reads them back from a deployment."""

from typing import Final

GROUPS_MAX_PER_ACCOUNT: Final = 512
"""The worst decision over so many groups takes 8.7 M gas; geth computes an eth_call of 50 M."""

GROUPS_RESERVED_FOR_ACCOUNT_KEY: Final = 64
"""Of them, those that no usage key can add."""
