"""Judges whether samples are flat. Pure: takes samples, returns verdicts."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """State of the node `at_s` seconds after the beginning; bytes of memory, median of workers."""

    at_s: float
    node_rss: int
    node_pss: int
    zygote_pid: int
    zygote_rss: int
    zygote_pss: int
    worker_rss: int
    node_descriptors: int
    zygote_descriptors: int
    node_threads: int
    processes: int
    zombies: frozenset[int]
    answers: int


@dataclass(frozen=True, slots=True)
class Ending:
    """State after the load stopped, and after the node stopped."""

    quiet_descriptors_before: int
    quiet_descriptors_after: int
    workers_beyond_spares: int
    zygotes: int
    zombies: int
    reserved_cents: int
    left_after_stop: int
    unexpected_answers: int
    unanswered_kinds: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds within which a figure counts as flat."""

    warm_up_share: float = 0.25
    """Share of the time at the beginning without judgement, since caches and heaps fill."""
    min_samples: int = 20
    """Samples needed in the judged time; fewer fail."""
    memory_growth_bytes: int = 6 * MIB
    """Rise of the line through the judged samples over the judged time, for each memory figure."""
    zygote_life_growth_bytes: int = 8 * MIB
    """Growth from a zygote's first sample to its largest; zygotes are replaced by count and age."""
    descriptor_growth: int = 8
    """Rise of that line for descriptors, whose number under load follows the running actions."""
    quiet_descriptor_growth: int = 4
    """Growth between the quiet states before and after."""
    thread_growth: int = 4
    """Rise of that line for threads."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a check; `bound` is the highest allowed `measured`."""

    name: str
    measured: float
    bound: float
    unit: str

    @property
    def holds(self) -> bool:
        return self.measured <= self.bound


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Theil-Sen, the median slope between all pairs. Up to 29 % of outliers do not move it."""
    slopes = [(late[1] - early[1]) / (late[0] - early[0]) for early, late in combinations(points, 2)]
    return statistics.median(slopes) if slopes else 0.0


def growth(points: Sequence[tuple[float, float]]) -> float:
    """Returns the rise of the line through the points, from the first to the last."""
    return slope(points) * (points[-1][0] - points[0][0]) if points else 0.0


def judge(samples: Sequence[Sample], ending: Ending, bounds: Bounds) -> list[Verdict]:
    """Returns every verdict, in the order of display."""
    begin = samples[-1].at_s * bounds.warm_up_share if samples else 0.0
    judged = [sample for sample in samples if sample.at_s >= begin]
    missing = max(0, bounds.min_samples - len(judged))
    return [
        Verdict("samples missing for a judgement", missing, 0, ""),
        *_trends(judged, bounds),
        Verdict("one zygote's RSS in its life: growth", _life_growth(judged) / MIB, _mib(bounds), "MiB"),
        Verdict("zombies seen in two looks in a row", _lasting_zombies(samples), 0, ""),
        *_ending(ending, bounds),
    ]


def _mib(bounds: Bounds) -> float:
    return bounds.zygote_life_growth_bytes / MIB


def _trends(judged: Sequence[Sample], bounds: Bounds) -> list[Verdict]:
    def of(name: str, values: Sequence[float], bound: float, unit: str = "") -> Verdict:
        points = [(sample.at_s, value) for sample, value in zip(judged, values, strict=True)]
        return Verdict(f"{name}: growth", growth(points), bound, unit)

    most = bounds.memory_growth_bytes / MIB
    return [
        of("RSS of the node", [sample.node_rss / MIB for sample in judged], most, "MiB"),
        of("PSS of the node", [sample.node_pss / MIB for sample in judged], most, "MiB"),
        of("RSS of the zygote", [sample.zygote_rss / MIB for sample in judged], most, "MiB"),
        of("PSS of the zygote", [sample.zygote_pss / MIB for sample in judged], most, "MiB"),
        of("RSS of a worker, the median of them", [sample.worker_rss / MIB for sample in judged], most, "MiB"),
        of("descriptors of the node", [sample.node_descriptors for sample in judged], bounds.descriptor_growth),
        of("descriptors of the zygote", [sample.zygote_descriptors for sample in judged], bounds.descriptor_growth),
        of("threads of the node", [sample.node_threads for sample in judged], bounds.thread_growth),
    ]


def _life_growth(judged: Sequence[Sample]) -> float:
    lives: dict[int, list[int]] = {}
    for sample in judged:
        lives.setdefault(sample.zygote_pid, []).append(sample.zygote_rss)
    # By zygote: a new one starts small, and would make a line through all of them fall.
    return max((max(life) - life[0] for life in lives.values()), default=0)


def _lasting_zombies(samples: Sequence[Sample]) -> int:
    lasting: set[int] = set()
    for early, late in pairwise(samples):
        # In one look a zombie is a process that has just ended and is about to be reaped.
        lasting |= early.zombies & late.zombies
    return len(lasting)


def _ending(ending: Ending, bounds: Bounds) -> list[Verdict]:
    descriptors = ending.quiet_descriptors_after - ending.quiet_descriptors_before
    return [
        Verdict(
            "descriptors of the node, quiet after over quiet before", descriptors, bounds.quiet_descriptor_growth, ""
        ),
        Verdict("workers beyond the spare ones, once quiet", ending.workers_beyond_spares, 0, ""),
        Verdict("zygotes, once quiet", ending.zygotes, 1, ""),
        Verdict("zombies, once quiet", ending.zombies, 0, ""),
        Verdict("credit still set aside, once quiet", ending.reserved_cents, 0, "cents"),
        Verdict("processes left after the node stopped", ending.left_after_stop, 0, ""),
        Verdict("answers other than expected", ending.unexpected_answers, 0, ""),
        Verdict("kinds of action that were never answered", ending.unanswered_kinds, 0, ""),
    ]
