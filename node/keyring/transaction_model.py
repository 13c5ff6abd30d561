"""What a transaction to sign must look like: JSON-RPC, ethers v5 and web3 names, each value checked."""

import re
from typing import Annotated, Final, Self

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from node.values import U64_MAX, U256_MAX, checksum_address

DECIMAL: Final = re.compile(r"[0-9]{1,78}")
HEX_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
CHAIN_ID_MAX: Final = U64_MAX // 2 - 36
"""The largest chain id whose EIP-155 v fits 64 bits (EIP-2294)."""
SIGNED_BYTES_MAX: Final = 128 * 1024
"""Bytes of a message, of typed data or of a transaction's data: Ethereum nodes relay no longer transaction, and hashing
them takes the event loop half a millisecond."""
ACCESS_LIST_ENTRIES_MAX: Final = 256
ACCESS_LIST_STORAGE_KEYS_MAX: Final = 1024
"""Of all entries together. eth_createAccessList makes lists of tens; the largest allowed one takes 2 ms to check."""


def quantity(value: object) -> int:
    """A non-negative integer given as one, as decimal text or as 0x hex. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("must be an integer, a decimal string or a 0x hex string")  # noqa: TRY004  pydantic reports it
    if isinstance(value, int):
        return value
    if HEX_QUANTITY.fullmatch(value):
        return int(value, 16)
    if DECIMAL.fullmatch(value):
        return int(value)
    raise ValueError("must be an integer, a decimal string or a 0x hex string")


def hex_bytes(value: object) -> bytes:
    """Bytes given as such or as 0x hex of even length. Raises ValueError for anything else."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and value.startswith("0x"):
        try:
            raw = bytes.fromhex(value[2:])
        except ValueError:
            raw = b""
        # fromhex skips blanks, so a text with blanks yields too few bytes.
        if 2 * len(raw) == len(value) - 2:
            return raw
    raise ValueError("must be a 0x hex string of whole bytes")


def address_bytes(value: object) -> bytes:
    """20 bytes from an address in one case or with a right EIP-55 checksum. Raises ValueError for anything else."""
    if not isinstance(value, str) or not ADDRESS.fullmatch(value):
        raise ValueError("must be an address: 0x and 40 hex digits")
    digits = value[2:]
    if digits not in (digits.lower(), digits.upper()) and checksum_address(value) != value:
        raise ValueError("has a wrong EIP-55 checksum: a digit is mistyped")
    return bytes.fromhex(digits)


def _recipient(value: object) -> bytes:
    return b"" if value in (None, "", "0x") else address_bytes(value)


def _storage_key(value: object) -> bytes:
    key = hex_bytes(value)
    if len(key) != 32:
        raise ValueError("must be 32 bytes of 0x hex")
    return key


def _data(value: object) -> bytes:
    longest = SIGNED_BYTES_MAX if isinstance(value, bytes) else 2 + 2 * SIGNED_BYTES_MAX
    if isinstance(value, str | bytes) and len(value) > longest:
        raise ValueError(f"may have at most {SIGNED_BYTES_MAX} bytes")
    return hex_bytes(value)


def _few_entries(value: object) -> object:
    """Refuses a large access list before pydantic makes an object, or an error, of each entry."""
    if not isinstance(value, list):
        return value
    if len(value) > ACCESS_LIST_ENTRIES_MAX:
        raise ValueError(f"may have at most {ACCESS_LIST_ENTRIES_MAX} entries")
    if any(isinstance(entry, dict) and len(entry) > len(AccessListEntry.model_fields) for entry in value):
        raise ValueError("has an entry with more fields than address and storageKeys")
    keys = [entry.get("storageKeys") for entry in value if isinstance(entry, dict)]
    if sum(len(each) for each in keys if isinstance(each, list)) > ACCESS_LIST_STORAGE_KEYS_MAX:
        raise ValueError(f"may have at most {ACCESS_LIST_STORAGE_KEYS_MAX} storage keys in all")
    return value


U64 = Annotated[int, BeforeValidator(quantity), Field(ge=0, le=U64_MAX)]
U256 = Annotated[int, BeforeValidator(quantity), Field(ge=0, le=U256_MAX)]
Address = Annotated[bytes, BeforeValidator(address_bytes)]


class AccessListEntry(BaseModel):
    """One address and the storage slots of it that are paid for ahead (EIP-2930)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Address
    storage_keys: list[Annotated[bytes, BeforeValidator(_storage_key)]] = Field(alias="storageKeys")


class Transaction(BaseModel):
    """A transaction before its signature; `to` is empty for a contract creation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Annotated[int, BeforeValidator(quantity), Field(ge=0, le=2)] | None = None
    chain_id: Annotated[int, BeforeValidator(quantity), Field(alias="chainId", ge=1, le=CHAIN_ID_MAX)]
    nonce: Annotated[int, BeforeValidator(quantity), Field(ge=0, lt=U64_MAX)]
    """Below 2^64-1 (EIP-2681)."""
    gas: Annotated[U64, Field(validation_alias=AliasChoices("gas", "gasLimit"))]
    to: Annotated[bytes, BeforeValidator(_recipient)] = b""
    value: U256 = 0
    data: Annotated[bytes, BeforeValidator(_data), Field(validation_alias=AliasChoices("data", "input"))] = b""
    gas_price: Annotated[U256 | None, Field(alias="gasPrice")] = None
    max_fee_per_gas: Annotated[U256 | None, Field(alias="maxFeePerGas")] = None
    max_priority_fee_per_gas: Annotated[U256 | None, Field(alias="maxPriorityFeePerGas")] = None
    access_list: Annotated[list[AccessListEntry] | None, BeforeValidator(_few_entries), Field(alias="accessList")] = (
        None
    )
    sender: Annotated[Address | None, Field(alias="from")] = None

    @property
    def kind(self) -> int:
        """The EIP-2718 type: the one named, else 2 for a max fee, 1 for an access list, 0 otherwise."""
        if self.type is not None:
            return self.type
        if self.max_fee_per_gas is not None:
            return 2
        return 0 if self.access_list is None else 1

    @model_validator(mode="after")
    def _fees_fit_the_type(self) -> Self:
        dynamic = (self.max_fee_per_gas, self.max_priority_fee_per_gas)
        if self.kind == 2 and (None in dynamic or self.gas_price is not None):
            raise ValueError("type 2 takes maxFeePerGas and maxPriorityFeePerGas, and no gasPrice")
        if self.kind != 2 and (self.gas_price is None or dynamic != (None, None)):
            raise ValueError(f"type {self.kind} takes gasPrice, and neither maxFeePerGas nor maxPriorityFeePerGas")
        if self.kind == 0 and self.access_list is not None:
            raise ValueError("type 0 takes no accessList")
        return self

    @model_validator(mode="after")
    def _can_be_mined(self) -> Self:
        if (self.max_priority_fee_per_gas or 0) > (self.max_fee_per_gas or 0):
            raise ValueError("maxPriorityFeePerGas is above maxFeePerGas: no block takes it")
        if not self.to and not self.data:
            raise ValueError("names neither `to` nor `data`: it would create an empty contract")
        return self
