"""Tests `svc-node serve` with a real ACME authority.

They cover the certificate, its renewal under load, and the responses of the HTTP port.
"""

import asyncio
import contextlib
import hashlib
import http.client
import json
import re
import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.node import running_node
from tests.support.pebble import DOMAIN, pebble_to_be, require_pebble, running_pebble
from tests.support.ports import free_port
from tests.support.serving import lent_platform, serving
from tests.support.tls import LOOPBACK, connection, peer_leaf, trusting_nobody

pytestmark = pytest.mark.exhaustive

CERTIFICATE_TIMEOUT_S = 60.0
REQUESTS = 10_000
KEPT_CONNECTIONS = 8
FRESH_CLIENTS = 4
REQUESTS_OF_A_FRESH_CONNECTION = 5
LEAVES_MIN = 2
RENEWAL_EVERY_S = 10
LIFE_OF_PEBBLES_CERTIFICATES_S = 5 * 365 * 86_400
CONNECTIONS_MIN = 200
CONSTANTS = {
    "attest.certificates.renewal.FIRST_WAIT_S": 0.1,
    "attest.certificates.renewal.RETRY_MIN_S": 0.5,
    "attest.certificates.renewal.RETRY_MAX_S": 0.5,
    "attest.certificates.renewal.RENEW_AT_FRACTION": RENEWAL_EVERY_S / LIFE_OF_PEBBLES_CERTIFICATES_S,
    "attest.certificates.renewal.RENEW_JITTER_FRACTION": 0.0,
    "attest.certificates.renewal.CLOCK_CHECK_S": 0.5,
    "attest.certificates.acme_issuer.POLL_S": 0.1,
    "attest.evidence.PREVIOUS_SETS": 50,
}
"""A renewal every few seconds, so that several happen under load."""
VERSION = "/core/v1/version"
CERTIFICATE = f"/evidences/cert-{DOMAIN}.pem"


@dataclass
class Served:
    """A serving node's two ports, its data, and its authority's directory."""

    http_port: int
    https_port: int
    data: Path
    health_without_authority: dict[str, Any]
    https_without_certificate: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    require_pebble()
    directory = tmp_path_factory.mktemp("acme")
    http_port, https_port = free_port(), free_port()
    with running_node(directory / "lender") as lender:
        settings = lent_platform(lender, directory / "lender") | {
            "http_port": http_port,
            "https_port": https_port,
            "https_public_port": https_port,
            "domain": DOMAIN,
            "certificate_mode": "acme",
            "chain_max_head_age_s": 0.0,
        }
        pebble = pebble_to_be(directory / "pebble")
        settings |= {"acme_directory_url": pebble.directory_url, "acme_ca_file": str(pebble.ca_file)}
        with serving(directory, settings, constants=CONSTANTS) as url:
            assert url == f"https://127.0.0.1:{https_port}"
            served = Served(http_port, https_port, directory / "data", *_without_authority(http_port, https_port))
            with running_pebble(directory / "pebble", http_port, https_port, planned=pebble):
                _until_certified(served)
                yield served


def _without_authority(http_port: int, https_port: int) -> tuple[dict[str, Any], str]:
    """Returns /health of the HTTP port and the error class of an HTTPS request.

    The authority issues no certificate. The wait ends when /health reports a failed attempt.
    """
    give_up = time.monotonic() + CERTIFICATE_TIMEOUT_S
    while "certificate" not in (health := _health(http_port))["notes"].get("tee", "") and time.monotonic() < give_up:
        time.sleep(0.1)
    with contextlib.closing(http.client.HTTPSConnection(LOOPBACK, https_port, context=trusting_nobody())) as client:
        try:
            client.request("GET", "/health")
        except OSError as error:
            return health, type(error).__name__
    return health, ""


def _health(http_port: int) -> dict[str, Any]:
    with contextlib.closing(http.client.HTTPConnection(LOOPBACK, http_port)) as client:
        client.request("GET", "/health")
        answer: dict[str, Any] = json.loads(client.getresponse().read())
        return answer


def _until_certified(served: Served) -> None:
    give_up = time.monotonic() + CERTIFICATE_TIMEOUT_S
    while time.monotonic() < give_up:
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, served.https_port)) as raw:
            trusting_nobody().wrap_socket(raw).close()
            return
        time.sleep(0.1)
    raise AssertionError("no certificate came")


@dataclass
class Seen:
    """What the clients met: leaf certificates by the number of answers that came under them."""

    leaves: dict[bytes, int] = field(default_factory=dict)
    published: set[bytes] = field(default_factory=set)
    connections: int = 0
    answers: int = 0
    failures: list[str] = field(default_factory=list)

    def note(self, leaf: bytes) -> None:
        self.answers += 1
        self.leaves[leaf] = self.leaves.get(leaf, 0) + 1

    @property
    def enough(self) -> bool:
        return self.answers >= REQUESTS and len(self.leaves) >= LEAVES_MIN


async def _answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> bytes:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {DOMAIN}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    length = re.search(rb"(?i)content-length: (\d+)", head)
    assert length is not None
    return await reader.readexactly(int(length[1]))


async def _ask(served: Served, seen: Seen, times: int | None) -> None:
    """Sends `times` requests over one connection. None means until `seen.enough`."""
    try:
        async with connection(served.https_port, DOMAIN) as (reader, writer):
            leaf, asked = peer_leaf(writer), 0
            seen.connections += 1
            # Evidence of a certificate is published before or when a connection first shows it.
            seen.published.add(_leaf_of(await _answered(reader, writer, CERTIFICATE)))
            assert leaf in seen.published
            while not seen.enough and (times is None or asked < times):
                assert json.loads(await _answered(reader, writer, VERSION))["name"] == "svc-node"
                seen.note(leaf)
                asked += 1
    except (OSError, asyncio.IncompleteReadError, AssertionError) as error:
        seen.failures.append(repr(error))


