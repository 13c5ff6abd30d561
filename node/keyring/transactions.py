"""Signs Ethereum transactions, legacy with EIP-155, EIP-2930 and EIP-1559. Pure.

`Transaction` accepts the field names of JSON-RPC, ethers v5 and web3, and checks each value.
`rlp_encode` is the recursive length prefix encoding (Yellow Paper, appendix B).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Self, TypeAlias

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from node.keyring.port import SigningKey, UnsignableTransactionError
from node.keyring.signing_key import FIRST_RECOVERY_ID
from node.values import U64_MAX, U256_MAX, checksum_address, keccak256

RlpItem: TypeAlias = "bytes | int | Sequence[RlpItem]"

RLP_STRING_OFFSET: Final = 0x80
RLP_LIST_OFFSET: Final = 0xC0
RLP_SHORT_FORM_MAX_BYTES: Final = 55
EIP155_V_OFFSET: Final = 35
SHOWN_FAULTS: Final = 8
SHOWN_NAME_CHARACTERS: Final = 64
FIELDS_MAX: Final = 32
"""Maximum fields of a transaction's JSON. pydantic would make an error of each unknown one."""
DECIMAL: Final = re.compile(r"[0-9]{1,78}")
HEX_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
BYTES: Final = ""
"""Name of the only member of an object that represents bytes."""
CHAIN_ID_MAX: Final = U64_MAX // 2 - 36
"""Largest chain id whose EIP-155 v fits 64 bits (EIP-2294)."""
SIGNED_BYTES_MAX: Final = 128 * 1024
"""Maximum bytes of a message, typed data or transaction data. Ethereum nodes relay no more, and
hashing the maximum takes half a millisecond."""
ACCESS_LIST_ENTRIES_MAX: Final = 256
ACCESS_LIST_STORAGE_KEYS_MAX: Final = 1024
"""Keys of all entries. eth_createAccessList makes tens; checking the maximum takes 2 ms."""


def quantity(value: object) -> int:
    """Reads a non-negative integer, decimal text or 0x hex. Raises ValueError otherwise."""
    # A bool is an int in Python, but no valid quantity.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("must be an integer, a decimal string or a 0x hex string")  # noqa: TRY004
    if isinstance(value, int):
        return value
    if HEX_QUANTITY.fullmatch(value):
        return int(value, 16)
    if DECIMAL.fullmatch(value):
        return int(value)
    raise ValueError("must be an integer, a decimal string or a 0x hex string")


def hex_of(value: object) -> object:
    """Returns the 0x hex of a script's bytes, {"": "0x…"}; any other value unchanged.

    The prelude passes no other member with an empty name, so text and bytes cannot be confused.
    """
    return value[BYTES] if isinstance(value, dict) and value.keys() == {BYTES} else value


