"""What a statement says of the account contract: which one it is, which code it has, and how long its owner waits.

A verifier compares it with its pins and with the chain (docs/verifying.md). Hashes are keccak256 of runtime code; that of
the contract is taken with the bytes of its immutables set to zero, as the compiler leaves them in the artifact.
"""

from pydantic import JsonValue

from node.chain.contract.identity import published_identity
from node.chain.view import ContractViews
from node.values import checksum_address


async def attested_contract(views: ContractViews, chain_id: int, address: str) -> dict[str, JsonValue]:
    """The contract at `address`, with what a quorum says of its immutables.

    The code is that of this build's artifact: a node does not start on another. Raises NodeError `chain_unavailable`.
    """
    published = published_identity()
    _, ((views_module,), (delay_s,)) = await views.at_head([("viewsModule", ()), ("ownerChangeDelay", ())])
    return {
        "address": checksum_address(address),
        "chain_id": chain_id,
        "code_hash": published.code_hash,
        "owner_change_delay_s": _number(delay_s),
        "views_code_hash": published.views_code_hash,
        "views_module": checksum_address(str(views_module)),
    }


def _number(value: object) -> JsonValue:
    assert isinstance(value, int)  # noqa: S101 - a uint256 as the ABI decodes it
    return value
