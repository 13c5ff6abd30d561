"""Signs messages (EIP-191) and typed data (EIP-712) with a key of the keyring. Pure.

Some encoders of typed data convert wrong values: a missing field becomes zero, "no" becomes true.
This one refuses them, so that a signature covers exactly the given values.

eth-account's encoder is not used. It signs 17 of 26 malformed values, takes 4 to 9 times the time
and brings ten packages (docs/adr/0003-no-web3.md). Tests compare with it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Final

from pydantic import JsonValue

from node.keyring.port import SigningKey, UnsignableMessageError, UnsignableTypedDataError
from node.keyring.transactions import SIGNED_BYTES_MAX, address_bytes, hex_bytes, hex_of
from node.values import keccak256

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,63}")
ARRAY_SUFFIXES: Final = re.compile(r"(?:\[(?:[1-9][0-9]{0,3})?\])+")
INTEGER: Final = re.compile(r"(?P<sign>u?)int(?P<bits>[0-9]{1,3})")
SHORT_NAMES: Final[Mapping[str, str]] = {"uint": "uint256", "int": "int256"}
"""Solidity's short names, which EIP-712 lacks; some wallets would hash them as another type."""
FIXED_BYTES: Final = re.compile(r"bytes(?P<length>[0-9]{1,2})")
INTEGER_TEXT: Final = re.compile(r"-?[0-9]{1,78}|0x[0-9a-fA-F]{1,64}")
LONGEST_TYPE_CHARACTERS: Final = 128
DOMAIN_FIELDS: Final[Mapping[str, str]] = {
    "name": "string",
    "version": "string",
    "chainId": "uint256",
    "verifyingContract": "address",
    "salt": "bytes32",
}
"""The only fields of a domain and their types (EIP-712, definition of domainSeparator)."""

Types = Mapping[str, Sequence[tuple[str, str]]]
"""Ordered (field name, field type) pairs by struct name."""


STRUCT_TYPES_MAX: Final = 32
STRUCT_FIELDS_MAX: Final = 256
"""Fields of all structs. Hashing costs structs times type size, at most about 3 ms."""
VALUES_MAX: Final = 1024
"""Fields and array items, nested ones included. The largest exchange orders have hundreds."""
DEPTH_MAX: Final = 16
"""Maximum nesting of structs and arrays, and maximum dimensions of an array type."""
TEXT_BYTES_MAX: Final = SIGNED_BYTES_MAX
"""Maximum bytes of all strings and byte strings together."""

DOMAIN: Final = "EIP712Domain"
WORD_LENGTH: Final = 32
U256: Final = 1 << 256


def read_types(types: Mapping[str, JsonValue]) -> Types:
    """Returns the checked struct definitions. Raises ValueError that names the wrong one."""
    fields_in_all = sum(len(fields) for fields in types.values() if isinstance(fields, list))
    # Check sizes first, since the cost of hashing grows with structs times fields.
    if not types or len(types) > STRUCT_TYPES_MAX or fields_in_all > STRUCT_FIELDS_MAX:
        raise ValueError(f"types: must hold 1 to {STRUCT_TYPES_MAX} structs of {STRUCT_FIELDS_MAX} fields in all")
    read = {name: _read_struct(name, fields) for name, fields in types.items()}
    for name, fields in read.items():
        for field, type_ in fields:
            if core_type(type_) in SHORT_NAMES:
                written = f"{core_type(type_)} is no type of EIP-712: write {SHORT_NAMES[core_type(type_)]}"
                raise ValueError(f"types.{name}.{field}: {written}")
            if core_type(type_) not in read and not _is_elementary(core_type(type_)):
                raise ValueError(f"types.{name}.{field}: no type is called so")
            if type_.count("[") > DEPTH_MAX:
                raise ValueError(f"types.{name}.{field}: has more than {DEPTH_MAX} dimensions")
    return read


def primary_type(types: Types) -> str:
    """Returns the one struct that no other contains. Raises ValueError if that is ambiguous."""
    held = {core_type(type_) for name, fields in types.items() for _, type_ in fields if core_type(type_) != name}
    primary = [name for name in types if name not in held]
    if len(primary) != 1:
        raise ValueError("types: exactly one struct must be in no other, the primary type")
    return primary[0]


def check_domain(domain: Mapping[str, JsonValue]) -> None:
    """Checks that `domain` has only EIP-712's fields with their types. Raises ValueError."""
    unknown = [name for name in domain if name not in DOMAIN_FIELDS]
    if unknown:
        raise ValueError(f"domain: takes only {', '.join(DOMAIN_FIELDS)}")
    fields = [(name, type_) for name, type_ in DOMAIN_FIELDS.items() if name in domain]
    _ValueCheck({"domain": fields}).check("domain", domain, "domain", 0)


def check_value(primary: str, types: Types, value: Mapping[str, JsonValue]) -> None:
    """Checks that `value` is a complete `primary`. Ignores unknown fields, or raises ValueError."""
    _ValueCheck(types).check(primary, value, "value", 0)


