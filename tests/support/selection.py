"""Selection of what `make test` runs at every change, what only `make test-all` runs, and what only root can see."""

import os
from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

import pytest

CASES: Final = 2
"""Cases of one parametrised test in the quick part, spread evenly over its table, beside those that `COVERS` adds."""
EXHAUSTIVE: Final = "exhaustive"
"""Marks tests that only the rest runs: matrices, every kill point, long random histories, builds."""

COVERS: Final = "covers"
"""Marks a case of a table with the names of what it covers, as the checks that it makes fail: the quick part has a case for
each name that its table has."""


NEEDS_ROOT: Final = "needs_root"
"""Marks what only root can see, such as the memory of a process whose /proc belongs to root."""
NO_ROOT: Final = "only root can see this: run make test-root as root"


class Part(StrEnum):
    """Part of the suite. Every test is in exactly one of `QUICK`, `REST` and `ROOT`."""

    ALL = "all"
    QUICK = "quick"
    REST = "rest"
    ROOT = "root"


def divide(items: Sequence[pytest.Item]) -> dict[Part, list[pytest.Item]]:
    """Divide collected tests, in their order, into the quick part, the rest, and the part of root."""
    parts: dict[Part, list[pytest.Item]] = {Part.QUICK: [], Part.REST: [], Part.ROOT: []}
    for _, cases in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        listed = list(cases)
        chosen = _chosen(listed)
        for index, item in enumerate(listed):
            of_root = item.get_closest_marker(NEEDS_ROOT) is not None
            parts[Part.ROOT if of_root else Part.QUICK if index in chosen else Part.REST].append(item)
    return parts


def skip_without_root(items: Sequence[pytest.Item]) -> None:
    """Have tests that need root skip, and say so, where this is an ordinary user."""
    if os.geteuid() != 0:
        for item in items:
            if item.get_closest_marker(NEEDS_ROOT) is not None:
                item.add_marker(pytest.mark.skip(reason=NO_ROOT))


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
