"""Minting wallets and listing them."""

import secrets
from typing import cast

from node.api.calls import Call, Listing, NoInput
from node.api.errors import require
from node.api.mutation import on_chain
from node.api.paging import PageQuery
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall
from node.keyring.port import Keyring
from node.permissions.grants import may_create_pkp
from node.values import U256_MAX
from node.wallets.models import CreateWalletAnswer, CreateWalletRequest, GroupWalletsQuery, WalletItem


class WalletService:
    """Wallets of an account, derived in the keyring and registered on chain."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites, keyring: Keyring) -> None:
        self._reads = reads
        self._writes = writes
        self._keyring = keyring

    async def create(self, call: Call, request: CreateWalletRequest) -> CreateWalletAnswer:
        """Derives and registers a wallet. Raises NodeError 402, 403 and those of a write."""
        await self.authorise_create(call, request)
        result = await self._writes.write(self._order(call, request))
        return CreateWalletAnswer(wallet_address=cast("str", result.answer["wallet_address"]), **on_chain(result))

    async def create_unnamed(self, call: Call, _: NoInput) -> CreateWalletAnswer:
        """Creates a wallet without name and description. Raises NodeError as `create`."""
        return await self.create(call, CreateWalletRequest())

    async def authorise_create(self, call: Call, _: CreateWalletRequest) -> None:
        """Pass when the caller may mint wallets. Raises NodeError 403."""
        require(may_create_pkp(call.caller), call.caller)

    async def list_all(self, call: Call, query: PageQuery) -> Listing[WalletItem]:
        """Returns a page of the account's wallets, live from the contract."""
        found = await self._reads.wallets(call.caller.master_hash, query.page)
        return Listing([WalletItem.of(wallet) for wallet in found.items], found.total)

    async def list_in_group(self, call: Call, query: GroupWalletsQuery) -> Listing[WalletItem]:
        """Returns a page of a group's wallets. Raises NodeError 404 if the group is unknown."""
        found = await self._reads.group_wallets(call.caller.master_hash, query.group_id, query.page)
        return Listing([WalletItem.of(wallet) for wallet in found.items], found.total)

    def _order(self, call: Call, request: CreateWalletRequest) -> WriteOrder:
        caller = call.caller
        # Random, so that nodes need not agree on a next path. From 1 to 2^256 - 1.
        path = 1 + secrets.randbelow(U256_MAX)
        address = self._keyring.wallet(caller.master_hash, path).address
        arguments = (caller.key_hash, address, path, request.name, request.description)

        async def prepare() -> ContractCall:
            return ContractCall("registerWalletDerivation", arguments)

        return WriteOrder(prepare, caller, call.origin, {"wallet_address": address})
