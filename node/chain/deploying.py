"""Deploys the account contract and the deposit contract: one signed transaction, and the wait for its receipt."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from eth_abi.abi import encode
from pydantic import JsonValue

from node.chain.contract.artifacts import account_creation_code, deposit_creation_code
from node.chain.rpc import JsonRpc, RpcError, parse_quantity
from node.errors import StartupRefusedError
from node.keyring.port import SigningKey
from node.keyring.transactions import sign_transaction
from node.values import checksum_address

Answer = TypeVar("Answer")

RECEIPT_TIMEOUT_S: Final = 120.0
"""Ten blocks of Ethereum."""
RECEIPT_POLL_S: Final = 0.1
GAS_MARGIN_PERCENT: Final = 10
"""Gas limit above the estimate, which is of a slightly different block."""


@dataclass(frozen=True, slots=True)
class ContractOptions:
    """Arguments of the account contract's constructor.

    `owner` owns the configuration. `admin_payer` is the enclave's; the zero address leaves its first naming to the
    owner. `owner_change_delay_s` is the wait of the owner's later changes of payers.
    """

    owner: str
    admin_payer: str
    owner_change_delay_s: int


@dataclass(frozen=True, slots=True)
class DepositOptions:
    """Arguments of the deposit contract's constructor, all addresses.

    `owner` names tokens and treasury. `account_contract` is the one whose accounts are paid for. Payments go to
    `treasury`, and `tokens` are accepted from the start.
    """

    owner: str
    account_contract: str
    treasury: str
    tokens: Sequence[str]


def _quantity(answer: JsonValue, what: str) -> int:
    number = parse_quantity(answer)
    if number is None:
        raise StartupRefusedError("rpc_endpoints", f"the endpoint gave no usable {what}.")
    return number


async def _asked(question: Awaitable[Answer]) -> Answer:
    try:
        return await question
    except RpcError as error:
        raise StartupRefusedError("rpc_endpoints", f"the contract could not be deployed: {error}") from None


async def deploy_account_contract(rpc: JsonRpc, deployer: SigningKey, options: ContractOptions) -> str:
    """Deploy the account contract with `deployer`'s key and gas; return its EIP-55 address.

    Raises StartupRefusedError when the endpoint refuses or nothing is mined.
    """
    arguments = encode(
        ["address", "address", "uint256"], [options.owner, options.admin_payer, options.owner_change_delay_s]
    )
    return await deploy_contract(rpc, deployer, account_creation_code() + arguments.hex())


async def deploy_deposit_contract(rpc: JsonRpc, deployer: SigningKey, options: DepositOptions) -> str:
    """Deploy the deposit contract with `deployer`'s key and gas; return its EIP-55 address.

    Raises StartupRefusedError when the endpoint refuses (an address that is no contract, say) or nothing is mined.
    """
    arguments = encode(
        ["address", "address", "address", "address[]"],
        [options.owner, options.account_contract, options.treasury, list(options.tokens)],
    )
    return await deploy_contract(rpc, deployer, deposit_creation_code() + arguments.hex())


async def deploy_contract(rpc: JsonRpc, deployer: SigningKey, code: str) -> str:
    """Deploy a contract from its creation code with arguments, 0x hex; return its EIP-55 address.

    Raises StartupRefusedError when the endpoint refuses or nothing is mined.
    """
    creation: dict[str, JsonValue] = {"from": deployer.address, "data": code}
    block = await _asked(rpc.call("eth_getBlockByNumber", ["latest", False]))
    base_fee = _quantity(block.get("baseFeePerGas") if isinstance(block, dict) else None, "base fee")
    tip = _quantity(await _asked(rpc.call("eth_maxPriorityFeePerGas")), "priority fee")
    gas = _quantity(await _asked(rpc.call("eth_estimateGas", [creation])), "gas estimate")
    gas_limit = gas + gas * GAS_MARGIN_PERCENT // 100
    transaction = {
        "chainId": _quantity(await _asked(rpc.call("eth_chainId")), "chain id"),
        "nonce": _quantity(await _asked(rpc.call("eth_getTransactionCount", [deployer.address, "pending"])), "nonce"),
        "gas": gas_limit,
        "maxFeePerGas": 2 * base_fee + tip,
        "maxPriorityFeePerGas": tip,
        "data": code,
    }
    await _require_funds(rpc, deployer.address, gas_limit * (2 * base_fee + tip))
    raw = sign_transaction(deployer, transaction)
    sent = await _asked(rpc.call("eth_sendRawTransaction", ["0x" + raw.hex()]))
    return await _deployed_address(rpc, sent)


async def _require_funds(rpc: JsonRpc, deployer: str, cost_wei: int) -> None:
    """Check the balance before sending: endpoints refuse an uncovered transaction, each in its own words."""
    balance_wei = _quantity(await _asked(rpc.call("eth_getBalance", [deployer, "pending"])), "balance")
    if balance_wei < cost_wei:
        raise StartupRefusedError(
            "--key-file",
            f"its address {deployer} holds {balance_wei} wei, and deploying may cost {cost_wei}: send it some.",
        )


async def _deployed_address(rpc: JsonRpc, transaction: JsonValue) -> str:
    """Wait for the receipt; return the contract's EIP-55 address."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + RECEIPT_TIMEOUT_S
    while loop.time() < deadline:
        receipt = await _asked(rpc.call("eth_getTransactionReceipt", [transaction]))
        if isinstance(receipt, dict):
            if receipt.get("status") != "0x1":
                raise StartupRefusedError("rpc_endpoints", f"the deployment {transaction} was reverted.")
            return checksum_address(str(receipt["contractAddress"]))
        await asyncio.sleep(RECEIPT_POLL_S)
    raise StartupRefusedError("rpc_endpoints", f"the deployment {transaction} was not mined in {RECEIPT_TIMEOUT_S} s.")


async def has_code(rpc: JsonRpc, address: str) -> bool:
    """Return whether a contract is at `address` at the head."""
    return await _asked(rpc.call("eth_getCode", [address, "latest"])) not in (None, "", "0x")
