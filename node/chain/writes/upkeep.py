"""What the admin payer does for the payers of an instance: names them in the contract and keeps them in gas money.

Every instance signs with the admin payer's key, so two of them may take one nonce; the loser's transaction then
ends as lost, cleanly, and the round is done again.
"""

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Protocol

import structlog

from node.chain.port import Administration
from node.chain.rpc import RpcCall
from node.chain.writes.lane import Lane
from node.chain.writes.limits import PayerLimits
from node.chain.writes.model import Mined, OpenWrite, Purpose
from node.chain.writes.payer_status import AdminPayerState, PayersStatus, PayerStatus
from node.chain.writes.transactor import Transactor

_log = structlog.get_logger(__name__)


class PayerReads(Protocol):
    """What is asked of the contract (a part of AccountReads)."""

    async def administration(self) -> Administration:
        """Read the admin payer, the payers and the owner's scheduled change, all at one block."""
        ...


class Round(Enum):
    """How one round over the payers ended."""

    DONE = auto()
    OUTBID = auto()
    """Another instance's transaction took the admin payer's nonce: once more."""
    PROBLEM = auto()
    """The operator has to do something, or the chain does not answer."""


class Upkeep:
    """One instance's payers (`lanes`) and the `admin` lane; `problem` is a sentence for the operator, or None.

    `clock` is monotonic seconds.
    """

    def __init__(
        self,
        transactor: Transactor,
        reads: PayerReads,
        admin: Lane,
        lanes: Sequence[Lane],
        limits: PayerLimits,
        clock: Callable[[], float],
    ) -> None:
        self._transactor = transactor
        self._reads = reads
        self._admin = admin
        self._lanes = lanes
        self._limits = limits
        self._clock = clock
        self._administration: Administration | None = None
        self._registered: frozenset[str] = frozenset()
        self._read_at: float | None = None
        self._found: str | None = None
        self.problem: str | None = None

    def status(self) -> PayersStatus:
        """As of the last round and the writes since."""
        payers = [self._status(lane, registered=lane.address in self._registered) for lane in self._lanes]
        age_s = None if self._read_at is None else self._clock() - self._read_at
        admin = self._admin
        return PayersStatus(payers, admin.address, admin.balance_wei, self.problem, age_s, self._administration)

    async def round(self) -> Round:
        """Read balances, register who is missing, top up who is low, and wait for it.

        Raises RpcRefusedError, RpcUnavailableError, CallRevertedError or NodeError when the chain does not answer
        as it should.
        """
        self._begin()
        await self._look()
        # Under another admin payer, or none, this instance's payers can do nothing: they get no gas money either.
        sent = [*await self._register(), *await self._top_up()] if self._is_named() else []
        mined = [await _is_mined(write) for write in sent]
        if sent:
            await self._look()
        # Until here the last round's stands: whoever looks meanwhile is not told that all is well.
        self.problem = self._found
        if self.problem is not None:
            return Round.PROBLEM
        return Round.DONE if all(mined) else Round.OUTBID

    def _begin(self) -> None:
        self._found = None

    async def _look(self) -> None:
        """Balances and names as the chain has them; who has both may send from then on, and nobody else."""
        await self._read_balances()
        self._note_administration(await self._reads.administration())
        self._read_at = self._clock()
        self._transactor.lanes.looked_at = True
        await self._transactor.lanes.changed()

    def _say(self, problem: str) -> None:
        self._found = self.problem = problem

    async def _read_balances(self) -> None:
        lanes = [self._admin, *self._lanes]
        calls = [RpcCall("eth_getBalance", [lane.address, "latest"]) for lane in lanes]
        witnesses = self._transactor.chain.witnesses
        for lane, balances in zip(lanes, await witnesses.numbers(calls), strict=True):
            # That it is low costs the admin payer money: a quorum must say so.
            lane.balance_wei = witnesses.at_most(balances)

    def _note_administration(self, read: Administration) -> None:
        known, self._administration = self._administration, read
        if known is None or (known.owner, known.admin_payer) != (read.owner, read.admin_payer):
            _log.info(
                "contract_administration", owner=read.owner, admin_payer=read.admin_payer, own=self._admin.address
            )
        if read.scheduled is not None and (known is None or known.scheduled != read.scheduled):
            scheduled = read.scheduled
            _log.error("owner_change_scheduled", admin_payer=scheduled.admin_payer, effective_at=scheduled.effective_at)
        # A payer that another admin payer names is that one's, even where the address is this instance's.
        trusted = self.status().admin_state is AdminPayerState.OWN
        self._registered = frozenset(read.payers if trusted else ())
        for lane in self._lanes:
            if lane.address in self._registered:
                self._transactor.lanes.admit(lane)
            else:
                self._transactor.lanes.dismiss(lane)

    def _is_named(self) -> bool:
        """Whether the contract's admin payer is this enclave's and always was; says what the owner must do where not."""
        state, own = self.status().admin_state, self._admin.address
        if state is AdminPayerState.UNNAMED:
            self._say(
                f"The contract has no admin payer yet, so API-mode writes are refused: its owner must name this node's"
                f" admin payer {own} with setAdminApiPayerAccount."
            )
        elif state is AdminPayerState.OTHER:
            named = self._administration.admin_payer if self._administration else None
            self._say(
                f"The contract's owner has named another admin payer, {named}, whose payers may write every API-mode"
                f" account: writes and runs of such accounts are refused, for good: naming this node's admin payer {own}"
                " again does not take back what they wrote. Ask the owners."
            )
            _log.error("admin_payer_is_another", named=named, own=own)
        elif state is AdminPayerState.REPLACED:
            self._say(
                "The contract has had another admin payer, whose payers may have written every API-mode account: writes"
                " and runs of such accounts are refused, for good. Deploy a new contract."
            )
            _log.error("admin_payer_was_another", own=own)
        return state is AdminPayerState.OWN

    async def _register(self) -> Sequence[OpenWrite]:
        missing = [lane.address for lane in self._lanes if lane.address not in self._registered]
        if not missing:
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
        self._say(
            f"The admin payer {self._admin.address} has not enough gas money: {self._admin.available_wei} wei for a "
            f"transaction of {value} wei and its fee. Send some, or lower payer_target_balance_wei."
        )
        return None

    def _status(self, lane: Lane, *, registered: bool) -> PayerStatus:
        return PayerStatus(lane.address, lane.balance_wei, registered, registered and lane.available_wei > 0)


async def _is_mined(write: OpenWrite) -> bool:
    await asyncio.wait([write.ended])
    return isinstance(write.ended.result(), Mined)
