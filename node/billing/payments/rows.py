"""Reading what the database gave back, whose columns this room knows."""

from node.database.port import Database, Row, Statement, Value


def text(value: Value) -> str:
    """A TEXT column that is never NULL."""
    if not isinstance(value, str):
        raise TypeError("This column holds text.")
    return value


def text_or_none(value: Value) -> str | None:
    """A TEXT column that may be NULL."""
    return None if value is None else text(value)


def whole(value: Value) -> int:
    """A BIGINT column that is never NULL."""
    if not isinstance(value, int):
        raise TypeError("This column holds whole numbers.")
    return value


def whole_or_none(value: Value) -> int | None:
    """A BIGINT column that may be NULL."""
    return None if value is None else whole(value)


async def select(books: Database, sql: str, *values: Value) -> list[Row]:
    """The rows of one SELECT. Raises NodeError `billing_unavailable`."""
    (rows,) = await books.execute(Statement(sql, values))
    return list(rows)
