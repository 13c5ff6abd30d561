"""Charged writes: reserve, write, then settle a success and release a failure.

The write's id names its reservation. Without a journaled write it is released at once. With one it
stays, also after a restart (`write_taken_up`), until the journal reports the end (`write_ended`),
which is idempotent. While the journal cannot tell whether it has a write, it is asked again.
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
"""Maximum random values for one write. A further one is needed only if one is in use on chain."""

REVERTED_PER_HOUR: Final = 30
"""Maximum writes of an account that revert on chain. They passed simulation and burn gas without
a charge. Races of honest clients cause a few; conflicting writes on purpose cause one each."""
SENDERS_MAX: Final = 10_000
"""Maximum senders of reverted writes that are remembered. Each has paid at least 500 cents."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """Write as a service requests it.

    `prepare` builds the contract call. It runs after the credit check, and its errors (such as 404)
    cost nothing. `answer` is returned to the client with transaction and block. `caller` is None if
    the request needs no key.
    """

    prepare: Callable[[], Awaitable[ContractCall]]
    caller: Caller | None
    origin: Origin = field(default_factory=Origin)
    answer: Mapping[str, JsonValue] = field(default_factory=dict)


class MeteredWrites:
    """Writes charged to a ledger. Also the journal's WriteObserver.

    A write continues to its end when its client disconnects.
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
        """Does a write that costs `Prices.write_cents`, charged once it is on chain.

        Raises PaymentRequiredError, and the errors of `prepare` and AccountWrites.write.
        """
        with _charge_not_known():
            return await self._running.complete(self._charged(order))

    async def write_unless(
        self, order: WriteOrder, what: Hashable, there: Callable[[], Awaitable[bool]]
    ) -> WriteResult | None:
        """Does a write like `write`, unless `there` says that `what` exists; then free, and None.

        Requests for the same `what` run one after the other, so that simultaneous ones are charged
        once. A repeated request still gets its earlier result. Raises as `write` and `there` do.
        """
        # Without the lock, two simultaneous requests would both find nothing and both pay. Another
        # node may still be first.
        async with self._locks.setdefault(what, asyncio.Lock()):
            with _charge_not_known():
                earlier = await self._earlier(order)
            if earlier is None and await there():
                return None
            return earlier or await self.write(order)

    async def write_free(self, order: WriteOrder) -> WriteResult:
        """Does a write that costs nothing. Its gas comes from the free budget, not the reserve.

        Raises LimitReachedError if the budget is used up, and as `prepare` and AccountWrites.write.
        """
        return await self._running.complete(self._free(order))

    async def write_or_free(self, order: WriteOrder) -> WriteResult:
        """Does a write like `write`, or like `write_free` if the account lacks credit.

        For removals of rights: a leaked key may have spent all credit, and must be removable.
        """
        try:
            return await self.write(order)
        except PaymentRequiredError:
            return await self.write_free(order)

    async def write_drawn(self, draw: Callable[[], WriteOrder], *, free: bool = False) -> WriteResult:
        """Does the write that `draw` makes of a random value, and draws again if it is in use.

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
        """Settles the charge of a write on chain, or releases that of a failed one.

        If the ledger has lost the reservation after a restart, it is made again. If there is no
        credit left, the charge is dropped and logged.
        """
        if not intent.charge:
            return
        charge = Charge.model_validate(intent.charge)
        if result is None:
            await self._ledger.release(intent.write_id)
            return
        try:
            await self._ledger.reserve(charge.spender, intent.write_id, charge.amount_microdollars)
        # The write is on chain and its client knows it, so it cannot be undone.
        except PaymentRequiredError:
            _log.warning("a write that is on chain could not be charged", write_id=intent.write_id)
            return
        await self._ledger.settle(intent.write_id, charge.amount_microdollars, charge.usage(intent.call))

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """Reserves the price of an unfinished write again. Raises as `Ledger.reserve` does."""
        if intent.charge:
            charge = Charge.model_validate(intent.charge)
            await self._ledger.reserve(charge.spender, intent.write_id, charge.amount_microdollars)

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Counts a write that burned gas and is not charged."""
        # Free writes are bounded by the budget of gas.
        if not _is_free(intent):
            self._reverted.spend(_sender_of(Charge.model_validate(intent.charge)))

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """Adds a free write's higher cost to the budget. Raises as `FreeWriteBudget.add`."""
        if _is_free(intent):
            await self._free_writes.add(_part_of(intent), more_wei)

    async def close(self) -> None:
        """Waits for every write that is under way.

        What stays unresolved ends with this process. The journal tells the next one.
        """
        # The writes first, since each may leave a reservation to resolve.
        await self._running.drain()
        await self._unresolved.close()

    async def _charged(self, order: WriteOrder) -> WriteResult:
        if earlier := await self._earlier(order):
            return earlier
        if order.caller is None:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "A write that is charged needs a caller.")
        charge = Charge.of(spender_of(order.caller), self._prices.write_microdollars, order.origin.request_id)
        # Before the reservation, so that a refused request has nothing to release.
        self._reverted.check(_sender_of(charge))
        # A new id for each attempt, since a released cause cannot be reserved again.
        write_id = _new_write_id()
        await self._ledger.reserve(charge.spender, write_id, charge.amount_microdollars)
        try:
            call = await order.prepare()
        except BaseException:
            await self._ledger.release(write_id)
            raise
        intent = _intent(order, write_id, call, charge)
        result = await self._send(intent, order.origin)
        # If the ledger fails here, `write_ended` is repeated until the charge is settled.
        with contextlib.suppress(DomainError):
            if result.write_id == write_id:
                await self._ledger.settle(write_id, charge.amount_microdollars, charge.usage(call))
            else:  # an identical request was first, and is charged under its own id
                await self._ledger.release(write_id)
        return result

    async def _free(self, order: WriteOrder) -> WriteResult:
        if earlier := await self._earlier(order):
            return earlier
        # The budget is checked between simulation and sending, so a failed write takes nothing.
        intent = _intent(order, _new_write_id(), await order.prepare(), None)
        return await self._writes.write(intent, self._gas_for(intent, order.origin))

    def _gas_for(self, intent: WriteIntent, origin: Origin) -> BeforeSending:
        """Returns the step before sending. For a free write, it takes the gas from the budget."""
        if not _is_free(intent):
            return send_at_any_cost

        async def take(cost_wei: int) -> None:
            await self._free_writes.take(_part_of(intent), origin.client, cost_wei)

        return take

    async def _earlier(self, order: WriteOrder) -> WriteResult | None:
        return await self._writes.earlier(order.origin.idempotency_id) if order.origin.idempotency_id else None

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
    """Adds to the error of an undecided write that its charge is not known either."""
    try:
        yield
    except (JournalCommitUnknownError, WriteUnconfirmedError) as error:
        shown = as_node_error(error)
        # For a sent write the transaction's hash says more. It is charged once it is mined.
        was_sent = isinstance(error, WriteUnconfirmedError)
        message = shown.message if was_sent else f"{shown.message} {CHARGE_UNKNOWN}"
        details = {**shown.details, "charged_cents": None}
        raise NodeError(
            shown.code, message, fix=shown.fix, details=details, retry_after_s=shown.retry_after_s
        ) from error


def _new_write_id() -> str:
    return uuid.uuid4().hex


def _sender_of(charge: Charge) -> str:
    """Returns the client for the count of reverted writes. All usage keys of an account share one.

    So no usage key can keep its owner from removing it.
    """
    return charge.account if charge.usage_key is None else f"usage keys of {charge.account}"


def _is_free(intent: WriteIntent) -> bool:
    """Returns whether a write is free. With `billing = off`, its charge is zero."""
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
