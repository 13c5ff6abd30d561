"""Sections of settings with other values."""

from typing import Any, TypeVar

from node.settings.field import Section

AnySection = TypeVar("AnySection", bound=Section)


def changed(settings: AnySection, **changes: Any) -> AnySection:
    """Return the section with these values in place of its own, checked as any others."""
    return type(settings)(**{**settings.model_dump(), **changes})
