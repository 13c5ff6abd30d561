"""A contract's ABI made usable: selectors, calls to bytes, answers to values, errors by selector."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from eth_abi.exceptions import EncodingError
from eth_abi.registry import registry
from pydantic import JsonValue, TypeAdapter

from node.chain.abi.decoder import AbiDecodeError, Codec, decode_all
from node.chain.abi.types import AbiEntry, AbiParameter, canonical_type, codec_of_all, signature
from node.chain.artifacts import account_contract_abi
from node.values import keccak256

SELECTOR_BYTES: Final = 4
Built = TypeVar("Built")
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
    """A declared error: its name, the names of its arguments, and how they are read."""

    name: str
    arguments: tuple[str, ...]
    codec: Codec


@dataclass(frozen=True, slots=True)
class ContractError:
    """A revert, decoded: the error's name and its arguments in order."""

    name: str
    arguments: tuple[object, ...]


class ContractAbi:
    """The typed view of one ABI; everything is computed once, here.

    Raises ValueError when the ABI is not one this class can serve (overloaded names, unknown types).
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
        """The names of all functions."""
        return frozenset(self._functions)

    @property
    def writes(self) -> frozenset[str]:
        """The names of the functions that change state."""
        return frozenset(name for name, function in self._functions.items() if function.mutates)

    def selector(self, function: str) -> bytes:
        """The 4 bytes a call of `function` begins with. Raises KeyError for an unknown name."""
        return self._functions[function].selector

    def encode_call(self, function: str, arguments: Sequence[object]) -> bytes:
        """The calldata of `function`; addresses as 0x hex, structs as tuples.

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
        """What `function` returned: one value per output, structs as tuples, addresses as lower-case 0x hex.

        Raises KeyError for an unknown name, AbiDecodeError for data that is not its answer.
        """
        return decode_all(self._functions[function].returns, data)

    def decode_error(self, data: bytes) -> ContractError | None:
        """The declared error that `data` is, None when it is not one, or not a well-formed one."""
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
    """The account contract's ABI, made usable."""
    return ContractAbi(list(account_contract_abi()))
