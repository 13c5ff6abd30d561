"""CSV for whoever asks for it, JSON for everybody else, whatever the Accept header holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.http.answers import prefers_csv


@pytest.mark.parametrize(
    "accept",
    [
        "text/csv",
        "text/csv, */*",
        "TEXT/CSV; charset=utf-8",
        "application/json;q=0.5, text/csv",
        "text/*",
        "application/json;q=0, */*",
    ],
)
def test_csv_is_preferred(accept: str) -> None:
    assert prefers_csv(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/json",
        "application/json, text/csv",
        "text/csv;q=0.4, application/json;q=0.5",
        "text/csv;q=0",
        "text/csv;q=nonsense",
        "text/csv;q=nan",
        "text/html,application/xhtml+xml,*/*;q=0.8",
    ],
)
def test_json_is_preferred(accept: str) -> None:
    assert not prefers_csv(accept)


@given(st.text())
def test_any_header_is_read(accept: str) -> None:
    assert prefers_csv(accept) in {True, False}
