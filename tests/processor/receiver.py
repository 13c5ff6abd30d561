"""A place that webhooks of the local card processor arrive at."""

import contextlib
from collections.abc import AsyncIterator

import stripe
from aiohttp import web

SECRET = "whsec_of_the_tests"


class Receiver:
    """Keeps what arrives; answers with `statuses` one after the other, then with 204."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[tuple[bytes, str]] = []
        self.statuses: list[int] = []

    async def take(self, request: web.Request) -> web.Response:
        self.received.append((await request.read(), request.headers["Stripe-Signature"]))
        # A redirect leads back here: whoever follows it comes twice.
        return web.Response(status=self.statuses.pop(0) if self.statuses else 204, headers={"Location": self.url})

    def events(self, tolerance: int = 0) -> list[stripe.Event]:
        """What arrived, each signature checked with the library; a tolerance of 0 leaves its age alone."""
        return [
            stripe.Webhook.construct_event(payload, signature, SECRET, tolerance=tolerance)
            for payload, signature in self.received
        ]

    def types(self) -> list[str]:
        """The types of what arrived, in order."""
        return [str(event.type) for event in self.events()]


@contextlib.asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver that listens on loopback."""
    receiver = Receiver()
    application = web.Application()
    application.router.add_post("/webhook", receiver.take)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
    try:
        yield receiver
    finally:
        await runner.cleanup()
