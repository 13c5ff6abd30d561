"""Typed contract ABIs (Solidity's contract ABI specification, version 2).

Encodes calls, decodes results, and finds errors by selector, with eth-abi. Parameters have the
form of solc's JSON.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from eth_abi.decoding import ContextFramesBytesIO, StringDecoder, TupleDecoder
from eth_abi.exceptions import DecodingError, EncodingError, InvalidPointer
from eth_abi.registry import is_base_tuple, registry
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from node.chain.contract.artifacts import account_contract_abi
from node.values import keccak256

READS_PER_BYTE: Final = 4
"""Maximum reads of a result's bytes, on average. A valid result needs two, since eth-abi also
reads offsets to check them."""

Decode: TypeAlias = Callable[[bytes], tuple[object, ...]]
"""Decodes a whole argument list, structs and arrays as tuples, addresses as lower-case 0x hex.
Raises AbiDecodeError."""


class AbiDecodeError(ValueError):
    """The bytes are not an ABI encoding of the expected types."""


class _BoundedStream(ContextFramesBytesIO):
    """Stream that ends after `READS_PER_BYTE` times its bytes were read.

    Providers may be hostile, and eth-abi follows any offset. Without this limit, a few kilobytes of
    offsets that point to each other would decode to gigabytes.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)  # type: ignore[no-untyped-call]  # of the library
        self._left = READS_PER_BYTE * len(data)
        self.read_to = 0

    def read(self, size: int | None = -1) -> bytes:
        """Reads bytes. A decoder refuses fewer bytes than it requested."""
        found = super().read(size if size is not None and 0 <= size <= self._left else self._left)
        self._left -= len(found)
        if (at := self.tell()) > self.read_to:
            self.read_to = at
        return found

    def push_frame(self, offset: int) -> None:
        """Follows an offset. Raises InvalidPointer if it points back."""
        at = self.tell()
        super().push_frame(offset)
        if self.tell() < at:
            raise InvalidPointer("an offset points back")


class _StructDecoder(TupleDecoder):
    """Decoder of structs that reads each member once."""

    def validate_pointers(self, stream: ContextFramesBytesIO) -> None:
        """Does nothing. eth-abi would decode every member twice; the stream checks offsets."""


_DECODERS: Final = copy(registry)
_DECODERS.unregister_decoder("is_base_tuple")
_DECODERS.register_decoder(is_base_tuple, _StructDecoder)
# Users may write any bytes as names in their account. They must not make lists unreadable.
_DECODERS.unregister_decoder("string")
_DECODERS.register_decoder("string", StringDecoder("replace"))  # type: ignore[no-untyped-call]  # of the library

SELECTOR_BYTES: Final = 4

Built = TypeVar("Built")


class AbiParameter(BaseModel):
    """Input, output or struct field. `components` are a tuple's fields."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    type: str
    indexed: bool = False
    components: tuple["AbiParameter", ...] = ()


class AbiEntry(BaseModel):
    """Function, event or error of the ABI. Constructor and fallbacks have no name."""

    model_config = ConfigDict(frozen=True)

    type: str
    name: str = ""
    inputs: tuple[AbiParameter, ...] = ()
    outputs: tuple[AbiParameter, ...] = ()
    stateMutability: str = ""  # noqa: N815 - the compiler's own spelling


def account_of(event_inputs: Sequence[AbiParameter]) -> AbiParameter | None:
    """Returns the argument that names an event's account: the first, if an indexed uint256."""
    first = event_inputs[0] if event_inputs else None
    return first if first is not None and first.indexed and first.type == "uint256" else None


def canonical_type(parameter: AbiParameter) -> str:
    """Returns the type as in a signature, with tuples expanded, such as `(uint256,string)[]`."""
    if not parameter.type.startswith("tuple"):
        return parameter.type
    return f"({canonical_types(parameter.components)}){parameter.type.removeprefix('tuple')}"


