"""The number of values of a JSON text, wherever the pieces end in which it is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.runtime import processor_time
from node.runtime.processor_time import require_few_values

texts = st.text(st.sampled_from('\\",[{a:}]€'), max_size=12)
values = st.recursive(
    texts | st.integers() | st.none(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=20,
)


def separators(value: object) -> int:
    """Commas and opening brackets of its JSON that are in no string."""
    if not isinstance(value, list | dict):
        return 0
    items = list(value) if isinstance(value, list) else list(value.values())
    return 1 + max(0, len(items) - 1) + sum(map(separators, items))


def named(value: object) -> int:
    """Names, lists and objects of its JSON."""
    if not isinstance(value, list | dict):
        return 0
    items, names = (list(value), 0) if isinstance(value, list) else (list(value.values()), len(value))
    return 1 + names + sum(map(named, items))


@given(value=values, piece_bytes=st.integers(1, 7), escaped=st.booleans())
def test_separators_outside_of_strings_are_counted(value: object, piece_bytes: int, escaped: bool) -> None:
    body = json.dumps(value, ensure_ascii=escaped).encode()
    count = separators(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processor_time, "_PIECE_BYTES", piece_bytes)
        require_few_values(body, count + 1)
        if count:
            with pytest.raises(ValueError, match=f"more than {count} values"):
                require_few_values(body, count)


def test_quotes_without_end_are_not_taken_apart() -> None:
    with pytest.raises(ValueError, match="more than 8 values"):
        require_few_values(b'"' * 100_000 + b"," * 9, 8)


@given(value=values, piece_bytes=st.integers(1, 7), escaped=st.booleans())
def test_names_lists_and_objects_are_counted_apart(value: object, piece_bytes: int, escaped: bool) -> None:
    body = json.dumps(value, ensure_ascii=escaped).encode()
    count = named(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processor_time, "_PIECE_BYTES", piece_bytes)
        require_few_values(body, 1_000_000, count + 1)
        if count:
            with pytest.raises(ValueError, match=f"more than {count} names"):
                require_few_values(body, 1_000_000, count)
