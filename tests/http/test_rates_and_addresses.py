"""Token buckets with a clock that stands still, and whose address a request has."""

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from node.http.errors import NodeError
from node.http.rate import ClientAddresses, RateLimiter, rate_limit_client
from node.settings.http import ListeningSettings
from tests.support.clock import FakeClock


def taken(limiter: RateLimiter, client: str, times: int) -> int:
    count = 0
    for _ in range(times):
        try:
            limiter.take(client)
        except NodeError:
            continue
        count += 1
    return count


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = FakeClock()
    limiter = RateLimiter("tries", 30, 60.0, clock, 10)
    assert taken(limiter, "a", 40) == 30
    with pytest.raises(NodeError) as refusal:
        limiter.check("a")
    assert (refusal.value.status, refusal.value.retry_after_s) == (429, 2)
    clock.advance(2)
    assert taken(limiter, "a", 5) == 1
    assert taken(limiter, "b", 5) == 5
    clock.advance(3600)
    assert taken(limiter, "a", 40) == 30


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(0, 40)), max_size=30))
def test_never_more_than_burst_and_rate_allow(steps: list[tuple[float, int]]) -> None:
    clock = FakeClock(0.0)
    limiter = RateLimiter("tries", 30, 60.0, clock, 10)
    total = 0
    for pause_s, tries in steps:
        clock.advance(pause_s)
        total += taken(limiter, "a", tries)
        assert total <= 30 + clock.now * 0.5 + 1e-6


def test_a_part_of_what_is_asked_for_is_taken_where_there_is_no_more() -> None:
    clock = FakeClock()
    limiter = RateLimiter("seconds", 60.0, 3600.0, clock, 10)
    assert [limiter.take_up_to("a", 40.5) for _ in range(3)] == [40.5, 19.5, 0.0]
    assert limiter.take_up_to("b", 100.0) == 60.0
    clock.advance(1800)
    assert limiter.take_up_to("a", 100.0) == 30.0
    clock.advance(36_000)
    assert limiter.take_up_to("a", 100.0) == 60.0
    assert RateLimiter("seconds", 0, 3600.0, clock, 10).take_up_to("a", 1.0) == 0.0


def test_memory_is_bounded_and_the_busiest_are_remembered() -> None:
    limiter = RateLimiter("tries", 2, 60.0, FakeClock(), 3)
    assert taken(limiter, "attacker", 3) == 2
    for number in range(1000):
        limiter.take(f"client {number}")
        limiter.spend("attacker")
        assert not limiter.may_take("attacker"), f"after {number} others"
    assert len(limiter) == 3


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.5", [], "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.1.1.1", "198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        pytest.param("10.0.0.1", ["198.51.100.1", "10.0.0.2"], "198.51.100.1", marks=pytest.mark.covers("two headers")),
        ("10.0.0.1", ["10.0.0.7"], "10.0.0.7"),
        ("10.0.0.1", ["198.51.100.1, garbage"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1:"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1:123456"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, 10.0.0.2:80"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", ["[2001:db8::1]"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1:4711"], "2001:db8::1:4711"),
        ("10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["[198.51.100.1]:80"], "10.0.0.1"),
        ("10.0.0.1", ["[2001:db8::1"], "10.0.0.1"),
        ("10.0.0.1", [",198.51.100.1,, ,10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1", "", "10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1,"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1", ""], "10.0.0.1"),
        ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1," + "10.0.0.2," * 31 + "10.0.0.3"], "10.0.0.2"),
        ("10.0.0.1", ["198.51.100.1," + "10.0.0.2," * 30 + "10.0.0.3"], "198.51.100.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("::ffff:10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("fe80::1%eth0", [], "fe80::1"),
        ("", [], ""),
    ],
)
def test_the_forwarding_header_counts_from_listed_proxies_alone(peer: str, forwarded: list[str], client: str) -> None:
    assert ClientAddresses(["10.0.0.0/8"]).client(peer, forwarded) == client


def test_an_unreadable_forwarding_header_is_said_once_and_never_repeated() -> None:
    addresses = ClientAddresses(["10.0.0.0/8"])
    with structlog.testing.capture_logs() as lines:
        assert addresses.client("203.0.113.5", ["secret"]) == "203.0.113.5"
        assert addresses.client("10.0.0.1", ["198.51.100.1"]) == "198.51.100.1"
        assert lines == []
        for forwarded in ("secret", "198.51.100.1,", "secret"):
            assert addresses.client("10.0.0.1", [forwarded]) == "10.0.0.1"
    (line,) = lines
    assert (line["event"], line["header"]) == ("forwarding_header_unreadable", "X-Forwarded-For")
    assert "secret" not in str(line)


@pytest.mark.parametrize("name", ["", "X-Forwarded-For:", "X Forwarded", "X-Forwarded-For\n", "\u00e4"])
def test_a_forwarding_header_that_no_request_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="forwarding_header"):
        ListeningSettings(forwarding_header=name)


def test_limits_count_an_ipv6_network_once_and_ipv4_in_any_guise() -> None:
    assert rate_limit_client("2001:db8::1") == rate_limit_client("2001:db8::ffff:1") == "2001:db8::/64"
    assert rate_limit_client("2001:db8:0:1::1") != rate_limit_client("2001:db8::1")
    assert rate_limit_client("::ffff:198.51.100.1") == rate_limit_client("198.51.100.1") == "198.51.100.1"
