"""Contract ABIs, typed (Solidity's contract ABI specification, version 2): calls to bytes, results to values, errors by selector.

Answers come from servers that may be hostile, so the decoder accepts only what Solidity's own encoder writes: every
tail begins exactly where the one before it ends. General decoders follow any offset, and a few kilobytes of offsets
into one another then unfold into gigabytes; here work and memory stay linear in the answer's size.

Parameters are as `solc` describes them in JSON.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from eth_abi.exceptions import EncodingError
from eth_abi.registry import registry
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from node.chain.contract.artifacts import account_contract_abi
from node.values import keccak256

WORD: Final = 32

Read: TypeAlias = Callable[[bytes, int], tuple[object, int]]
"""Reads a value at a position; returns the value and the position behind it."""


class AbiDecodeError(ValueError):
    """The bytes are not a canonical ABI encoding of the types wanted."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Reader of one type. `head_bytes` is its size in a head: 32 if the head holds only an offset."""

    head_bytes: int
    dynamic: bool
    read: Read


def _word(data: bytes, at: int) -> int:
    word = data[at : at + WORD]
    if len(word) != WORD:
        raise AbiDecodeError("the data ends early")
    return int.from_bytes(word)


def unsigned(bits: int) -> Codec:
    """Return the codec of `uint<bits>`, as int."""

    def read(data: bytes, at: int) -> tuple[object, int]:
        value = _word(data, at)
        # Solidity's encoder leaves the high bits zero; anything else is no answer of the contract.
        if value >> bits:
            raise AbiDecodeError(f"a value does not fit uint{bits}")
        return value, at + WORD

    return Codec(WORD, dynamic=False, read=read)


def _read_bool(data: bytes, at: int) -> tuple[object, int]:
    value = _word(data, at)
    if value > 1:
        raise AbiDecodeError("a bool is neither 0 nor 1")
    return value == 1, at + WORD


def _read_address(data: bytes, at: int) -> tuple[object, int]:
    value = _word(data, at)
    if value >> 160:
        raise AbiDecodeError("an address is longer than 20 bytes")
    return f"0x{value:040x}", at + WORD


def _read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    length = _word(data, at)
    start = at + WORD
    behind = start + (length + WORD - 1) // WORD * WORD
    if behind > len(data):
        raise AbiDecodeError("the data ends early")
    return data[start : start + length], behind


def _read_string(data: bytes, at: int) -> tuple[object, int]:
    # Users may write any bytes as names in their own account: these must not make lists unreadable.
    content, behind = _read_bytes(data, at)
    return content.decode(errors="replace"), behind


BOOL: Final = Codec(WORD, dynamic=False, read=_read_bool)
ADDRESS: Final = Codec(WORD, dynamic=False, read=_read_address)
"""As 0x-prefixed lower-case hex."""
BYTES: Final = Codec(WORD, dynamic=True, read=_read_bytes)
STRING: Final = Codec(WORD, dynamic=True, read=_read_string)
"""As str; bytes that are not UTF-8 become U+FFFD."""


def fixed_bytes(length: int) -> Codec:
    """Return the codec of `bytes<length>`, as bytes; its padding must be zero."""

    def read(data: bytes, at: int) -> tuple[object, int]:
        value = _word(data, at).to_bytes(WORD)
        if any(value[length:]):
            raise AbiDecodeError(f"a value does not fit bytes{length}")
        return value[:length], at + WORD

    return Codec(WORD, dynamic=False, read=read)


def _read_sequence(codecs: Sequence[Codec], head_bytes: int, data: bytes, at: int) -> tuple[list[object], int]:
    values: list[object] = []
    head, tail = at, at + head_bytes
    for codec in codecs:
        if codec.dynamic:
            # Offsets count from the tuple's start, and each tail follows the one before: no byte is read twice.
            if at + _word(data, head) != tail:
                raise AbiDecodeError("an offset is not where the value before it ends")
            value, tail = codec.read(data, tail)
        else:
            value, _ = codec.read(data, head)
        values.append(value)
        head += codec.head_bytes
    return values, tail


