"""How each part of the node does, for /health; notes are shown to anybody and hold no URL and no secret."""

from typing import Protocol

from attest.answers import Info
from attest.errors import AttestError
from node.chain.rpc import JsonRpc, RpcError
from node.chain.writes.payer_status import PayersStatus
from node.errors import NodeError
from node.status.health import ProbeResult
from node.status.models import ComponentStatus


class Payers(Protocol):
    """The payers of this instance."""

    def status(self) -> PayersStatus:
        """As of their last round."""
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


class ChainProbe:
    """The chain answers, and the payers can pay."""

    def __init__(self, rpc: JsonRpc, payers: Payers) -> None:
        self._rpc = rpc
        self._payers = payers

    async def check(self) -> ProbeResult:
        """Down without an endpoint; degraded while a payer or an endpoint is out."""
        try:
            await self._rpc.call("eth_blockNumber")
        except RpcError:
            return ProbeResult(ComponentStatus.DOWN, "no RPC endpoint answers")
        status = self._payers.status()
        if status.problem is not None:
            return ProbeResult(ComponentStatus.DEGRADED, status.problem)
        idle = [payer.address for payer in status.payers if not payer.ready]
        if idle:
            return ProbeResult(ComponentStatus.DEGRADED, f"payers without gas or not named yet: {', '.join(idle)}")
        return ProbeResult(ComponentStatus.OK)


class EngineProbe:
    """A process for an action can be had."""

    def __init__(self, engine: Runner) -> None:
        self._engine = engine

    async def check(self) -> ProbeResult:
        """Down when none starts."""
        try:
            await self._engine.check()
        except NodeError as error:
            return ProbeResult(ComponentStatus.DOWN, error.message)
        return ProbeResult(ComponentStatus.OK)


class GuestAgentProbe:
    """The guest agent answers."""

    def __init__(self, agent: Platform) -> None:
        self._agent = agent

    async def check(self) -> ProbeResult:
        """Down when it does not answer; running actions whose keys are derived go on."""
        try:
            await self._agent.info()
        except AttestError as error:
            return ProbeResult(ComponentStatus.DOWN, f"guest agent: {error.code}")
        return ProbeResult(ComponentStatus.OK)


class BillingProbe:
    """What is charged, if anything."""

    def __init__(self, result: ProbeResult) -> None:
        self._result = result

    async def check(self) -> ProbeResult:
        """As the node was started."""
        return self._result
