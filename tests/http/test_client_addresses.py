"""Whose address a request has, and which client a limit counts it for."""

import pytest

from node.http.rate import ClientAddresses
from node.runtime.limits import rate_limit_client


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
        ("10.0.0.1", [], "10.0.0.1"),
        ("::ffff:10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("fe80::1%eth0", [], "fe80::1"),
        ("", [], ""),
    ],
)
def test_the_forwarding_header_counts_from_listed_proxies_alone(peer: str, forwarded: list[str], client: str) -> None:
    assert ClientAddresses(["10.0.0.0/8"]).client(peer, forwarded) == client


def test_limits_count_an_ipv6_network_once_and_ipv4_in_any_guise() -> None:
    assert rate_limit_client("2001:db8::1") == rate_limit_client("2001:db8::ffff:1") == "2001:db8::/64"
    assert rate_limit_client("2001:db8:0:1::1") != rate_limit_client("2001:db8::1")
    assert rate_limit_client("::ffff:198.51.100.1") == rate_limit_client("198.51.100.1") == "198.51.100.1"
