"""The payments room, put together: what requests call, and what works beside them."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog
from prometheus_client import CollectorRegistry

from node.billing.payments.abandoned import Abandoned
from node.billing.payments.customers import Customers
from node.billing.payments.delivery import Delivery
from node.billing.payments.events import EventHandler
from node.billing.payments.grants import Grants
from node.billing.payments.in_turn import each_in_turn
from node.billing.payments.intents import Payments
from node.billing.payments.limits import MirrorLimits, PaymentLimits
from node.billing.payments.metrics import PaymentMetrics
from node.billing.payments.mirror import Mirror
from node.billing.payments.pace import Pace
from node.billing.payments.rates import PaymentRates
from node.billing.payments.rows import select, whole
from node.billing.payments.settling import Settling
from node.billing.payments.sweep import Sweep, SweepParts
from node.billing.payments.tables import COMPONENT, STEPS
from node.billing.payments.webhook import Webhook
from node.errors import NodeError
from node.ledger.port import Postings
from node.processor.port import CardProcessor, ProcessorError

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Clocks:
    """`unix` and `monotonic` in seconds; `sleep` waits so many."""

    unix: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """The limits of the room's parts."""

    payments: PaymentLimits = field(default_factory=PaymentLimits)
    mirror: MirrorLimits = field(default_factory=MirrorLimits)


class PaymentsRoom:
    """Card payments of one node. To be opened before anything else is called."""

    def __init__(
        self,
        books: Postings,
        processor: CardProcessor,
        registry: CollectorRegistry,
        limits: RoomLimits | None = None,
        clocks: Clocks | None = None,
    ) -> None:
        limits, clocks = limits or RoomLimits(), clocks or Clocks()
        payments, clock = limits.payments, clocks.unix
        self._books = books
        self._limits = limits
        self._clocks = clocks
        self._metrics = PaymentMetrics(registry, clock)
        self.processor = processor
        self.customers = Customers(books, processor, payments, clock)
        settling = Settling(books, self._metrics, clock)
        rates = PaymentRates(payments, clocks.monotonic)
        self.payments = Payments(books, processor, self.customers, settling, payments, clock, rates)
        self.events = EventHandler(books, settling, clock)
        self.webhook = Webhook(processor, self.events, self._metrics, payments.webhook_max_bytes)
        grants = Grants(books, processor, self._metrics, payments, clock)
        abandoned = Abandoned(books, payments, clock)
        parts = SweepParts(books, processor, self.events, settling, grants, abandoned, self._metrics)
        self._sweep = Sweep(parts, payments, clock)
        self._mirror = Mirror(books, limits.mirror, clock)
        pace = Pace(limits.mirror.per_second, clocks.monotonic, clocks.sleep)
        self._delivery = Delivery(books, processor, self.customers, pace, (payments, limits.mirror), clock)

    async def open(self) -> None:
        """Bring the tables up to date. Raises StartupRefusedError, NodeError `billing_unavailable`."""
        await self._books.migrate(COMPONENT, STEPS)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sweep and tell the processor until the context ends."""
        await self.open()
        tasks = [
            asyncio.create_task(self._every(self._limits.payments.sweep_s, self.sweep)),
            asyncio.create_task(self._every(self._limits.mirror.every_s, self.tell)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def sweep(self) -> bool:
        """One round of reconciliation; False when another node is at it. Raises ProcessorError, NodeError `billing_unavailable`."""
        return await self._sweep.run()

    async def tell(self) -> None:
        """One round of the outbox: customers that are waited for, then balances. Raises as `sweep` does."""
        try:
            await each_in_turn(self._make_customers, self._mirror.compare, self._delivery.deliver)
        finally:
            await self._measure()

    async def _make_customers(self) -> None:
        limits = self._limits.mirror
        await self.customers.make_waiting(limits.rows, limits.failures)

    async def _measure(self) -> None:
        (row,) = await select(
            self._books,
            """
            SELECT (SELECT COUNT(*) FROM payments_delta),
                (SELECT COUNT(*) FROM payments_customer WHERE customer IS NULL),
                (SELECT MIN(created_s) FROM payments_delta),
                (SELECT MIN(asked_s) FROM payments_customer WHERE customer IS NULL)
            """,
        )
        oldest = [whole(since) for since in row[2:] if since is not None]
        age_s = max(0.0, self._clocks.unix() - min(oldest)) if oldest else 0.0
        self._metrics.outbox(whole(row[0]), whole(row[1]), age_s)

    async def _every(self, pause_s: float, work: Callable[[], Awaitable[object]]) -> None:
        """Again and again: nothing that one round fails at ends the next one."""
        while True:
            try:
                await work()
            except ProcessorError as error:
                _log.warning("processor_failed", fault=str(error.fault), reason=error.reason)
            except NodeError as error:
                _log.warning("ledger_failed", error=str(error.code))
            except Exception as error:  # noqa: BLE001 - a bug in one round must not end all later ones
                _log.error("payments_round_failed", exception=type(error).__name__)
            await self._clocks.sleep(pause_s)
