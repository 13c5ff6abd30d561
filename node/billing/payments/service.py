"""Card payments of one node: the services for requests, and the background rounds."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog
from prometheus_client import CollectorRegistry

from node.billing.payments.balance_sync import BalanceSync, OperatorCredit
from node.billing.payments.customers import Customers
from node.billing.payments.events import EventHandler, Webhook
from node.billing.payments.intents import PaymentRates, Payments
from node.billing.payments.outbox import FAILURES_MAX, ROWS_AT_ONCE, OutboxSender
from node.billing.payments.settlement import PaymentMetrics, Settlement
from node.billing.payments.sweep import Sweep, each_in_turn
from node.billing.payments.tables import COMPONENT, STEPS, select
from node.database.port import whole
from node.errors import DomainError
from node.keyring.port import Sealer
from node.ledger.port import Postings
from node.processor.port import CardProcessor, ProcessorError
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet
from node.settings.credits import ProcessorSettings

BALANCE_SYNC_INTERVAL_S: Final = 10.0
"""Maximum pause between rounds of the balance sync, unless `processor_sweep_s` is shorter."""

_log = structlog.get_logger(__name__)


class PaymentService:
    """Card payments. Call `open` first. `sealer` encrypts stored e-mail addresses."""

    def __init__(
        self,
        database: Postings,
        processor: CardProcessor,
        registry: CollectorRegistry,
        sealer: Sealer,
        settings: ProcessorSettings | None = None,
        clock: Clock | None = None,
    ) -> None:
        settings, clock = settings or ProcessorSettings(), clock or Clock()
        unix = clock.unix
        self._database = database
        self._sweep_interval_s = settings.processor_sweep_s
        self._clock = clock
        self._metrics = PaymentMetrics(registry, unix)
        self.processor = processor
        self.customers = Customers(database, processor, sealer, unix)
        settlement = Settlement(database, self._metrics, unix)
        rates = PaymentRates(settings, clock.monotonic)
        self.payments = Payments(database, processor, self.customers, settlement, rates, unix)
        self.events = EventHandler(database, settlement, unix)
        self.webhook = Webhook(processor, self.events, self._metrics)
        operator_credit = OperatorCredit(database, processor, self._metrics, unix)
        self._sweep = Sweep(database, processor, self.events, operator_credit, self._metrics, unix)
        self._balance_sync = BalanceSync(database, unix)
        self._outbox = OutboxSender(database, processor, self.customers, clock)

    async def open(self) -> None:
        """Updates tables and old rows. Raises StartupRefusedError, LedgerUnavailableError."""
        await self._database.migrate(COMPONENT, STEPS)
        await self.customers.seal_stored()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sweeps, and syncs balances, until the context ends."""
        await self.open()
        tasks = TaskSet("payments")
        tasks.start(self._every(self._sweep_interval_s, self.sweep))
        tasks.start(self._every(min(BALANCE_SYNC_INTERVAL_S, self._sweep_interval_s), self.sync_balances))
        try:
            yield
        finally:
            await tasks.stop()

    async def sweep(self) -> bool:
        """Runs one round of reconciliation. Returns False if another node is running one.

        Raises ProcessorError, LedgerUnavailableError.
        """
        return await self._sweep.run()

    async def sync_balances(self) -> None:
        """Runs one round of the outbox, for customers and balances. Raises as `sweep` does."""
        try:
            await each_in_turn(self._make_customers, self._balance_sync.compare, self._outbox.send)
        finally:
            # Also after a failure, when the age of the outbox matters.
            await self._measure()

    async def _make_customers(self) -> None:
        await self.customers.make_waiting(ROWS_AT_ONCE, FAILURES_MAX)

    async def _measure(self) -> None:
        (row,) = await select(
            self._database,
            """
            SELECT (SELECT COUNT(*) FROM payments_delta),
                (SELECT COUNT(*) FROM payments_customer WHERE customer IS NULL),
                (SELECT MIN(created_s) FROM payments_delta),
                (SELECT MIN(asked_s) FROM payments_customer WHERE customer IS NULL)
            """,
        )
        oldest = [whole(since) for since in row[2:] if since is not None]
        age_s = max(0.0, self._clock.unix() - min(oldest)) if oldest else 0.0
        self._metrics.outbox(whole(row[0]), whole(row[1]), age_s)

    async def _every(self, pause_s: float, work: Callable[[], Awaitable[object]]) -> None:
        """Repeats `work` without end, also after failures."""
        while True:
            try:
                await work()
            except ProcessorError as error:
                _log.warning("processor_failed", fault=str(error.fault), reason=error.reason)
            except DomainError as error:
                _log.warning("ledger_failed", error=type(error).__name__)
            except Exception as error:  # noqa: BLE001 - a bug in one round must not end all later ones
                _log.error("payments_round_failed", exception=type(error).__name__)
            await self._clock.sleep(pause_s)
