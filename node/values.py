"""The values every room speaks of: keys and their hashes, u256 hex, addresses (decisions.md section 1)."""

import base64
import re
import secrets
from typing import Final

import sha3
from eth_utils.address import to_checksum_address

KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9+/]{43}=")
"""An account or usage key: standard base64, padded, of 32 bytes."""

U256_MAX: Final = 2**256 - 1
U64_MAX: Final = 2**64 - 1
ZERO_ADDRESS: Final = "0x" + "00" * 20
"""As a group's wallet: the wallet wildcard."""

ALL_GROUPS: Final = 0
"""As an entry of a usage key's group list: every group of the account."""

ANY_ACTION: Final = 0
"""As a group's action: the action wildcard."""


def keccak256(data: bytes) -> bytes:
    """The 32-byte Keccak-256 digest of `data` (Ethereum's, not SHA3-256)."""
    digest: bytes = sha3.keccak_256(data).digest()
    return digest


def new_key() -> str:
    """A fresh account or usage key: base64 of 32 bytes from the operating system's CSPRNG."""
    return base64.b64encode(secrets.token_bytes(32)).decode()


def hash_of_text(text: str) -> int:
    """keccak256 of the UTF-8 bytes of `text` as u256: of a key string its key hash, of a CID string its hashed CID."""
    return int.from_bytes(keccak256(text.encode()))


def hash_of_address(address: str) -> int:
    """keccak256 of the 20 raw bytes of `address` as u256: the ChainSecured master hash or alias."""
    return int.from_bytes(keccak256(bytes.fromhex(address.removeprefix("0x"))))


def u256_hex(value: int) -> str:
    """`0x` and 64 lower-case hex digits."""
    return f"0x{value:064x}"


def checksum_address(address: str) -> str:
    """EIP-55 form of a 0x-prefixed hex address in any case."""
    return str(to_checksum_address(address))
