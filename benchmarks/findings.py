"""A figure that stands for itself: no baseline beside it, perhaps a bound it must keep."""

from dataclasses import dataclass

from benchmarks.load import percentile


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
