"""Counters and histograms of the event loop, as Prometheus reads them."""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from node.runtime.counts import Counts, Durations

BOUNDS_S = (0.005, 0.25, 1.0, 15.0)
OBSERVED_S = (0.001, 0.005, 0.0051, 0.3, 1.0, 14.0, 16.0)


def shown(registry: CollectorRegistry) -> list[str]:
    """All samples but when each was made, which these do not tell."""
    return [line for line in generate_latest(registry).decode().splitlines() if "_created" not in line]


def test_counts_look_as_those_of_the_client_library() -> None:
    own, library = CollectorRegistry(), CollectorRegistry()
    counts = Counts("svc_things", "Things.", ["kind", "status"], own)
    counter = Counter("svc_things", "Things.", ["kind", "status"], registry=library)
    counts.begin("none", "0")
    counter.labels("none", "0")
    for kind in ("a", "b", "a"):
        counts.add(kind, "200")
        counter.labels(kind, "200").inc()
    assert shown(own) == shown(library)


def test_durations_look_as_those_of_the_client_library() -> None:
    own, library = CollectorRegistry(), CollectorRegistry()
    plain = Durations("svc_plain_seconds", "Plain.", BOUNDS_S, own)
    labelled = Durations("svc_seconds", "By route.", BOUNDS_S, own, "route")
    of_library = Histogram("svc_plain_seconds", "Plain.", buckets=BOUNDS_S, registry=library)
    labelled_of_library = Histogram("svc_seconds", "By route.", ["route"], buckets=BOUNDS_S, registry=library)
    for index, seconds in enumerate(OBSERVED_S):
        route = "/a" if index % 2 else "/b"
        plain.add(seconds)
        labelled.add(seconds, route)
        of_library.observe(seconds)
        labelled_of_library.labels(route).observe(seconds)
    assert shown(own) == shown(library)


def test_a_histogram_without_labels_is_shown_before_anything_is_counted() -> None:
    registry = CollectorRegistry()
    Durations("svc_plain_seconds", "Plain.", BOUNDS_S, registry)
    assert registry.get_sample_value("svc_plain_seconds_count") == 0
