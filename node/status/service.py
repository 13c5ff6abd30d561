"""What the node answers about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from node.status.health import Component, HealthMonitor, overall
from node.status.models import AccountContractState, AttestationState, ChainConfig, Freshness, Health, Version
from node.status.payers import PayerReads


class ChainFreshness(Protocol):
    """The rooms that read the chain."""

    def report(self) -> Freshness:
        """As of now, without asking anybody."""
        ...


class Administered(Protocol):
    """The account contract's administration."""

    def report(self) -> AccountContractState:
        """As of the last look, without asking anybody."""
        ...


class Attested(Protocol):
    """What is published of the TEE."""

    def report(self) -> AttestationState:
        """As of now, without asking anybody."""
        ...


class Isolated(Protocol):
    """The engine."""

    @property
    def isolation(self) -> Sequence[str]:
        """The optional measures of isolation in force."""
        ...


@dataclass(frozen=True, slots=True)
class StatusService:
    """`client_config` holds every limit by name; `insecure` names the stand-ins in use."""

    chain: ChainConfig
    payers: PayerReads
    version: Version
    monitor: HealthMonitor
    freshness: ChainFreshness
    contract: Administered
    attestation: Attested
    engine: Isolated
    client_config: Mapping[str, JsonValue]
    insecure: Sequence[str] = ()

    async def health(self) -> Health:
        """The node's health, at most a few seconds old."""
        findings = await self.monitor.findings()
        return Health(
            status=overall(findings),
            version=self.version.version,
            action_runner=findings[Component.ACTION_RUNNER].status,
            chain=findings[Component.CHAIN].status,
            billing=findings[Component.BILLING].status,
            tee=findings[Component.TEE].status,
            account_contract=self.contract.report(),
            attestation=self.attestation.report(),
            action_isolation=list(self.engine.isolation),
            notes={str(component): result.note for component, result in findings.items() if result.note is not None},
            insecure=list(self.insecure),
            **dict(self.freshness.report()),
        )
