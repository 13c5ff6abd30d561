"""Counters and histograms updated by every request and collected by Prometheus.

The thread-safe metrics of prometheus_client take a lock and some twenty calls for each
observation. These are updated by the event loop only.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString


class Counts(Collector):
    """A counter for each combination of label values. The values must be a closed set."""

    def __init__(self, name: str, documentation: str, labels: Sequence[str], registry: CollectorRegistry) -> None:
        self._name = name
        self._documentation = documentation
        self._labels = labels
        self._counts: dict[tuple[str, ...], int] = {}
        registry.register(self)

    def begin(self, *values: str) -> None:
        """Adds a combination with the count 0, so that it is exported from the start."""
        self._counts.setdefault(values, 0)

    def add(self, *values: str) -> None:
        """Increments the counter of a combination."""
        self._counts[values] = self._counts.get(values, 0) + 1

    def collect(self) -> Iterator[Metric]:
        """Returns the counters in Prometheus's form."""
        family = CounterMetricFamily(self._name, self._documentation, labels=self._labels)
        for values, count in self._counts.items():
            family.add_metric(values, count)
        yield family


class Durations(Collector):
    """Histograms of seconds, one for each label value. `bounds_s` are the buckets' upper bounds."""

    def __init__(
        self,
        name: str,
        documentation: str,
        bounds_s: Sequence[float],
        registry: CollectorRegistry,
        label: str | None = None,
    ) -> None:
        self._name = name
        self._documentation = documentation
        self._bounds_s = bounds_s
        self._labels = [] if label is None else [label]
        self._buckets: dict[str, list[int]] = {} if label else {"": [0] * (len(bounds_s) + 1)}
        self._sums: dict[str, float] = {} if label else {"": 0.0}
        registry.register(self)

    def add(self, seconds: float, value: str = "") -> None:
        """Counts one observation under this label value."""
        buckets = self._buckets.get(value)
        if buckets is None:
            buckets = self._buckets[value] = [0] * (len(self._bounds_s) + 1)
            self._sums[value] = 0.0
        # Each bucket counts its own range. `collect` makes Prometheus's cumulative counts.
        buckets[bisect_left(self._bounds_s, seconds)] += 1
        self._sums[value] += seconds

    def collect(self) -> Iterator[Metric]:
        """Returns the histograms with cumulative buckets in Prometheus's form."""
        family = HistogramMetricFamily(self._name, self._documentation, labels=self._labels)
        ends = [*map(floatToGoString, self._bounds_s), "+Inf"]
        for value, buckets in self._buckets.items():
            below = [sum(buckets[: index + 1]) for index in range(len(buckets))]
            family.add_metric([value] if self._labels else [], list(zip(ends, below, strict=True)), self._sums[value])
        yield family
