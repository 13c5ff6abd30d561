"""JSON-RPC 2.0 on the wire, pure: requests to bytes, bytes to checked answers (jsonrpc.org/specification)."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias, cast

from pydantic import JsonValue

from node.chain.rpc.errors import RpcRefusedError, revert_data


@dataclass(frozen=True, slots=True)
class RpcCall:
    """One method with its positional parameters.

    `pinned` says that it names one block, which the endpoint may not know: its error for that is an answer
    (BlockUnknownError), where for any other call it is a fault of the endpoint.
    """

    method: str
    params: Sequence[JsonValue] = ()
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """A well-formed JSON-RPC error object."""

    code: int
    message: str
    data: JsonValue

    @property
    def is_of_endpoint(self) -> bool:
        """Whether the fault is this endpoint's (overloaded, syncing, method missing), so that another may well answer."""
        if revert_data(self.code, self.message, self.data) is not None:
            return False
        text = self.message.lower()
        return self.code in ENDPOINT_CODES or any(part in text for part in ENDPOINT_MESSAGES)

    @property
    def is_unknown_block(self) -> bool:
        """Whether the endpoint says that it does not know the block the call names, or not as canonical."""
        if revert_data(self.code, self.message, self.data) is not None:
            return False
        text = self.message.lower()
        return self.code == RESOURCE_NOT_FOUND or any(part in text for part in UNKNOWN_BLOCK_MESSAGES)


RpcOutcome: TypeAlias = JsonValue | RpcRefusedError
"""What became of one call of a batch: its result, or the definitive error the endpoint answered."""

RESOURCE_NOT_FOUND: Final = -32001
"""EIP-1474; what anvil, Nethermind and hosted endpoints answer for a block they do not know."""

ENDPOINT_CODES: Final = frozenset(
    {-32700, -32603, -32601, RESOURCE_NOT_FOUND, -32002, -32004, -32005, -32006, -32097, 429}
)
"""Parse error, internal error, method or resource missing, limit exceeded (EIP-1474 and providers' own)."""

UNKNOWN_BLOCK_MESSAGES: Final = (
    "header not found",
    "header for hash not found",
    "unknown block",
    "block not found",
    "not currently canonical",
    "missing trie node",
)
"""What geth, Erigon, Besu and reth say of a block they do not have (yet, or any more), mostly under -32000."""

ENDPOINT_MESSAGES: Final = (
    *UNKNOWN_BLOCK_MESSAGES,
    "timeout",
    "timed out",
    "rate limit",
    "too many requests",
    "limit exceeded",
    "count exceeded",
    "syncing",
)
"""What geth and hosted endpoints say, mostly under -32000, when they and not the call are at fault."""


QUANTITY: Final = re.compile(r"0x[0-9a-f]{1,64}")


class MalformedAnswerError(ValueError):
    """The bytes are no answer to what was asked."""


def encode_request(calls: Sequence[RpcCall], first_id: int) -> bytes:
    """The request body: one object for one call, an array for several; ids count up from `first_id`."""
    requests = [
        {"jsonrpc": "2.0", "id": first_id + index, "method": call.method, "params": list(call.params)}
        for index, call in enumerate(calls)
    ]
    return json.dumps(requests[0] if len(requests) == 1 else requests, separators=(",", ":")).encode()


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedAnswerError(f"{name} is not JSON")


def _parse_json(body: bytes) -> object:
    try:
        parsed: object = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise MalformedAnswerError("its answer is not JSON") from None
    return parsed


def _parse_error(error: object) -> RefusedAnswer:
    if not isinstance(error, dict):
        raise MalformedAnswerError("its error is not an object")
    code, message = error.get("code"), error.get("message", "")
    if type(code) is not int or not isinstance(message, str):
        raise MalformedAnswerError("its error has no code")
    return RefusedAnswer(code, message, error.get("data"))


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
    """The `count` answers of a request encoded with `first_id`, in the order of the calls.

    Raises MalformedAnswerError unless every id is answered once and nothing else is.
    """
    parsed = _parse_json(body)
    if count == 1:
        parsed = [parsed]
    if not isinstance(parsed, list):
        raise MalformedAnswerError("its answer to a batch is not a list")
    answers = dict(_parse_answer(answer) for answer in parsed)
    wanted = range(first_id, first_id + count)
    if len(parsed) != count or answers.keys() != set(wanted):
        raise MalformedAnswerError("its answer carries other ids than the request")
    return [answers[identifier] for identifier in wanted]


def parse_quantity(value: object) -> int | None:
    """The number a JSON-RPC quantity (EIP-1474: `0x` and lower-case hex, at most 256 bits) stands for; None for anything else."""
    return int(value, 16) if isinstance(value, str) and QUANTITY.fullmatch(value) else None
