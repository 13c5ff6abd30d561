"""The judge of `make soak` on made-up series: what leaks fails, what is only noisy does not."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.soak.judge import MIB, Bounds, Ending, Sample, growth, judge, slope

ENDING = Ending(
    quiet_descriptors_before=40,
    quiet_descriptors_after=40,
    workers_beyond_spares=0,
    zygotes=1,
    zombies=0,
    reserved_cents=0,
    left_after_stop=0,
    unexpected_answers=0,
    unanswered_kinds=0,
)
SECONDS = 600
INTERVAL_S = 3
LIFE_S = 120


def flat(at_s: float, noise: random.Random) -> Sample:
    """A node that warms up in the first minute and then wavers by a megabyte; its zygote is replaced now and then."""
    warm = 20 * MIB * min(at_s / 60, 1.0)
    wavering = int(noise.gauss(0, MIB / 2))
    return Sample(
        at_s=at_s,
        node_rss=int(70 * MIB + warm) + wavering,
        node_pss=int(50 * MIB + warm) + wavering,
        zygote_pid=int(at_s // LIFE_S) + 1,
        zygote_rss=20 * MIB + int(noise.gauss(0, MIB / 10)),
        zygote_pss=3 * MIB + int(noise.gauss(0, MIB / 2)),
        worker_rss=15 * MIB + int(noise.gauss(0, MIB / 2)),
        node_descriptors=60 + noise.randrange(-6, 7),
        zygote_descriptors=3 + noise.randrange(2),
        node_threads=4,
        processes=8,
        zombies=frozenset({noise.randrange(10_000, 10**6)}) if noise.random() < 0.2 else frozenset(),
        answers=int(at_s * 300),
    )


def series(change: Callable[[Sample], Sample] = lambda sample: sample) -> list[Sample]:
    noise = random.Random(7)
    return [change(flat(float(at_s), noise)) for at_s in range(0, SECONDS, INTERVAL_S)]


def failures(samples: Sequence[Sample], ending: Ending = ENDING, bounds: Bounds | None = None) -> set[str]:
    return {verdict.name for verdict in judge(samples, ending, bounds or Bounds()) if not verdict.holds}


def test_warming_up_wavering_and_new_zygotes_are_flat() -> None:
    assert failures(series()) == set()


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        # 100 bytes for each of 300 answers a second
        (
            lambda sample: replace(sample, node_rss=sample.node_rss + 100 * sample.answers),
            {"RSS of the node: growth"},
        ),
        (
            lambda sample: replace(sample, node_pss=sample.node_pss + 100 * sample.answers),
            {"PSS of the node: growth"},
        ),
        (
            lambda sample: replace(sample, zygote_rss=sample.zygote_rss + int(sample.at_s * MIB / 40)),
            {"RSS of the zygote: growth"},
        ),
        (
            lambda sample: replace(sample, zygote_pss=sample.zygote_pss + int(sample.at_s * MIB / 40)),
            {"PSS of the zygote: growth"},
        ),
        (
            lambda sample: replace(sample, worker_rss=sample.worker_rss + int(sample.at_s * MIB / 40)),
            {"RSS of a worker, the median of them: growth"},
        ),
        # it starts anew with each zygote, so no line through all samples shows it
        (
            lambda sample: replace(sample, zygote_rss=sample.zygote_rss + int(sample.at_s % LIFE_S * MIB / 10)),
            {"one zygote's RSS in its life: growth"},
        ),
        (
            lambda sample: replace(sample, node_descriptors=sample.node_descriptors + int(sample.at_s / 30)),
            {"descriptors of the node: growth"},
        ),
        (
            lambda sample: replace(sample, zygote_descriptors=sample.zygote_descriptors + int(sample.at_s / 30)),
            {"descriptors of the zygote: growth"},
        ),
        (
            lambda sample: replace(sample, node_threads=sample.node_threads + int(sample.at_s / 60)),
            {"threads of the node: growth"},
        ),
        (
            lambda sample: replace(sample, zombies=sample.zombies | ({77} if sample.at_s > 300 else set())),
            {"zombies seen in two looks in a row"},
        ),
    ],
)
def test_what_leaks_fails_and_is_named(change: Callable[[Sample], Sample], failed: set[str]) -> None:
    assert failures(series(change)) == failed


def test_a_leak_that_only_begins_in_the_second_half_fails() -> None:
    def late(sample: Sample) -> Sample:
        return replace(sample, node_rss=sample.node_rss + max(0, int((sample.at_s - 300) * MIB / 10)))

    assert "RSS of the node: growth" in failures(series(late))


def test_a_few_wild_samples_are_no_growth() -> None:
    def wild(sample: Sample) -> Sample:
        return replace(sample, node_rss=sample.node_rss + 200 * MIB) if sample.at_s % 30 == 0 else sample

    assert failures(series(wild)) == set()


@pytest.mark.parametrize(
    ("field", "value", "failed"),
    [
        ("quiet_descriptors_after", 45, "descriptors of the node, quiet after over quiet before"),
        ("workers_beyond_spares", 1, "workers beyond the spare ones, once quiet"),
        ("zygotes", 2, "zygotes, once quiet"),
        ("zombies", 1, "zombies, once quiet"),
        ("reserved_cents", 1, "credit still set aside, once quiet"),
        ("left_after_stop", 1, "processes left after the node stopped"),
        ("unexpected_answers", 1, "answers other than expected"),
        ("unanswered_kinds", 1, "kinds of action that were never answered"),
    ],
)
def test_one_thing_left_behind_fails(field: str, value: int, failed: str) -> None:
    assert failures(series(), replace(ENDING, **{field: value})) == {failed}


@pytest.mark.parametrize("samples", [[], series()[:10]])
def test_too_few_samples_are_no_proof(samples: list[Sample]) -> None:
    assert "samples missing for a judgement" in failures(samples)


@given(
    st.floats(-100, 100),
    st.floats(-1000, 1000),
    st.lists(st.integers(0, 10_000), min_size=8, max_size=40, unique=True),
    st.integers(0, 5),
)
def test_the_slope_of_a_line_is_found_though_a_few_points_lie(
    steepness: float, level: float, moments: list[int], liars: int
) -> None:
    points = [(float(at), level + steepness * at) for at in sorted(moments)]
    for index in range(min(liars, len(points) // 5)):
        at, value = points[index * 3 % len(points)]
        points[index * 3 % len(points)] = (at, value + 1e6)
    assert slope(points) == pytest.approx(steepness, abs=1e-3)
    assert growth(points) == pytest.approx(steepness * (points[-1][0] - points[0][0]), abs=20)
