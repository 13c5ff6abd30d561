"""The attestation endpoints over HTTP, on a real guest agent's client and a TEE simulator that does as a test says."""

import contextlib
import hashlib
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from pydantic import JsonValue
from yarl import URL

from attest.certificates.port import Certificate
from attest.guest_agent import GuestAgent
from devkit.tee_simulator.server import TeeSimulator
from node.api.calls import Call, NoInput
from node.attestation.component import AttestationComponent
from node.attestation.service import Identity
from node.http.endpoint import Access, Auth, Docs, Endpoint, Operation
from node.settings import Settings
from tests.support.http_server import Server, World, serving

ACCOUNT = b'{"uri":"self-signed"}\n'
ADMIN_PAYER = "0x71bE63f3384f5fb98995898A86B02Fb2426c5788"
CONFIG: dict[str, JsonValue] = {
    "settings": {"chain_id": 31337, "domain": "localhost"},
    "secrets": ["rpc_authorization"],
}
SETTINGS = Settings(attestation_nonces_per_minute_per_address=1000, quote_places=8)

PATIENT = {"connect_timeout_s": 30.0, "call_timeout_s": 30.0, "quote_timeout_s": 30.0}
"""Time-outs for an agent that answers, on a machine with other work."""
IMPATIENT = {"call_timeout_s": 1.0, "quote_timeout_s": 1.0}
"""Time-outs for an agent that does not."""


@pytest.fixture(autouse=True)
def _patient_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attest.quote_queue.TURN_TIMEOUT_S", 60.0)
    monkeypatch.setattr("node.attestation.service.REFUSAL_MAX_AGE_S", 0.001)


def certificate(content: bytes = b"one", domain: str = "localhost") -> Certificate:
    chain = b"-----BEGIN CERTIFICATE-----\n" + content + b"\n-----END CERTIFICATE-----\n"
    return Certificate(domain, chain, content, hashlib.sha256(content).digest(), 0, 2_000_000_000)


@dataclass
class Certificates:
    """Those in use."""

    current: Sequence[Certificate] = ()
    problem: str | None = None
    failed_at_s: float | None = None


@dataclass
class Node:
    """A node that publishes its attestation, and serves one ordinary endpoint beside it."""

    server: Server
    simulator: TeeSimulator
    attestation: AttestationComponent
    certificates: Certificates

    async def get(
        self, path: str, method: str = "GET", headers: dict[str, str] | None = None
    ) -> tuple[aiohttp.ClientResponse, bytes]:
        """One request to a path of the host's root, as it is written."""
        url = URL(f"http://127.0.0.1:{self.server.port}{path}", encoded=True)
        async with self.server.session.request(method, url, headers=headers, allow_redirects=False) as response:
            return response, await response.read()

    @contextlib.asynccontextmanager
    async def platform_busy(self) -> AsyncIterator[None]:
        """The platform makes quotes for somebody else; whoever asks meanwhile waits for it."""
        assert self.simulator._responder is not None
        async with self.simulator._responder._quote_turn:
            yield

    async def publish(self, *certificates: Certificate) -> None:
        """Have these certificates, and their evidence."""
        prepared = await self.attestation.evidence.prepare(certificates, ACCOUNT)
        prepared.publish()
        self.certificates.current = certificates


def _ordinary() -> Endpoint[NoInput, str]:
    async def handle(_: Call, __: NoInput) -> str:
        return "done"

    return Endpoint(
        Operation("GET", "/ordinary", NoInput, str, handle), Docs("An ordinary call"), "Test", Access(Auth.NONE)
    )


@contextlib.asynccontextmanager
async def attesting(
    directory_of_data: Path,
    settings: Settings = SETTINGS,
    timeouts: Mapping[str, float] = PATIENT,
    domain: str = "localhost",
) -> AsyncIterator[Node]:
    """A node with these settings and this name until the context ends."""
    with tempfile.TemporaryDirectory(prefix="svc") as directory:
        sockets = Path(directory)
        async with (
            TeeSimulator(sockets / "tee", sockets / "s") as simulator,
            GuestAgent(simulator.endpoint, **timeouts) as agent,
        ):
            attestation, certificates = AttestationComponent(agent, settings), Certificates()
            endpoints = [*attestation.endpoints(certificates, Identity(domain, CONFIG, ADMIN_PAYER)), _ordinary()]
            async with attestation.running(), serving(endpoints, World(directory_of_data)) as server:
                yield Node(server, simulator, attestation, certificates)


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    async with attesting(tmp_path) as running:
        yield running


@pytest.fixture
async def impatient(tmp_path: Path) -> AsyncIterator[Node]:
    """The same with a short patience for its guest agent."""
    async with attesting(tmp_path, timeouts=IMPATIENT) as running:
        yield running
