"""JSON-RPC 2.0 messages (jsonrpc.org/specification) and the errors of an exchange, by kind. Pure.

No error text holds a provider's URL, which may hold a credential.
"""

import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias, cast

from pydantic import JsonValue

from node.chain.errors import ChainUnavailableError

MESSAGE_MAX_CHARACTERS: Final = 2048
"""Characters kept of an error's message, which is searched for words several times."""
REVERT_MAX_CHARACTERS: Final = 16 * 1024
"""Maximum hex characters of a revert's data; a contract's error takes a few hundred."""

REVERT_CODE: Final = 3
"""JSON-RPC error code of a revert (geth, anvil and what follows them)."""


class RpcError(Exception):
    """Base of the errors of an exchange with a provider."""


class RpcUnavailableError(RpcError):
    """No usable response: `host` is the provider asked last, `why` says what it did.

    If a transaction was being sent, it may or may not have arrived.
    """

    def __init__(self, host: str, why: str) -> None:
        super().__init__(f"RPC endpoint {host}: {why}")
        self.host = host
        self.why = why


class BatchRefusedError(RpcUnavailableError):
    """The provider answers a batch with one error object, so this node cannot use it."""


class RpcRefusedError(RpcError):
    """The provider answered a definitive JSON-RPC error; asking another one would give the same.

    `message` and `data` are the provider's own words without its credentials, for classification
    alone. `str()` of this error shows the host and the code.
    """

    def __init__(self, host: str, code: int, message: str, data: JsonValue = None) -> None:
        super().__init__(f"RPC endpoint {host} answered error {code}")
        self.host = host
        self.code = code
        self.message = message
        self.data = data

    @property
    def revert_data(self) -> bytes | None:
        """Data of the revert, empty for a bare one; None when this is no revert."""
        return revert_data(self.code, self.message, self.data)


class BlockUnknownError(RpcRefusedError):
    """The provider does not know the block a call was pinned to. Its health is not affected."""


class CallRevertedError(RpcError):
    """The contract reverted; `data` is a selector and its ABI-encoded arguments, or empty."""

    def __init__(self, data: bytes) -> None:
        super().__init__(f"The contract reverted with {len(data)} bytes (selector 0x{data[:4].hex()})")
        self.data = data


def hex_bytes(text: str) -> bytes | None:
    """Returns the bytes of `0x…`, also behind words (`Reverted 0x…`); None if malformed."""
    _, prefix, digits = text.rpartition("0x")
    try:
        return binascii.unhexlify(digits) if prefix else None
    except ValueError:
        return None


def revert_data(code: int, message: str, data: JsonValue) -> bytes | None:
    """Returns the revert data of a JSON-RPC error object, or None if it is not a revert.

    Clients differ: a hex string in `data` (geth, anvil, Erigon), `Reverted 0x…` (Nethermind), or an
    object with a `data` of its own (Hardhat, some proxies).
    """
    if isinstance(data, dict):
        data = data.get("data")
    # Not every client uses the code, so the text counts as well.
    if code != REVERT_CODE and "revert" not in message.lower():
        return None
    found = hex_bytes(data) if isinstance(data, str) and len(data) <= REVERT_MAX_CHARACTERS else None
    return found or b""


@dataclass(frozen=True, slots=True)
class RpcCall:
    """Method with its positional parameters.

    A `pinned` call names one block, which the provider may not know. That error is then a result
    (BlockUnknownError), else a fault of the provider. An `optional` call names a method that a
    chain may lack: that error is a result too. So is one whose message holds a lower-case word of
    `answers`, whatever its code: Besu's transaction errors have EIP-1474's codes for server faults.
    """

    method: str
    params: Sequence[JsonValue] = ()
    pinned: bool = False
    optional: bool = False
    answers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """Well-formed JSON-RPC error object."""

    code: int
    message: str
    data: JsonValue

    @property
    def is_of_provider(self) -> bool:
        """Whether the provider is at fault (overloaded, syncing, …), so another may succeed."""
        # A revert is the contract's result, whatever words its reason holds.
        if revert_data(self.code, self.message, self.data) is not None:
            return False
        text = self.message.lower()
        return self.code in PROVIDER_CODES or any(part in text for part in PROVIDER_MESSAGES)

    @property
    def is_unknown_method(self) -> bool:
        """Whether the provider says that it has no such method."""
        return self.code in UNKNOWN_METHOD_CODES

    @property
    def is_unknown_block(self) -> bool:
        """Whether the provider does not know the call's block, or not as canonical."""
        if revert_data(self.code, self.message, self.data) is not None:
            return False
        text = self.message.lower()
        return self.code == RESOURCE_NOT_FOUND or any(part in text for part in UNKNOWN_BLOCK_MESSAGES)


RpcOutcome: TypeAlias = JsonValue | RpcRefusedError
"""Outcome of one call of a batch: its result, or the provider's definitive error."""

RESOURCE_NOT_FOUND: Final = -32001
"""EIP-1474. Anvil, Nethermind and hosted providers use it for a block that they do not know."""

