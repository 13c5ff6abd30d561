"""The JSON-RPC wire format under generated input: requests, answers, revert data and quantities. And what is kept and told of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.api.errors import ErrorCode, as_node_error
from node.chain.rpc import RpcCall, RpcRefusedError, RpcUnavailableError, chain_unavailable
from node.chain.rpc.wire import MalformedAnswerError, encode_request, parse_answers, parse_quantity, revert_data
from tests.support.loop_meter import takes_at_most

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
ANSWER_LIKE = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers(0, 4) | JSON,
        "result": JSON,
        "error": st.fixed_dictionaries({}, optional={"code": JSON, "message": JSON, "data": JSON}) | JSON,
    },
)


@given(
    body=st.binary(max_size=200)
    | (st.lists(ANSWER_LIKE, max_size=4) | ANSWER_LIKE).map(lambda x: json.dumps(x).encode()),
    count=st.integers(1, 3),
)
def test_any_bytes_are_answers_or_the_one_error(body: bytes, count: int) -> None:
    try:
        answers = parse_answers(body, 1, count)
    except MalformedAnswerError:
        return
    assert len(answers) == count


def test_ids_of_one_hash_take_no_time() -> None:
    """Python's hash of a number is its remainder by 2^61-1: a mapping took ten seconds to tell these apart."""
    colliding = [{"jsonrpc": "2.0", "id": 5 + (2**61 - 1) * each, "result": None} for each in range(20_000)]
    body = json.dumps(colliding).encode()
    with takes_at_most(0.5), pytest.raises(MalformedAnswerError, match="other ids"):
        parse_answers(body, 5, 2)


@given(results=st.lists(JSON, min_size=1, max_size=5), first_id=st.integers(1, 2**40), data=st.data())
def test_every_answer_goes_to_its_call_in_whatever_order_it_came(
    results: list[Any], first_id: int, data: st.DataObject
) -> None:
    encoded = json.loads(encode_request([RpcCall("m", [result]) for result in results], first_id))
    requests = encoded if isinstance(encoded, list) else [encoded]
    answers = [{"jsonrpc": "2.0", "id": each["id"], "result": each["params"][0]} for each in requests]
    shuffled = data.draw(st.permutations(answers))
    body = json.dumps(shuffled if len(results) > 1 else shuffled[0]).encode()
    assert parse_answers(body, first_id, len(results)) == results


@given(code=st.integers(), message=st.text(), data=JSON)
def test_revert_data_of_any_error_is_bytes_or_none(code: int, message: str, data: Any) -> None:
    found = revert_data(code, message, data)
    assert found is None or isinstance(found, bytes)
    assert (found is not None) == (code == 3 or "revert" in message.lower())


@given(value=JSON | st.integers(0, 2**256 - 1).map(hex))
def test_a_quantity_is_what_eip_1474_says(value: Any) -> None:
    number = parse_quantity(value)
    assert number is None or hex(number) == "0x" + value[2:].lstrip("0").rjust(1, "0")


def test_unavailability_tells_a_client_when_to_come_back_and_nothing_of_the_endpoint() -> None:
    for error in (RpcUnavailableError("rpc.example", "why"), RpcRefusedError("rpc.example", -32000, "why")):
        answer = as_node_error(chain_unavailable(error))
        assert answer.code is ErrorCode.CHAIN_UNAVAILABLE
        assert answer.retry_after_s
        assert "rpc.example" not in f"{answer.message} {answer.fix} {answer.details}"
