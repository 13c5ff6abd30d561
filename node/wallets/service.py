"""Minting wallets and listing them."""

import secrets
from typing import cast

from node.billing.metering import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall, Page
from node.http.endpoint import Listing
from node.http.forbidden import require
from node.http.mutation import on_chain
from node.http.origin import Origin
from node.keyring.port import Keyring
from node.permissions.decisions import may_create_pkp
from node.permissions.grants import Caller
from node.values import U256_MAX
from node.wallets.models import CreateWalletAnswer, CreateWalletRequest, WalletItem


class WalletService:
    """Wallets of an account: derived in the keyring, registered on chain."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites, keyring: Keyring) -> None:
        self._reads = reads
        self._writes = writes
        self._keyring = keyring

    async def create(self, caller: Caller, request: CreateWalletRequest, origin: Origin) -> CreateWalletAnswer:
        """Derive a wallet under a fresh random path and register it. Raises NodeError 402, 403 and those of a write."""
        await self.authorise_create(caller)
        result = await self._writes.write(self._order(caller, request, origin))
        return CreateWalletAnswer(wallet_address=cast("str", result.answer["wallet_address"]), **on_chain(result))

    async def authorise_create(self, caller: Caller) -> None:
        """Pass when the caller may mint wallets. Raises NodeError 403."""
        require(may_create_pkp(caller), caller)

    async def list_all(self, caller: Caller, page: Page) -> Listing[WalletItem]:
        """A page of the account's wallets, live from the contract."""
        found = await self._reads.wallets(caller.master_hash, page)
        return Listing([WalletItem.of(wallet) for wallet in found.items], found.total)

    async def list_in_group(self, caller: Caller, group_id: int, page: Page) -> Listing[WalletItem]:
        """A page of a group's wallets, live from the contract. Raises NodeError `not_found` for an unknown group."""
        found = await self._reads.group_wallets(caller.master_hash, group_id, page)
        return Listing([WalletItem.of(wallet) for wallet in found.items], found.total)

    def _order(self, caller: Caller, request: CreateWalletRequest, origin: Origin) -> WriteOrder:
        path = 1 + secrets.randbelow(U256_MAX)
        address = self._keyring.wallet(caller.master_hash, path).address
        arguments = (caller.key_hash, address, path, request.name, request.description)

        async def prepare() -> ContractCall:
            return ContractCall("registerWalletDerivation", arguments)

        return WriteOrder(prepare, caller, origin, {"wallet_address": address})
