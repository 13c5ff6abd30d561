"""What the admin payer does for the payers of an instance: names them in the contract and keeps them in gas money.

Every instance signs with the admin payer's key, so two of them may take one nonce; the loser's transaction then
ends as lost, cleanly, and the round is done again.
"""

import asyncio
from collections.abc import Sequence
from enum import Enum, auto
from typing import Protocol

import structlog

from node.chain.rpc import RpcCall
from node.chain.writes.lane import Lane
from node.chain.writes.limits import PayerLimits
from node.chain.writes.model import Mined, OpenWrite, Purpose
from node.chain.writes.payer_status import PayersStatus, PayerStatus
from node.chain.writes.transactor import Transactor

_log = structlog.get_logger(__name__)


class PayerReads(Protocol):
    """What is asked of the contract (a part of AccountReads)."""

    async def api_payers(self) -> Sequence[str]:
        """The contract's payers, EIP-55."""
        ...

    async def admin_api_payer(self) -> str:
        """The contract's admin payer, EIP-55."""
        ...


class Round(Enum):
    """How one round over the payers ended."""

    DONE = auto()
    OUTBID = auto()
    """Another instance's transaction took the admin payer's nonce: once more."""
    PROBLEM = auto()
    """The operator has to do something, or the chain does not answer."""


class Upkeep:
    """One instance's payers (`lanes`) and the `admin` lane; `problem` is a sentence for the operator, or None."""

    def __init__(
        self, transactor: Transactor, reads: PayerReads, admin: Lane, lanes: Sequence[Lane], limits: PayerLimits
    ) -> None:
        self._transactor = transactor
        self._reads = reads
        self._admin = admin
        self._lanes = lanes
        self._limits = limits
        self._registered: frozenset[str] = frozenset()
        self.problem: str | None = None
        self._before: str | None = None

    def status(self) -> PayersStatus:
        """As of the last round and the writes since."""
        payers = [self._status(lane, registered=lane.address in self._registered) for lane in self._lanes]
        return PayersStatus(payers, self._admin.address, self._admin.balance_wei, self.problem or self._before)

    async def round(self) -> Round:
        """Read balances, register who is missing, top up who is low, and wait for it.

        Raises RpcRefusedError, RpcUnavailableError, CallRevertedError or NodeError when the chain does not answer
        as it should.
        """
        self._begin()
        await self._read_balances()
        sent = [*await self._register(), *await self._top_up()]
        mined = [await _is_mined(write) for write in sent]
        await self._note_registered()
        await self._read_balances()
        await self._transactor.lanes.changed()
        self._before = None
        if self.problem is not None:
            return Round.PROBLEM
        return Round.DONE if all(mined) else Round.OUTBID

    def _begin(self) -> None:
        """What was wrong is told until this round has ended without finding it so again."""
        self._before, self.problem = self.problem, None

    async def _read_balances(self) -> None:
        lanes = [self._admin, *self._lanes]
        calls = [RpcCall("eth_getBalance", [lane.address, "latest"]) for lane in lanes]
        witnesses = self._transactor.chain.witnesses
        for lane, balances in zip(lanes, await witnesses.numbers(calls), strict=True):
            # That it is low costs the admin payer money: a quorum must say so.
            lane.balance_wei = witnesses.at_most(balances)

    async def _note_registered(self) -> None:
        self._registered = frozenset(await self._reads.api_payers())
        for lane in self._lanes:
            if lane.address in self._registered:
                self._transactor.lanes.admit(lane)

    async def _register(self) -> Sequence[OpenWrite]:
        known = set(await self._reads.api_payers())
        missing = [lane.address for lane in self._lanes if lane.address not in known]
        if not missing:
            return []
        admin = await self._reads.admin_api_payer()
        if admin != self._admin.address:
            self.problem = f"The contract's admin payer is {admin}; its owner must name {self._admin.address}."
            return []
        chain = self._transactor.chain
        write = await self._send(chain.contract, chain.abi.encode_call("addApiPayers", [missing]), 0, Purpose.PAYERS)
        return [write] if write else []

    async def _top_up(self) -> Sequence[OpenWrite]:
        """Send each low payer what it lacks, the poorest first, as far as the money goes."""
        awaiting = {write.row.transaction.to for write in self._admin.open.values()}
        low = [lane for lane in self._lanes if lane.balance_wei < self._limits.low_balance_wei]
        sent: list[OpenWrite] = []
        for lane in sorted(low, key=lambda lane: lane.balance_wei):
            if lane.address in awaiting:
                continue
            lacks = self._limits.target_balance_wei - lane.balance_wei
            if (write := await self._send(lane.address, b"", lacks, Purpose.TOP_UP)) is None:
                _log.warning("a payer could not be topped up", payer=lane.address, admin=self._admin.address)
                break
            sent.append(write)
        return sent

    async def _send(self, to: str, data: bytes, value: int, purpose: Purpose) -> OpenWrite | None:
        """One transaction of the admin payer; None when it has not the money."""
        # Asked before the simulation too: an endpoint refuses to simulate a transfer of more than there is.
        if self._admin.available_wei > value:
            flight = await self._transactor.preflight(self._admin, to, data, value)
            if flight.cost_max <= self._admin.available_wei:
                # To its end: a stored transaction that nobody follows would hold up those behind it.
                return await asyncio.shield(self._transactor.launch(self._admin, flight, purpose, None))
        self.problem = (
            f"The admin payer {self._admin.address} has not enough gas money: {self._admin.available_wei} wei for a "
            f"transaction of {value} wei and its fee. Send some, or lower payer_target_balance_wei."
        )
        return None

    def _status(self, lane: Lane, *, registered: bool) -> PayerStatus:
        return PayerStatus(lane.address, lane.balance_wei, registered, registered and lane.available_wei > 0)


async def _is_mined(write: OpenWrite) -> bool:
    await asyncio.wait([write.ended])
    return isinstance(write.ended.result(), Mined)
