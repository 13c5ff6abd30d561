"""A development node whose settings list a proxy that speaks the PROXY protocol: whose limits a request meets."""

import http.client
import itertools
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from node.errors import StartupRefusedError
from node.settings import Settings
from node.values import new_key
from node.wiring.listeners import announcing_proxies, client_addresses
from tests.support.node import NodeProcess, running_node
from tests.support.proxy import LOCAL, UNKNOWN, binary, connected, line
from tests.support.tls import LOOPBACK, trusting_nobody

LOOKUPS = 2
UNLISTED = "127.0.0.2"
KINDS = pytest.mark.parametrize("kind", ["http", "https"])
HEADERS = pytest.mark.parametrize("header", [line, binary])


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    settings = {
        "SVC_TRUSTED_PROXIES": LOOPBACK,
        "SVC_PROXY_PROTOCOL": "true",
        "SVC_HTTP_UNKNOWN_KEYS_PER_MINUTE_PER_ADDRESS": str(LOOKUPS),
    }
    with running_node(tmp_path_factory.mktemp("node"), settings) as node:
        yield node


_numbers = itertools.count(1)


def clients(family: int) -> str:
    """Another client's address each time."""
    number = next(_numbers)
    return f"198.51.100.{number}" if family == 4 else f"2001:db8:{number:x}::7"


def status(
    node: NodeProcess, kind: str, header: bytes, source: str = LOOPBACK, forwarded: str = "", path: str = "list_wallets"
) -> int:
    """What a request with an unknown key is answered; 0 when the connection is closed without an answer."""
    where = node.url if kind == "http" else node.log_value("https")
    port = int(where.rpartition(":")[2])
    context = trusting_nobody() if kind == "https" else None
    with closing(http.client.HTTPConnection("localhost", port)) as client:
        try:
            with connected(port, header, source, context, "localhost") as client.sock:
                headers = {"X-Api-Key": new_key()} | ({"X-Forwarded-For": forwarded} if forwarded else {})
                client.request("GET", f"/core/v1/{path}", headers=headers)
                with client.getresponse() as answer:
                    return answer.status
        except TimeoutError:
            raise AssertionError("neither answered nor closed") from None
        except (OSError, http.client.HTTPException):
            return 0


@KINDS
@HEADERS
@pytest.mark.parametrize("family", [4, 6])
def test_each_client_of_the_proxy_has_limits_of_its_own(
    node: NodeProcess, kind: str, header: Callable[[str], bytes], family: int
) -> None:
    first, second = clients(family), clients(family)
    assert [status(node, kind, header(first)) for _ in range(LOOKUPS + 1)] == [401] * LOOKUPS + [429]
    assert status(node, kind, header(second)) == 401


@KINDS
def test_a_forwarding_header_changes_nothing(node: NodeProcess, kind: str) -> None:
    client = clients(4)
    answers = [status(node, kind, binary(client), forwarded=clients(4)) for _ in range(LOOKUPS + 1)]
    assert answers == [401] * LOOKUPS + [429]


def test_who_is_not_named_meets_the_limits_of_the_proxys_own_address(node: NodeProcess) -> None:
    tries = [("http", LOCAL), ("https", UNKNOWN), ("https", LOCAL), ("http", UNKNOWN)]
    answers = [status(node, kind, header, forwarded=clients(4)) for kind, header in tries]
    assert answers == [401] * LOOKUPS + [429] * (len(tries) - LOOKUPS)


@KINDS
@HEADERS
def test_an_unlisted_peer_is_served_without_a_header_and_not_with_one(
    node: NodeProcess, kind: str, header: Callable[[str], bytes]
) -> None:
    refused = status(node, kind, header(clients(4)), UNLISTED, path="version")
    assert refused == (400 if kind == "http" else 0)
    assert status(node, kind, b"", UNLISTED, path="version") == 200


@KINDS
@pytest.mark.parametrize("header", [b"", b"PROXY TCP4 1.2.3.4\r\n", b"PROXY UNKNOWN " + b"x" * 200])
def test_the_proxys_connection_without_a_valid_header_is_closed(node: NodeProcess, kind: str, header: bytes) -> None:
    assert status(node, kind, header, path="version") == 0
    assert status(node, kind, binary(clients(4)), path="version") == 200


def test_a_proxy_protocol_without_proxies_is_refused() -> None:
    with pytest.raises(StartupRefusedError) as refused:
        announcing_proxies(Settings(proxy_protocol=True))
    assert refused.value.setting == "trusted_proxies"


def test_without_the_setting_a_listed_proxy_is_believed_by_its_forwarding_header_alone() -> None:
    settings = Settings(trusted_proxies=(LOOPBACK,))
    assert not announcing_proxies(settings)
    assert client_addresses(settings).client(LOOPBACK, ["198.51.100.7"]) == "198.51.100.7"
    assert (
        client_addresses(settings.model_copy(update={"proxy_protocol": True})).client(LOOPBACK, ["198.51.100.7"])
        == LOOPBACK
    )
