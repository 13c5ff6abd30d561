"""Writes that are paid for: reserve, write, then settle what succeeded and release what did not.

A reservation is named by the write's id. A write that was not journaled is released at once. A journaled one stays
reserved, also after a restart (`write_taken_up`), until the journal reports its end (`write_ended`), whatever the client
was shown. Ending it twice changes nothing. While the journal cannot say whether it has a write, it is asked again.
"""

import asyncio
import contextlib
import uuid
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakValueDictionary

import structlog
from pydantic import JsonValue

from node.api.calls import Origin
from node.api.errors import CHARGE_UNKNOWN, ErrorCode, NodeError, as_node_error
from node.billing.charging import Charge, LedgerRetries, Prices, spender_of
from node.billing.free_writes import FreePart, FreeWriteBudget
from node.chain.errors import (
    ContractConflictError,
    JournalCommitUnknownError,
    WriteRepeatedError,
    WriteUnconfirmedError,
)
from node.chain.port import (
    AccountWrites,
    BeforeSending,
    ContractCall,
    WriteIntent,
    WriteResult,
    send_at_any_cost,
)
from node.errors import DomainError
from node.ledger.errors import PaymentRequiredError
from node.ledger.port import Ledger
from node.permissions.grants import Caller
from node.runtime.clock import Clock
from node.runtime.limits import HOUR_S, TokenBuckets
from node.runtime.tasks import TaskSet

MAX_DRAWS: Final = 3
"""Random values drawn for one write. Each further one is needed only if the one before is taken on chain."""

