"""A local chain with the account contract on it, written to directly by unlocked accounts of anvil's."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp

from devkit.local_chain import LocalChainOptions, local_chain
from tests.support.contract import Contract, Rpc, deploy

OWNER_CHANGE_DELAY_S = 3600


@dataclass(frozen=True)
class AccountChain:
    """`owner`, `admin_payer`, `payer` and `stranger` are unlocked and funded; `payer` is one of the contract's."""

    url: str
    contract: Contract
    owner: str
    admin_payer: str
    payer: str
    stranger: str

    @property
    def rpc(self) -> Rpc:
        """The test's own way to the chain."""
        return self.contract.rpc

    async def write(self, function: str, *arguments: object, sender: str | None = None) -> int:
        """Call `function` as `sender` (default: the payer); gives the block number."""
        return (await self.contract.send(sender or self.payer, function, *arguments)).block_number

    async def head_timestamp(self) -> int:
        block = await self.rpc.ask("eth_getBlockByNumber", "latest", False)
        return int(block["timestamp"], 16)

    async def mine_at(self, timestamp: int) -> None:
        """One empty block of this timestamp."""
        await self.rpc.ask("evm_setNextBlockTimestamp", timestamp)
        await self.rpc.ask("evm_mine")


@contextlib.asynccontextmanager
async def account_chain() -> AsyncIterator[AccountChain]:
    """A fresh chain with instant blocks and the contract deployed."""
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = Rpc(session, chain.url)
        owner, admin_payer, payer, stranger = (await rpc.ask("eth_accounts"))[:4]
        contract = await deploy(rpc, owner, owner, admin_payer, OWNER_CHANGE_DELAY_S)
        world = AccountChain(chain.url, contract, owner, admin_payer, payer, stranger)
        await world.write("addApiPayers", [payer], sender=admin_payer)
        yield world


@contextlib.asynccontextmanager
async def undone(chain: AccountChain) -> AsyncIterator[None]:
    """Whatever happens inside is taken back on leaving."""
    snapshot = await chain.rpc.ask("evm_snapshot")
    try:
        yield
    finally:
        await chain.rpc.ask("evm_revert", snapshot)
