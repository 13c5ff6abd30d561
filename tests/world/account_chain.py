"""A local chain with the account contract on it, written to directly by unlocked accounts of anvil's."""

import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from eth_abi.abi import encode

from node.chain.abi import ContractAbi, account_config_abi
from node.chain.rpc import JsonRpc, parse_quantity
from node.dev.local_chain import LocalChainOptions, local_chain

ARTIFACT = Path(__file__).parents[2] / "node" / "chain" / "contract" / "AccountConfig.json"
GAS_LIMIT = hex(15_000_000)


@dataclass(frozen=True)
class AccountChain:
    """`owner`, `admin_payer`, `payer` and `stranger` are unlocked and funded; `payer` is one of the contract's."""

    rpc: JsonRpc
    url: str
    contract: str
    abi: ContractAbi
    owner: str
    admin_payer: str
    payer: str
    stranger: str

    async def transact(self, transaction: dict[str, Any]) -> dict[str, Any]:
        """Send from an unlocked account and give the receipt; fails the test when it reverts."""
        receipt = await self.rpc.call("eth_sendTransactionSync", [{"gas": GAS_LIMIT, **transaction}])
        assert isinstance(receipt, dict)
        assert receipt["status"] == "0x1", receipt
        return receipt

    async def write(self, function: str, *arguments: object, sender: str | None = None) -> int:
        """Call `function` as `sender` (default: the payer); gives the block number."""
        data = self.abi.encode_call(function, arguments)
        return await self.write_bytes(data, sender)

    async def write_bytes(self, data: bytes, sender: str | None = None) -> int:
        transaction = {"from": sender or self.payer, "to": self.contract, "data": "0x" + data.hex()}
        number = parse_quantity((await self.transact(transaction))["blockNumber"])
        assert number is not None
        return number

    async def head_timestamp(self) -> int:
        block = await self.rpc.call("eth_getBlockByNumber", ["latest", False])
        assert isinstance(block, dict)
        timestamp = parse_quantity(block["timestamp"])
        assert timestamp is not None
        return timestamp

    async def mine_at(self, timestamp: int) -> None:
        """One empty block of this timestamp."""
        await self.rpc.call("evm_setNextBlockTimestamp", [timestamp])
        await self.rpc.call("evm_mine", [])


async def _deploy(rpc: JsonRpc, owner: str, admin_payer: str) -> str:
    bytecode = json.loads(ARTIFACT.read_text())["bytecode"]
    arguments = encode(["address", "address", "uint256"], [owner, admin_payer, 3600])
    transaction = {"from": owner, "data": bytecode + arguments.hex(), "gas": hex(30_000_000)}
    receipt = await rpc.call("eth_sendTransactionSync", [transaction])
    assert isinstance(receipt, dict)
    assert receipt["status"] == "0x1", receipt
    return str(receipt["contractAddress"])


@contextlib.asynccontextmanager
async def account_chain() -> AsyncIterator[AccountChain]:
    """A fresh chain with instant blocks and the contract deployed."""
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = JsonRpc(session, [chain.url])
        accounts = await rpc.call("eth_accounts")
        assert isinstance(accounts, list)
        owner, admin_payer, payer, stranger = map(str, accounts[:4])
        contract = await _deploy(rpc, owner, admin_payer)
        world = AccountChain(rpc, chain.url, contract, account_config_abi(), owner, admin_payer, payer, stranger)
        await world.write("addApiPayers", [payer], sender=admin_payer)
        yield world


@contextlib.asynccontextmanager
async def undone(chain: AccountChain) -> AsyncIterator[None]:
    """Whatever happens inside is taken back on leaving."""
    snapshot: Sequence[Any] = [await chain.rpc.call("evm_snapshot")]
    try:
        yield
    finally:
        await chain.rpc.call("evm_revert", snapshot)
