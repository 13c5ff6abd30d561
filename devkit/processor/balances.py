"""`/v1/customers/ID/balance_transactions`, the balance of a customer, negative for credit.

Source: https://docs.stripe.com/api/customer_balance_transactions.
"""

from collections.abc import Mapping

from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import parameter_invalid, resource_missing
from devkit.processor.identifiers import fresh
from devkit.processor.lists import PAGING_AND_CREATED, listed
from devkit.processor.objects import BalanceTransaction, Customer

PATH = "/v1/customers/{customer}/balance_transactions"


class Balances:
    """Create, retrieve, change and list. Every entry moves the customer's `balance`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Returns the routes of customers' balance transactions."""
        changeable = frozenset({"description", "metadata"})
        return [
            Route("POST", PATH, self.create, changeable | {"amount", "currency"}),
            Route("GET", PATH, self.list, PAGING_AND_CREATED),
            Route("GET", PATH + "/{transaction}", self.retrieve),
            Route("POST", PATH + "/{transaction}", self.update, changeable),
        ]

    def create(self, call: Call) -> Json:
        """Adjust the balance by `amount`."""
        form = call.form
        amount, currency, metadata = form.required_integer("amount"), form.required("currency"), form.metadata({})
        customer = self._customer(call)
        made = self.adjust(customer, amount, currency, description=form.text("description"), metadata=metadata)
        return made.shown()

    def adjust(
        self,
        customer: Customer,
        amount: int,
        currency: str,
        *,
        description: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> BalanceTransaction:
        """Move the customer's balance. Raises ApiError 400 for another currency."""
        currency = currency.lower()
        if currency != (customer.currency or "usd"):
            raise parameter_invalid(f"The customer's balance is not kept in {currency[:8]}.", "currency")
        previous = {"balance": customer.balance}
        customer.balance += amount
        customer.currency = currency
        made = BalanceTransaction(
            id=fresh("cbtxn_"),
            created=self._core.now(),
            amount=amount,
            currency=currency,
            customer=customer.id,
            description=description,
            ending_balance=customer.balance,
            metadata=dict(metadata or {}),
        )
        self._core.store.balance_transactions.put(made)
        self._core.store.customers.put(customer)
        self._core.search.note(customer)
        self._core.events.note("customer.updated", customer, previous)
        return made

    def list(self, call: Call) -> Json:
        """Returns the customer's entries, newest first."""
        customer = self._customer(call)
        return listed(
            call,
            self._core.limits,
            [made for made in self._core.store.balance_transactions.newest_first() if made.customer == customer.id],
        )

    def retrieve(self, call: Call) -> Json:
        """Returns an entry."""
        return self._entry(call).shown()

    def update(self, call: Call) -> Json:
        """Change its description or metadata, but not its amount."""
        made = self._entry(call)
        made.metadata = call.form.metadata(made.metadata)
        if call.form.has("description"):
            made.description = call.form.text("description")
        self._core.store.balance_transactions.put(made)
        return made.shown()

    def _customer(self, call: Call) -> Customer:
        customer = self._core.store.customers.get(call.ids["customer"])
        if customer.deleted:
            raise resource_missing("customer", customer.id)
        return customer

    def _entry(self, call: Call) -> BalanceTransaction:
        made = self._core.store.balance_transactions.get(call.ids["transaction"])
        if made.customer != call.ids["customer"]:
            raise resource_missing("customer_balance_transaction", made.id)
        return made
