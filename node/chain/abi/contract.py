"""A contract's ABI, typed: selectors, calls to bytes, results to values, errors by selector.

Parameters are as `solc` describes them in JSON.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from eth_abi.exceptions import EncodingError
from eth_abi.registry import registry
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from node.chain.abi import decoder
from node.chain.abi.decoder import AbiDecodeError, Codec, decode_all
from node.chain.contract.artifacts import account_contract_abi
from node.values import keccak256

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
        return decoder.array_of(codec_of(parameter.model_copy(update={"type": array[1]})))
    if parameter.type == "tuple":
        return codec_of_all(parameter.components)
    if sized := SIZED.fullmatch(parameter.type):
        return decoder.unsigned(int(sized[2])) if sized[1] == "uint" else decoder.fixed_bytes(int(sized[2]))
    simple = {"bool": decoder.BOOL, "address": decoder.ADDRESS, "string": decoder.STRING, "bytes": decoder.BYTES}
    if parameter.type not in simple:
        raise ValueError(f"ABI type {parameter.type} is not supported")
    return simple[parameter.type]


def codec_of_all(parameters: Sequence[AbiParameter]) -> Codec:
    """Return the codec of an argument list of these types, as a tuple."""
    return decoder.tuple_of([codec_of(parameter) for parameter in parameters])


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
