"""The payers of this instance: derived, named in the contract, and kept in gas money by the admin payer."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from node.chain.rpc import CallRevertedError, RpcCall, RpcError
from node.chain.writes import answers
from node.chain.writes.background import Background
from node.chain.writes.lane import Lane
from node.chain.writes.limits import PayerLimits
from node.chain.writes.model import Mined, OpenWrite, Purpose
from node.chain.writes.transactor import Transactor
from node.errors import NodeError
from node.keyring.port import Keyring

SPACING_S: Final = 1.0
"""Between two rounds at least: many writes that find a payer poor ask for one top-up."""

_log = structlog.get_logger(__name__)


class PayerReads(Protocol):
    """What is asked of the contract (a part of AccountReads)."""

    async def api_payers(self) -> Sequence[str]:
        """The contract's payers, EIP-55."""
        ...

    async def admin_api_payer(self) -> str:
        """The contract's admin payer, EIP-55."""
        ...


@dataclass(frozen=True, slots=True)
class PayerStatus:
    """One payer for /health: `ready` when it is registered and has gas money."""

    address: str
    balance_wei: int
    registered: bool
    ready: bool


@dataclass(frozen=True, slots=True)
class PayersStatus:
    """All payers for /health. `problem` says in a sentence what the operator should do; None when nothing."""

    payers: Sequence[PayerStatus]
    admin: str
    admin_balance_wei: int
    problem: str | None

    @property
    def ready(self) -> bool:
        """Whether any payer can send."""
        return any(payer.ready for payer in self.payers)


