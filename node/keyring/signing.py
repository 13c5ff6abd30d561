"""Signs messages (EIP-191) and typed data (EIP-712) with a key of the keyring (pure)."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from node.keyring.errors import UnsignableMessageError, UnsignableTypedDataError
from node.keyring.port import SigningKey
from node.keyring.transactions import SIGNED_BYTES_MAX
from node.keyring.typed_data import check_domain, check_value, domain_separator, hash_struct, primary_type, read_types
from node.values import keccak256

PERSONAL_MESSAGE: Final = b"\x19Ethereum Signed Message:\n"
"""EIP-191, version 0x45."""

TYPED_DATA: Final = b"\x19\x01"
"""EIP-191, version 0x01."""


def message_digest(message: str | bytes) -> bytes:
    """Return the 32 bytes that `sign_message` signs. A text counts as its UTF-8 bytes.

    Raises UnsignableMessageError for bad Unicode and for more than SIGNED_BYTES_MAX bytes.
    """
    try:
        raw = message.encode() if isinstance(message, str) else message
    except UnicodeEncodeError:
        raise UnsignableMessageError(
            "The message holds half a surrogate pair: it has no UTF-8 form.",
            "Sign valid Unicode text, or its bytes as a Uint8Array.",
        ) from None
    if len(raw) > SIGNED_BYTES_MAX:
        raise UnsignableMessageError(
            f"A message to sign may have at most {SIGNED_BYTES_MAX} bytes.", "Sign the hash of a longer message."
        )
    return keccak256(PERSONAL_MESSAGE + str(len(raw)).encode() + raw)


def sign_message(key: SigningKey, message: str | bytes) -> bytes:
    """Sign an EIP-191 personal message, as wallets' `personal_sign` and ethers' `signMessage` do. Returns r, s, v."""
    return key.sign_digest(message_digest(message))


def typed_data_digest(
    domain: Mapping[str, JsonValue], types: Mapping[str, JsonValue], value: Mapping[str, JsonValue]
) -> bytes:
    """Return the 32 bytes that `sign_typed_data` signs (EIP-712).

    As in ethers v5: `types` names the structs without EIP712Domain, exactly one of them is in no other and is the
    primary type. Bytes are 0x hex, integers are numbers, decimal or 0x text, booleans are booleans; nothing is padded.
    Raises UnsignableTypedDataError naming the field.
    """
    try:
        read = read_types(types)
        primary = primary_type(read)
        check_domain(domain)
        check_value(primary, read, value)
    except ValueError as fault:
        raise UnsignableTypedDataError(str(fault)) from None
    return keccak256(TYPED_DATA + domain_separator(domain) + hash_struct(primary, read, value))


def sign_typed_data(
    key: SigningKey,
    domain: Mapping[str, JsonValue],
    types: Mapping[str, JsonValue],
    value: Mapping[str, JsonValue],
) -> bytes:
    """Sign EIP-712 typed data. Returns 65 bytes r, s, v. See `typed_data_digest` for shapes and errors."""
    return key.sign_digest(typed_data_digest(domain, types, value))