def canonical_types(parameters: Sequence[AbiParameter]) -> str:
    """Returns the types between the parentheses of a signature."""
    return ",".join(canonical_type(parameter) for parameter in parameters)


def signature(entry: AbiEntry) -> str:
    """Returns `name(type,type)`, whose keccak256 identifies functions, events and errors."""
    return f"{entry.name}({canonical_types(entry.inputs)})"


def decoder_of(parameters: Sequence[AbiParameter]) -> Decode:
    """Returns the decoder of an argument list. Raises ValueError for an unknown type."""
    read = _DECODERS.get_tuple_decoder(*map(canonical_type, parameters))

    def decode(data: bytes) -> tuple[object, ...]:
        stream = _BoundedStream(data)
        try:
            values: tuple[object, ...] = read(stream)
        # OverflowError: an offset of more than 63 bits.
        except (DecodingError, OverflowError) as error:
            raise AbiDecodeError(type(error).__name__) from None
        # With trailing bytes, two different results would decode to the same values.
        if stream.read_to != len(data):
            raise AbiDecodeError("there is more data than the types explain")
        return values

    return decode


ENTRIES: Final = TypeAdapter(tuple[AbiEntry, ...])


@dataclass(frozen=True, slots=True)
class _Function:
    selector: bytes
    encode: Callable[[Sequence[object]], bytes]
    returns: Decode
    inputs: int
    mutates: bool


@dataclass(frozen=True, slots=True)
class AbiError:
    """Declared error, with the names of its arguments and their decoder."""

    name: str
    arguments: tuple[str, ...]
    decode: Decode


@dataclass(frozen=True, slots=True)
class ContractError:
    """Decoded revert, with the error's name and its arguments in order."""

    name: str
    arguments: tuple[object, ...]


class ContractAbi:
    """Typed view of one ABI. Everything is computed once, in the constructor.

    Raises ValueError for an ABI with overloaded names or unknown types.
    """

    def __init__(self, abi: JsonValue) -> None:
        entries = ENTRIES.validate_python(abi)
        self._functions = _by_name(entries, "function", _function)
        self.events: Mapping[str, bytes] = _by_name(entries, "event", _topic)
        self.event_inputs: Mapping[str, tuple[AbiParameter, ...]] = _by_name(entries, "event", lambda each: each.inputs)
        self.errors: Mapping[bytes, AbiError] = {
            _selector(entry): AbiError(entry.name, tuple(each.name for each in entry.inputs), decoder_of(entry.inputs))
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
        """Returns the first 4 bytes of a call of `function`. Raises KeyError for an unknown one."""
        return self._functions[function].selector

    def encode_call(self, function: str, arguments: Sequence[object]) -> bytes:
        """Returns the calldata of `function`, with addresses as 0x hex and structs as tuples.

        Raises KeyError for an unknown name, ValueError for arguments of other types.
        """
        known = self._functions[function]
        if len(arguments) != known.inputs:
            raise ValueError(f"{function} takes {known.inputs} arguments, not {len(arguments)}")
        try:
            return known.selector + known.encode(arguments)
        except (EncodingError, TypeError) as error:
            raise ValueError(f"{function}: {type(error).__name__}") from None

    def decode_result(self, function: str, data: bytes) -> tuple[object, ...]:
        """Returns the result of `function`, one value per output, as `Decode` says.

        Raises KeyError for an unknown name, AbiDecodeError for data that is not its result.
        """
        return self._functions[function].returns(data)

    def decode_error(self, data: bytes) -> ContractError | None:
        """Returns the declared error in `data`; None for an unknown or malformed one."""
        error = self.errors.get(data[:SELECTOR_BYTES])
        if error is None:
            return None
        try:
            return ContractError(error.name, error.decode(data[SELECTOR_BYTES:]))
        # Any contract called on the way may revert with these four bytes and any data.
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
        returns=decoder_of(entry.outputs),
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
    """Returns the typed ABI of the account contract."""
    return ContractAbi(list(account_contract_abi()))
