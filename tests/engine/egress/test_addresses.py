"""Which addresses are public, against the standard library's own tables and against what holds an IPv4 address."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis.strategies import integers, ip_addresses

from node.engine.egress.targets import is_own_address, is_public

PUBLIC = ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255"]
PUBLIC += ["172.32.0.0", "223.255.255.255", "2606:4700:4700::1111", "2001:4860:4860::8888", "2a00::1", "2001:200::1"]


@pytest.mark.parametrize("text", PUBLIC)
def test_the_neighbours_of_special_networks_are_public(text: str) -> None:
    assert is_public(ip_address(text))


@given(ip_addresses(v=4))
def test_what_the_standard_library_says_is_not_global_is_not_public(address: IPv4Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not any((address.is_multicast, address.is_reserved, address.is_private))


@given(ip_addresses(v=6))
def test_the_same_of_ipv6(address: IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not any((address.is_multicast, address.is_reserved, address.is_site_local, address.is_link_local))
        assert address.ipv4_mapped is None
        assert address.sixtofour is None
        assert address.teredo is None


HOLDERS = ["::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff::"]


@given(integers(0, 2**32 - 1))
def test_no_address_that_holds_an_ipv4_address_is_public(number: int) -> None:
    for prefix in HOLDERS:
        assert not is_public(IPv6Address(int(IPv6Address(prefix)) + number))
    assert not is_public(IPv6Address((0x2002 << 112) + (number << 80) + 1))
    assert not is_public(IPv6Address((0x20010000 << 96) + (0xFFFFFFFF ^ number)))


def test_this_machines_addresses_are_its_own_and_others_are_not() -> None:
    assert is_own_address(ip_address("127.0.0.1"))
    assert is_own_address(ip_address("0.0.0.0"))
    assert not is_own_address(ip_address("192.0.2.1"))
    assert not is_own_address(ip_address("2001:db8::1"))