UNKNOWN_METHOD_CODES: Final = frozenset({-32601, -32004})
"""JSON-RPC 2.0 (method not found) and EIP-1474 (method not supported)."""

PROVIDER_CODES: Final = UNKNOWN_METHOD_CODES | {-32700, -32603, RESOURCE_NOT_FOUND, -32002, -32005, -32006, -32097, 429}
"""Parse error, internal error, method or resource missing, limit exceeded (EIP-1474 and others)."""

UNKNOWN_BLOCK_MESSAGES: Final = (
    "header not found",
    "header for hash not found",
    "unknown block",
    "block not found",
    "not currently canonical",
    "missing trie node",
)
"""Texts of geth, Erigon, Besu and reth for a block that they lack, mostly under -32000."""

PROVIDER_MESSAGES: Final = (
    *UNKNOWN_BLOCK_MESSAGES,
    "timeout",
    "timed out",
    "rate limit",
    "too many requests",
    "limit exceeded",
    "count exceeded",
    "syncing",
)
"""Texts of geth and hosted providers for their own faults, mostly under -32000."""

QUANTITY: Final = re.compile(r"0x[0-9a-f]{1,64}")


class MalformedAnswerError(ValueError):
    """The bytes are no reply to the request."""


class BatchRefusedAnswerError(MalformedAnswerError):
    """The reply to a batch is one error object instead of a list."""

    def __init__(self, code: int) -> None:
        super().__init__(
            f"answers a batch of requests with error {code}; rpc_endpoints takes endpoints that answer batches"
        )


def encode_request(calls: Sequence[RpcCall], first_id: int) -> bytes:
    """Returns the request: an object for one call, else an array. Ids count up from `first_id`."""
    requests = [
        {"jsonrpc": "2.0", "id": first_id + index, "method": call.method, "params": list(call.params)}
        for index, call in enumerate(calls)
    ]
    return json.dumps(requests[0] if len(requests) == 1 else requests, separators=(",", ":")).encode()


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedAnswerError(f"{name} is not JSON")


def _parse_error(error: object) -> RefusedAnswer:
    if not isinstance(error, dict):
        raise MalformedAnswerError("its error is not an object")
    code, message = error.get("code"), error.get("message", "")
    # `type` and not `isinstance`: True is an int in Python.
    if type(code) is not int or not isinstance(message, str):
        raise MalformedAnswerError("its error has no code")
    return RefusedAnswer(code, message[:MESSAGE_MAX_CHARACTERS], error.get("data"))


def _parse_answer(answer: object) -> tuple[int, JsonValue | RefusedAnswer]:
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0":
        raise MalformedAnswerError("its answer is not JSON-RPC 2.0")
    error = answer.get("error")
    if error is not None and answer.get("result") is not None:
        raise MalformedAnswerError("its answer holds both a result and an error")
    if error is None and "result" not in answer:
        raise MalformedAnswerError("its answer holds neither a result nor an error")
    identifier = answer.get("id")
    if type(identifier) is not int:
        raise MalformedAnswerError("its answer has no id of ours")
    return identifier, _parse_error(error) if error is not None else cast("JsonValue", answer["result"])


def parse_answers(body: bytes, first_id: int, count: int) -> list[JsonValue | RefusedAnswer]:
    """Returns the `count` replies of a request encoded with `first_id`, in the order of the calls.

    Raises MalformedAnswerError unless each id occurs exactly once and no other does, and
    BatchRefusedAnswerError for one error object in the place of all replies.
    """
    try:
        # RFC 8259 has no NaN and no Infinity, which Python would accept.
        parsed: object = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise MalformedAnswerError("its answer is not JSON") from None
    if count == 1:
        parsed = [parsed]
    if isinstance(parsed, dict) and isinstance(parsed.get("error"), dict):
        raise BatchRefusedAnswerError(_parse_error(parsed["error"]).code)
    if not isinstance(parsed, list):
        raise MalformedAnswerError("its answer to a batch is not a list")
    wanted = range(first_id, first_id + count)
    # Compare the length first, since a repeated id vanishes in the mapping. A malicious provider
    # can name thousands of ids with one hash (equal modulo 2^61-1), which take seconds to compare.
    answers = dict(map(_parse_answer, parsed)) if len(parsed) == count else {}
    if answers.keys() != set(wanted):
        raise MalformedAnswerError("its answer carries other ids than the request")
    return [answers[identifier] for identifier in wanted]


def parse_quantity(value: object) -> int | None:
    """Returns a quantity's number (EIP-1474: `0x`, lower-case hex, at most 256 bits), or None."""
    return int(value, 16) if isinstance(value, str) and QUANTITY.fullmatch(value) else None


def chain_unavailable(error: RpcError) -> ChainUnavailableError:
    """Returns the error of a chain that failed with `error`; it names no provider."""
    what = "cannot be reached" if isinstance(error, RpcUnavailableError) else "does not answer as it should"
    return ChainUnavailableError(f"The chain {what} just now")