class _ValueCheck:
    """Walks a value and its type, and counts values and text."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._seen = 0
        self._text_bytes = 0

    def check(self, type_: str, value: JsonValue | Mapping[str, JsonValue], where: str, depth: int) -> None:
        self._seen += 1
        # Check first, so that the work is bounded for any nesting.
        if self._seen > VALUES_MAX or depth > DEPTH_MAX:
            raise ValueError(f"{where}: more than {VALUES_MAX} values, or {DEPTH_MAX} deep")
        if type_.endswith("]"):
            self._check_array(type_, value, where, depth)
        elif type_ in self._types:
            self._check_struct(type_, value, where, depth)
        else:
            self._check_elementary(type_, value, where)

    def _check_elementary(self, type_: str, value: object, where: str) -> None:
        is_value = _elementary(type_)
        if type_.startswith("bytes"):
            value = hex_of(value)
        if isinstance(value, str):
            # Check before parsing. A byte is two hex digits, or at least one other character.
            self._text_bytes += len(value) // 2 - 1 if type_ == "bytes" else len(value)
            if self._text_bytes > TEXT_BYTES_MAX:
                raise ValueError(f"{where}: all texts and bytes have more than {TEXT_BYTES_MAX} bytes")
        if is_value is None or not is_value(value):
            raise ValueError(f"{where}: is not a {type_}")

    def _check_array(self, type_: str, value: object, where: str, depth: int) -> None:
        item_type, length = split_array(type_)
        if not isinstance(value, list):
            raise ValueError(f"{where}: is not an array")  # noqa: TRY004  one type for all
        if length is not None and len(value) != length:
            raise ValueError(f"{where}: must hold {length} items")
        for index, item in enumerate(value):
            self.check(item_type, item, f"{where}[{index}]", depth + 1)

    def _check_struct(self, type_: str, value: object, where: str, depth: int) -> None:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where}: is not an object")  # noqa: TRY004  one type for all
        for name, field_type in self._types[type_]:
            if value.get(name) is None:
                raise ValueError(f"{where}.{name}: is missing")
            self.check(field_type, value[name], f"{where}.{name}", depth + 1)


def _read_struct(name: str, fields: JsonValue) -> list[tuple[str, str]]:
    # Wallets could read a struct called `uint256` either as a struct or as a number.
    if not IDENTIFIER.fullmatch(name) or _is_elementary(name) or name in SHORT_NAMES or name == DOMAIN:
        raise ValueError("types: each is named by an identifier that is no Solidity type and not EIP712Domain")
    if not isinstance(fields, list):
        raise ValueError(f"types.{name}: is not a list of fields")  # noqa: TRY004  one type for all
    read = [_read_field(name, field) for field in fields]
    if len({field for field, _ in read}) != len(read):
        raise ValueError(f"types.{name}: names a field twice")
    return read


def _read_field(struct: str, field: JsonValue) -> tuple[str, str]:
    if not isinstance(field, dict) or field.keys() != {"name", "type"}:
        raise ValueError(f"types.{struct}: a field has exactly `name` and `type`")
    name, type_ = field["name"], field["type"]
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        raise ValueError(f"types.{struct}: a field's name is an identifier of at most 64 characters")
    if not isinstance(type_, str) or len(type_) > LONGEST_TYPE_CHARACTERS:
        raise ValueError(f"types.{struct}.{name}: its type is a text of at most {LONGEST_TYPE_CHARACTERS} characters")
    return name, type_


def core_type(type_: str) -> str:
    """Returns the type of an array's innermost items, or `type_` if it is no valid array type."""
    core, bracket, dimensions = type_.partition("[")
    return core if ARRAY_SUFFIXES.fullmatch(bracket + dimensions) else type_


def split_array(type_: str) -> tuple[str, int | None]:
    """Returns the item type of a checked array type, and its length if that is fixed."""
    item_type, _, length = type_[:-1].rpartition("[")
    return item_type, int(length) if length else None


def _is_elementary(type_: str) -> bool:
    return _elementary(type_) is not None


@lru_cache(256)
def _elementary(type_: str) -> Callable[[object], bool] | None:
    """Returns the value check of a Solidity type, None if unknown. There are about a hundred."""
    integer, fixed = INTEGER.fullmatch(type_), FIXED_BYTES.fullmatch(type_)
    if integer is not None:
        bits = int(integer["bits"])
        if integer["bits"] != str(bits) or bits not in range(8, 257, 8):
            return None
        least, above = (0, 1 << bits) if integer["sign"] else (-(1 << bits - 1), 1 << bits - 1)
        return partial(_is_integer, least, above)
    if fixed is not None:
        length = int(fixed["length"])
        return partial(_is_bytes, length) if fixed["length"] == str(length) and 1 <= length <= 32 else None
    return _SIMPLE.get(type_)


