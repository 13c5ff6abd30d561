"""The account contract's ABI: calldata, results, events, and errors in words. No I/O.

`account_contract.json` is the contract's ABI. `make contract` writes it, `make lint` compares it.
"""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, TypeAlias

from eth_abi.abi import encode
from eth_abi.codec import ABIDecoder
from eth_abi.decoding import StringDecoder
from eth_abi.exceptions import DecodingError, EncodingError
from eth_abi.registry import registry
from eth_utils.address import to_checksum_address

from svc_client.chain.receipts import Log
from svc_client.errors import InvalidAnswer, InvalidArgument, Reverted
from svc_verifier.chain.abi import WORD, selector, topic
from svc_verifier.formats.strict_json import Json
from svc_verifier.rendering.text import plain

Value: TypeAlias = "int | str | bool | bytes | list[Value] | dict[str, Value]"
"""A value of the ABI. Addresses are in EIP-55 form, structs are maps of their members."""

SELECTOR_BYTES: Final = 4
_ERROR: Final = selector("Error(string)")
_PANIC: Final = selector("Panic(uint256)")
_WORDS_MAX: Final = 200
"""Most characters shown of a text in a revert."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter or result. `kind` is its type in a signature, with structs as tuples."""

    name: str
    kind: str
    is_indexed: bool
    members: tuple["Parameter", ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A function, event or error."""

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]

    @property
    def signature(self) -> str:
        """Name and types, as hashed for selectors and topics."""
        return f"{self.name}({','.join(each.kind for each in self.inputs)})"


def calldata(function: str, arguments: Sequence[object]) -> bytes:
    """Returns the calldata of a function. Raises InvalidArgument for values of a wrong type."""
    entry = functions()[function]
    try:
        return selector(entry.signature) + encode([each.kind for each in entry.inputs], list(arguments))
    except (EncodingError, TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"{function} cannot be called with these values: {error}") from None


def result(function: str, returned: bytes) -> dict[str, Value]:
    """Returns a function's results by name, or by place without a name. Raises InvalidAnswer."""
    outputs = functions()[function].outputs
    values = _decoded(function, outputs, returned)
    return {each.name or str(place): _named(each, values[place]) for place, each in enumerate(outputs)}


def event(logs: Sequence[Log], contract: bytes, name: str) -> list[dict[str, Value]]:
    """Returns arguments by name of each event `name` of `contract`. Raises InvalidAnswer."""
    entry = _entries("event")[name]
    named = topic(entry.signature)
    return [_arguments(entry, log) for log in logs if log.address == contract and log.topics and log.topics[0] == named]


def _arguments(entry: Entry, log: Log) -> dict[str, Value]:
    indexed = [each for each in entry.inputs if each.is_indexed]
    others = [each for each in entry.inputs if not each.is_indexed]
    if len(log.topics) != 1 + len(indexed):
        raise InvalidAnswer(f"The event {entry.name} has not the form of the ABI.")
    found = dict(zip([each.name for each in others], _decoded(entry.name, others, log.data), strict=True))
    # Each indexed argument of this ABI fills one word: numbers, addresses and selectors.
    for each, word in zip(indexed, log.topics[1:], strict=True):
        (found[each.name],) = _decoded(entry.name, [each], word)
    return {each.name: _named(each, found[each.name]) for each in entry.inputs}


def refusal(function: str, data: bytes, transaction_hash: str | None = None) -> Reverted:
    """Returns the error of revert data, in words."""
    name, arguments = _error_of(data)
    explained = _WORDS.get(name, "")
    shown = ", ".join(f"{key} {_shown(value)}" for key, value in arguments.items())
    # Data that was cut short has a name and no arguments.
    why = explained.format(**{key: _shown(value) for key, value in arguments.items()}) if arguments else ""
    told = f"{name or 'without a reason'}{f' ({shown})' if shown else ''}{f': {why}' if why else ''}"
    return Reverted(f"The contract refuses {function}: {told}", name, arguments, transaction_hash)


def _error_of(data: bytes) -> tuple[str, dict[str, Value]]:
    head, body = data[:SELECTOR_BYTES], data[SELECTOR_BYTES:]
    standard = {_ERROR: Entry("Error", (_TEXT,), ()), _PANIC: Entry("Panic", (_NUMBER,), ())}
    entry = standard.get(head) or _errors().get(head)
    if entry is None:
        return (f"0x{data[:WORD].hex()}" if data else ""), {}
    try:
        values = _decoded(entry.name, entry.inputs, body)
    except InvalidAnswer:
        return entry.name, {}
    return entry.name, {each.name: _named(each, value) for each, value in zip(entry.inputs, values, strict=True)}


def _shown(value: Value) -> str:
    # Hashes are shown in hex, as docs and explorers do; ids and limits are small.
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1 << 64:
        return f"0x{value:064x}"
    return plain(str(value), _WORDS_MAX)


_WORDS: Final[Mapping[str, str]] = {
    "AccountAlreadyExists": "it is taken already: an account, alias, wallet, path, action or key of this identity exists",
    "AccountDoesNotExist": "there is no such account; open it first",
    "ActionDoesNotExist": "the action is not registered, or not in the group",
    "GroupDoesNotExist": "there is no such group",
    "GroupLimitReached": "the account has {limit} groups, which is the limit",
    "InvalidRequest": "{reason}",
    "NoAccountAccess": "{sender} is not the account's admin wallet",
    "NotMasterAccount": "only the account's admin wallet may do this",
    "OnlyApiPayer": "{sender} is not one of the node's payers",
    "PkpDoesNotExist": "the wallet is not registered, or not in the group",
    "UsageApiKeyDoesNotExist": "the account has no such usage key",
    "UsageApiKeyExpired": "the usage key has expired",
    "Panic": "an arithmetic or memory fault",
}
_TEXT: Final = Parameter("reason", "string", is_indexed=False, members=())
_NUMBER: Final = Parameter("code", "uint256", is_indexed=False, members=())


def _decoder() -> ABIDecoder:
    """Returns the decoder of results. Replaces bytes of a string that are not UTF-8.

    Another party may name a usage key or an action: one bad byte must not hide the whole list.
    """
    lenient = copy(registry)
    lenient.unregister_decoder("string")
    lenient.register_decoder("string", StringDecoder("replace"))  # type: ignore[no-untyped-call]  # of the library
    return ABIDecoder(lenient)


_DECODER: Final = _decoder()


def _decoded(what: str, parameters: Sequence[Parameter], data: bytes) -> tuple[object, ...]:
    try:
        # Strict: data with a padding that Solidity does not use is not a result of the contract.
        values: tuple[object, ...] = _DECODER.decode([each.kind for each in parameters], data)
    except (DecodingError, ValueError, OverflowError, TypeError):
        raise InvalidAnswer(f"{what} did not return what the ABI promises.") from None
    return values


def _named(parameter: Parameter, value: object) -> Value:
    if parameter.kind.endswith("[]"):
        inner = Parameter(parameter.name, parameter.kind[:-2], is_indexed=False, members=parameter.members)
        return [_named(inner, each) for each in _sequence(value)]
    if parameter.members:
        return {each.name: _named(each, part) for each, part in zip(parameter.members, _sequence(value), strict=True)}
    if parameter.kind == "address":
        return str(to_checksum_address(str(value)))
    if isinstance(value, (bool, int, str, bytes)):
        return value
    raise InvalidAnswer(f"{parameter.name} is of no type of the ABI.")


def _sequence(value: object) -> Sequence[object]:
    if not isinstance(value, (list, tuple)):
        raise InvalidAnswer("An array of the ABI is none.")
    return value


def functions() -> Mapping[str, Entry]:
    """Returns the contract's functions by name; none is overloaded."""
    return _entries("function")


@cache
def _errors() -> Mapping[bytes, Entry]:
    return {selector(entry.signature): entry for entry in _entries("error").values()}


@cache
def _entries(kind: str) -> Mapping[str, Entry]:
    text = resources.files("svc_client.sovereign").joinpath("account_contract.json").read_text(encoding="utf-8")
    listed: list[dict[str, Json]] = json.loads(text)["abi"]
    return {
        str(each["name"]): Entry(str(each["name"]), _parameters(each.get("inputs")), _parameters(each.get("outputs")))
        for each in listed
        if each["type"] == kind
    }


def _parameters(listed: Json) -> tuple[Parameter, ...]:
    return tuple(_parameter(each) for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()


def _parameter(read: Mapping[str, Json]) -> Parameter:
    members, kind = _parameters(read.get("components")), str(read["type"])
    if members:
        kind = f"({','.join(each.kind for each in members)}){kind.removeprefix('tuple')}"
    return Parameter(str(read["name"]), kind, read.get("indexed") is True, members)
