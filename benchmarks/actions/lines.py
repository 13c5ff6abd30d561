"""Table of actions, each beside its baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.table import Table

from benchmarks.actions.closed_loop import Round


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of a target. `ratio` is this checkout's requests per second over the target's."""

    action: str
    concurrency: int
    target: str
    measured: Round
    ratio: float


def lines_of(action: str, concurrency: int, medians: Mapping[str, Round]) -> list[Line]:
    """Returns lines of one action at one concurrency. The first of `medians` is this checkout."""
    own = next(iter(medians.values())).per_second
    return [Line(action, concurrency, name, each, own / each.per_second) for name, each in medians.items()]


def show_lines(lines: Sequence[Line]) -> None:
    """Prints the lines, and the load generator's own CPU time."""
    table = Table(title="actions, medians of rounds that take turns")
    for column in ("action", "at once", "served by"):
        table.add_column(column)
    for column in ("req/s", "p50 ms", "p99 ms", "CPU ms", "this / it"):
        table.add_column(column, justify="right")
    for _, group in groupby(lines, lambda line: (line.action, line.concurrency)):
        for number, line in enumerate(group):
            each = line.measured
            figures = (f"{each.per_second:.0f}", f"{each.p50_ms:.2f}", f"{each.p99_ms:.2f}", f"{each.cpu_ms:.2f}")
            ratio = f"{line.ratio:.2f}" if number else ""
            table.add_row(line.action, str(line.concurrency), line.target, *figures, ratio)
        table.add_section()
    console = Console(width=140)
    console.print(table)
    generator = max(line.measured.generator_cpu_ms for line in lines if line.concurrency > 1)
    if generator:
        console.print(f"the load generator took at most {generator:.2f} CPU ms a request where several were at once")
