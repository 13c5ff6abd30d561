"""Clients of the local card processor: the real `stripe` library, and a browser."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import stripe

from devkit.processor.server import LocalProcessor


@contextlib.asynccontextmanager
async def client(local: LocalProcessor, key: str, retries: int = 0) -> AsyncIterator[stripe.StripeClient]:
    """Stripe's own client, pointed at the local processor."""
    http = stripe.AIOHTTPClient(timeout=10)
    made = stripe.StripeClient(key, base_addresses={"api": local.url}, http_client=http, max_network_retries=retries)
    try:
        yield made
    finally:
        await http.close_async()  # type: ignore[no-untyped-call]


async def intent_of(
    api: stripe.StripeClient, amount: int = 500, metadata: Mapping[str, str] | None = None
) -> stripe.PaymentIntent:
    """An intent for a new customer, with any payment method."""
    customer = await api.v1.customers.create_async({})
    return await api.v1.payment_intents.create_async(
        {
            "amount": amount,
            "currency": "usd",
            "customer": customer.id,
            "metadata": dict(metadata or {}),
            "automatic_payment_methods": {"enabled": True},
        }
    )


async def paid_intent(api: stripe.StripeClient, amount: int = 500, card: str = "pm_card_visa") -> stripe.PaymentIntent:
    """An intent that succeeded."""
    intent = await intent_of(api, amount)
    return await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": card})


async def confirm_in_browser(
    local: LocalProcessor, intent: stripe.PaymentIntent, client_secret: str | None = None, **parameters: str
) -> tuple[int, dict[str, Any]]:
    """Confirm as Stripe.js does: form-encoded, with the publishable key and the client secret."""
    secret = intent.client_secret if client_secret is None else client_secret
    form = {"key": "pk_test_local", "client_secret": secret or "", **parameters}
    url = f"{local.url}/v1/payment_intents/{intent.id}/confirm"
    async with aiohttp.ClientSession() as session, session.post(url, data=form) as answer:
        body = await answer.json()
        assert isinstance(body, dict)
        return answer.status, body
