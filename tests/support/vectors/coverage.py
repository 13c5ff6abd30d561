"""Writes SPEC_COVERAGE.md: which vectors exercise which check."""

from collections.abc import Sequence
from typing import Final

from svc_verifier.check import CATALOGUE
from tests.support.vectors.vector import Vector, slug

SHOWN: Final = 6


def coverage(numbered: Sequence[tuple[int, Vector]]) -> str:
    """The page."""
    lines = [
        "# What the vectors cover",
        "",
        "Written by `python -m tests.support.vectors`; a test keeps it complete. A vector is listed with a check that does",
        "not pass in it, or that it is about; in all other vectors of its stage the check passes.",
        "",
        "| check | claim | vectors |",
        "|---|---|---|",
    ]
    for name, row in CATALOGUE.items():
        found = [f"{vector.stage}/{number:03d}" for number, vector in numbered if name in vector.checks]
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        lines.append(f"| `{name}` | {row.claim} | {', '.join(found[:SHOWN])}{more} |")
    lines += ["", "## Every vector", ""]
    lines += [f"* `{vector.stage}/{number:03d}-{slug(vector.name)}`: {vector.name}" for number, vector in numbered]
    return "\n".join(lines) + "\n"
