"""Who is who in these tests, and shorthands for the writes they make."""

from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from tests.support.contract import Contract, Receipt, Revert, Rpc, address_of, key_hash, wallet_hash

OWNER: Final = address_of("owner")
ADMIN_PAYER: Final = address_of("admin payer")
PAYER: Final = address_of("payer")
OPERATOR: Final = address_of("operator")
STRANGER: Final = address_of("stranger")
ZERO: Final = "0x" + "00" * 20
EVERYBODY: Final = (OWNER, ADMIN_PAYER, PAYER, OPERATOR, STRANGER)
DELAY_S: Final = 3600
GROUPS_MAX: Final = 512
GROUPS_RESERVED: Final = 64
WILDCARD_ID: Final = 2**256 - 1


@dataclass(frozen=True)
class Grants:
    """A usage key's fields in the order of setUsageApiKey; all off unless said."""

    expiration: int = 0
    balance: int = 0
    name: str = ""
    description: str = ""
    create_groups: bool = False
    delete_groups: bool = False
    create_pkps: bool = False
    manage: list[int] = field(default_factory=list)
    add_pkp: list[int] = field(default_factory=list)
    remove_pkp: list[int] = field(default_factory=list)
    execute: list[int] = field(default_factory=list)

    def arguments(self) -> tuple[Any, ...]:
        return (
            *(self.expiration, self.balance, self.name, self.description),
            *(self.create_groups, self.delete_groups, self.create_pkps),
            *(self.manage, self.add_pkp, self.remove_pkp, self.execute),
        )


EVERYTHING: Final = Grants(
    create_groups=True, delete_groups=True, create_pkps=True, manage=[0], add_pkp=[0], remove_pkp=[0], execute=[0]
)


@dataclass(frozen=True)
class World:
    """A deployed contract with an admin payer and one payer."""

    rpc: Rpc
    contract: Contract

    async def call(self, function: str, *arguments: Any, sender: str | None = None) -> Any:
        return await self.contract.call(function, *arguments, sender=sender)

    async def send(self, sender: str, function: str, *arguments: Any) -> Receipt:
        await self.rpc.ask("anvil_setBalance", sender, hex(10**24))
        return await self.contract.send(sender, function, *arguments)

    async def refusal(self, sender: str, function: str, *arguments: Any) -> tuple[str, tuple[Any, ...]]:
        """The error a call is refused with; fails when it goes through."""
        with pytest.raises(Revert) as refused:
            await self.contract.call(function, *arguments, sender=sender)
        return refused.value.name, refused.value.arguments

    async def send_if_allowed(self, sender: str, function: str, *arguments: Any) -> Receipt | None:
        """Send what the contract would let through; None for what it refuses."""
        try:
            return await self.send(sender, function, *arguments)
        except Revert:
            return None

    async def pay(self, function: str, *arguments: Any) -> Receipt:
        return await self.send(PAYER, function, *arguments)

    async def now(self) -> int:
        block = await self.rpc.ask("eth_getBlockByNumber", "latest", False)
        return int(block["timestamp"], 16)

    async def go_to(self, timestamp: int) -> None:
        """Mine a block at this unix second."""
        await self.rpc.ask("evm_setNextBlockTimestamp", timestamp)
        await self.rpc.ask("evm_mine")

    async def managed(self, label: str, wallets: int = 1) -> int:
        """A managed account with its master wallet and further ones; its hash."""
        account = key_hash(label)
        await self.pay("createManagedAccount", account, label, "", wallet(label, 0), 1)
        for number in range(1, wallets):
            await self.wallet(account, wallet(label, number), number + 1)
        return account

    async def unmanaged(self, admin: str) -> int:
        """An account of this wallet's own; its hash."""
        await self.send(admin, "newChainSecuredAccount", "own", "")
        return wallet_hash(admin)

    async def wallet(self, account: int, address: str, path: int, sender: str = PAYER) -> None:
        await self.send(sender, "registerWalletDerivation", account, address, path, "", "")

    async def group(self, account: int, actions: list[int], wallets: list[str], sender: str = PAYER) -> int:
        arguments = (account, "group", "", actions, wallets)
        group_id = int(await self.call("addGroup", *arguments, sender=sender))
        await self.send(sender, "addGroup", *arguments)
        return group_id

    async def key(self, account: int, label: str, grants: Grants, sender: str = PAYER) -> int:
        await self.send(sender, "setUsageApiKey", account, key_hash(label), *grants.arguments())
        return key_hash(label)


def wallet(label: str, number: int) -> str:
    """The address of an account's wallet in these tests."""
    return address_of(f"wallet {number} of {label}")
