"""JSON-RPC results as integers and records; what does not fit is the endpoint's fault."""

from collections.abc import Mapping

from pydantic import JsonValue

from node.chain.rpc.errors import RpcRefusedError, RpcUnavailableError
from node.chain.rpc.wire import RpcOutcome, parse_quantity


class MalformedResultError(RpcUnavailableError):
    """An answer of the wrong kind, which is a fault of the endpoint."""

    def __init__(self, why: str) -> None:
        super().__init__("of the batch", why)


def result_of(outcome: RpcOutcome) -> JsonValue:
    """The result. Raises the RpcRefusedError that stands in its place."""
    if isinstance(outcome, RpcRefusedError):
        raise outcome
    return outcome


def quantity(outcome: RpcOutcome) -> int:
    """A hex quantity as int. Raises RpcRefusedError, or MalformedResultError when it is none."""
    number = parse_quantity(result_of(outcome))
    if number is None:
        raise MalformedResultError("answered no quantity")
    return number


def record(outcome: RpcOutcome) -> Mapping[str, JsonValue]:
    """A JSON object. Raises as `quantity` does."""
    result = result_of(outcome)
    if not isinstance(result, dict):
        raise MalformedResultError("answered no object")
    return result


def field(fields: Mapping[str, JsonValue], name: str) -> int:
    """A hex quantity of an object, 0 where it is absent. Raises MalformedResultError when it is none."""
    return quantity(fields.get(name) or "0x0")
