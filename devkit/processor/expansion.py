"""`expand[]`, by which ids are replaced by their objects.

Source: https://docs.stripe.com/api/expanding_objects.
"""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

from devkit.processor.errors import parameter_invalid
from devkit.processor.store import Store

MAX_LEVELS: Final = 4


def expand(body: JsonValue, paths: Iterable[str], store: Store) -> None:
    """Replace in place. Raises ApiError 400 for an invalid path."""
    for path in paths:
        segments = path.split(".")
        if len(segments) > MAX_LEVELS:
            raise parameter_invalid(f"You cannot expand more than {MAX_LEVELS} levels of a property.", "expand")
        _expand(body, segments, path, store)


def _expand(node: JsonValue, segments: list[str], path: str, store: Store) -> None:
    if isinstance(node, list):
        for member in node:
            _expand(member, segments, path, store)
        return
    if not isinstance(node, dict) or segments[0] not in node:
        raise parameter_invalid(f"This property cannot be expanded ({path[:80]}).", "expand")
    value = node[segments[0]]
    if isinstance(value, str):
        found = store.find(value)
        if found is None:
            raise parameter_invalid(f"This property cannot be expanded ({path[:80]}).", "expand")
        node[segments[0]] = value = found.shown()
    if len(segments) > 1 and value is not None:
        _expand(value, segments[1:], path, store)
