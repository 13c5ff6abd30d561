"""`/v1/account` and `/v1/balance`, which check a key.

Source: https://docs.stripe.com/api/accounts and https://docs.stripe.com/api/balance.
"""

from typing import Final

from pydantic import JsonValue

from devkit.processor.calls import Call, Core, Json, Route

ACCOUNT: Final = "acct_1LocalStandIn0000"


class Account:
    """The account of the keys."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Returns the routes of the account."""
        return [Route("GET", "/v1/account", self.retrieve), Route("GET", "/v1/balance", self.balance)]

    def retrieve(self, call: Call) -> Json:
        """Returns the account, which says that it is a stand-in."""
        del call
        return {
            "id": ACCOUNT,
            "object": "account",
            "charges_enabled": True,
            "country": "US",
            "default_currency": "usd",
            "details_submitted": True,
            "email": None,
            "payouts_enabled": False,
            "settings": {"dashboard": {"display_name": "Local stand-in, no money moves", "timezone": "Etc/UTC"}},
            "type": "standard",
        }

    def balance(self, call: Call) -> Json:
        """Returns the sum collected and neither refunded nor taken back, without fees."""
        del call
        store = self._core.store
        collected = sum(charge.amount_captured - charge.amount_refunded for charge in store.charges.oldest_first())
        disputed = sum(
            dispute.amount for dispute in store.disputes.oldest_first() if dispute.status in ("needs_response", "lost")
        )
        available: list[JsonValue] = [{"amount": collected - disputed, "currency": "usd"}]
        return {"object": "balance", "available": available, "livemode": False, "pending": []}
