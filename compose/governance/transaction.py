"""Builds and signs the transaction of one call; the key comes from a file or standard input (pure).

RLP, EIP-1559 and secp256k1 are the node's own (`node.keyring`): they exist once in this repository.
"""

import re
from dataclasses import dataclass
from typing import Final

from compose.errors import ComposeError, Exit
from node.errors import NodeError
from node.keyring.port import SigningKey
from node.keyring.signing_key import Secp256k1Key
from node.keyring.transactions import sign_transaction

_KEY: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")


def signing_key(text: str) -> SigningKey:
    """Return the key of 64 hex digits, with or without 0x. Raises ComposeError(MISUSE), which does not repeat them."""
    refusal = ComposeError(Exit.MISUSE, "the key file holds no secp256k1 private key (0x and 64 hex digits).")
    digits = text.strip()
    if not _KEY.fullmatch(digits):
        raise refusal
    try:
        return Secp256k1Key(bytes.fromhex(digits.removeprefix("0x")))
    except ValueError:  # zero, or not below the order of the curve
        raise refusal from None


@dataclass(frozen=True, slots=True)
class Fees:
    """Wei for each unit of gas, and how much gas."""

    gas: int
    max_fee_wei: int
    priority_fee_wei: int


def signed_call(key: SigningKey, chain_id: int, nonce: int, fees: Fees, to: bytes, data: bytes) -> bytes:
    """Return the raw transaction, for eth_sendRawTransaction (EIP-1559).

    Raises ComposeError(REFUSED) when an endpoint has named numbers that no transaction can hold.
    """
    transaction = {
        "type": 2,
        "chainId": chain_id,
        "nonce": nonce,
        "to": f"0x{to.hex()}",
        "value": 0,
        "data": data,
        "gas": fees.gas,
        "maxFeePerGas": fees.max_fee_wei,
        "maxPriorityFeePerGas": fees.priority_fee_wei,
    }
    try:
        return sign_transaction(key, transaction)
    except NodeError as error:
        raise ComposeError(Exit.REFUSED, f"{error.message} Nothing was sent.") from None
