"""Pages of lists: the query every list takes and the headers every list answers (RFC 8288)."""

import re
from collections.abc import Mapping
from typing import Annotated, Final
from urllib.parse import urlencode

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from node.chain.port import Page

MAX_PAGE_SIZE: Final = 100
DEFAULT_PAGE_SIZE: Final = 20
_MAX_PAGE_NUMBER: Final = 2**31 - 1
_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,9}")


def parse_page_number(value: object) -> int:
    """Returns a page number, counting from 0. Raises ValueError for anything but plain decimal digits."""
    return _whole(value, 0, _MAX_PAGE_NUMBER)


def parse_page_size(value: object) -> int:
    """Returns a page size from 1 to 100. Raises ValueError for anything else."""
    return _whole(value, 1, MAX_PAGE_SIZE)


def _whole(value: object, least: int, most: int) -> int:
    # `int` itself would take signs, blanks, underscores and digits of other scripts.
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
        """The page as the chain reads take it."""
        return Page(self.page_number, self.page_size)


def paging_headers(path: str, query: Mapping[str, str], page: PageQuery, total: int) -> dict[str, str]:
    """Returns `X-Total-Count` and `Link` with first, prev, next and last as they exist, relative to the request's path.

    `query` is the request's own; its other fields are kept.
    """
    last = max(0, -(-total // page.page_size) - 1)
    targets = {"first": 0}
    if page.page_number > 0:
        targets["prev"] = min(page.page_number - 1, last)
    if page.page_number < last:
        targets["next"] = page.page_number + 1
    targets["last"] = last
    kept = {name: value for name, value in query.items() if name not in {"page_number", "page_size"}}

    def link(number: int) -> str:
        return f"<{path}?{urlencode({**kept, 'page_number': number, 'page_size': page.page_size})}>"

    links = ", ".join(f'{link(number)}; rel="{relation}"' for relation, number in targets.items())
    return {"X-Total-Count": str(total), "Link": links}
