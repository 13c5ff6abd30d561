"""The processor's lists, gathered page by page from its own lists: its search index lags (https://docs.stripe.com/search)."""

from collections.abc import Sequence
from typing import Final

from stripe import StripeClient
from stripe.params import (
    CustomerBalanceTransactionListParams,
    CustomerListParams,
    EventListParams,
    PaymentIntentListParams,
)

from node.processor.events import EVENT_TYPES
from node.processor.exchange import Answered, Exchange
from node.processor.shapes import BalanceTransactionShape, CustomerShape, EventShape, IntentShape, ListShape

PAGE: Final = 100
"""The most one page lists."""


class Listings:
    """Everything since a time, oldest first; times are unix seconds. Every method raises ProcessorError."""

    def __init__(self, client: StripeClient, exchange: Exchange) -> None:
        self._v1 = client.v1
        self._exchange = exchange

    async def customers(self, created_s: int) -> Sequence[CustomerShape]:
        """Customers made since."""

        async def page(cursor: str | None) -> Answered:
            asked: CustomerListParams = {"created": {"gte": created_s}, "limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._v1.customers.list_async(asked)

        return (await self._exchange.newest_first(page, ListShape[CustomerShape]))[::-1]

    async def intents(self, created_s: int) -> Sequence[IntentShape]:
        """Payments begun since."""

        async def page(cursor: str | None) -> Answered:
            asked: PaymentIntentListParams = {"created": {"gte": created_s}, "limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._v1.payment_intents.list_async(asked)

        return (await self._exchange.newest_first(page, ListShape[IntentShape]))[::-1]

    async def events(self, created_s: int) -> Sequence[EventShape]:
        """Events since, of the kinds that are read."""

        async def page(cursor: str | None) -> Answered:
            asked: EventListParams = {"created": {"gte": created_s}, "types": list(EVENT_TYPES), "limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._v1.events.list_async(asked)

        return (await self._exchange.newest_first(page, ListShape[EventShape]))[::-1]

    async def balance_transactions(self, customer: str) -> Sequence[BalanceTransactionShape]:
        """All changes of a customer's balance."""

        async def page(cursor: str | None) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._v1.customers.balance_transactions.list_async(customer, asked)

        return (await self._exchange.newest_first(page, ListShape[BalanceTransactionShape]))[::-1]

    async def later_balance_transactions(self, customer: str, after: str) -> Sequence[BalanceTransactionShape]:
        """Those that came after one of them."""

        async def page(cursor: str) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE, "ending_before": cursor}
            return await self._v1.customers.balance_transactions.list_async(customer, asked)

        return await self._exchange.oldest_first(page, ListShape[BalanceTransactionShape], after)
