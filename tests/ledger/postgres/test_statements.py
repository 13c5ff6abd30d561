"""Portable SQL as PostgreSQL takes it. Pure."""

from decimal import Decimal

import pytest

from node.database.port import Statement
from node.database.postgres import numbered, portable_row
from node.ledger.entries import storable


def test_places_are_numbered_and_typed_by_their_values() -> None:
    statement = Statement("UPDATE t SET a = ?, b = ?, c = ? WHERE d = ? LIMIT ?", ("x", None, b"y", 2, 3))
    sql, values = numbered(statement)
    assert sql == "UPDATE t SET a = $1::text, b = NULL, c = $2::bytea WHERE d = $3::bigint LIMIT $4::bigint"
    assert values == ("x", b"y", 2, 3)


@pytest.mark.parametrize("values", [(), (1, 2)])
def test_a_value_too_few_or_too_many_is_no_statement(values: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="places"):
        numbered(Statement("SELECT ?", values))


def test_a_value_is_never_read_as_sql() -> None:
    sql, values = numbered(Statement("SELECT ?", ("'; DROP TABLE ledger_entry; -- ? $1",)))
    assert (sql, values) == ("SELECT $1::text", ("'; DROP TABLE ledger_entry; -- ? $1",))


def test_rows_are_what_sqlite_gives() -> None:
    row = portable_row([Decimal(10) ** 20, True, None, "a", b"b", 7])
    assert row == (10**20, 1, None, "a", b"b", 7)
    assert [type(value) for value in row] == [int, int, type(None), str, bytes, int]


@pytest.mark.parametrize("value", [Decimal("0.5"), 0.5, [1], object()])
def test_what_sqlite_would_not_give_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        portable_row([value])


@pytest.mark.parametrize(("text", "stored"), [("a\0b", "ab"), ("a\ud800b", "a?b"), ("ümläut ✓", "ümläut ✓")])
def test_text_that_postgresql_refuses_is_stored_without_what_it_refuses(text: str, stored: str) -> None:
    assert storable(text) == stored
