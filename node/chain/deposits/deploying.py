"""Puts the deposit contract on a chain."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from eth_abi.abi import encode

from node.chain.deploying import deploy_contract
from node.chain.rpc import JsonRpc
from node.keyring.port import SigningKey


@dataclass(frozen=True, slots=True)
class DepositOptions:
    """The constructor's arguments, addresses all: who names tokens and treasury, the account contract whose accounts are
    paid for, where payments go, and the tokens taken from the start.
    """

    owner: str
    account_contract: str
    treasury: str
    tokens: Sequence[str]


def deposit_creation_code() -> str:
    """The committed artifact's creation code, 0x hex, without arguments."""
    artifact = resources.files("node.chain.deposits.contract").joinpath("CreditDeposit.json").read_bytes()
    return str(json.loads(artifact)["bytecode"])


async def deploy_deposit_contract(rpc: JsonRpc, deployer: SigningKey, options: DepositOptions) -> str:
    """Deploy the committed artifact with `deployer`'s key and gas; the contract's EIP-55 address.

    Raises StartupRefusedError when the endpoint refuses (an address that is no contract, say) or nothing is mined.
    """
    arguments = encode(
        ["address", "address", "address", "address[]"],
        [options.owner, options.account_contract, options.treasury, list(options.tokens)],
    )
    return await deploy_contract(rpc, deployer, deposit_creation_code() + arguments.hex())
