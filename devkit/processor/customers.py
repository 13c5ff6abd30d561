"""`/v1/customers`.

Source: https://docs.stripe.com/api/customers.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from devkit.processor.balances import Balances
from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import parameter_invalid, resource_missing
from devkit.processor.identifiers import fresh
from devkit.processor.lists import PAGING_AND_CREATED, listed, page_size
from devkit.processor.objects import Customer

TEXTS = ("description", "email", "name", "phone")
PARAMETERS = frozenset({*TEXTS, "metadata", "balance"})


class Customers:
    """Create, retrieve, change, delete, list and search."""

    def __init__(self, core: Core, balances: Balances) -> None:
        self._core = core
        self._balances = balances

    def routes(self) -> list[Route]:
        """Returns the routes of customers."""
        return [
            Route("POST", "/v1/customers", self.create, PARAMETERS),
            Route("GET", "/v1/customers", self.list, PAGING_AND_CREATED | {"email"}),
            Route("GET", "/v1/customers/search", self.search, frozenset({"query", "limit", "page"})),
            Route("GET", "/v1/customers/{customer}", self.retrieve),
            Route("POST", "/v1/customers/{customer}", self.update, PARAMETERS),
            Route("DELETE", "/v1/customers/{customer}", self.delete),
        ]

    def create(self, call: Call) -> Json:
        """Create a customer. A `balance` other than 0 is its first balance transaction."""
        texts = {name: _text(call, name) for name in TEXTS}
        metadata, balance = call.form.metadata({}), call.form.integer("balance") or 0
        customer = Customer(id=fresh("cus_"), created=self._core.now(), metadata=metadata, **texts)
        self._core.store.customers.put(customer)
        self._core.search.note(customer)
        self._core.events.note("customer.created", customer)
        if balance:
            self._balances.adjust(customer, balance, "usd")
        return customer.shown()

    def list(self, call: Call) -> Json:
        """Returns the customers that are not deleted, newest first."""
        email = call.form.text("email")
        alive = [customer for customer in self._core.store.customers.newest_first() if not customer.deleted]
        wanted = alive if email is None else [customer for customer in alive if customer.email == email]
        return listed(call, self._core.limits, wanted)

    def search(self, call: Call) -> Json:
        """Returns the matching customers of the index."""
        found = self._core.search.find(call.form.required("query"))
        size, page = page_size(call, self._core.limits), call.form.text("page") or "0"
        if not page.isdecimal() or len(page) > len(str(len(found))):
            raise parameter_invalid("Invalid page.", "page")
        start, end = int(page) * size, (int(page) + 1) * size
        more = end < len(found)
        return {
            "object": "search_result",
            "data": [customer.shown() for customer in found[start:end]],
            "has_more": more,
            "next_page": str(int(page) + 1) if more else None,
            "url": call.path,
        }

    def retrieve(self, call: Call) -> Json:
        """Returns a customer."""
        return self._core.store.customers.get(call.ids["customer"]).shown()

    def update(self, call: Call) -> Json:
        """Change what is sent. A new `balance` is reached by a balance transaction."""
        customer = self._alive(call)
        texts = {name: _text(call, name) for name in TEXTS if call.form.has(name)}
        metadata, balance = call.form.metadata(customer.metadata), call.form.integer("balance")
        changes: dict[str, JsonValue] = {**texts, "metadata": dict(metadata)}
        self._change(customer, changes)
        if balance is not None and balance != customer.balance:
            self._balances.adjust(customer, balance - customer.balance, customer.currency or "usd")
        return customer.shown()

    def delete(self, call: Call) -> Json:
        """Mark it deleted, irreversibly."""
        customer = self._alive(call)
        self._core.events.note("customer.deleted", customer)
        customer.deleted = True
        self._core.store.customers.put(customer)
        self._core.search.note(customer)
        return customer.shown()

    def _alive(self, call: Call) -> Customer:
        customer = self._core.store.customers.get(call.ids["customer"])
        if customer.deleted:
            raise resource_missing("customer", customer.id)
        return customer

    def _change(self, customer: Customer, changes: Mapping[str, JsonValue]) -> None:
        before = customer.shown()
        previous = {name: before[name] for name, value in changes.items() if before[name] != value}
        if not previous:
            return
        for name, value in changes.items():
            setattr(customer, name, value)
        self._core.store.customers.put(customer)
        self._core.search.note(customer)
        self._core.events.note("customer.updated", customer, previous)


def _text(call: Call, name: str) -> str | None:
    value = call.form.text(name)
    if name == "email" and value is not None and "@" not in value:
        raise parameter_invalid(f"Invalid email address: {value[:80]}", "email", "email_invalid")
    return value