def hex_bytes(value: object) -> bytes:
    """Reads bytes, or 0x hex of even length. Raises ValueError otherwise."""
    value = hex_of(value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and value.startswith("0x"):
        try:
            raw = bytes.fromhex(value[2:])
        except ValueError:
            raw = b""
        # fromhex skips blanks, so that a text with blanks yields too few bytes.
        if 2 * len(raw) == len(value) - 2:
            return raw
    raise ValueError("must be a 0x hex string of whole bytes")


def address_bytes(value: object) -> bytes:
    """Reads an address, in one case or with EIP-55 checksum, as 20 bytes, or raises ValueError."""
    if not isinstance(value, str) or not ADDRESS.fullmatch(value):
        raise ValueError("must be an address: 0x and 40 hex digits")
    digits = value[2:]
    # An address in one case has no checksum (EIP-55).
    if digits not in (digits.lower(), digits.upper()) and checksum_address(value) != value:
        raise ValueError("has a wrong EIP-55 checksum: a digit is mistyped")
    return bytes.fromhex(digits)


def _within(least: int, most: int) -> BeforeValidator:
    """Returns the check of a quantity from `least` to `most`."""

    def check(value: object) -> int:
        number = quantity(value)
        # pydantic would print a large bound rounded.
        if not least <= number <= most:
            raise ValueError(f"must be from {least} to {most}")
        return number

    return BeforeValidator(check)


def _recipient(value: object) -> bytes:
    # Accept only null: an empty text is more likely an unset variable than a contract creation.
    return b"" if value is None else address_bytes(value)


def _storage_key(value: object) -> bytes:
    key = hex_bytes(value)
    if len(key) != 32:
        raise ValueError("must be 32 bytes of 0x hex")
    return key


def _data(value: object) -> bytes:
    value = hex_of(value)
    longest = SIGNED_BYTES_MAX if isinstance(value, bytes) else 2 + 2 * SIGNED_BYTES_MAX
    if isinstance(value, str | bytes) and len(value) > longest:
        raise ValueError(f"may have at most {SIGNED_BYTES_MAX} bytes")
    return hex_bytes(value)


def _few_entries(value: object) -> object:
    """Refuses a large access list before pydantic makes an object or error of each entry."""
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


U64 = Annotated[int, _within(0, U64_MAX)]
U256 = Annotated[int, _within(0, U256_MAX)]
Address = Annotated[bytes, BeforeValidator(address_bytes)]


class AccessListEntry(BaseModel):
    """An address with the storage slots of it that are paid in advance (EIP-2930)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Address
    storage_keys: list[Annotated[bytes, BeforeValidator(_storage_key)]] = Field(alias="storageKeys")


class Transaction(BaseModel):
    """A transaction before its signature. `to` is empty for a contract creation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Annotated[int, _within(0, 2)] | None = None
    chain_id: Annotated[int, _within(1, CHAIN_ID_MAX), Field(alias="chainId")]
    nonce: Annotated[int, _within(0, U64_MAX - 1)]
    """Less than 2^64-1 (EIP-2681)."""
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
        """EIP-2718 type. Without `type` it is 2 for a max fee, 1 for an access list, else 0."""
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


def sign_transaction(key: SigningKey, transaction: Mapping[str, object]) -> bytes:
    """Returns the raw signed transaction for eth_sendRawTransaction, equal to eth-account's.

    `transaction` has the field names of JSON-RPC, ethers v5 or web3: `nonce`, `gas` or `gasLimit`,
    `chainId` (required for replay protection), `to` (absent or null creates a contract), `value`,
    `data` or `input`, and `gasPrice`, or `maxFeePerGas` and `maxPriorityFeePerGas` (EIP-1559).
    `type` may be 0, 1 or 2 and follows from the fees if absent. `from` must be the key's address.
    Quantities are integers, decimal or 0x texts. Raises UnsignableTransactionError.
    """
    checked = _checked(transaction)
    # Libraries fill in `from`; a wrong one means that another key was intended.
    if checked.sender is not None and "0x" + checked.sender.hex() != key.address.lower():
        raise UnsignableTransactionError("`from` is not the address of the signing key.", ["from"])
    body, prefix = _body(checked), bytes([checked.kind]) if checked.kind else b""
    # EIP-155 signs (chain id, 0, 0) instead of r, s, v; typed transactions begin with the id.
    unsigned = body if checked.kind else [*body, checked.chain_id, b"", b""]
    signature = key.sign_digest(keccak256(prefix + rlp_encode(unsigned)))
    parity = signature[64] - FIRST_RECOVERY_ID
    v = parity if checked.kind else EIP155_V_OFFSET + 2 * checked.chain_id + parity
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
    return prefix + rlp_encode([*body, v, r, s])


def transaction_hash(raw_transaction: bytes) -> str:
    """Returns the hash of a signed transaction, 0x and 64 hex digits."""
    return "0x" + keccak256(raw_transaction).hex()


def _body(transaction: Transaction) -> list[RlpItem]:
    head: list[RlpItem] = [transaction.nonce]
    tail: list[RlpItem] = [transaction.gas, transaction.to, transaction.value, transaction.data]
    # EIP-1559 has the priority fee before the maximum fee.
    fees = (transaction.gas_price, transaction.max_priority_fee_per_gas, transaction.max_fee_per_gas)
    head += [fee for fee in fees if fee is not None]
    if not transaction.kind:
        return head + tail
    entries: list[RlpItem] = [[entry.address, entry.storage_keys] for entry in transaction.access_list or []]
    return [transaction.chain_id, *head, *tail, entries]


def _checked(transaction: Mapping[str, object]) -> Transaction:
    if len(transaction) > FIELDS_MAX:
        raise UnsignableTransactionError("The transaction has more fields than there are.", ["transaction"])
    try:
        return Transaction.model_validate(dict(transaction))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)[:SHOWN_FAULTS]
        names = [".".join(map(str, fault["loc"]))[:SHOWN_NAME_CHARACTERS] or "transaction" for fault in faults]
        said = "; ".join(f"`{name}` {fault['msg']}" for name, fault in zip(names, faults, strict=True))
        raise UnsignableTransactionError(f"The transaction cannot be signed: {said}.", names) from None


def rlp_encode(item: RlpItem) -> bytes:
    """Encodes `item` as RLP. An integer becomes its shortest big-endian bytes (appendix B)."""
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8)
    if isinstance(item, bytes):
        return (
            item if len(item) == 1 and item[0] < RLP_STRING_OFFSET else _rlp_header(RLP_STRING_OFFSET, len(item)) + item
        )
    body = b"".join(map(rlp_encode, item))
    return _rlp_header(RLP_LIST_OFFSET, len(body)) + body


def _rlp_header(offset: int, length: int) -> bytes:
    if length <= RLP_SHORT_FORM_MAX_BYTES:
        return bytes([offset + length])
    size = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes([offset + RLP_SHORT_FORM_MAX_BYTES + len(size)]) + size
