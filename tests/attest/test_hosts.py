"""Which Host headers mean this node: its measured name in any honest writing, and nothing that only looks like it."""

import pytest

from attest.statement import canonical_host, stated_host


@pytest.mark.parametrize(
    ("authority", "host"),
    [
        ("node.example", "node.example"),
        ("NODE.Example:8443", "node.example"),
        ("node.example.", "node.example"),
        ("node.example.:443", "node.example"),
        ("node.example:", "node.example"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]:8443", "::1"),
        ("[2001:DB8::0:1]", "2001:db8::1"),
        ("a_b.example", "a_b.example"),
    ],
)
def test_a_host_is_written_one_way(authority: str, host: str) -> None:
    assert canonical_host(authority) == host


@pytest.mark.parametrize(
    "authority",
    [
        "", ":443", ".", "node..example", ".node.example", "node.example..", "user@node.example", "node.example@evil",
        "node.example,evil.example", "node.example evil", "node.example/", "node.example:x", "node.example:70000",
        "node.example:443:443", "[::1", "::1", "[fe80::1%eth0]", "[node.example]", "nöde.example", "-a.example",
        "node.example\n", "a" * 64 + ".example", "a." * 130 + "example", "node.example\x00",
    ],
)  # fmt: skip
def test_what_is_no_host(authority: str) -> None:
    assert canonical_host(authority) is None
    assert stated_host("node.example", authority) is None


@pytest.mark.parametrize("authority", ["node.example", "NODE.EXAMPLE.:8443", "node.example:80"])
def test_the_nodes_own_name(authority: str) -> None:
    assert stated_host("node.example", authority) == "node.example"


@pytest.mark.parametrize(
    "authority", ["node.example.evil", "evil-node.example", "sub.node.example", "127.0.0.1", "localhost", "[::1]"]
)
def test_another_name(authority: str) -> None:
    assert stated_host("node.example", authority) is None


@pytest.mark.parametrize(
    ("authority", "stated"),
    [
        ("localhost:8000", "localhost"), ("127.0.0.1:8000", "127.0.0.1"), ("127.8.9.1", "127.8.9.1"), ("[::1]:8443", "::1"),
        ("192.168.1.5", None), ("0.0.0.0", None), ("[::2]", None), ("app.localhost", None), ("evil.example", None),
    ],
)  # fmt: skip
def test_localhost_is_all_of_loopback_and_nothing_else(authority: str, stated: str | None) -> None:
    """A page of another site may point its own name at loopback; that name is refused here."""
    assert stated_host("localhost", authority) == stated
