"""From the wallets a request names (address, running id, wildcard) to addresses."""

import asyncio
from collections.abc import Sequence

from node.chain.port import AccountReads
from node.http.errors import ErrorCode, NodeError
from node.permissions.grants import Caller

MASTER_WALLET_ID = 0

WalletReference = str | int
"""An EIP-55 address (or the wildcard), or a running id."""


async def addresses_of(
    reads: AccountReads, account: int, references: Sequence[WalletReference]
) -> Sequence[str | None]:
    """The address of each reference, in order; None for a running id nobody has."""
    return await asyncio.gather(*(_address_of(reads, account, reference) for reference in references))


async def master_wallet_for(reads: AccountReads, caller: Caller) -> str | None:
    """The account's master wallet where the caller's rights depend on it: the account key may use any wallet."""
    if caller.is_account_key:
        return None
    return await _address_of(reads, caller.master_hash, MASTER_WALLET_ID)


def registered(references: Sequence[WalletReference], addresses: Sequence[str | None]) -> list[str]:
    """The addresses. Raises NodeError `not_found` for the first reference without one."""
    found: list[str] = []
    for reference, address in zip(references, addresses, strict=True):
        if address is None:
            raise NodeError(
                ErrorCode.NOT_FOUND,
                "The account has no such wallet.",
                fix="list_wallets shows the account's wallets.",
                details={"pkp_id": str(reference)},
            )
        found.append(address)
    return found


async def _address_of(reads: AccountReads, account: int, reference: WalletReference) -> str | None:
    if isinstance(reference, str):
        return reference
    wallet = await reads.wallet_by_id(account, reference)
    return None if wallet is None else wallet.address
