"""Tests `svc-node serve` beside a sidecar that holds the certificate and makes the evidence.

TLS ends in the node or in the sidecar.
"""

import asyncio
import hashlib
import http.client
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from attest.certificates.renewal import LOCALHOST, SelfSigned
from attest.evidence import quote_file, sums_of
from attest.guest_agent import GuestAgent
from attest.statement import padded_sha256
from tests.support.node import running_node
from tests.support.serving import lent_platform, serving
from tests.support.tls import trusting_nobody

NONCE = "5a" * 32
FILES = ("acme-account.json", f"cert-{LOCALHOST}.pem", "quote.json", "sha256sum.txt")


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    data = tmp_path_factory.mktemp("p")
    with running_node(data) as node:
        yield lent_platform(node, data) | {"domain": LOCALHOST}


@pytest.fixture
def sidecar(platform: dict[str, object], tmp_path: Path) -> Path:
    """`evidences`, `chain.pem` and `key.pem`, made on the same platform."""
    asyncio.run(_written(str(platform["guest_agent"]), tmp_path))
    return tmp_path


async def _written(agent_socket: str, directory: Path) -> None:
    made = await SelfSigned(LOCALHOST, 86_400.0, time.time).issue()
    chain = made.certificate.chain_pem
    files = {"acme-account.json": b'{"uri":"https://acme.example/1"}', f"cert-{LOCALHOST}.pem": chain}
    files["sha256sum.txt"] = sums_of(files)
    async with GuestAgent(agent_socket) as agent:
        files["quote.json"] = quote_file(await agent.get_quote(padded_sha256(files["sha256sum.txt"])))
    (directory / "evidences").mkdir()
    for name, content in files.items():
        (directory / "evidences" / name).write_bytes(content)
    (directory / "chain.pem").write_bytes(chain)
    (directory / "key.pem").write_bytes(made.key.pem())


def served(url: str, path: str) -> tuple[bytes, bytes | None]:
    """The body of a 200, and the certificate (DER) of the connection it came over."""
    parts = urlsplit(url)
    connection = (
        http.client.HTTPSConnection(LOCALHOST, parts.port, context=trusting_nobody())
        if parts.scheme == "https"
        else http.client.HTTPConnection("127.0.0.1", parts.port)
    )
    with closing(connection):
        connection.connect()
        shown = connection.sock.getpeercert(True) if isinstance(connection.sock, ssl.SSLSocket) else None
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return body, shown


def check_evidence(url: str, folder: Path) -> dict[str, object]:
    """Checks that the evidence is the sidecar's. Returns a statement, which must name it."""
    for name in FILES:
        assert served(url, f"/evidences/{name}")[0] == (folder / name).read_bytes()
    statement: dict[str, object] = json.loads(json.loads(served(url, f"/attestation?nonce={NONCE}")[0])["statement"])
    assert statement["evidence_sha256"] == hashlib.sha256((folder / "sha256sum.txt").read_bytes()).hexdigest()
    return statement


@pytest.mark.exhaustive
def test_its_certificate_is_served_with_its_evidence(platform: dict[str, object], sidecar: Path) -> None:
    settings = {
        "certificate_mode": "files",
        "certificate_chain_file": str(sidecar / "chain.pem"),
        "certificate_key_file": str(sidecar / "key.pem"),
        "evidence_folder": str(sidecar / "evidences"),
        "https_port": 0,
    }
    with serving(sidecar, platform | settings) as url:
        statement = check_evidence(url, sidecar / "evidences")
        body, leaf = served(url, f"/evidences/cert-{LOCALHOST}.pem")
        assert body == (sidecar / "chain.pem").read_bytes()
        assert leaf is not None
        spki = statement["spki_sha256"]
        assert isinstance(spki, list)
        assert len(spki) == 1
    kept = [path for path in (sidecar / "data").rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
    assert kept == []


@pytest.mark.exhaustive
def test_where_it_ends_tls_too_its_evidence_is_served_all_the_same(platform: dict[str, object], sidecar: Path) -> None:
    with serving(sidecar, platform | {"evidence_folder": str(sidecar / "evidences")}) as url:
        assert check_evidence(url, sidecar / "evidences")["spki_sha256"] == []
