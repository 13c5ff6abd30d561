"""EIP-712 typed data that a wallet signs for the node (docs/chain-secured.md)."""

import time
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

_DOMAIN: Final = (("name", "string"), ("version", "string"), ("chainId", "uint256"))
_MESSAGE: Final = (("address", "address"), ("issuedAt", "uint256"))


class Purpose(StrEnum):
    """Primary type of the typed data. A signature for one endpoint is invalid at the others."""

    CREATE_WALLET = "CreateWallet"
    ADD_USAGE_KEY = "AddUsageApiKey"
    CONVERT = "ConvertAccount"


def envelope(purpose: Purpose, address: str, chain_id: int) -> dict[str, JsonValue]:
    """Returns the object to sign now, valid for 300 s at the node. Signers expect JSON numbers."""
    return {
        "types": {"EIP712Domain": _fields(_DOMAIN), purpose.value: _fields(_MESSAGE)},
        "primaryType": purpose.value,
        "domain": {"name": "Service ChainSecured", "version": "1", "chainId": chain_id},
        "message": {"address": address, "issuedAt": int(time.time())},
    }


def _fields(fields: tuple[tuple[str, str], ...]) -> list[JsonValue]:
    return [{"name": name, "type": kind} for name, kind in fields]