def integer_value(value: int | str) -> int:
    """Returns a checked integer given as a number, decimal or 0x text."""
    return value if isinstance(value, int) else int(value, 16 if value.startswith("0x") else 10)


def _is_integer(least: int, above: int, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    if isinstance(value, str) and not INTEGER_TEXT.fullmatch(value):
        return False
    return least <= integer_value(value) < above


def _is_bytes(length: int | None, value: object) -> bool:
    """Whether `value` is 0x hex of whole bytes, and of `length` bytes if that is fixed."""
    if not isinstance(value, str) or (length is not None and len(value) != 2 + 2 * length):
        return False
    try:
        hex_bytes(value)
    except ValueError:
        return False
    return True


def _is_address(value: object) -> bool:
    try:
        address_bytes(value)
    except ValueError:
        return False
    return True


def _is_text(value: object) -> bool:
    """Whether `value` is a text with a UTF-8 form, which half a surrogate pair lacks."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


_SIMPLE: Final[Mapping[str, Callable[[object], bool]]] = {
    "bool": lambda value: isinstance(value, bool),
    "address": _is_address,
    "string": _is_text,
    "bytes": partial(_is_bytes, None),
}


def domain_separator(domain: Mapping[str, Any]) -> bytes:
    """Returns hashStruct of the present domain fields in the standard's order, 32 bytes."""
    fields = [(name, type_) for name, type_ in DOMAIN_FIELDS.items() if name in domain]
    return hash_struct(DOMAIN, {DOMAIN: fields}, domain)


def hash_struct(name: str, types: Types, value: Mapping[str, Any]) -> bytes:
    """Returns keccak256 of type hash and encoded fields of a checked `value` (encodeData)."""
    return _Hasher(types).struct(name, value)


class _Hasher:
    """Hashes structs of the checked `types`, and each type once."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._type_hash = cache(self._hash_type)

    def struct(self, name: str, value: Mapping[str, Any]) -> bytes:
        words = (self._word(type_, value[field]) for field, type_ in self._types[name])
        return keccak256(self._type_hash(name) + b"".join(words))

    def _word(self, type_: str, value: Any) -> bytes:
        if type_.endswith("]"):
            item_type, _ = split_array(type_)
            # EIP-712, encodeData: hash an array's words; encode a nested struct as its hashStruct.
            return keccak256(b"".join([self._word(item_type, item) for item in value]))
        return self.struct(type_, value) if type_ in self._types else _elementary_word(type_, value)

    def _hash_type(self, name: str) -> bytes:
        # EIP-712, encodeType: referenced structs follow in alphabetical order.
        others = sorted(self._reached_from(name) - {name})
        written = (
            f"{one}({','.join(f'{type_} {field}' for field, type_ in self._types[one])})" for one in [name, *others]
        )
        return keccak256("".join(written).encode())

    def _reached_from(self, name: str) -> set[str]:
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one in self._types and one not in reached:
                reached.add(one)
                waiting += [core_type(type_) for _, type_ in self._types[one]]
        return reached


def _elementary_word(type_: str, value: Any) -> bytes:
    if type_ == "string":
        return keccak256(value.encode())
    if type_ == "bool":
        return int(value).to_bytes(WORD_LENGTH)
    if type_ == "address":
        return int(value, 16).to_bytes(WORD_LENGTH)
    if type_.startswith("bytes"):
        raw = hex_bytes(value)
        # bytesN is padded on the right, unlike numbers.
        return keccak256(raw) if type_ == "bytes" else raw.ljust(WORD_LENGTH, b"\0")
    # Two's complement extends a negative intN to 256 bits.
    return (integer_value(value) % U256).to_bytes(WORD_LENGTH)


PERSONAL_MESSAGE: Final = b"\x19Ethereum Signed Message:\n"
"""Prefix of EIP-191 version 0x45."""

TYPED_DATA: Final = b"\x19\x01"
"""Prefix of EIP-191 version 0x01."""


def message_digest(message: str | bytes) -> bytes:
    """Returns the 32 bytes that `sign_message` signs. A text counts as its UTF-8 bytes.

    Raises UnsignableMessageError for invalid Unicode or more than SIGNED_BYTES_MAX bytes.
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
    """Signs an EIP-191 message, like `personal_sign` and ethers' `signMessage`. Returns r, s, v."""
    return key.sign_digest(message_digest(message))


def typed_data_digest(
    domain: Mapping[str, JsonValue], types: Mapping[str, JsonValue], value: Mapping[str, JsonValue]
) -> bytes:
    """Returns the 32 bytes that `sign_typed_data` signs (EIP-712).

    As in ethers v5, `types` lacks EIP712Domain, and the one struct that no other contains is the
    primary type. Bytes are 0x hex, integers are numbers, decimal or 0x text. Nothing is padded.
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
    """Signs EIP-712 typed data. Returns 65 bytes r, s, v. See `typed_data_digest`."""
    return key.sign_digest(typed_data_digest(domain, types, value))
