"""Whose address a request has, and which client a limit counts it for."""

import pytest
import structlog
from pydantic import ValidationError

from node.http.rate import ClientAddresses
from node.runtime.limits import rate_limit_client
from node.settings.http import ListeningSettings


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
