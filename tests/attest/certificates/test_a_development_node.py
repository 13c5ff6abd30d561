"""Tests `svc-devkit run` and `serve` with a self-signed certificate.

The node reports it as insecure, serves it with its evidence, and keeps it across restarts.
"""

import contextlib
import hashlib
import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from node.errors import StartupRefusedError
from node.settings import Settings
from node.wiring.listeners import Https
from tests.support.keyring_vectors import keyring
from tests.support.node import NodeProcess, running_node
from tests.support.tls import LOOPBACK, RecordedEvidence, trusting_nobody


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("dev")) as node:
        yield node


def https_port(node: NodeProcess) -> int:
    return int(node.log_value("https").rpartition(":")[2])


def get(port: int, path: str, context: ssl.SSLContext | None = None) -> tuple[int, bytes]:
    """From this port, by TLS where a context is given."""
    plain = http.client.HTTPConnection("localhost", port)
    secure = http.client.HTTPSConnection("localhost", port, context=context)
    with contextlib.closing(plain if context is None else secure) as client:
        client.request("GET", path)
        answer = client.getresponse()
        return answer.status, answer.read()


def shown(port: int) -> bytes:
    with (
        socket.create_connection((LOOPBACK, port)) as raw,
        trusting_nobody().wrap_socket(raw, server_hostname="localhost") as tls,
    ):
        leaf = tls.getpeercert(True)
        assert leaf is not None
        return leaf


@pytest.mark.parametrize("path", ["/health", "/core/v1/version", "/attestation", "/info", "/evidences/"])
def test_everything_is_on_both_ports(node: NodeProcess, path: str) -> None:
    plain = get(int(node.url.rpartition(":")[2]), path)
    secure = get(https_port(node), path, trusting_nobody())
    assert (plain[0], secure[0]) == (200, 200)


def test_the_certificate_shown_is_the_one_in_the_evidence_and_a_client_that_trusts_it_is_served(
    node: NodeProcess,
) -> None:
    _, pem = get(https_port(node), "/evidences/cert-localhost.pem", trusting_nobody())
    assert ssl.PEM_cert_to_DER_cert(pem.decode()) == shown(https_port(node))
    trusting = ssl.create_default_context(cadata=pem.decode())
    assert get(https_port(node), "/health", trusting)[0] == 200
    _, sums = get(https_port(node), "/evidences/sha256sum.txt", trusting)
    assert hashlib.sha256(pem).hexdigest() + "  cert-localhost.pem" in sums.decode().splitlines()
    _, account = get(https_port(node), "/evidences/acme-account.json", trusting)
    assert json.loads(account) == {"uri": "self-signed"}


def test_it_says_that_nobody_vouches_for_it(node: NodeProcess) -> None:
    assert any(line.startswith("INSECURE certificate_mode = self-signed") for line in node.log)
    _, health = get(https_port(node), "/health", trusting_nobody())
    assert any("self-signed" in reason for reason in json.loads(health)["insecure"])


@pytest.mark.exhaustive
def test_a_restart_keeps_the_certificate_and_no_key_lies_in_the_data(tmp_path: Path) -> None:
    leaves = []
    for _ in range(2):
        with running_node(tmp_path) as node:
            leaves.append(shown(https_port(node)))
    assert leaves[0] == leaves[1]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"certificate_mode": "acme"}, "domain"),
        ({"certificate_mode": "self-signed"}, "domain"),
        ({"certificate_mode": "files", "domain": "a.example"}, "certificate_chain_file"),
        ({"certificate_mode": "files", "domain": "a.example", "certificate_chain_file": "c"}, "certificate_key_file"),
        ({"certificate_mode": "acme", "domain": "a.example", "acme_challenges": ["dns-01"]}, "acme_dns_hook"),
        ({"certificate_mode": "acme", "domain": "a.example", "acme_ca_file": "/no/such/file"}, "acme_ca_file"),
        ({"certificate_mode": "acme", "domain": "a.example", "acme_ca_file": __file__}, "acme_ca_file"),
        ({"certificate_mode": "acme", "domain": "a.example", "evidence_folder": "/evidences"}, "evidence_folder"),
        ({"certificate_mode": "self-signed", "domain": "a.example", "evidence_folder": "/e"}, "evidence_folder"),
    ],
)
def test_a_start_without_what_the_mode_needs_is_refused(settings: dict[str, object], named: str) -> None:
    with pytest.raises(StartupRefusedError) as refused:
        Https(Settings.model_validate(settings), RecordedEvidence(), keyring(), "instance")
    assert refused.value.setting == named


def test_the_http_port_proves_nothing_where_http_01_is_not_used() -> None:
    settings = {"certificate_mode": "acme", "domain": "a.example", "acme_challenges": ["tls-alpn-01"]}
    https = Https(Settings.model_validate(settings), RecordedEvidence(), keyring(), "instance")
    assert https.proof_of("A" * 43) is None
    assert https.public_url == "https://a.example"
