"""Figures beside what they should be: aims, and bounds of single findings. They are reported and not enforced, since a figure depends on the machine."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.load import percentile


@dataclass(frozen=True, slots=True)
class Aim:
    """Aim of a figure: `measured` must be `bound` at least, or at most. None: its baseline could not be measured."""

    name: str
    measured: float | None
    bound: float
    unit: str
    at_least: bool

    @property
    def met(self) -> bool:
        if self.measured is None:
            return False
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound


def show_aims(aims: Sequence[Aim]) -> None:
    """Print them."""
    table = Table("aim", "measured", "wanted", "")
    for aim in aims:
        wanted = f"{'>=' if aim.at_least else '<='} {aim.bound:g} {aim.unit}"
        if aim.measured is None:
            table.add_row(aim.name, "", wanted, "not measured: needs --before")
        else:
            table.add_row(aim.name, f"{aim.measured:.3g} {aim.unit}", wanted, "met" if aim.met else "not met")
    Console(width=140).print(table)


@dataclass(frozen=True)
class Finding:
    """A line of the second table; `bound` is the most `value` may be, None where the figure only informs."""

    name: str
    value: float
    unit: str
    bound: float | None = None


def delays(name: str, seconds: list[float], bound_s: float) -> list[Finding]:
    """Median and 99th percentile of delays, in milliseconds, which must all be within the bound."""
    ordered = sorted(seconds)
    what = f"{name}, {len(ordered)} rounds"
    return [
        Finding(f"{what}: p50", percentile(ordered, 0.5), "ms", bound_s * 1000),
        Finding(f"{what}: p99", percentile(ordered, 0.99), "ms", bound_s * 1000),
    ]
