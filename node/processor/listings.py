"""The processor's lists, gathered page by page from its own lists: its search index lags (https://docs.stripe.com/search)."""

from collections.abc import Sequence
from typing import Final

from stripe import StripeClient, StripeResponse
from stripe.params import CustomerBalanceTransactionListParams

from node.processor.events import LISTED_TYPES
from node.processor.exchange import Answered, Exchange
from node.processor.shapes import (
    AnyShape,
    BalanceTransactionShape,
    CustomerShape,
    EventShape,
    IntentShape,
    ListShape,
    TakenBackShape,
)

PAGE: Final = 100
"""Largest page that the processor lists."""


class Listings:
    """Lists everything since a time, oldest first; times are unix seconds. Every method raises ProcessorError."""

    def __init__(self, client: StripeClient, exchange: Exchange) -> None:
        self._client = client
        self._balances = client.v1.customers.balance_transactions
        self._exchange = exchange

    async def customers(self, created_s: int) -> Sequence[CustomerShape]:
        """Return customers made since."""
        return await self._since("/v1/customers", created_s, ListShape[CustomerShape])

    async def intents(self, created_s: int) -> Sequence[IntentShape]:
        """Return payments begun since."""
        return await self._since("/v1/payment_intents", created_s, ListShape[IntentShape])

    async def events(self, created_s: int) -> Sequence[EventShape]:
        """Return events since of payments, refunds and disputes."""
        return await self._since("/v1/events", created_s, ListShape[EventShape], types=list(LISTED_TYPES))

    async def refunds(self, created_s: int) -> Sequence[TakenBackShape]:
        """Return refunds made since: https://docs.stripe.com/api/refunds/list."""
        return await self._since("/v1/refunds", created_s, ListShape[TakenBackShape])

    async def disputes(self, created_s: int) -> Sequence[TakenBackShape]:
        """Return disputes opened since: https://docs.stripe.com/api/disputes/list."""
        return await self._since("/v1/disputes", created_s, ListShape[TakenBackShape])

    async def _since(
        self, path: str, created_s: int, shape: type[ListShape[AnyShape]], **filters: list[str]
    ) -> Sequence[AnyShape]:
        """Gather a list."""
        # Raw responses: the library would block the event loop for 25 ms to make objects of a page of events.

        async def page(cursor: str | None) -> StripeResponse:
            following = {} if cursor is None else {"starting_after": cursor}
            asked = {"created": {"gte": created_s}, "limit": PAGE, **filters, **following}
            answer: StripeResponse = await self._client.raw_request_async("get", path, **asked)
            return answer

        return (await self._exchange.newest_first(page, shape))[::-1]

    async def balance_transactions(self, customer: str) -> Sequence[BalanceTransactionShape]:
        """Return all changes of a customer's balance."""

        async def page(cursor: str | None) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._balances.list_async(customer, asked)

        return (await self._exchange.newest_first(page, ListShape[BalanceTransactionShape]))[::-1]

    async def later_balance_transactions(self, customer: str, after: str) -> Sequence[BalanceTransactionShape]:
        """Return the changes after one of them."""

        async def page(cursor: str) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE, "ending_before": cursor}
            return await self._balances.list_async(customer, asked)

        return await self._exchange.oldest_first(page, ListShape[BalanceTransactionShape], after)
