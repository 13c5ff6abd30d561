"""Selection of what `make test` runs at every change, and what only `make test-all` runs."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

import pytest

CASES: Final = 4
"""Cases of one parametrised test in the quick part, spread evenly over its table, beside those that `COVERS` adds."""
EXHAUSTIVE: Final = "exhaustive"
"""Marks tests that only the rest runs: matrices, every kill point, long random histories, builds."""

COVERS: Final = "covers"
"""Marks a case of a table with the names of what it covers, as the checks that it makes fail: the quick part has a case for
each name that its table has."""


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
        chosen = _chosen(listed)
        for index, item in enumerate(listed):
            (quick if index in chosen else rest).append(item)
    return quick, rest


def _chosen(cases: Sequence[pytest.Item]) -> set[int]:
    """Return the places of the cases of one test that the quick part has."""
    if cases[0].get_closest_marker(EXHAUSTIVE):
        return set()
    covered = {
        index: frozenset(name for marker in item.iter_markers(COVERS) for name in marker.args)
        for index, item in enumerate(cases)
        if item.get_closest_marker(EXHAUSTIVE) is None
    }
    chosen = _spread(len(cases)) & covered.keys()
    for name in sorted(frozenset().union(*covered.values())):
        if not any(name in covered[index] for index in chosen):
            # The one that covers least besides: a case that breaks everything shows little of each thing.
            chosen.add(min((index for index in covered if name in covered[index]), key=lambda each: len(covered[each])))
    return chosen


def _spread(count: int) -> set[int]:
    if count <= CASES:
        return set(range(count))
    return {round(place * (count - 1) / (CASES - 1)) for place in range(CASES)}
