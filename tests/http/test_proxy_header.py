"""PROXY headers: read whole and alone, whatever pieces they come in; anything else refused at once, and bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.http.proxy_header import (
    LONGEST_V1_BYTES,
    LONGEST_V2_BYTES,
    ProxyHeaderError,
    announced_client,
    needed_bytes,
)
from tests.support.proxy import LOCAL, UNKNOWN, V2_START, binary, line

CLIENTS = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6, network="2000::/3"))
HEADERS = st.one_of(
    st.tuples(CLIENTS, st.integers(0, 65_535)).map(lambda drawn: (line(str(drawn[0]), drawn[1]), str(drawn[0]))),
    st.tuples(CLIENTS, st.binary(max_size=400)).map(lambda drawn: (binary(str(drawn[0]), drawn[1]), str(drawn[0]))),
    st.sampled_from([(LOCAL, None), (UNKNOWN, None)]),
)


def taken(stream: bytes, at_once: int) -> bytes:
    """What a reader takes of the stream that never reads further than it must, so many bytes at a time."""
    seen = b""
    while len(seen) < (needed := needed_bytes(seen)):
        more = stream[len(seen) : min(needed, len(seen) + at_once)]
        if not more:
            break
        seen += more
    return seen


@given(HEADERS, st.binary(max_size=50), st.integers(1, 600))
def test_the_client_is_read_and_nothing_of_what_follows(
    header: tuple[bytes, str | None], following: bytes, at_once: int
) -> None:
    whole, client = header
    assert taken(whole + following, at_once) == whole
    assert announced_client(whole) == client


@given(HEADERS, st.integers(0, 600))
def test_a_part_is_never_taken_for_a_whole(header: tuple[bytes, str | None], cut: int) -> None:
    part = header[0][: cut % len(header[0])]
    assert needed_bytes(part) > len(part)
    with pytest.raises(ProxyHeaderError):
        announced_client(part)


@given(
    st.one_of(
        st.binary(max_size=700),
        st.binary(max_size=700).map(V2_START.__add__),
        st.binary(max_size=200).map(b"PROXY TCP4 ".__add__),
        st.tuples(HEADERS, st.integers(0, 600), st.integers(0, 255)).map(
            lambda drawn: bytes(
                drawn[2] if at == drawn[1] % len(drawn[0][0]) else byte for at, byte in enumerate(drawn[0][0])
            )
        ),
    ),
    st.integers(1, 600),
)
def test_no_bytes_are_too_strange_and_no_header_is_too_long(stream: bytes, at_once: int) -> None:
    try:
        header = taken(stream, at_once)
        assert len(header) <= (LONGEST_V2_BYTES if header.startswith(V2_START) else LONGEST_V1_BYTES)
        announced_client(header)
    except ProxyHeaderError:
        pass


@pytest.mark.parametrize(
    ("header", "client"),
    [
        (b"PROXY TCP4 198.51.100.7 192.0.2.1 0 65535\r\n", "198.51.100.7"),
        (b"PROXY TCP6 2001:DB8:0:0:0:0:0:7 ::1 1 443\r\n", "2001:db8::7"),
        (b"PROXY TCP6 ::ffff:198.51.100.7 ::1 1 443\r\n", "198.51.100.7"),
        (b"PROXY TCP6 " + b" ".join([b"ffff:" * 7 + b"ffff"] * 2) + b" 65535 65535\r\n", "ffff:" * 7 + "ffff"),
        (b"PROXY UNKNOWN 198.51.100.7 anything 1 2\r\n", None),
        (b"PROXY UNKNOWN ".ljust(LONGEST_V1_BYTES - 2, b"x") + b"\r\n", None),
        (V2_START + b"\x20\x11\x00\x0c" + bytes(12), None),
        (V2_START + b"\x20\x31\x00\x02ab", None),
        (V2_START + b"\x21\x00\x00\x03abc", None),
        (binary("::ffff:198.51.100.7"), "198.51.100.7"),
        (binary("2001:db8::7", bytes(LONGEST_V2_BYTES - 52)), "2001:db8::7"),
    ],
)
def test_what_the_specification_allows(header: bytes, client: str | None) -> None:
    assert taken(header + b"GET", 600) == header
    assert announced_client(header) == client


@pytest.mark.parametrize(
    "stream",
    [
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01",
        b"PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
        b"proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 1 2\nxxxxxx\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rx\r\n",
        b"PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n",
        b"PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n",
        b"PROXY TCP4 ::1 ::1 1 2\r\n",
        b"PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
        b"PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
        b"PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n",
        b"PROXY TCP4 \xff.2.3.4 1.2.3.4 1 2\r\n",
        b"PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n",
        b"PROXY UNKNOWN ".ljust(LONGEST_V1_BYTES - 1, b"x") + b"\r\n",
        b"PROXY UNKNOWN " + b"x" * 1000,
        V2_START + b"\x11\x11\x00\x0c" + bytes(12),
        V2_START + b"\x22\x11\x00\x0c" + bytes(12),
        V2_START + b"\x21\x11\x00\x0b" + bytes(11),
        V2_START + b"\x21\x21\x00\x23" + bytes(35),
        V2_START + b"\x21\x12\x00\x0c" + bytes(12),
        V2_START + b"\x21\x31\x00\xd8" + bytes(216),
        V2_START + b"\x21\x11\x02\x09" + bytes(521),
        V2_START[:-1] + b"X\x21\x11\x00\x0c" + bytes(12),
    ],
)
def test_anything_else_is_refused(stream: bytes) -> None:
    with pytest.raises(ProxyHeaderError) as refused:
        announced_client(taken(stream, 600))
    assert "1.2.3" not in str(refused.value)
    with pytest.raises(ProxyHeaderError):
        announced_client(taken(stream, 1))
