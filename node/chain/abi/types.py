"""ABI parameters as `solc` describes them in JSON: their canonical type and how they are read."""

import re
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from node.chain.abi import decoder
from node.chain.abi.decoder import Codec

ARRAY: Final = re.compile(r"(.+)\[\]")
SIZED: Final = re.compile(r"(uint|bytes)(\d+)")


class AbiParameter(BaseModel):
    """One input, output or struct field; `components` are a tuple's fields."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    type: str
    indexed: bool = False
    components: tuple["AbiParameter", ...] = ()


class AbiEntry(BaseModel):
    """One function, event or error of the ABI (constructor and fallbacks have no name)."""

    model_config = ConfigDict(frozen=True)

    type: str
    name: str = ""
    inputs: tuple[AbiParameter, ...] = ()
    outputs: tuple[AbiParameter, ...] = ()
    stateMutability: str = ""  # noqa: N815 - the compiler's own spelling


def account_of(event_inputs: Sequence[AbiParameter]) -> AbiParameter | None:
    """The argument by which an event names the account it is about: its first, where that is an indexed uint256."""
    first = event_inputs[0] if event_inputs else None
    return first if first is not None and first.indexed and first.type == "uint256" else None


def canonical_type(parameter: AbiParameter) -> str:
    """The type as it stands in a signature, tuples spelled out: `(uint256,string)[]`."""
    if not parameter.type.startswith("tuple"):
        return parameter.type
    return f"({canonical_types(parameter.components)}){parameter.type.removeprefix('tuple')}"


def canonical_types(parameters: Sequence[AbiParameter]) -> str:
    """The types between the parentheses of a signature."""
    return ",".join(canonical_type(parameter) for parameter in parameters)


def signature(entry: AbiEntry) -> str:
    """`name(type,type)`, whose keccak256 names functions, events and errors."""
    return f"{entry.name}({canonical_types(entry.inputs)})"


def codec_of(parameter: AbiParameter) -> Codec:
    """How a value of this type is read. Raises ValueError for a type the contract does not use (fixed arrays, int)."""
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
    """How an argument list of these types is read, as a tuple."""
    return decoder.tuple_of([codec_of(parameter) for parameter in parameters])
