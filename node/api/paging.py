"""Query parameters of lists: page number and page size."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from node.chain.port import Page

MAX_PAGE_SIZE: Final = 100
DEFAULT_PAGE_SIZE: Final = 20
_MAX_PAGE_NUMBER: Final = 2**31 - 1
_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,9}")


def parse_page_number(value: object) -> int:
    """Returns a page number, counting from 0. Raises ValueError for anything but plain digits."""
    return _whole(value, 0, _MAX_PAGE_NUMBER)


def parse_page_size(value: object) -> int:
    """Returns a page size from 1 to 100. Raises ValueError for anything else."""
    return _whole(value, 1, MAX_PAGE_SIZE)


def _whole(value: object, least: int, most: int) -> int:
    # `int` would also take signs, blanks, underscores and digits of other scripts.
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise ValueError(f"must be a whole number from {least} to {most}")


class PageQuery(BaseModel, extra="forbid"):
    """The query of a list; extend it with further fields."""

    page_number: Annotated[
        int,
        BeforeValidator(parse_page_number),
        WithJsonSchema({"type": "integer", "minimum": 0, "maximum": _MAX_PAGE_NUMBER}),
    ] = 0
    page_size: Annotated[
        int,
        BeforeValidator(parse_page_size),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE}),
    ] = DEFAULT_PAGE_SIZE

    @property
    def page(self) -> Page:
        """Returns the page in the form that chain reads take."""
        return Page(self.page_number, self.page_size)
