"""Health and state of the components, for /health. Public: no URL and no secret."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol

from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError
from node.attestation.component import AgentContact, AttestationComponent
from node.chain.assembly import ChainComponent
from node.chain.foreign_contracts import ComposeApproval
from node.chain.listener import FollowerStatus
from node.chain.rpc import Endpoint
from node.chain.writes.payer_status import PayersStatus
from node.errors import DomainError
from node.status.health import ProbeResult
from node.status.models import (
    AccountContractState,
    AttestationState,
    AuthorisationCacheSize,
    ChainHead,
    ComponentStatus,
    Freshness,
    RpcEndpointState,
    ScheduledOwnerChange,
    Tee,
)


class Runner(Protocol):
    """Port of the engine."""

    async def check(self) -> None:
        """Pass when a process for an action can be had. Raises EngineUnavailableError."""
        ...

    @property
    def strain(self) -> str | None:
        """Health problem of the engine, such as memory pressure."""
        ...


def degraded_by(problem: str | None) -> ProbeResult:
    """Returns the health of a component that works: degraded where there is a problem."""
    return ProbeResult(ComponentStatus.OK if problem is None else ComponentStatus.DEGRADED, problem)


class ChainProbe:
    """Checks the RPC quorum by `agree`, every provider, the listener's lag and the payers.

    A listener has stalled when it lags more than `stalled_after_s`, or has read nothing for so long since this probe
    was made. `clock` is monotonic seconds.
    """

    def __init__(
        self,
        agree: Callable[[], Awaitable[object]],
        report: Callable[[], Freshness],
        payers: Callable[[], PayersStatus],
        stalled_after_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._agree = agree
        self._report = report
        self._payers = payers
        self._stalled_after_s = stalled_after_s
        self._clock = clock
        self._made_at = clock()

    async def check(self) -> ProbeResult:
        """Returns down without an agreed head, degraded while anything else is wrong."""
        try:
            await self._agree()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, error.message)
        # All problems, or a provider that is out would hide for days that the gas runs out.
        problems = [
            problem for problem in (self._of_reading(), self._of_paying(), self._of_owner()) if problem is not None
        ]
        return degraded_by("; ".join(problems) or None)

    def _of_reading(self) -> str | None:
        report = self._report()
        ill = [str(endpoint.number) for endpoint in report.rpc_endpoints if not endpoint.healthy]
        if ill:
            return f"RPC endpoints that do not answer: {', '.join(ill)}"
        # Before the first poll there is no lag: the time counts from the start, so that a listener that never begins shows.
        lag_s = report.account_event_listener_lag_seconds
        if lag_s is None:
            lag_s = self._clock() - self._made_at
        if lag_s > self._stalled_after_s:
            return f"the listener of account events lags {lag_s:.0f} s; cached decisions are kept for a shorter time"
        return None

    def _of_paying(self) -> str | None:
        status = self._payers()
        if status.problem is not None:
            return status.problem
        if status.read_age_s is None:
            return "payers' balances are not known yet: they have not been read since the start"
        # Degraded, not down: reads and actions need no payer.
        idle = [payer.address for payer in status.payers if not payer.ready]
        return f"payers without gas or not named yet: {', '.join(idle)}" if idle else None

    def _of_owner(self) -> str | None:
        read = self._payers().administration
        if read is None or read.scheduled is None:
            return None
        due = datetime.fromtimestamp(read.scheduled.effective_at, UTC)
        return (
            f"the contract's owner {read.owner} has scheduled {read.scheduled.admin_payer} as admin payer, from "
            f"{due:%Y-%m-%d %H:%M:%S} UTC on: API-mode accounts are then its payers', for good if it is not this node's; cancelOwnerChange stops it"
        )


class EngineProbe:
    """Checks that a process for an action can be started."""

    def __init__(self, engine: Runner) -> None:
        self._engine = engine

    async def check(self) -> ProbeResult:
        """Returns down when none starts, degraded under memory pressure."""
        try:
            await self._engine.check()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, error.message)
        return degraded_by(self._engine.strain)


class GuestAgentProbe:
    """Checks the guest agent by its `info`. `problem` returns what is wrong with the published attestation.

    `contact` records the outcome of each check.
    """

    def __init__(
        self, info: Callable[[], Awaitable[object]], problem: Callable[[], str | None], contact: AgentContact
    ) -> None:
        self._info = info
        self._problem = problem
        self._contact = contact

    async def check(self) -> ProbeResult:
        """Returns down when it does not respond. Running actions whose keys are derived continue."""
        try:
            await self._info()
        except AttestError as error:
            self._contact.failed()
            return ProbeResult(ComponentStatus.DOWN, f"guest agent: {error.code}")
        except BaseException:
            # Usually the cancellation at the time-out of health checks: an agent that hangs does not answer either.
            self._contact.failed()
            raise
        self._contact.succeeded()
        return degraded_by(self._problem())


class BillingProbe:
    """Checks the ledger with `alive`; `report` returns the health of buying credit."""

    def __init__(self, alive: Callable[[], Awaitable[object]], report: Callable[[], ProbeResult]) -> None:
        self._report = report
        self._alive = alive

    async def check(self) -> ProbeResult:
        """Returns down while the ledger is out, since nothing that costs runs then; degraded while credit cannot be bought."""
        try:
            await self._alive()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, f"ledger: {error.message}")
        return self._report()


class ContractReport:
    """Report of the contract's administration, as the payers' funding rounds read it."""

    def __init__(self, status: Callable[[], PayersStatus]) -> None:
        self._status = status

    def report(self) -> AccountContractState:
        """Returns the state as of the last funding round."""
        status = self._status()
        read = status.administration
        scheduled = None if read is None else read.scheduled
        return AccountContractState(
            admin_payer=status.admin_state.value,
            admin_payer_replacements=None if read is None else read.admin_payer_replacements,
            owner=None if read is None else read.owner,
            owner_change_delay_seconds=None if read is None else read.owner_change_delay_s,
            scheduled_owner_change=None
            if scheduled is None
            else ScheduledOwnerChange(admin_payer=scheduled.admin_payer, effective_at=scheduled.effective_at),
            # API-mode accounts are written by every payer that the contract names, so users must see foreign ones.
            payers_of_others=None if read is None else list(status.payers_of_others),
        )


class ChainReport:
    """Report of the chain component. `now` is unix seconds."""

    def __init__(self, chain: ChainComponent, now: Callable[[], float]) -> None:
        self._chain = chain
        self._now = now

    def report(self) -> Freshness:
        """Returns the state as of now, without I/O."""
        cache = self._chain.authorisations
        return Freshness(
            account_event_listener_lag_seconds=self._chain.lag_s(),
            chain_head=self._head(),
            rpc_quorum=self._chain.client.quorum,
            rpc_endpoints=self._endpoints(),
            authorisation_cache=AuthorisationCacheSize(keys=cache.keys, readings=cache.readings),
        )

    def _head(self) -> ChainHead | None:
        head = self._chain.quorum.head
        if head is None:
            return None
        # A block's timestamp may be some seconds ahead of this machine's clock.
        age_s = max(0.0, self._now() - head.timestamp)
        return ChainHead(block_number=head.number, timestamp=head.timestamp, age_seconds=age_s)

    def _endpoints(self) -> list[RpcEndpointState]:
        # Followers are in the order of the providers; a chain without a listener has none.
        followed = () if self._chain.listener is None else self._chain.listener.status()
        endpoints = self._chain.rpc.endpoints
        return [
            self._endpoint(number, endpoint, followed[number - 1] if followed else None)
            for number, endpoint in enumerate(endpoints, start=1)
        ]

    def _endpoint(self, number: int, endpoint: Endpoint, followed: FollowerStatus | None) -> RpcEndpointState:
        health, head = endpoint.health(), self._chain.quorum.head_of(endpoint)
        return RpcEndpointState(
            number=number,
            healthy=health.healthy,
            block_number=None if head is None else head.number,
            latency_ms=None if health.latency_s is None else round(health.latency_s * 1000, 3),
            consecutive_faults=health.consecutive_faults,
            disagreements=self._chain.disagreements.count_of(endpoint.host),
            websocket=followed is not None and followed.websocket,
        )


class AttestationReport:
    """Report of the attestation component, the certificates in use and the app's approval. `now` is unix seconds."""

    def __init__(
        self,
        tee: Tee,
        attestation: AttestationComponent,
        certificates: CurrentCertificates,
        approval: ComposeApproval,
        now: Callable[[], float],
    ) -> None:
        self._approval = approval
        self._tee: Tee = tee
        self._attestation = attestation
        self._certificates = certificates
        self._now = now

    def report(self) -> AttestationState:
        """Returns the state as of now, without I/O."""
        age_s, current = self._attestation.quote_age_s(), self._attestation.evidence_store.current
        expiries = [certificate.not_after_s for certificate in self._certificates.current]
        return AttestationState(
            tee=self._tee,
            quote_age_seconds=None if age_s is None else round(age_s, 3),
            certificate_not_after=min(expiries, default=None),
            evidence_made_at=None if current is None else int(current.made_at_s),
            compose_hash_allowed=self._approval.allowed,
        )

    def problem(self) -> str | None:
        """Returns what is wrong with the published attestation; None: nothing."""
        # All problems: a certificate that is not renewed must not hide for weeks that the app is no longer approved.
        problems = [self._of_certificate(), self._attestation.evidence_store.problem, self._approval.problem]
        return "; ".join(problem for problem in problems if problem is not None) or None

    def _of_certificate(self) -> str | None:
        # The renewal's own problem may be weeks old by then: that clients are refused comes first.
        expired = any(certificate.not_after_s <= self._now() for certificate in self._certificates.current)
        return "the certificate has expired" if expired else self._certificates.problem
