"""Requests and responses about wallets."""

from pydantic import BaseModel

from node.api.calls import OptionalBody
from node.api.fields import Description, Name, TargetGroupId
from node.api.mutation import Mutation
from node.api.paging import PageQuery
from node.chain.port import WalletRecord
from node.values import ZERO_ADDRESS


class CreateWalletRequest(OptionalBody, frozen=True, extra="forbid"):
    """Name and description of the new wallet, as `list_wallets` shows them."""

    name: Name = ""
    description: Description = ""


class CreateWalletAnswer(Mutation, frozen=True):
    """The EIP-55 address of the new wallet, which is also its `pkp_id`."""

    wallet_address: str


class GroupWalletsQuery(PageQuery, extra="forbid"):
    """A page of one group's wallets."""

    group_id: TargetGroupId


class WalletItem(BaseModel, frozen=True):
    """A wallet in a list. `id` is its running number (`"0"` for the master wallet).

    `pkp_id` and the address are EIP-55. The wildcard of a group has the zero address as its `id`.
    """

    id: str
    pkp_id: str
    wallet_address: str
    name: str
    description: str

    @classmethod
    def of(cls, wallet: WalletRecord) -> "WalletItem":
        """Returns the item of a record on chain."""
        return cls(
            # The wildcard's record has the largest uint256 as its number, which names no wallet.
            id=ZERO_ADDRESS if wallet.address == ZERO_ADDRESS else str(wallet.id),
            pkp_id=wallet.address,
            wallet_address=wallet.address,
            name=wallet.name,
            description=wallet.description,
        )
