"""An answer is the JSON of what was answered, however its long texts were put into it."""

import base64
import gzip
import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from node.engine.frames import PlainText, answer_text
from tests.engine.egress.fetching import fetching
from tests.engine.egress.servers import answer, server

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


async def test_a_body_that_comes_in_pieces_is_whole() -> None:
    # Decompression yields 65,536 bytes at a time, which is no multiple of base64's three.
    body = bytes(range(256)) * 1024
    async with server() as origin, fetching() as run:
        for length in (0, 1, 2, 3, 65_535, 65_536, 65_537, 131_072, len(body)):
            origin.by_path["/"] = answer(gzip.compress(body[:length]), "Content-Encoding: gzip")
            assert (await run.fetch(origin.url()))["body"] == body[:length]