def tuple_of(codecs: Sequence[Codec]) -> Codec:
    """Return the codec of a struct or an argument list, as tuple."""
    head_bytes = sum(codec.head_bytes for codec in codecs)
    dynamic = any(codec.dynamic for codec in codecs)

    def read(data: bytes, at: int) -> tuple[object, int]:
        values, behind = _read_sequence(codecs, head_bytes, data, at)
        return tuple(values), behind

    return Codec(WORD if dynamic else head_bytes, dynamic=dynamic, read=read)


def array_of(item: Codec) -> Codec:
    """Return the codec of a dynamic array, as tuple. An item takes at least one word, so the length is bounded by the data's."""

    def read(data: bytes, at: int) -> tuple[object, int]:
        length = _word(data, at)
        start = at + WORD
        # Before the tuple of codecs is made: a length of 2**255 would take all memory.
        if length * item.head_bytes > len(data) - start:
            raise AbiDecodeError("an array is longer than the data")
        values, behind = _read_sequence((item,) * length, length * item.head_bytes, data, start)
        return tuple(values), behind

    return Codec(WORD, dynamic=True, read=read)


def decode_all(arguments: Codec, data: bytes) -> tuple[object, ...]:
    """Decode all of `data`. Raises AbiDecodeError."""
    value, behind = arguments.read(data, 0)
    # With trailing bytes two different answers would decode to the same values.
    if behind != len(data):
        raise AbiDecodeError("there is more data than the types explain")
    if not isinstance(value, tuple):
        raise TypeError("an argument list is read by tuple_of")
    return value


SELECTOR_BYTES: Final = 4
ARRAY: Final = re.compile(r"(.+)\[\]")
SIZED: Final = re.compile(r"(uint|bytes)(\d+)")

Built = TypeVar("Built")


class AbiParameter(BaseModel):
    """Input, output or struct field; `components` are a tuple's fields."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    type: str
    indexed: bool = False
    components: tuple["AbiParameter", ...] = ()


class AbiEntry(BaseModel):
    """Function, event or error of the ABI (constructor and fallbacks have no name)."""

    model_config = ConfigDict(frozen=True)

    type: str
    name: str = ""
    inputs: tuple[AbiParameter, ...] = ()
    outputs: tuple[AbiParameter, ...] = ()
    stateMutability: str = ""  # noqa: N815 - the compiler's own spelling


def account_of(event_inputs: Sequence[AbiParameter]) -> AbiParameter | None:
    """Return the argument by which an event names its account: the first, if that is an indexed uint256."""
    first = event_inputs[0] if event_inputs else None
    return first if first is not None and first.indexed and first.type == "uint256" else None


def canonical_type(parameter: AbiParameter) -> str:
    """Return the type as written in a signature, with tuples spelled out: `(uint256,string)[]`."""
    if not parameter.type.startswith("tuple"):
        return parameter.type
    return f"({canonical_types(parameter.components)}){parameter.type.removeprefix('tuple')}"


def canonical_types(parameters: Sequence[AbiParameter]) -> str:
    """Return the types between the parentheses of a signature."""
    return ",".join(canonical_type(parameter) for parameter in parameters)


def signature(entry: AbiEntry) -> str:
    """Return `name(type,type)`, whose keccak256 identifies functions, events and errors."""
    return f"{entry.name}({canonical_types(entry.inputs)})"


def codec_of(parameter: AbiParameter) -> Codec:
    """Return the codec of this type. Raises ValueError for a type that no contract of ours uses (fixed arrays, int)."""
    if array := ARRAY.fullmatch(parameter.type):
        return array_of(codec_of(parameter.model_copy(update={"type": array[1]})))
    if parameter.type == "tuple":
        return codec_of_all(parameter.components)
    if sized := SIZED.fullmatch(parameter.type):
        return unsigned(int(sized[2])) if sized[1] == "uint" else fixed_bytes(int(sized[2]))
    simple = {"bool": BOOL, "address": ADDRESS, "string": STRING, "bytes": BYTES}
    if parameter.type not in simple:
        raise ValueError(f"ABI type {parameter.type} is not supported")
    return simple[parameter.type]


def codec_of_all(parameters: Sequence[AbiParameter]) -> Codec:
    """Return the codec of an argument list of these types, as a tuple."""
    return tuple_of([codec_of(parameter) for parameter in parameters])


ENTRIES: Final = TypeAdapter(tuple[AbiEntry, ...])


@dataclass(frozen=True, slots=True)
class _Function:
    selector: bytes
    encode: Callable[[Sequence[object]], bytes]
    returns: Codec
    inputs: int
    mutates: bool


@dataclass(frozen=True, slots=True)
class AbiError:
    """Declared error: its name, the names of its arguments, and their codec."""

    name: str
    arguments: tuple[str, ...]
    codec: Codec


@dataclass(frozen=True, slots=True)
class ContractError:
    """Decoded revert: the error's name and its arguments in order."""

    name: str
    arguments: tuple[object, ...]


