"""Selection of what `make test` runs at every change, and what only `make test-all` runs."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

import pytest

CASES: Final = 4
"""Cases of one parametrised test in the quick part, spread evenly over its table."""
EXHAUSTIVE: Final = "exhaustive"
"""Marks tests that only the rest runs: matrices, every kill point, long random histories, builds."""


class Part(StrEnum):
    """Part of the suite. Every test is in exactly one of `QUICK` and `REST`."""

    ALL = "all"
    QUICK = "quick"
    REST = "rest"


def divide(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Divide collected tests, in their order, into the quick part and the rest."""
    quick: list[pytest.Item] = []
    rest: list[pytest.Item] = []
    for _, cases in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        listed = list(cases)
        chosen = set() if listed[0].get_closest_marker(EXHAUSTIVE) else _spread(len(listed))
        for index, item in enumerate(listed):
            marked = item.get_closest_marker(EXHAUSTIVE) is not None
            (quick if index in chosen and not marked else rest).append(item)
    return quick, rest


def _spread(count: int) -> set[int]:
    if count <= CASES:
        return set(range(count))
    return {round(place * (count - 1) / (CASES - 1)) for place in range(CASES)}
