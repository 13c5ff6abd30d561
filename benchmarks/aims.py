"""Aims of figures and bounds of findings. Reported and not enforced: machines differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.load import percentile


@dataclass(frozen=True, slots=True)
class Aim:
    """Aim of a figure, at least or at most `bound`. `measured` is None without a baseline."""

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
    """Prints the aims and whether they are met."""
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
    """A line of the second table. `bound` is the highest allowed `value`; None only informs."""

    name: str
    value: float
    unit: str
    bound: float | None = None


def delays(name: str, seconds: list[float], bound_s: float) -> list[Finding]:
    """Returns p50 and p99 of delays in milliseconds. The bound holds for both."""
    ordered = sorted(seconds)
    what = f"{name}, {len(ordered)} rounds"
    return [
        Finding(f"{what}: p50", percentile(ordered, 0.5), "ms", bound_s * 1000),
        Finding(f"{what}: p99", percentile(ordered, 0.99), "ms", bound_s * 1000),
    ]
