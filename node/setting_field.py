"""How a setting is written down: its default, its meaning, its bounds."""

from typing import Any

from pydantic import Field


def of(default: Any, meaning: str, **bounds: Any) -> Any:
    """A field with its default, meaning and bounds."""
    return Field(default=default, description=meaning, **bounds)
