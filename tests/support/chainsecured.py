"""Accounts that nobody administers over HTTP: opened or converted by writing to the node's contract directly."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import aiohttp

from node.keyring.signing_key import key_from_hex
from node.values import hash_of_text, keccak256, new_key
from tests.support.client import Client
from tests.support.contract import Contract, Receipt, Revert, Rpc, wallet_hash
from tests.support.contract_wallets.deployed import MultisigWallet

Result = TypeVar("Result")
FUNDS = hex(10**19)
NO_LISTS: dict[str, Sequence[int]] = {"manage": (), "add": (), "remove": (), "execute": ()}


class ChainWriter:
    """Sends transactions to the contract of a development node as whoever it likes, around the node."""

    def __init__(self, chain_url: str, contract_address: str) -> None:
        self._chain_url = chain_url
        self._contract_address = contract_address

    def write(self, sender: str, function: str, *arguments: object) -> Receipt:
        """One transaction of an impersonated and funded `sender`; raises Revert."""

        async def work(contract: Contract) -> Receipt:
            await contract.rpc.ask("anvil_impersonateAccount", sender)
            await contract.rpc.ask("anvil_setBalance", sender, FUNDS)
            return await contract.send(sender, function, *arguments)

        return self.with_contract(work)

    def read(self, function: str, *arguments: object) -> Any:
        """One view."""
        return self.with_contract(lambda contract: contract.call(function, *arguments))

    def ask(self, method: str, *parameters: object) -> Any:
        """One request to the chain itself."""
        return self.with_contract(lambda contract: contract.rpc.ask(method, *parameters))

    def refuses(self, sender: str, function: str, *arguments: object) -> str:
        """The error with which the contract refuses a write; it goes through: the test fails."""
        try:
            self.with_contract(lambda contract: contract.call(function, *arguments, sender=sender))
        except Revert as revert:
            return revert.name
        raise AssertionError(f"{function} is not refused to {sender}")

    def multisig(self, label: str) -> "DeployedMultisig":
        """A new 2-of-3 wallet on this chain."""
        keys = [key_from_hex(keccak256(f"{label} {number}".encode()).hex()) for number in range(3)]

        async def work(contract: Contract) -> MultisigWallet:
            sender = (await contract.rpc.ask("eth_accounts"))[0]
            return await MultisigWallet.deployed(contract.rpc, sender, keys)

        return DeployedMultisig(self, self.with_contract(work))

    def send(self, sender: str, to: str, data: str) -> None:
        """One transaction of an unlocked account; it must succeed."""
        self.ask("eth_call", {"from": sender, "to": to, "data": data}, "latest")
        receipt = self.ask("eth_sendTransactionSync", {"from": sender, "to": to, "data": data})
        assert receipt["status"] == "0x1"

    def with_contract(self, work: Callable[[Contract], Awaitable[Result]]) -> Result:
        """Whatever `work` does with the contract."""

        async def session() -> Result:
            async with aiohttp.ClientSession() as http:
                return await work(Contract(Rpc(http, self._chain_url), self._contract_address))

        return asyncio.run(session())


class DeployedMultisig:
    """A contract wallet of three keys, driven around the node."""

    def __init__(self, chain: ChainWriter, wallet: MultisigWallet) -> None:
        self.wallet = wallet
        self.address = wallet.address
        self._chain = chain

    def write(self, function: str, *arguments: object) -> None:
        """Two owners have the wallet write to the account contract; anybody brings it."""

        async def work(contract: Contract) -> tuple[str, str]:
            data = contract.encode(function, *arguments)
            execution = await self.wallet.execution(contract.rpc, contract.address, data)
            return (await contract.rpc.ask("eth_accounts"))[1], execution

        sender, execution = self._chain.with_contract(work)
        self._chain.send(sender, self.address, execution)


class ChainSecured:
    """An unmanaged account: its master hash, and the admin wallet that alone writes to it."""

    def __init__(self, chain: ChainWriter, client: Client, master_hash: int, admin: str) -> None:
        self.chain = chain
        self.client = client
        self.master_hash = master_hash
        self.admin = admin

    @classmethod
    def opened(cls, chain: ChainWriter, client: Client, admin: str) -> "ChainSecured":
        """A new account of this wallet's own; `client` is used without its key."""
        chain.write(admin, "newChainSecuredAccount", "direct", "")
        return cls(chain, client.with_key(None), wallet_hash(admin), admin)

    def write(self, function: str, *arguments: object) -> Receipt:
        """A write of the admin wallet; the account's hash comes first in every function."""
        return self.chain.write(self.admin, function, self.master_hash, *arguments)

    def usage_key(self, key: str | None = None, *, expiration: int = 0, flags: bool = False, **lists: Sequence[int]) -> Client:  # fmt: skip
        """A client with a usage key that the admin wallet set; the same `key` again replaces what it may."""
        value = key or new_key()
        groups = [list(listed) for listed in (NO_LISTS | lists).values()]
        self.write("setUsageApiKey", hash_of_text(value), expiration, 0, "usage", "", flags, flags, flags, *groups)
        return self.client.with_key(value)

    def group(self, action_hashes: Sequence[int] = (), wallets: Sequence[str] = ()) -> int:
        """A fresh group's id."""
        receipt = self.write("addGroup", "group", "", list(action_hashes), list(wallets))
        ((_, group_id),) = receipt.named("GroupAdded")
        return int(group_id)
