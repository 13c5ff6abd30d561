"""The endpoints about the node itself, through HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from node.chain.errors import ChainUnavailableError
from node.status.health import PROBE_MAX_AGE_S, Component, HealthMonitor, ProbeResult
from node.status.models import (
    AccountContractState,
    AttestationState,
    AuthorisationCacheSize,
    ChainConfig,
    ChainHead,
    ComponentStatus,
    Freshness,
    RpcEndpointState,
    ScheduledOwnerChange,
    Version,
)
from node.status.routes import endpoints
from node.status.service import StatusService
from tests.support.clock import FakeClock
from tests.support.http_server import Server, World, serving
from tests.support.node import REPOSITORY

ADDRESSES = ["0x" + "Ab" * 20, "0x" + "cD" * 20]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.status.health.PROBE_TIMEOUT_S", 0.05)


@dataclass
class Probe:
    """A part of the node that does as the test says."""

    found: ProbeResult | BaseException | None = field(default_factory=lambda: ProbeResult(ComponentStatus.OK))
    asked: int = 0

    async def check(self) -> ProbeResult:
        self.asked += 1
        if self.found is None:
            await asyncio.Event().wait()
        if isinstance(self.found, BaseException):
            raise self.found
        assert self.found is not None
        return self.found


class Payers:
    """The contract's payers; None means that no endpoint of the chain answers."""

    def __init__(self) -> None:
        self.addresses: list[str] | None = ADDRESSES

    async def api_payers(self) -> Sequence[str]:
        if self.addresses is None:
            raise ChainUnavailableError("No endpoint answers")
        return self.addresses

    async def admin_api_payer(self) -> str:
        return (await self.api_payers())[0]


def of_the_chain() -> Freshness:
    """What the chain component tells of itself."""
    return Freshness(
        account_event_listener_lag_seconds=4.5,
        chain_head=ChainHead(block_number=7, timestamp=1_700_000_000, age_seconds=1.5),
        rpc_quorum=1,
        rpc_endpoints=[
            RpcEndpointState(
                number=1,
                healthy=True,
                block_number=7,
                latency_ms=1.25,
                consecutive_faults=0,
                disagreements=0,
                websocket=True,
            )
        ],
        authorisation_cache=AuthorisationCacheSize(keys=2, readings=5),
    )


def of_the_contract() -> AccountContractState:
    """What the rounds over the payers read of the account contract."""
    return AccountContractState(
        admin_payer="own",
        admin_payer_replacements=0,
        owner=ADDRESSES[0],
        owner_change_delay_seconds=86_400,
        scheduled_owner_change=ScheduledOwnerChange(admin_payer=ADDRESSES[1], effective_at=1_700_000_000),
        payers_of_others=[ADDRESSES[1]],
    )


def of_the_platform() -> AttestationState:
    """What the attestation component tells of itself."""
    return AttestationState(
        tee="simulator",
        quote_age_seconds=1.5,
        certificate_not_after=1_800_000_000,
        evidence_made_at=1_700_000_000,
        compose_hash_allowed=True,
    )


@dataclass
class Node:
    """One status service with everything a test wants to turn."""

    server: Server
    probes: dict[Component, Probe]
    payers: Payers
    clock: FakeClock

    async def health(self) -> tuple[int, dict[str, object]]:
        reply = await self.server.call("GET", "/health")
        return reply.status, reply.body

    def set(self, component: Component, found: ProbeResult | BaseException | None) -> None:
        self.probes[component].found = found
        self.clock.advance(PROBE_MAX_AGE_S)


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    probes, payers, clock = {component: Probe() for component in Component}, Payers(), FakeClock()
    service = StatusService(
        chain=ChainConfig(chain_name="local", chain_id=31337, testnet=True, token="ETH", contract_address=ADDRESSES[1]),
        payers=payers,
        version=Version(name="svc-node", version="0.1.0", commit=None, compose_hash=None),
        monitor=HealthMonitor({component: probe.check for component, probe in probes.items()}, clock),
        freshness=of_the_chain,
        contract=of_the_contract,
        attestation=of_the_platform,
        isolation=lambda: ["net", "landlock"],
        client_config={"max_body_bytes": 10, "wall_time_s": 900.0},
        insecure=["tee_simulator"],
    )
    async with serving(endpoints(service), World(tmp_path)) as server:
        yield Node(server, probes, payers, clock)


async def test_chain_config_names_no_rpc_url(node: Node) -> None:
    reply = await node.server.call("GET", "/get_node_chain_config")
    assert reply.body == {
        "chain_name": "local",
        "chain_id": 31337,
        "is_evm": True,
        "testnet": True,
        "token": "ETH",
        "contract_address": ADDRESSES[1],
        "contract_abi": "/core/v1/get_account_contract_abi",
    }


ABIS = [
    (
        "/get_account_contract_abi",
        "node/chain/contract/AccountConfig.json",
        ("newChainSecuredAccount", ["string", "string"]),
    ),
    (
        "/get_deposit_contract_abi",
        "node/chain/deposits/contract/CreditDeposit.json",
        ("deposit", ["uint256", "address", "uint256"]),
    ),
]


