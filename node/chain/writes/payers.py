"""The payers of this instance: derived, taken up at the start, looked after as long as the node runs."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import structlog

from node.chain.rpc import CallRevertedError, RpcError
from node.chain.writes.background import Background
from node.chain.writes.holding import TAKEN
from node.chain.writes.limits import PayerLimits
from node.chain.writes.payer_status import PayersStatus
from node.chain.writes.transactor import Transactor
from node.chain.writes.upkeep import PayerReads, Round, Upkeep
from node.errors import ErrorCode, NodeError
from node.keyring.port import Keyring

__all__ = ["PayerPool", "PayersStatus"]

SPACING_S: Final = 1.0
"""Between two rounds at least: many writes that find a payer poor ask for one top-up."""

_log = structlog.get_logger(__name__)


class PayerPool:
    """Payers 0 to `count` - 1 of one instance, and the admin payer that all instances share.

    Two instances never share a payer: the keys follow from the instance's id. Usable once `take_up` has run. `clock` is monotonic seconds.
    """

    _upkeep: Upkeep

    def __init__(
        self,
        keyring: Keyring,
        instance: str,
        reads: PayerReads,
        transactor: Transactor,
        limits: PayerLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reads = reads
        self._transactor = transactor
        self._limits = limits
        self._clock = clock
        self._keys = [keyring.payer(instance, index) for index in range(limits.count)]
        self._admin_key = keyring.admin_payer()
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
        """As of the last round and the writes since; none is ready once another node has taken them over."""
        status = self._upkeep.status()
        if not self._transactor.journal.is_taken:
            return status
        return replace(status, payers=[replace(payer, ready=False) for payer in status.payers], problem=TAKEN)

    async def take_up(self) -> None:
        """Make the lanes: this instance's payers, the admin payer, and whoever else has unfinished writes here."""
        admin = await self._transactor.add_lane(self._admin_key.address, self._admin_key, shared=True)
        lanes = [await self._transactor.add_lane(key.address, key) for key in self._keys]
        known = {lane.address for lane in (admin, *lanes)}
        for address in await self._transactor.journal.payers_with_unfinished():
            if address not in known:
                _log.warning("unfinished writes of a payer that is no longer used are sent again", payer=address)
                await self._transactor.add_lane(address, None)
        self._upkeep = Upkeep(self._transactor, self._reads, admin, lanes, self._limits, self._clock)

    async def start(self) -> None:
        """Register and fund, for at most `setup_timeout_s`; then keep doing so. What is missing shows in `status`."""
        self._transactor.on_poor = self._wanted.set
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.setup_timeout_s):
                ended = Round.OUTBID
                while ended is Round.OUTBID:
                    ended = await self._round()
        self._background.keep(self._keep_going)

    async def stop(self) -> None:
        """Stop; unfinished top-ups are in the journal."""
        await self._background.stop()

    async def rebalance(self) -> Round:
        """One round now (see Upkeep.round)."""
        return await self._upkeep.round()

    async def _keep_going(self) -> None:
        pause_s = self._limits.retry_interval_s
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._wanted.wait()
            self._wanted.clear()
            ended = await self._round()
            pause_s = self._limits.rebalance_interval_s if ended is Round.DONE else self._limits.retry_interval_s
            await self._prune()
            await asyncio.sleep(SPACING_S)

    async def _prune(self) -> None:
        try:
            await self._transactor.follower.prune()
        except NodeError as error:
            _log.warning("finished writes could not be forgotten yet", error=error.code)

    async def _round(self) -> Round:
        try:
            ended = await self._upkeep.round()
        except (RpcError, CallRevertedError, NodeError) as error:
            what = "the ledger's database is out" if _is_out(error) else "the chain does not answer as it should"
            self._upkeep.problem = f"The payers could not be looked after: {what}."
            _log.warning("payers could not be looked after", error=str(error))
            return Round.PROBLEM
        if self._upkeep.problem is not None:
            _log.warning("payers need the operator", problem=self._upkeep.problem)
        return ended


def _is_out(error: Exception) -> bool:
    return isinstance(error, NodeError) and error.code is ErrorCode.BILLING_UNAVAILABLE
