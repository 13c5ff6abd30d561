"""Node information and health, as the endpoints return them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from pydantic import JsonValue

from node.errors import DomainError
from node.runtime.single_flight import TtlCache
from node.status.health import Component, HealthMonitor, overall
from node.status.models import AccountContractState, AttestationState, ChainConfig, Freshness, Health, Version

MAX_AGE_S: Final = 10.0
"""Age of cached payers: the poll interval of a listener without a websocket."""
FAILED_MAX_AGE_S: Final = 1.0
"""Time for which a failed read is repeated, so that callers do not load providers that are out."""

State_co = TypeVar("State_co", covariant=True)


class PayerReads(Protocol):
    """Port of the contract's payers; `node.chain.port.AccountReads` implements it."""

    async def api_payers(self) -> Sequence[str]:
        """Returns the contract's payers, EIP-55. Raises NodeError `chain_unavailable`."""
        ...

    async def admin_api_payer(self) -> str:
        """Returns the contract's admin payer, EIP-55. Raises NodeError `chain_unavailable`."""
        ...


class RecentPayers:
    """Caches `reads` for MAX_AGE_S. Implements PayerReads. `monotonic` is a clock in seconds."""

    def __init__(self, reads: PayerReads, monotonic: Callable[[], float]) -> None:
        # Anybody may ask without a key, and each read asks every provider.
        failed_s = FAILED_MAX_AGE_S
        self._payers = TtlCache(reads.api_payers, MAX_AGE_S, monotonic, errors=DomainError, error_max_age_s=failed_s)
        self._admin = TtlCache(
            reads.admin_api_payer, MAX_AGE_S, monotonic, errors=DomainError, error_max_age_s=failed_s
        )

    async def api_payers(self) -> Sequence[str]:
        """Returns the contract's payers, EIP-55. Raises NodeError `chain_unavailable`."""
        return await self._payers.get()

    async def admin_api_payer(self) -> str:
        """Returns the contract's admin payer, EIP-55. Raises NodeError `chain_unavailable`."""
        return await self._admin.get()


class Report(Protocol[State_co]):
    """Port of a component that reports its state: the chain's readers, the contract's administration, attestation."""

    def report(self) -> State_co:
        """Returns the state as of now or of the last read, without asking chain or platform."""
        ...


class IsolationReport(Protocol):
    """Port of the engine."""

    @property
    def isolation(self) -> Sequence[str]:
        """Optional measures of isolation in force."""
        ...


@dataclass(frozen=True, slots=True)
class StatusService:
    """Reports of the components. `client_config` holds every limit by name; `insecure` names the stand-ins in use."""

    chain: ChainConfig
    payers: PayerReads
    version: Version
    monitor: HealthMonitor
    freshness: Report[Freshness]
    contract: Report[AccountContractState]
    attestation: Report[AttestationState]
    engine: IsolationReport
    client_config: Mapping[str, JsonValue]
    insecure: Sequence[str] = ()

    async def health(self) -> Health:
        """Returns the node's health, at most a few seconds old."""
        # The only await: the reports below are of what the components hold, so that they are of one moment.
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
