"""JSON values that every reader can be trusted with: of bounded depth, and finite."""

import math

from pydantic import JsonValue


def require_plain(value: JsonValue, depth_max: int) -> None:
    """Pass for a value nested at most `depth_max` deep that holds finite numbers alone.

    Raises ValueError whose message continues a sentence about the value. Works level by level, so depth costs no stack.
    """
    level: list[JsonValue] = [value]
    depth = 0
    while level:
        nested: list[list[JsonValue] | dict[str, JsonValue]] = []
        for item in level:
            if isinstance(item, (list, dict)):
                nested.append(item)
            elif isinstance(item, float) and not math.isfinite(item):
                raise ValueError("holds a number beyond the range of JSON readers")
        depth += bool(nested)
        if depth > depth_max:
            raise ValueError(f"is nested more than {depth_max} deep")
        level = [part for item in nested for part in (item.values() if isinstance(item, dict) else item)]