REVERTED_PER_HOUR: Final = 30
"""Writes of an account that may revert on chain. Such a write passed its simulation, burned gas and is not charged: honest
clients that race each other cause a few, and a client that sends conflicting writes on purpose causes one for each."""
SENDERS_MAX: Final = 10_000
"""Senders of reverted writes that are remembered. Each has credit, of which the least payment is 500 cents."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """Write as a subject asks for it.

    `prepare` builds the contract call; what it raises (404 of something it looked up, say) comes after the
    credit check and costs nothing. `answer` is what the client is shown besides transaction and block.
    `caller` is None for what needs no key.
    """

    prepare: Callable[[], Awaitable[ContractCall]]
    caller: Caller | None
    origin: Origin = field(default_factory=Origin)
    answer: Mapping[str, JsonValue] = field(default_factory=dict)


class MeteredWrites:
    """Writes against a ledger. Also the journal's WriteObserver for everything that is charged.

    A client that hangs up changes nothing: what was begun is carried to its end.
    """

    def __init__(
        self,
        writes: AccountWrites,
        ledger: Ledger,
        prices: Prices,
        free_writes: FreeWriteBudget,
        clock: Clock | None = None,
    ) -> None:
        clock = clock or Clock()
        self._writes = writes
        self._ledger = ledger
        self._prices = prices
        self._free_writes = free_writes
        self._reverted = TokenBuckets(
            "writes of this account reverted on chain", REVERTED_PER_HOUR, HOUR_S, clock.monotonic, SENDERS_MAX
        )
        self._running = TaskSet("metered_writes")
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._unresolved = LedgerRetries(clock.sleep)

    async def write(self, order: WriteOrder) -> WriteResult:
        """Do a write that costs `Prices.write_cents`, charged when it is on chain.

        Raises PaymentRequiredError, what `prepare` raises, and what AccountWrites.write raises.
        """
        with _charge_not_known():
            return await self._running.complete(self._charged(order))

    async def write_unless(
        self, order: WriteOrder, what: Hashable, there: Callable[[], Awaitable[bool]]
    ) -> WriteResult | None:
        """Do a write as `write` does, unless `what` it would bring about is `there`: then None, and free.

        Requests for the same `what` run one after the other, so that simultaneous ones are charged once. A repeated
        request gets the result of its earlier write all the same. Raises as `write` does, and what `there` raises.
        """
        # Check and write under one lock: two requests that both find nothing would both pay. Other nodes may still be
        # first.
        async with self._locks.setdefault(what, asyncio.Lock()):
            with _charge_not_known():
                earlier = await self._earlier(order)
            if earlier is None and await there():
                return None
            return earlier or await self.write(order)

    async def write_free(self, order: WriteOrder) -> WriteResult:
        """Do a write that costs nothing: its gas is taken from the budget of free writes, never from that kept for paid ones.

        Raises LimitReachedError when the budget is used up, and what `prepare` and AccountWrites.write raise.
        """
        return await self._running.complete(self._free(order))

    async def write_or_free(self, order: WriteOrder) -> WriteResult:
        """Do a write as `write` does, and as `write_free` when the account lacks the credit.

        For what takes a right away: a leaked key may have spent all there was, and must be removed all the same.
        """
        try:
            return await self.write(order)
        except PaymentRequiredError:
            return await self.write_free(order)

    async def write_drawn(self, draw: Callable[[], WriteOrder], *, free: bool = False) -> WriteResult:
        """Do the write that `draw` makes of a fresh random value; draw again when that value is taken on chain.

        Raises as `write` does.
        """
        write = self.write_free if free else self.write
        for _ in range(MAX_DRAWS - 1):
            try:
                return await write(draw())
            except (ContractConflictError, WriteRepeatedError):
                continue
        return await write(draw())

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        """Settle the charge of a write that is on chain, release that of one that never will be.

        After a restart with a ledger that forgot the reservation it is made again first; credit that is gone by
        then is not pursued, but logged.
        """
        if not intent.charge:
            return
        charge = Charge.model_validate(intent.charge)
        if result is None:
            await self._ledger.release(intent.write_id)
            return
        try:
            await self._ledger.reserve(charge.spender, intent.write_id, charge.amount_microdollars)
        # The write is on chain either way, and its client was told so: there is nothing to take back.
        except PaymentRequiredError:
            _log.warning("a write that is on chain could not be charged", write_id=intent.write_id)
            return
        await self._ledger.settle(intent.write_id, charge.amount_microdollars, charge.usage(intent.call))

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """Set the price of an unfinished write aside again, before anyone else can spend it. Raises as `Ledger.reserve`."""
        if intent.charge:
            charge = Charge.model_validate(intent.charge)
            await self._ledger.reserve(charge.spender, intent.write_id, charge.amount_microdollars)

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Count a write that burned gas and is not charged."""
        # A free write is bounded by the gas that it took from the budget.
        if not _is_free(intent):
            self._reverted.spend(_sender_of(Charge.model_validate(intent.charge)))

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """Count what a free write may cost beyond what was taken for it. Raises as `FreeWriteBudget.add`."""
        if _is_free(intent):
            await self._free_writes.add(_part_of(intent), more_wei)

    async def close(self) -> None:
        """Wait for every write that is under way.

        What stays unresolved ends with this process: the journal tells the next one which writes it has.
        """
        # The writes first: each may leave a reservation that is to be resolved.
        await self._running.drain()
        await self._unresolved.close()

    async def _charged(self, order: WriteOrder) -> WriteResult:
        if earlier := await self._earlier(order):
            return earlier
        if order.caller is None:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "A write that is charged needs a caller.")
        charge = Charge.of(spender_of(order.caller), self._prices.write_microdollars, order.origin.request_id)
        # Before the reservation: a refused request leaves nothing to release.
        self._reverted.check(_sender_of(charge))
        # A fresh id for each attempt: a cause that was released cannot be reserved again.
        write_id = _new_write_id()
        await self._ledger.reserve(charge.spender, write_id, charge.amount_microdollars)
        call = await self._prepare(order, write_id)
        intent = _intent(order, write_id, call, charge)
        result = await self._send(intent, order.origin)
        # The client learns of a write that is on chain whatever the ledger says: `write_ended` is repeated until it is settled.
        with contextlib.suppress(DomainError):
            if result.write_id == write_id:
                await self._ledger.settle(write_id, charge.amount_microdollars, charge.usage(call))
            else:  # a twin of this request was first, and pays under its own id
                await self._ledger.release(write_id)
        return result

    async def _free(self, order: WriteOrder) -> WriteResult:
        if earlier := await self._earlier(order):
            return earlier
        # Nothing is reserved: the budget is asked between simulation and sending, so a write that fails takes nothing.
        intent = _intent(order, _new_write_id(), await order.prepare(), None)
        return await self._writes.write(intent, self._gas_for(intent, order.origin))

    def _gas_for(self, intent: WriteIntent, origin: Origin) -> BeforeSending:
        """Return the step before sending: none for a paid write, else taking its gas from the budget."""
        if not _is_free(intent):
            return send_at_any_cost

        async def take(cost_wei: int) -> None:
            await self._free_writes.take(_part_of(intent), origin.client, cost_wei)

        return take

    async def _earlier(self, order: WriteOrder) -> WriteResult | None:
        return await self._writes.earlier(order.origin.idempotency_id) if order.origin.idempotency_id else None

    async def _prepare(self, order: WriteOrder, write_id: str) -> ContractCall:
        try:
            return await order.prepare()
        except BaseException:
            await self._ledger.release(write_id)
            raise

    async def _send(self, intent: WriteIntent, origin: Origin) -> WriteResult:
        try:
            return await self._writes.write(intent, self._gas_for(intent, origin))
        except Exception:
            write_id = intent.write_id
            try:
                # The reservation of a journaled write stays until `write_ended`.
                await self._resolve(write_id)
            except DomainError:
                _log.warning(
                    "the journal does not tell whether a write is in it; its reservation stays", write_id=write_id
                )
                # A release now could make a write free that is on its way to the chain.
                self._unresolved.add(write_id, lambda: self._resolve(write_id))
            raise

    async def _resolve(self, write_id: str) -> None:
        if not await self._writes.is_journaled(write_id):
            await self._ledger.release(write_id)


