"""Lists, newest first, filtered by `created`, a page at a time.

Source: https://docs.stripe.com/api/pagination.
"""

from collections.abc import Callable, Iterable
from typing import Final

from devkit.processor.calls import Call, Json
from devkit.processor.errors import parameter_invalid
from devkit.processor.limits import LocalProcessorLimits
from devkit.processor.objects import Stored

PAGING: Final = frozenset({"limit", "starting_after", "ending_before"})
PAGING_AND_CREATED: Final = PAGING | {"created"}

_BOUNDS: Final[dict[str, Callable[[int, int], bool]]] = {
    "gt": lambda created, bound: created > bound,
    "gte": lambda created, bound: created >= bound,
    "lt": lambda created, bound: created < bound,
    "lte": lambda created, bound: created <= bound,
}


def page_size(call: Call, limits: LocalProcessorLimits) -> int:
    """Returns the `limit` parameter. Raises ApiError 400 when it is out of bounds."""
    size = call.form.integer("limit")
    if size is None:
        return limits.default_page
    if not 1 <= size <= limits.largest_page:
        raise parameter_invalid(f"Invalid integer: limit must be between 1 and {limits.largest_page}", "limit")
    return size


def listed(
    call: Call,
    limits: LocalProcessorLimits,
    newest_first: Iterable[Stored],
    keep: Callable[[Stored], bool] = lambda _: True,
) -> Json:
    """Returns the requested page. Raises ApiError 400 for an unknown cursor."""
    everything = list(newest_first)
    in_time = _created_filter(call)
    after, before = call.form.text("starting_after"), call.form.text("ending_before")
    if after is not None and before is not None:
        raise parameter_invalid("You cannot parameterize both starting_after and ending_before.", "ending_before")
    if after is not None:
        everything = everything[_index(everything, after, "starting_after") + 1 :]
    if before is not None:
        everything = everything[: _index(everything, before, "ending_before")]
    found = [stored for stored in everything if in_time(stored) and keep(stored)]
    size = page_size(call, limits)
    page = found[-size:] if before is not None else found[:size]
    return {
        "object": "list",
        "data": [stored.shown() for stored in page],
        "has_more": len(found) > size,
        "url": call.path,
    }


def _index(everything: list[Stored], identifier: str, param: str) -> int:
    for index, stored in enumerate(everything):
        if stored.id == identifier:
            return index
    raise parameter_invalid(f"No such object: '{identifier[:80]}'", param, "resource_missing")


def _created_filter(call: Call) -> Callable[[Stored], bool]:
    if isinstance(call.form.tree.get("created"), str):
        exact = call.form.integer("created")
        return lambda stored: exact is None or stored.created == exact
    bounds = call.form.below("created")
    bounds.only(_BOUNDS)
    wanted = [(_BOUNDS[name], bounds.required_integer(name)) for name in bounds.tree]
    return lambda stored: all(compare(stored.created, bound) for compare, bound in wanted)
