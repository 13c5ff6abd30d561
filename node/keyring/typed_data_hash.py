"""Hashes typed data that `node.keyring.typed_data` has checked (EIP-712, definitions of encodeType and encodeData).

Not eth-account's encoder: importing eth-account raises the interpreter's recursion limit to 100,000 (py_ecc does), after
which one deeply nested JSON body of a stranger overflows the C stack and kills the process. Tests compare with it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from node.keyring.typed_data import DOMAIN_FIELDS, Types, core_type, integer_value, split_array
from node.values import keccak256

DOMAIN: Final = "EIP712Domain"
WORD_LENGTH: Final = 32
U256: Final = 1 << 256


def domain_separator(domain: Mapping[str, Any]) -> bytes:
    """32 bytes: hashStruct of the fields that are there, in the standard's order."""
    fields = [(name, type_) for name, type_ in DOMAIN_FIELDS.items() if name in domain]
    return hash_struct(DOMAIN, {DOMAIN: fields}, domain)


def hash_struct(name: str, types: Types, value: Mapping[str, Any]) -> bytes:
    """32 bytes: keccak256 of the type's hash and the encoded fields of a checked `value`."""
    return _Hasher(types).struct(name, value)


class _Hasher:
    def __init__(self, types: Types) -> None:
        self._types = types
        self._type_hash = cache(self._hash_type)

    def struct(self, name: str, value: Mapping[str, Any]) -> bytes:
        words = (self._word(type_, value[field]) for field, type_ in self._types[name])
        return keccak256(self._type_hash(name) + b"".join(words))

    def _word(self, type_: str, value: Any) -> bytes:
        if type_.endswith("]"):
            item_type, _ = split_array(type_)
            return keccak256(b"".join([self._word(item_type, item) for item in value]))
        return self.struct(type_, value) if type_ in self._types else _elementary_word(type_, value)

    def _hash_type(self, name: str) -> bytes:
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
        raw = bytes.fromhex(value[2:])
        return keccak256(raw) if type_ == "bytes" else raw.ljust(WORD_LENGTH, b"\0")
    return (integer_value(value) % U256).to_bytes(WORD_LENGTH)
