"""Values that every component uses: identifiers, keys and their hashes, u256 hex, addresses."""

import base64
import os
import re
import secrets
import time
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

import sha3

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network

KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9+/]{43}=")
"""Form of an account or usage key: 32 bytes in padded standard base64."""

U256_MAX: Final = 2**256 - 1
U64_MAX: Final = 2**64 - 1
ZERO_ADDRESS: Final = "0x" + "00" * 20
"""Wildcard for the wallets of a group."""

_ADDRESS: Final = re.compile(r"0[xX][0-9a-fA-F]{40}")
_CASE_BIT: Final = 0x20
_LETTERS: Final = bytes(_CASE_BIT if chr(code) in "abcdef" else 0 for code in range(256))
_EIGHT_OR_MORE: Final = bytes(_CASE_BIT if chr(code) in "89abcdef" else 0 for code in range(256))

ALL_GROUPS: Final = 0
"""Entry of a usage key's group list that names every group of the account."""

ANY_ACTION: Final = 0
"""Wildcard for the actions of a group."""


def keccak256(data: bytes) -> bytes:
    """Returns the 32-byte Keccak-256 digest of `data` (Ethereum's, not SHA3-256)."""
    digest: bytes = sha3.keccak_256(data).digest()
    return digest


def new_key() -> str:
    """Returns a new account or usage key: base64 of 32 bytes from the system's CSPRNG."""
    return base64.b64encode(secrets.token_bytes(32)).decode()


def hash_of_text(text: str) -> int:
    """Returns keccak256 of UTF-8 `text` as u256. It hashes keys and CIDs."""
    return int.from_bytes(keccak256(text.encode()))


def hash_of_address(address: str) -> int:
    """Returns keccak256 of 20 bytes of `address` as u256: ChainSecured master hash or alias."""
    return int.from_bytes(keccak256(bytes.fromhex(address.removeprefix("0x"))))


def u256_hex(value: int) -> str:
    """Returns `0x` and 64 lower-case hex digits."""
    return f"0x{value:064x}"


def checksum_address(address: str) -> str:
    """Returns the EIP-55 form of a 0x-prefixed hex address. Raises ValueError for other text."""
    if not _ADDRESS.fullmatch(address):
        raise ValueError("not an address: 0x and 40 hex digits")
    digits = address[2:].lower().encode()
    checks = keccak256(digits).hex()[: len(digits)].encode()
    # All digits are one number, since eth-utils takes 30 µs for each of a thousand addresses.
    # EIP-55: a letter is upper case (0x20 less) where the digit of the hash is 8 or more.
    raised = int.from_bytes(digits.translate(_LETTERS)) & int.from_bytes(checks.translate(_EIGHT_OR_MORE))
    return "0x" + (int.from_bytes(digits) - raised).to_bytes(len(digits)).decode()


_BLOCK_BYTES: Final = 4096
_ID_BYTES: Final = 16
_VARIANT: Final = "89ab"
"""Hex digits of the variant's two bits and two random ones (RFC 9562 4.1)."""
_RANDOM_DIGITS: Final = 20


class UniqueIds:
    """Draws unique identifiers of requests and of paid items. Used in one thread.

    The random bits come from the operating system in blocks. A system call for each identifier
    releases the interpreter lock, which costs a busy node more than the rest of the work.
    """

    def __init__(self) -> None:
        self._block = b""
        self._used = 0

    def uuid(self) -> str:
        """Returns a UUID of version 4 (RFC 9562 5.4)."""
        digits = self._digits()
        variant = _VARIANT[int(digits[16], 16) & 3]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"

    def ordered(self) -> str:
        """Returns 32 hex digits that begin with the time in milliseconds.

        Rows written together are then neighbours in an index; random ones would touch a page each.
        """
        return f"{time.time_ns() // 1_000_000:012x}{self._digits()[:_RANDOM_DIGITS]}"

    def _digits(self) -> str:
        if self._used == len(self._block):
            self._block, self._used = os.urandom(_BLOCK_BYTES), 0
        begin, self._used = self._used, self._used + _ID_BYTES
        return self._block[begin : self._used].hex()
