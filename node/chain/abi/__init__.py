"""Contract ABIs, typed: calls to bytes, results to values, errors and events by their hash."""

from node.chain.abi.contract import AbiError, ContractAbi, ContractError, account_config_abi
from node.chain.abi.decoder import AbiDecodeError

__all__ = ["AbiDecodeError", "AbiError", "ContractAbi", "ContractError", "account_config_abi"]