class PayerPool:
    """Payers 0 to `count` - 1 of one instance, and the admin payer that all instances share.

    Two instances never share a payer: the keys follow from the instance's id.
    """

    def __init__(
        self, keyring: Keyring, instance: str, reads: PayerReads, transactor: Transactor, limits: PayerLimits
    ) -> None:
        self._reads = reads
        self._transactor = transactor
        self._limits = limits
        self._keys = [keyring.payer(instance, index) for index in range(limits.count)]
        self._admin_key = keyring.admin_payer()
        self._lanes: list[Lane] = []
        self._admin: Lane
        self._registered: frozenset[str] = frozenset()
        self._problem: str | None = None
        self._wanted = asyncio.Event()
        self._background = Background()

    @property
    def addresses(self) -> Sequence[str]:
        """This instance's payers, EIP-55, in order of their index."""
        return [key.address for key in self._keys]

    @property
    def admin_address(self) -> str:
        """The admin payer, EIP-55: what the operator sends gas money to."""
        return self._admin_key.address

    def reserve_is_touched(self) -> bool:
        """Whether writes nobody pays for are refused just now, since only the reserve is left."""
        return not self._transactor.lanes.usable(self._limits.reserve_wei)

    def status(self) -> PayersStatus:
        """As of the last round."""
        payers = [
            PayerStatus(
                lane.address,
                lane.balance_wei,
                registered := lane.address in self._registered,
                registered and lane.available_wei > 0,
            )
            for lane in self._lanes
        ]
        return PayersStatus(payers, self._admin.address, self._admin.balance_wei, self._problem)

    async def take_up(self) -> None:
        """Make the lanes: this instance's payers, the admin payer, and whoever else has unfinished writes here."""
        self._admin = await self._transactor.add_lane(self._admin_key.address, self._admin_key, shared=True)
        self._lanes = [await self._transactor.add_lane(key.address, key) for key in self._keys]
        known = {self._admin.address, *self.addresses}
        for address in await self._transactor.journal.payers_with_unfinished():
            if address not in known:
                _log.warning("unfinished writes of a payer that is not of this instance are sent again", payer=address)
                await self._transactor.add_lane(address, None)

    async def start(self) -> None:
        """Register and fund, for at most `setup_timeout_s`; then keep doing so. What is missing shows in `status`."""
        self._transactor.on_poor = self.want_round
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.setup_timeout_s):
                await self._round()
        self._background.start(self._keep_going())

    async def stop(self) -> None:
        """Stop; unfinished top-ups are in the journal."""
        await self._background.stop()

    def want_round(self) -> None:
        """A payer was found without gas money: look soon."""
        self._wanted.set()

    async def rebalance(self) -> None:
        """One round: read balances, register who is missing, top up who is low, and wait for it.

        Raises RpcRefusedError, RpcUnavailableError or NodeError when the chain does not answer.
        """
        await self._read_balances()
        await self._register()
        await self._top_up()
        await self._transactor.lanes.changed()

    async def _keep_going(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.rebalance_interval_s):
                    await self._wanted.wait()
            self._wanted.clear()
            await self._round()
            await self._transactor.follower.prune()
            await asyncio.sleep(SPACING_S)

    async def _round(self) -> None:
        try:
            await self.rebalance()
        except (RpcError, CallRevertedError, NodeError) as error:
            self._problem = "The payers could not be looked after: the chain does not answer as it should."
            _log.warning("payers could not be looked after", error=str(error))

    async def _read_balances(self) -> None:
        lanes = [self._admin, *self._lanes]
        calls = [RpcCall("eth_getBalance", [lane.address, "latest"]) for lane in lanes]
        for lane, balance in zip(lanes, await self._transactor.chain.rpc.batch(calls), strict=True):
            lane.balance_wei = answers.quantity(balance)

    async def _register(self) -> None:
        registered = set(await self._reads.api_payers())
        self._registered = frozenset(registered)
        missing = [address for address in self.addresses if address not in registered]
        self._problem = None
        if missing and await self._may_register():
            chain = self._transactor.chain
            data = chain.abi.encode_call("addApiPayers", [missing])
            write = await self._send(chain.contract, data, 0, Purpose.PAYERS)
            if write is not None and await _is_mined(write):
                self._registered |= frozenset(missing)
        for lane in self._lanes:
            if lane.address in self._registered:
                self._transactor.lanes.admit(lane)

    async def _may_register(self) -> bool:
        admin = await self._reads.admin_api_payer()
        if admin != self._admin.address:
            self._problem = f"The contract's admin payer is {admin}; its owner must name {self._admin.address}."
        elif self._admin.balance_wei == 0:
            self._problem = f"The admin payer {self._admin.address} has no gas money: send some."
        return self._problem is None

    async def _top_up(self) -> None:
        """Send each low payer what it lacks, as far as the admin payer's money goes."""
        awaiting = {write.row.transaction.to for write in self._admin.open.values()}
        low = [lane for lane in self._lanes if lane.balance_wei < self._limits.low_balance_wei]
        low = [lane for lane in low if lane.address not in awaiting]
        sent: list[tuple[Lane, int, OpenWrite]] = []
        for lane in sorted(low, key=lambda lane: lane.balance_wei):
            lacks = self._limits.target_balance_wei - lane.balance_wei
            write = await self._send(lane.address, b"", lacks, Purpose.TOP_UP) if self._can_give(lacks) else None
            if write is None:
                self._problem = f"The admin payer {self._admin.address} has not enough gas money: send some."
                _log.warning("a payer could not be topped up", payer=lane.address, admin=self._admin.address)
                break
            sent.append((lane, lacks, write))
        for lane, lacks, write in sent:
            if await _is_mined(write):
                lane.balance_wei += lacks

    def _can_give(self, value: int) -> bool:
        # Simulating a transfer of more than there is would be a refusal of the endpoint's, not an answer.
        return self._admin.available_wei > value

    async def _send(self, to: str, data: bytes, value: int, purpose: Purpose) -> OpenWrite | None:
        """One transaction of the admin payer; None when it has not the money."""
        flight = await self._transactor.preflight(self._admin, to, data, value)
        if flight.cost_max > self._admin.available_wei:
            return None
        # To its end: a signed transaction that nobody follows would block the nonces behind it until the next start.
        return await asyncio.shield(self._transactor.launch(self._admin, flight, purpose, None))


async def _is_mined(write: OpenWrite) -> bool:
    await asyncio.wait([write.ended])
    return isinstance(write.ended.result(), Mined)
