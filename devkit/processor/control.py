"""Controls the stand-in for a test or a developer, beside its API."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from devkit.processor.balances import Balances
from devkit.processor.calls import Core
from devkit.processor.dispatch import Dispatcher, Seen
from devkit.processor.disputes import Disputes
from devkit.processor.faults import Faults
from devkit.processor.payments import Outcome, Payments
from devkit.processor.refunds import Refunds
from devkit.processor.store import Store
from devkit.processor.webhooks import Webhooks


class Subjects:
    """The parts that a control changes."""

    def __init__(self, core: Core) -> None:
        self.balances = Balances(core)
        self.disputes = Disputes(core)
        self.payments = Payments(core, self.disputes)
        self.refunds = Refunds(core)


class Control:
    """Faults, webhooks and events outside of the API. Methods raise ApiError if impossible."""

    def __init__(
        self, core: Core, subjects: Subjects, dispatcher: Dispatcher, faults: Faults, webhooks: Webhooks
    ) -> None:
        self.faults = faults
        self.webhooks = webhooks
        self._core = core
        self._subjects = subjects
        self._dispatcher = dispatcher
        self._listen: Callable[[bool], Awaitable[None]] | None = None

    @property
    def store(self) -> Store:
        """All objects of the processor, to read."""
        return self._core.store

    @property
    def seen(self) -> Sequence[Seen]:
        """The requests so far, oldest first."""
        return self._dispatcher.seen

    @property
    def search_lag_s(self) -> float:
        """Lag of the search index."""
        return self._core.search.lag_s

    @search_lag_s.setter
    def search_lag_s(self, seconds: float) -> None:
        self._core.search.lag_s = seconds

    def authorise(self, intent_id: str, outcome: Outcome = "succeeded") -> None:
        """Take the step of a card or crypto payment, as the customer."""
        self._subjects.payments.authorise(self.store.payment_intents.get(intent_id), outcome)
        self.store.flush()

    def dispute(self, charge_id: str, amount: int | None = None) -> str:
        """Take the charge or `amount` cents of it back, as the bank. Returns the dispute's id."""
        charge = self.store.charges.get(charge_id)
        opened = self._subjects.disputes.open(charge, charge.amount if amount is None else amount)
        self.store.flush()
        return opened.id

    def resolve_dispute(self, dispute_id: str, outcome: Literal["won", "lost"], returned: int = 0) -> None:
        """Decide a dispute. For a lost one `returned` cents come back for earlier refunds."""
        dispute = self.store.disputes.get(dispute_id)
        self._subjects.disputes.resolve(dispute, won=outcome == "won", returned=returned)
        self.store.flush()

    def end_refund(self, refund_id: str, outcome: Literal["succeeded", "failed"]) -> None:
        """End a pending refund, or let a refund come back."""
        self._subjects.refunds.end(self.store.refunds.get(refund_id), outcome)
        self.store.flush()

    def grant(self, customer_id: str, cents: int) -> str:
        """Give credit by hand. Returns the id of the balance transaction."""
        customer = self.store.customers.get(customer_id)
        made = self._subjects.balances.adjust(customer, -cents, "usd", description="Granted by hand")
        self.store.flush()
        return made.id

    async def refuse_connections(self) -> None:
        """Stop listening and end every connection, until `accept_connections`."""
        await self._set_listening(listening=False)

    async def accept_connections(self) -> None:
        """Listen again, on the same port."""
        await self._set_listening(listening=True)

    def listens_by(self, listen: Callable[[bool], Awaitable[None]]) -> None:
        """Set the function that starts (True) and stops (False) listening."""
        self._listen = listen

    async def _set_listening(self, *, listening: bool) -> None:
        if self._listen is not None:
            await self._listen(listening)
