"""`svc billing add`: a card payment on the node's proven payment page, served on loopback.

The page gets the payment's client secret by a request, so that no URL has it, and no key.
"""

import asyncio
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from aiohttp import web

from svc_client.aio import AsyncBilling
from svc_client.cli_context import tell, tell_root
from svc_client.dashboard import open_browser, pass_call, require_own_page, show_file
from svc_client.dashboard_files import HEADERS, PAYMENT, PREFIX, DashboardFiles, fetch_dashboard
from svc_client.errors import Conflict, RateLimited, Unavailable, Unreachable
from svc_client.loopback import Listen, answered, interrupted, require_method, serve, trust_of
from svc_client.transport import BASE, Transport

if TYPE_CHECKING:
    from svc_client.models import ConfirmedPayment, PaymentIntent
    from svc_client.profile import Profile

WAIT_S: Final = 1_800.0
"""Longest wait for a payment. The node credits it without this program too."""
_POLL_S: Final = 10.0
_PAUSE_S: Final = 1.0
"""Shortest time between two looks, since every user of this machine can report a payment."""
_SECRET: Final = f"{PREFIX}payment.json"
_PAID: Final = f"{PREFIX}paid"
_PROCESSOR: Final = f"{BASE}/billing/processor_config"
_LIVE: Final = "pk_live_"
_FRAGMENT: Final = "#command"
"""Tells the page to ask this server for the client secret."""


class PaymentServer:
    """Serves the payment page, which sets `asked` when it is done. Set `origin` once it listens."""

    def __init__(self, transport: Transport, dashboard: DashboardFiles, client_secret: str) -> None:
        self._transport = transport
        self._dashboard = dashboard
        self._secret = json.dumps({"client_secret": client_secret}).encode()
        self.asked: Final = asyncio.Event()
        self.origin = ""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answers one request."""
        return await answered(self._answer, request)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        require_own_page(request, self.origin)
        if request.raw_path == _SECRET:
            require_method(request, "GET")
            headers = {**HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store"}
            return web.Response(body=self._secret, headers=headers)
        if request.raw_path == _PAID:
            require_method(request, "POST")
            self.asked.set()
            return web.Response(status=204, headers=HEADERS)
        # The page's one API call reads the publishable key, which needs no API key.
        if request.raw_path == _PROCESSOR:
            return await pass_call(self._transport, request)
        return show_file(self._dashboard, request, PAYMENT)


class Payment:
    """A payment that was begun; `credited` is None until the node credits it."""

    def __init__(self, begun: "PaymentIntent") -> None:
        self.begun: Final = begun
        self.credited: ConfirmedPayment | None = None


def pay(profile: "Profile", amount_cents: int, *, opens: bool) -> Payment | None:
    """Begins a payment and waits until it is credited, for WAIT_S, or until SIGINT or SIGTERM.

    Returns None, with nothing begun, if the node has no payment page. Raises SvcError.
    """
    tell_root(profile)
    return asyncio.run(_pay(profile, amount_cents, opens=opens))


async def _pay(profile: "Profile", amount_cents: int, *, opens: bool) -> Payment | None:
    transport = Transport(profile.url, profile.api_key or None, trust_of(profile))
    try:
        # Fetch the page first: if it is refused, no payment was begun.
        dashboard = await fetch_dashboard(transport)
        if dashboard is None or PAYMENT not in dashboard.files:
            return None
        billing = AsyncBilling(transport)
        payment = Payment(await billing.begin_payment(amount_cents))
        server = PaymentServer(transport, dashboard, payment.begun.client_secret)
        listen = Listen.own()
        is_live = (await billing.publishable_key()).startswith(_LIVE)

        def started(port: int) -> None:
            server.origin = listen.url(port)
            if is_live:
                # The processor's script refuses a live key without HTTPS, even on loopback.
                _tell_code(profile, payment)
            origin, fragment = (profile.url.rstrip("/"), "") if is_live else (server.origin, _FRAGMENT)
            url = f"{origin}{PREFIX}{PAYMENT}{fragment}"
            tell(f"svc: pay at {url} (Ctrl-C stops waiting, not the payment)")
            open_browser(url, wanted=opens)

        stopped = interrupted()
        waiting = asyncio.create_task(_wait(billing, payment, server.asked, stopped))
        try:
            await serve(server.answer, listen, started, stopped)
        finally:
            stopped.set()
            await waiting
        return payment
    finally:
        await transport.close()


def _tell_code(profile: "Profile", payment: Payment) -> None:
    tell(f"svc: real cards are taken over HTTPS alone: paste this payment code at {profile.url}")
    tell(payment.begun.client_secret)


async def _wait(billing: AsyncBilling, payment: Payment, asked: asyncio.Event, stopped: asyncio.Event) -> None:
    """Asks the node until the payment is credited or the wait ends, then sets `stopped`."""
    deadline = time.monotonic() + WAIT_S
    try:
        while payment.credited is None and not stopped.is_set() and time.monotonic() < deadline:
            await _next(asked, stopped)
            # The node answers 409 until the payment succeeds; the other errors are temporary.
            with suppress(Conflict, RateLimited, Unavailable, Unreachable):
                payment.credited = await billing.confirm_payment(payment.begun.payment_intent_id)
    finally:
        stopped.set()


async def _next(asked: asyncio.Event, stopped: asyncio.Event) -> None:
    """Waits until the page asks, the program is stopped, or the next look is due."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), _PAUSE_S)
    waits = [asyncio.ensure_future(each.wait()) for each in (asked, stopped)]
    await asyncio.wait(waits, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
    for each in waits:
        each.cancel()
    asked.clear()