class ContractAbi:
    """Typed view of one ABI; everything is computed once, in the constructor.

    Raises ValueError for an ABI with overloaded names or unknown types.
    """

    def __init__(self, abi: JsonValue) -> None:
        entries = ENTRIES.validate_python(abi)
        self._functions = _by_name(entries, "function", _function)
        self.events: Mapping[str, bytes] = _by_name(entries, "event", _topic)
        self.event_inputs: Mapping[str, tuple[AbiParameter, ...]] = _by_name(entries, "event", lambda each: each.inputs)
        self.errors: Mapping[bytes, AbiError] = {
            _selector(entry): AbiError(
                entry.name, tuple(each.name for each in entry.inputs), codec_of_all(entry.inputs)
            )
            for entry in entries
            if entry.type == "error"
        }

    @property
    def functions(self) -> frozenset[str]:
        """Names of all functions."""
        return frozenset(self._functions)

    @property
    def writes(self) -> frozenset[str]:
        """Names of the functions that change state."""
        return frozenset(name for name, function in self._functions.items() if function.mutates)

    def selector(self, function: str) -> bytes:
        """Return the first 4 bytes of a call of `function`. Raises KeyError for an unknown name."""
        return self._functions[function].selector

    def encode_call(self, function: str, arguments: Sequence[object]) -> bytes:
        """Return the calldata of `function`; addresses as 0x hex, structs as tuples.

        Raises KeyError for an unknown name, ValueError for arguments that do not fit its types.
        """
        known = self._functions[function]
        if len(arguments) != known.inputs:
            raise ValueError(f"{function} takes {known.inputs} arguments, not {len(arguments)}")
        try:
            return known.selector + known.encode(arguments)
        except (EncodingError, TypeError) as error:
            raise ValueError(f"{function}: {type(error).__name__}") from None

    def decode_result(self, function: str, data: bytes) -> tuple[object, ...]:
        """Return the result of `function`: one value per output, structs as tuples, addresses as lower-case 0x hex.

        Raises KeyError for an unknown name, AbiDecodeError for data that is not its result.
        """
        return decode_all(self._functions[function].returns, data)

    def decode_error(self, data: bytes) -> ContractError | None:
        """Return the declared error in `data`; None if it is none, or malformed."""
        error = self.errors.get(data[:SELECTOR_BYTES])
        if error is None:
            return None
        try:
            return ContractError(error.name, decode_all(error.codec, data[SELECTOR_BYTES:]))
        # Any contract that is called on the way may revert with these four bytes and anything behind them.
        except AbiDecodeError:
            return None


def _topic(entry: AbiEntry) -> bytes:
    return keccak256(signature(entry).encode())


def _selector(entry: AbiEntry) -> bytes:
    return _topic(entry)[:SELECTOR_BYTES]


def _function(entry: AbiEntry) -> _Function:
    return _Function(
        selector=_selector(entry),
        encode=registry.get_tuple_encoder(*(canonical_type(each) for each in entry.inputs)),
        returns=codec_of_all(entry.outputs),
        inputs=len(entry.inputs),
        mutates=entry.stateMutability not in {"view", "pure"},
    )


def _by_name(entries: Iterable[AbiEntry], kind: str, build: Callable[[AbiEntry], Built]) -> dict[str, Built]:
    found = [entry for entry in entries if entry.type == kind]
    built = {entry.name: build(entry) for entry in found}
    if len(built) != len(found):
        raise ValueError(f"the ABI declares a {kind} twice under one name")
    return built


@functools.cache
def account_config_abi() -> ContractAbi:
    """Return the typed ABI of the account contract."""
    return ContractAbi(list(account_contract_abi()))
