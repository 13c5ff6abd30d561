"""Every limit of every room is a setting, and the default stands there as the room has it."""

from dataclasses import MISSING, Field, fields
from typing import Any

import pytest

from node.sections import SECTIONS, section
from node.settings import Settings


def limits() -> list[tuple[type, "Field[Any]"]]:
    return [(kind, field) for kind in SECTIONS for field in fields(kind) if field.default_factory is MISSING]


@pytest.mark.parametrize(
    ("kind", "field"), limits(), ids=lambda each: getattr(each, "__name__", getattr(each, "name", ""))
)
def test_a_rooms_limit_is_a_setting_with_the_rooms_default(kind: type, field: "Field[Any]") -> None:
    told = getattr(section(Settings(), kind), field.name)
    assert field.default is MISSING or told == field.default
