"""How each part of the node does, for /health; notes are shown to anybody and hold no URL and no secret."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol

from attest.answers import Info
from attest.errors import AttestError
from node.attestation.contact import AgentContact
from node.chain.port import Head
from node.chain.writes.payer_status import PayersStatus
from node.errors import DomainError
from node.status.health import ProbeResult
from node.status.models import ComponentStatus, Freshness


class Payers(Protocol):
    """The payers of this instance."""

    def status(self) -> PayersStatus:
        """As of their last round."""
        ...


class AgreedHead(Protocol):
    """The endpoints' quorum."""

    async def look(self) -> Head:
        """Agree on the head. Raises NodeError `chain_unavailable`."""
        ...


class Platform(Protocol):
    """The guest agent."""

    async def info(self) -> Info:
        """Who this TD is. Raises AttestError."""
        ...


class Runner(Protocol):
    """The engine."""

    async def check(self) -> None:
        """Pass when a process for an action can be had. Raises NodeError `runner_unavailable`."""
        ...

    @property
    def strain(self) -> str | None:
        """What keeps actions from being run as they should."""
        ...


class ChainProbe:
    """The endpoints agree on a head, all of them are well, the listener keeps up, and the payers can pay.

    A listener that lags more than `stalled_after_s` has stalled, and one that has read nothing for so long since this
    probe was made. `clock` is monotonic seconds.
    """

    def __init__(
        self,
        quorum: AgreedHead,
        report: Callable[[], Freshness],
        payers: Payers,
        stalled_after_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._quorum = quorum
        self._report = report
        self._payers = payers
        self._stalled_after_s = stalled_after_s
        self._clock = clock
        self._made_at = clock()

    async def check(self) -> ProbeResult:
        """Down without an agreed head; degraded while anything else is less than well."""
        try:
            await self._quorum.look()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, error.message)
        # Both, or an endpoint that is out would hide for days that the gas runs out.
        problems = [
            problem for problem in (self._of_reading(), self._of_paying(), self._of_owner()) if problem is not None
        ]
        return (
            ProbeResult(ComponentStatus.DEGRADED, "; ".join(problems)) if problems else ProbeResult(ComponentStatus.OK)
        )

    def _of_reading(self) -> str | None:
        report = self._report()
        ill = [str(endpoint.number) for endpoint in report.rpc_endpoints if not endpoint.healthy]
        if ill:
            return f"RPC endpoints that do not answer: {', '.join(ill)}"
        lag_s = report.account_event_listener_lag_seconds
        if lag_s is None:
            lag_s = self._clock() - self._made_at
        if lag_s > self._stalled_after_s:
            return f"the listener of account events lags {lag_s:.0f} s; cached decisions are kept for a shorter time"
        return None

    def _of_paying(self) -> str | None:
        status = self._payers.status()
        if status.problem is not None:
            return status.problem
        if status.read_age_s is None:
            return "payers' balances are not known yet: the chain has not told them since the start"
        idle = [payer.address for payer in status.payers if not payer.ready]
        return f"payers without gas or not named yet: {', '.join(idle)}" if idle else None

    def _of_owner(self) -> str | None:
        read = self._payers.status().administration
        if read is None or read.scheduled is None:
            return None
        due = datetime.fromtimestamp(read.scheduled.effective_at, UTC)
        return (
            f"the contract's owner {read.owner} has scheduled {read.scheduled.admin_payer} as admin payer, from "
            f"{due:%Y-%m-%d %H:%M:%S} UTC on: API-mode accounts are then its payers', for good if it is not this node's; cancelOwnerChange stops it"
        )


class EngineProbe:
    """A process for an action can be had."""

    def __init__(self, engine: Runner) -> None:
        self._engine = engine

    async def check(self) -> ProbeResult:
        """Down when none starts; degraded while there is too little memory for another."""
        try:
            await self._engine.check()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, error.message)
        strain = self._engine.strain
        return ProbeResult(ComponentStatus.OK if strain is None else ComponentStatus.DEGRADED, strain)


class GuestAgentProbe:
    """The guest agent answers, and what is published rests on it. `problem` tells what is wrong with the latter.

    `contact` is told how each question went.
    """

    def __init__(self, agent: Platform, problem: Callable[[], str | None], contact: AgentContact) -> None:
        self._agent = agent
        self._problem = problem
        self._contact = contact

    async def check(self) -> ProbeResult:
        """Down when it does not answer; running actions whose keys are derived go on."""
        try:
            await self._agent.info()
        except AttestError as error:
            self._contact.silent()
            return ProbeResult(ComponentStatus.DOWN, f"guest agent: {error.code}")
        except BaseException:
            # Cancelled at the deadline of health checks, as a rule.
            self._contact.silent()
            raise
        self._contact.answered()
        problem = self._problem()
        return ProbeResult(ComponentStatus.OK if problem is None else ComponentStatus.DEGRADED, problem)


class BillingProbe:
    """What is charged, if anything: `alive` asks the ledger something, `report` tells of buying credit."""

    def __init__(self, alive: Callable[[], Awaitable[object]], report: Callable[[], ProbeResult]) -> None:
        self._report = report
        self._alive = alive

    async def check(self) -> ProbeResult:
        """Down while the ledger is out, since nothing that costs is done then; degraded while credit cannot be bought."""
        try:
            await self._alive()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, f"ledger: {error.message}")
        return self._report()
