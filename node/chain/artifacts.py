"""ABIs of the contracts this build knows, from their committed artifacts."""

import functools
import json
from collections.abc import Sequence
from importlib import resources

from pydantic import JsonValue


@functools.cache
def account_contract_abi() -> Sequence[JsonValue]:
    """Returns the account contract's ABI (node/chain/contract/AccountConfig.json)."""
    return _abi("node.chain.contract", "AccountConfig.json")


@functools.cache
def deposit_contract_abi() -> Sequence[JsonValue]:
    """Returns the deposit contract's ABI (node/chain/deposits/contract/CreditDeposit.json)."""
    return _abi("node.chain.deposits.contract", "CreditDeposit.json")


def _abi(package: str, artifact: str) -> Sequence[JsonValue]:
    abi: list[JsonValue] = json.loads(resources.files(package).joinpath(artifact).read_bytes())["abi"]
    return abi
