"""The door of the room: `AccountWrites` and `WriteRecall` over journal, payers and chain."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog

from node.chain.contract_errors import revert_to_node_error
from node.chain.port import BeforeSending, RecalledWrite, WriteIntent, WriteResult, send_at_any_cost
from node.chain.rpc import CallRevertedError, RpcError, chain_unavailable
from node.chain.writes.background import Background
from node.chain.writes.conclusion import result_of
from node.chain.writes.journal import DuplicateWriteError
from node.chain.writes.lane import Lane
from node.chain.writes.limits import PayerLimits, WriteLimits
from node.chain.writes.model import Failed, JournaledWrite, OpenWrite, Outcome, Purpose
from node.chain.writes.no_payer import no_payer
from node.chain.writes.preflight import Flight
from node.chain.writes.transactor import Transactor
from node.errors import ErrorCode, NodeError

FIRST_LOOK_S: Final = 0.02
"""After which the journal is first asked again for the end of another instance's write; each later pause is doubled."""

PAYER_REFUSALS: Final = frozenset({"NoAccountAccess", "OnlyApiPayer"})
"""Reverts by which the contract refuses a sender that is no payer (any more); the first also one of an unmanaged account."""

_log = structlog.get_logger(__name__)


class AccountWriter:
    """Implements AccountWrites and WriteRecall. `clock` gives unix seconds."""

    def __init__(
        self,
        transactor: Transactor,
        limits: WriteLimits,
        payers: PayerLimits,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._transactor = transactor
        self._limits = limits
        self._payers = payers
        self._clock = clock
        self._launching = Background()

    async def write(self, intent: WriteIntent, before_sending: BeforeSending = send_at_any_cost) -> WriteResult:
        """Simulate, journal, send and wait for the receipt (see AccountWrites.write for what is raised)."""
        try:
            lane, flight = await self._cleared(intent, self._clock() + self._limits.queue_timeout_s)
            await self._admitted(lane, flight, before_sending)
            write = await self._launched(lane, flight, intent)
        except CallRevertedError as reverted:
            self._look_at_payers_after(reverted)
            return await self._twin_of(intent) or _raise(self._refusal(reverted, intent))
        except DuplicateWriteError:
            return await self._twin_of(intent) or _raise(_duplicate())
        except RpcError as error:
            raise chain_unavailable(error) from error
        except NodeError as error:
            if error.code is not ErrorCode.BILLING_UNAVAILABLE:
                raise
            raise _not_journaled(error) from error
        return _answer(write.row, await self._outcome(write, self._clock() + self._limits.receipt_timeout_s))

    async def earlier(self, idempotency_id: str) -> WriteResult | None:
        """The end of the write an earlier request with this id journaled (see AccountWrites.earlier)."""
        found = await self.recall(idempotency_id)
        if found is None or (found.failure is not None and found.failure.code is ErrorCode.CHAIN_UNAVAILABLE):
            return None
        if found.failure is not None:
            raise found.failure
        return found.result

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:
        """The end of the write journaled under this id (see WriteRecall.recall)."""
        deadline = self._clock() + self._limits.receipt_timeout_s
        row = await self._transactor.journal.find(idempotency_id)
        if row is None:
            return None
        outcome = row.outcome
        if outcome is None and (write := self._transactor.lanes.find(row.payer, row.nonce)) is not None:
            outcome = await self._outcome(write, deadline)
        if outcome is None:
            outcome = await self._noted(idempotency_id, row, deadline)
        result, failure = result_of(row, outcome), outcome.error if isinstance(outcome, Failed) else None
        if result is not None:
            # It may have ended before a restart: whoever is told of it now is shown it by the next call all the same.
            self._transactor.chain.floor.raise_to(result.block_number)
        return RecalledWrite(result.answer if result else {}, result, failure, row.journaled_at)

    async def is_journaled(self, write_id: str) -> bool:
        """Whether the write of this id is journaled (see AccountWrites.is_journaled)."""
        return await self._transactor.journal.has(write_id)

    async def stop(self) -> None:
        """Wait until no write is between its simulation and the journal."""
        await self._launching.drain()

    async def _noted(self, idempotency_id: str, row: JournaledWrite, deadline: float) -> Outcome:
        """The end of a write that nobody follows here: of another instance, or noted after its row was read."""
        latest, pause_s = row, FIRST_LOOK_S
        while latest.outcome is None:
            left_s = deadline - self._clock()
            if left_s <= 0:
                raise _timeout(latest.attempts[-1].hash)
            await asyncio.sleep(min(pause_s, left_s))
            pause_s = min(2 * pause_s, self._limits.poll_max_s)
            latest = await self._transactor.journal.find(idempotency_id) or latest
        return latest.outcome

    async def _cleared(self, intent: WriteIntent, deadline: float) -> tuple[Lane, Flight]:
        """A payer that can afford it and a simulation by that very payer; the lane is to be given back."""
        keep = 0 if intent.may_use_reserve else self._payers.reserve_wei
        chain, needed = self._transactor.chain, keep
        data = chain.abi.encode_call(intent.call.function, intent.call.arguments)
        while True:
            lane = await self._lane(needed, deadline)
            try:
                gas_max = self._limits.gas_limit_max
                flight = await self._transactor.preflight(lane, chain.contract, data, gas_max=gas_max)
            except BaseException:
                await self._transactor.lanes.give_back(lane)
                raise
            if lane.available_wei >= keep + flight.cost_max:
                return lane, flight
            needed = keep + flight.cost_max
            await self._transactor.lanes.give_back(lane)
            self._transactor.on_poor()

    async def _admitted(self, lane: Lane, flight: Flight, before_sending: BeforeSending) -> None:
        try:
            await before_sending(flight.cost_max)
        except BaseException:
            await self._transactor.lanes.give_back(lane)
            raise

    async def _lane(self, needed_wei: int, deadline: float) -> Lane:
        try:
            async with asyncio.timeout(deadline - self._clock()):
                lane = await self._transactor.lanes.take(needed_wei)
        except TimeoutError:
            raise _overloaded() from None
        if lane is None:
            self._transactor.on_poor()
            raise no_payer(self._transactor.lanes)
        return lane

    async def _launched(self, lane: Lane, flight: Flight, intent: WriteIntent) -> OpenWrite:
        """Journal and send, to its end even when the caller goes away."""
        launched: asyncio.Future[OpenWrite] = asyncio.get_running_loop().create_future()

        async def launch() -> None:
            try:
                write = await self._transactor.launch(lane, flight, Purpose.ACCOUNT, intent)
            except Exception as error:  # noqa: BLE001 - raised to the caller
                if not launched.cancelled():
                    launched.set_exception(error)
            else:
                if not launched.cancelled():
                    launched.set_result(write)
            finally:
                await self._transactor.lanes.give_back(lane)

        self._launching.start(launch())
        return await launched

    async def _outcome(self, write: OpenWrite, deadline: float) -> Outcome:
        await asyncio.wait([write.ended], timeout=max(0.0, deadline - self._clock()))
        if not write.ended.done():
            raise _timeout(write.latest.hash)
        return write.ended.result()

    async def _twin_of(self, intent: WriteIntent) -> WriteResult | None:
        """What a twin of this request did in the meantime."""
        return await self.earlier(intent.idempotency_id) if intent.idempotency_id else None

    def _look_at_payers_after(self, reverted: CallRevertedError) -> None:
        """Have the payers looked at when the contract does not take this one: it may have lost them all just now."""
        error = self._transactor.chain.abi.decode_error(reverted.data)
        if error is not None and error.name in PAYER_REFUSALS:
            self._transactor.on_poor()

    def _refusal(self, reverted: CallRevertedError, intent: WriteIntent) -> NodeError:
        abi = self._transactor.chain.abi
        return revert_to_node_error(abi, reverted.data, intent.caller_hash, intent.call.function)


def _raise(error: NodeError) -> WriteResult:
    raise error


def _answer(row: JournaledWrite, outcome: Outcome) -> WriteResult:
    if isinstance(outcome, Failed):
        raise outcome.error
    result = result_of(row, outcome)
    assert result is not None  # noqa: S101 - only a failed write has none
    return result


def _timeout(transaction_hash: str) -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_TIMEOUT,
        "The transaction was sent and is not confirmed yet; it is followed further.",
        fix="Repeat the request with the same Idempotency-Key to get the final answer, or look the transaction up.",
        details={"transaction_hash": transaction_hash},
        retry_after_s=5,
    )


def _duplicate() -> NodeError:
    return NodeError(ErrorCode.CONFLICT, "This write has been made already.", fix="Read the state before repeating it.")


def _not_journaled(out: NodeError) -> NodeError:
    return NodeError(
        out.code,
        "The ledger's database, where writes are noted before they are sent, cannot be reached, so this one was not "
        "sent; nothing was changed and nothing was charged.",
        fix="Try again after `Retry-After` seconds.",
        retry_after_s=out.retry_after_s,
    )


def _overloaded() -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        "Too many writes wait for the chain; nothing was changed and nothing was charged.",
        fix="Try again later.",
        retry_after_s=5,
    )
