"""An answer is the JSON of what was answered, however its long texts were put into it."""

import base64
import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from node.engine.answers import PlainText, answer_text
from tests.egress.fetching import fetching
from tests.egress.servers import answer, server

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PLAIN = st.binary(max_size=40).map(lambda raw: PlainText(base64.b64encode(raw).decode()))


@given(call_id=st.integers(), succeeded=st.booleans(), value=VALUES)
def test_without_plain_texts(call_id: int, succeeded: bool, value: JsonValue) -> None:
    assert json.loads(answer_text(call_id, succeeded, value)) == [call_id, succeeded, value]


@given(
    values=st.dictionaries(st.text(), VALUES, max_size=3),
    plain=st.dictionaries(st.text(), PLAIN, min_size=1, max_size=3),
)
def test_with_plain_texts(values: dict[str, JsonValue], plain: dict[str, PlainText]) -> None:
    value: dict[str, JsonValue] = {**values, **plain}
    assert json.loads(answer_text(1, True, value)) == [1, True, value]


async def test_a_body_that_arrives_in_odd_pieces_is_whole() -> None:
    body = bytes(range(256)) * 40
    async with server() as origin, fetching() as run:
        for size in (1, 2, 3, 4, 5, 7, 64, 1000, len(body)):
            chunks = [body[start : start + size] for start in range(0, len(body), size)]
            framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
            origin.by_path["/"] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed + b"0\r\n\r\n"
            assert (await run.fetch(origin.url()))["body"] == body, size
        for length in range(5):
            origin.by_path["/"] = answer(body[:length])
            assert (await run.fetch(origin.url()))["body"] == body[:length]