@contextlib.contextmanager
def _charge_not_known() -> Iterator[None]:
    """Say of a write of which nobody knows yet whether it is carried out that its charge is not known either."""
    try:
        yield
    except (JournalCommitUnknownError, WriteUnconfirmedError) as error:
        shown = as_node_error(error)
        # Of a write that was sent the hash of its transaction says more: it is charged once that is mined.
        was_sent = isinstance(error, WriteUnconfirmedError)
        message = shown.message if was_sent else f"{shown.message} {CHARGE_UNKNOWN}"
        details = {**shown.details, "charged_cents": None}
        raise NodeError(
            shown.code, message, fix=shown.fix, details=details, retry_after_s=shown.retry_after_s
        ) from error


def _new_write_id() -> str:
    return uuid.uuid4().hex


def _sender_of(charge: Charge) -> str:
    """Client under which reverted writes are counted: the account key, apart from all usage keys of the account.

    So no usage key can keep its owner from removing it.
    """
    return charge.account if charge.usage_key is None else f"usage keys of {charge.account}"


def _is_free(intent: WriteIntent) -> bool:
    """Return whether nobody pays for a write. Where writes have no price (`billing = off`) a charge of nothing is as good as none."""
    return not intent.charge or Charge.model_validate(intent.charge).amount_microdollars == 0


def _part_of(intent: WriteIntent) -> FreePart:
    return FreePart.SIGN_UP if intent.caller_hash is None else FreePart.ACCOUNT


def _intent(order: WriteOrder, write_id: str, call: ContractCall, charge: Charge | None) -> WriteIntent:
    return WriteIntent(
        write_id=write_id,
        call=call,
        caller_hash=None if order.caller is None else order.caller.key_hash,
        idempotency_id=order.origin.idempotency_id,
        answer=order.answer,
        charge={} if charge is None else charge.to_json(),
        may_use_reserve=charge is not None,
    )
