"""JSON-RPC results as integers and records. A result of another kind is the endpoint's fault."""

from collections.abc import Mapping

from pydantic import JsonValue

from node.chain.rpc.wire import RpcOutcome, RpcRefusedError, RpcUnavailableError, parse_quantity


class MalformedResultError(RpcUnavailableError):
    """An answer of the wrong kind, which is a fault of the endpoint."""

    def __init__(self, why: str) -> None:
        super().__init__("of the batch", why)


def result_of(outcome: RpcOutcome) -> JsonValue:
    """Return the result. Raises the RpcRefusedError given in its place."""
    if isinstance(outcome, RpcRefusedError):
        raise outcome
    return outcome


def quantity(outcome: RpcOutcome) -> int:
    """Return a hex quantity as int. Raises RpcRefusedError, or MalformedResultError when it is none."""
    number = parse_quantity(result_of(outcome))
    if number is None:
        raise MalformedResultError("answered no quantity")
    return number


def record(outcome: RpcOutcome) -> Mapping[str, JsonValue]:
    """Return a JSON object. Raises as `quantity` does."""
    result = result_of(outcome)
    if not isinstance(result, dict):
        raise MalformedResultError("answered no object")
    return result


def field(fields: Mapping[str, JsonValue], name: str) -> int:
    """Return a hex quantity of an object, 0 where it is absent. Raises MalformedResultError when it is none."""
    return quantity(fields.get(name) or "0x0")