async def _ask_anew(served: Served, seen: Seen) -> None:
    while not seen.enough and not seen.failures:
        await _ask(served, seen, REQUESTS_OF_A_FRESH_CONNECTION)


def _get(served: Served, path: str) -> bytes:
    with contextlib.closing(
        http.client.HTTPSConnection(LOOPBACK, served.https_port, context=trusting_nobody())
    ) as client:
        client.request("GET", path, headers={"Host": f"{DOMAIN}:{served.https_port}"})
        answer = client.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body)
        return body


def _leaves_with_complete_evidence(served: Served) -> set[bytes]:
    """DER of every certificate in the current and the earlier sets, each of which is checked to be whole."""
    listing = _get(served, "/evidences/").decode()
    earlier = re.findall(r'href="([0-9a-f]{64}/)"', listing)
    leaves = set()
    for place in ["/evidences/", *(f"/evidences/{each}" for each in earlier)]:
        sums = _get(served, f"{place}sha256sum.txt")
        listed = {line[66:]: line[:64] for line in sums.decode().splitlines()}
        assert listed.keys() == {"acme-account.json", f"cert-{DOMAIN}.pem"}
        for name, digest in listed.items():
            assert hashlib.sha256(_get(served, place + name)).hexdigest() == digest
        quote = json.loads(_get(served, f"{place}quote.json"))["quote"].removeprefix("0x")
        assert bytes.fromhex(quote)[568:632] == hashlib.sha256(sums).digest() + bytes(32)
        leaves.add(_leaf_of(_get(served, f"{place}cert-{DOMAIN}.pem")))
    return leaves


def _leaf_of(chain: bytes) -> bytes:
    pem = chain.decode()
    return ssl.PEM_cert_to_DER_cert(pem[: pem.index("-----END") + len("-----END CERTIFICATE-----")] + "\n")


@pytest.mark.timeout(400)
async def test_a_renewal_under_load_fails_no_request_and_every_certificate_has_its_evidence(served: Served) -> None:
    seen = Seen()
    clients = [_ask(served, seen, None) for _ in range(KEPT_CONNECTIONS)]
    clients += [_ask_anew(served, seen) for _ in range(FRESH_CLIENTS)]
    async with asyncio.timeout(300):
        await asyncio.gather(*clients)
    assert seen.failures == []
    assert seen.answers >= REQUESTS
    assert seen.connections >= CONNECTIONS_MIN
    proven = await asyncio.to_thread(_leaves_with_complete_evidence, served)
    assert len(seen.leaves) >= LEAVES_MIN
    assert seen.leaves.keys() <= proven


def test_without_an_authority_the_node_is_up_and_says_what_is_missing(served: Served) -> None:
    health = served.health_without_authority
    assert health["attestation"]["certificate_not_after"] is None
    assert health["notes"]["tee"] == "no new certificate: acme"
    assert served.https_without_certificate != ""


def _plain(served: Served, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    with contextlib.closing(http.client.HTTPConnection(LOOPBACK, served.http_port)) as client:
        client.request(method, path, headers=headers, body=b"{}" if method == "POST" else None)
        answer = client.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/core/v1/new_account"),
        ("GET", "/core/v1/list_groups?page_size=1"),
        ("GET", "/core/v1/health"),
        ("OPTIONS", "/core/v1/svc_action"),
        ("GET", "/attestation"),
        ("GET", "/evidences/"),
        ("GET", "/no/such/path"),
        ("GET", "//core/v1/health"),
        ("POST", "/"),
    ],
)
def test_the_http_port_refuses_the_api_and_redirects_no_key(served: Served, method: str, path: str) -> None:
    status, headers, body = _plain(served, method, path, **{"X-Api-Key": "A" * 43 + "="})
    assert "Location" not in headers
    answer = json.loads(body)
    assert (status, answer["error"]) in {(403, "forbidden"), (405, "method_not_allowed")}
    assert answer["request_id"] == headers["X-Request-Id"]
    if status == 403:
        assert f"https://{DOMAIN}:{served.https_port}" in answer["fix"]


def test_the_http_port_sends_the_page_to_https_without_what_was_asked(served: Served) -> None:
    status, headers, _ = _plain(served, "GET", "/?api_key=secret")
    assert (status, headers["Location"]) == (308, f"https://{DOMAIN}:{served.https_port}/")


def test_the_http_port_tells_the_health(served: Served) -> None:
    status, _, body = _plain(served, "GET", "/health")
    assert status == 200
    assert json.loads(body)["attestation"]["certificate_not_after"] > 0


def test_the_http_port_answers_the_authority_for_any_token_and_nothing_else(served: Served) -> None:
    tokens = ["A" * 43, "B" * 43]
    thumbprints = set()
    for token in tokens:
        status, headers, body = _plain(served, "GET", f"/.well-known/acme-challenge/{token}")
        assert (status, headers["Content-Type"]) == (200, "application/octet-stream")
        shown, _, thumbprint = body.decode().partition(".")
        assert shown == token
        thumbprints.add(thumbprint)
    assert len(thumbprints) == 1
    for other in ["short", "A" * 300, "a%20" + "A" * 43, "<script>" + "A" * 43]:
        assert _plain(served, "GET", f"/.well-known/acme-challenge/{other}")[0] == 404


def test_no_private_key_lies_in_the_data(served: Served) -> None:
    for path in served.data.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"PRIVATE KEY" not in content, path
