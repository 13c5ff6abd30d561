"""Requests and responses of the ChainSecured endpoints."""

from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, StrictStr, WithJsonSchema

from node.api.fields import Address
from node.api.mutation import Mutation
from node.chainsecured.envelope import (
    DOMAIN_NAME,
    DOMAIN_VERSION,
    SIGNATURE_MAX_BYTES,
    TYPED_DATA_MAX_BYTES,
    EnvelopeFault,
    PrimaryType,
    typed_data_text,
    types_of,
)


def _text(value: JsonValue) -> str:
    """Checks the size where large bodies are parsed, off the event loop."""
    try:
        return typed_data_text(value)
    except EnvelopeFault as fault:
        raise fault.refusal() from None


TypedData = Annotated[
    str,
    BeforeValidator(_text),
    WithJsonSchema(
        {
            "anyOf": [
                {
                    "type": "object",
                    "required": ["types", "primaryType", "domain", "message"],
                    "properties": {
                        "types": {"type": "object"},
                        "primaryType": {"type": "string"},
                        "domain": {"type": "object"},
                        "message": {"type": "object"},
                    },
                },
                {"type": "string", "maxLength": TYPED_DATA_MAX_BYTES, "description": "the object's JSON"},
            ],
            "description": "the EIP-712 object that was signed; see docs/chain-secured.md",
        }
    ),
]
"""An EIP-712 object, or its JSON as a text; at most 4 KiB of JSON."""

Signature = Annotated[
    StrictStr,
    WithJsonSchema(
        {
            "type": "string",
            "pattern": "^0x([0-9a-fA-F]{2})*$",
            "maxLength": len("0x") + 2 * SIGNATURE_MAX_BYTES,
            "description": "0x hex: 65 bytes, 64 compact (EIP-2098), or what a contract wallet takes (ERC-1271)",
        }
    ),
]
"""A signature as 0x hex."""

EXAMPLE_WALLET: Final = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"


class SignedRequest(BaseModel, frozen=True, extra="forbid"):
    """Typed data, and its signature by the wallet that `message.address` names."""

    typed_data: TypedData
    signature: Signature


class ConvertRequest(SignedRequest, frozen=True, extra="forbid"):
    """Hands a managed account to a wallet for good; that wallet signs."""

    new_admin_wallet_address: Address


class MintedWallet(Mutation, frozen=True):
    """A wallet without an owner until `registerWalletDerivation` gives it to an account."""

    wallet_address: str
    derivation_path: str


class MintedUsageKey(MintedWallet, frozen=True):
    """A secret (base64 of 32 bytes, shown once) with its wallet; invalid until it is attached."""

    usage_api_key: Annotated[str, Field(repr=False)]


class ConvertAnswer(Mutation, frozen=True):
    """The new admin wallet and the account's hash (u256 hex), which does not change."""

    wallet_address: str
    api_key_hash: str


def example_of(primary_type: PrimaryType) -> dict[str, JsonValue]:
    """Returns a request for the OpenAPI document. Its signature is invalid."""
    typed_data: dict[str, JsonValue] = {
        "types": types_of(primary_type),
        "primaryType": primary_type.value,
        "domain": {"name": DOMAIN_NAME, "version": DOMAIN_VERSION, "chainId": "31337"},
        "message": {"address": EXAMPLE_WALLET, "issuedAt": "1800000000"},
    }
    return {"typed_data": typed_data, "signature": "0x" + "00" * 65}