@pytest.mark.parametrize(("path", "artifact", "function"), ABIS)
async def test_an_abi_is_the_artifacts_and_is_sent_once(
    node: Node, path: str, artifact: str, function: tuple[str, list[str]]
) -> None:
    reply = await node.server.call("GET", path)
    assert reply.body == json.loads((REPOSITORY / artifact).read_text())["abi"]
    typed = {each["name"]: [each["type"] for each in each["inputs"]] for each in reply.body if "name" in each}
    assert typed[function[0]] == function[1]
    base = f"http://127.0.0.1:{node.server.port}/core/v1"
    async with node.server.session.get(f"{base}{path}", headers={"If-None-Match": reply.headers["ETag"]}) as again:
        assert (again.status, await again.read()) == (304, b"")


async def test_payers_are_a_bare_array_and_a_bare_string(node: Node) -> None:
    assert (await node.server.call("GET", "/get_api_payers")).body == ADDRESSES
    assert (await node.server.call("GET", "/get_admin_api_payer")).body == ADDRESSES[0]
    node.payers.addresses = None
    reply = await node.server.call("GET", "/get_api_payers")
    assert (reply.status, reply.body["error"]) == (503, "chain_unavailable")
    assert int(reply.headers["Retry-After"]) > 0


async def test_version_and_limits(node: Node) -> None:
    version = await node.server.call("GET", "/version")
    assert version.body == {"name": "svc-node", "version": "0.1.0", "commit": None, "compose_hash": None}
    config = await node.server.call("GET", "/get_svc_action_client_config")
    assert config.body == {"max_body_bytes": 10, "wall_time_s": 900.0}


async def test_a_healthy_node_names_its_stand_ins(node: Node) -> None:
    assert await node.health() == (
        200,
        {
            "status": "ok",
            "version": "0.1.0",
            "action_runner": "ok",
            "chain": "ok",
            "billing": "ok",
            "tee": "ok",
            "account_contract": {
                "admin_payer": "own",
                "admin_payer_replacements": 0,
                "owner": ADDRESSES[0],
                "owner_change_delay_seconds": 86_400,
                "scheduled_owner_change": {"admin_payer": ADDRESSES[1], "effective_at": 1_700_000_000},
                "payers_of_others": [ADDRESSES[1]],
            },
            "attestation": {
                "tee": "simulator",
                "quote_age_seconds": 1.5,
                "certificate_not_after": 1_800_000_000,
                "evidence_made_at": 1_700_000_000,
                "compose_hash_allowed": True,
            },
            "action_isolation": ["net", "landlock"],
            "notes": {},
            "insecure": ["tee_simulator"],
            "account_event_listener_lag_seconds": 4.5,
            "chain_head": {"block_number": 7, "timestamp": 1_700_000_000, "age_seconds": 1.5},
            "rpc_quorum": 1,
            "rpc_endpoints": [
                {
                    "number": 1,
                    "healthy": True,
                    "block_number": 7,
                    "latency_ms": 1.25,
                    "consecutive_faults": 0,
                    "disagreements": 0,
                    "websocket": True,
                }
            ],
            "authorisation_cache": {"keys": 2, "readings": 5},
        },
    )


@pytest.mark.parametrize(
    ("component", "status", "http", "overall"),
    [
        (Component.CHAIN, ComponentStatus.DOWN, 503, "down"),
        (Component.ACTION_RUNNER, ComponentStatus.DOWN, 503, "down"),
        (Component.BILLING, ComponentStatus.DOWN, 200, "degraded"),
        (Component.TEE, ComponentStatus.DOWN, 200, "degraded"),
        (Component.CHAIN, ComponentStatus.DEGRADED, 200, "degraded"),
        (Component.BILLING, ComponentStatus.OFF, 200, "ok"),
    ],
)
async def test_only_what_keeps_the_node_from_serving_is_503(
    node: Node, component: Component, status: ComponentStatus, http: int, overall: str
) -> None:
    node.set(component, ProbeResult(status, "why"))
    found, body = await node.health()
    assert (found, body["status"], body[component], body["notes"]) == (http, overall, status, {str(component): "why"})


async def test_a_probe_that_hangs_is_down_at_the_deadline(node: Node) -> None:
    node.set(Component.CHAIN, None)
    found, body = await node.health()
    assert (found, body["chain"], body["notes"]) == (503, "down", {"chain": "no answer within 0.05 s"})


async def test_a_probe_that_fails_is_down_without_its_message(node: Node) -> None:
    node.set(Component.TEE, RuntimeError("http://user:password@host"))
    _, body = await node.health()
    assert (body["tee"], body["notes"]) == ("down", {"tee": "RuntimeError"})


async def test_findings_are_shared_and_told_again_for_a_while(node: Node) -> None:
    await asyncio.gather(*(node.health() for _ in range(10)))
    assert [probe.asked for probe in node.probes.values()] == [1, 1, 1, 1]
    node.clock.advance(PROBE_MAX_AGE_S)
    await node.health()
    assert [probe.asked for probe in node.probes.values()] == [2, 2, 2, 2]


async def test_health_is_the_same_at_the_hosts_root(node: Node) -> None:
    node.set(Component.CHAIN, ProbeResult(ComponentStatus.DOWN))
    async with node.server.session.get(f"http://127.0.0.1:{node.server.port}/health") as response:
        assert (response.status, await response.json()) == await node.health()
