"""Portable statements (`node.ledger.books.Statement`) as PostgreSQL takes them, and its rows as SQLite gives them. Pure."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from node.ledger.books import Row, Statement, Value

_CASTS: Final[dict[type, str]] = {int: "bigint", str: "text", bytes: "bytea"}


def numbered(statement: Statement) -> tuple[str, tuple[Value, ...]]:
    """`$1…` for each `?`, of the value's own type; None stands there as NULL, whose type the place decides.

    Raises ValueError when there are not as many `?` as values.
    """
    pieces = statement.sql.split("?")
    if len(pieces) - 1 != len(statement.values):
        raise ValueError(f"A statement has {len(pieces) - 1} places and {len(statement.values)} values.")
    sql, values = pieces[0], list[Value]()
    for value, piece in zip(statement.values, pieces[1:], strict=True):
        if value is None:
            sql += "NULL" + piece
        else:
            values.append(value)
            sql += f"${len(values)}::{_CASTS[type(value)]}{piece}"
    return sql, tuple(values)


def row_of(values: Iterable[object]) -> Row:
    """One row: sums, which PostgreSQL counts in decimals, as whole numbers, and truth as 0 and 1.

    Raises TypeError for what no portable statement gives.
    """
    return tuple(map(_value, values))


def _value(value: object) -> Value:
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int | str | bytes):
        return value
    raise TypeError(f"A portable statement gave a {type(value).__name__}.")
