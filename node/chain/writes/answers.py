"""JSON-RPC results as integers and records; what does not fit is the endpoint's fault."""

from collections.abc import Mapping

from pydantic import JsonValue

from node.chain.rpc import RpcOutcome, RpcRefusedError, RpcUnavailableError

HOST_UNKNOWN = "of the batch"


def result_of(outcome: RpcOutcome) -> JsonValue:
    """The result. Raises the RpcRefusedError that stands in its place."""
    if isinstance(outcome, RpcRefusedError):
        raise outcome
    return outcome


def quantity(outcome: RpcOutcome) -> int:
    """A hex quantity as int. Raises RpcRefusedError, or RpcUnavailableError when it is none."""
    result = result_of(outcome)
    try:
        return int(str(result), 16)
    except ValueError:
        raise RpcUnavailableError(HOST_UNKNOWN, "answered no quantity") from None


def record(outcome: RpcOutcome) -> Mapping[str, JsonValue]:
    """A JSON object. Raises as `quantity` does."""
    result = result_of(outcome)
    if not isinstance(result, dict):
        raise RpcUnavailableError(HOST_UNKNOWN, "answered no object")
    return result


def field(fields: Mapping[str, JsonValue], name: str) -> int:
    """A hex quantity of an object, 0 where it is absent. Raises RpcUnavailableError when it is none."""
    return quantity(fields.get(name) or "0x0")
