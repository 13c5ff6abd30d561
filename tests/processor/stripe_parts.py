"""The Stripe adapter for tests: against the local card processor, or against a server that answers what a test says."""

import contextlib
import json
import math
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final

import pytest
from aiohttp import web

from node.processor.keys import ProcessorKeys
from node.processor.shapes import service_name
from node.processor.stripe_processor import StripeProcessor
from node.runtime.clock import Clock
from tests.support.clock import FakeClock
from tests.support.processor_constants import change

SERVICE: Final = service_name(31337, "0x" + "ab" * 20)
ACCOUNT: Final = 0xA11CE << 200
EMAIL: Final = "alice.secret@mail.example"
SECRETS: Final = ("sk_test_local", "whsec_local", EMAIL, "alice.secret")
FAST: Final[Mapping[str, float]] = {"requests_per_second": math.inf, "failures_to_open": 1000}


async def at_once(_seconds: float) -> None:
    """The wait before a repetition, for those who cannot wait."""


@contextlib.asynccontextmanager
async def stripe_at(
    url: str,
    constants: Mapping[str, float] = FAST,
    *,
    service: str = SERVICE,
    secret_key: str = "sk_test_local",
    unix: FakeClock | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = at_once,
    trust: ssl.SSLContext | None = None,
) -> AsyncIterator[StripeProcessor]:
    """The adapter, asking at `url`; closed in the end."""
    keys = ProcessorKeys(secret_key, "pk_test_local", "whsec_local", url)
    with pytest.MonkeyPatch.context() as monkeypatch:
        change(monkeypatch, constants)
        processor = StripeProcessor(keys, service, clock=Clock(clock, unix or FakeClock(), sleep), trust=trust)
        try:
            yield processor
        finally:
            await processor.close()


Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Impostor:
    """A server in the processor's place that answers what the test says, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answer: Answer = says({})
        self.asked: list[tuple[str, dict[str, str], str]] = []
        self.url = ""

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append((f"{request.method} {request.path_qs}", headers, await request.text()))
        return await self.answer(request)

    @contextlib.asynccontextmanager
    async def serving(self, context: ssl.SSLContext | None = None) -> AsyncIterator["Impostor"]:
        """On a free loopback port."""
        application = web.Application()
        application.router.add_route("*", "/{rest:.*}", self._handle)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
            await site.start()
            self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            await runner.cleanup()


def says(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """Always this; a str or bytes as it is, anything else as JSON."""
    content = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else json.dumps(body).encode()

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=content, status=status, headers=headers, content_type="application/json")

    return answer


def error_body(**members: object) -> dict[str, object]:
    """An error in the processor's form."""
    return {"error": {"type": "invalid_request_error", **members}}


def listed(*objects: object, more: bool = False) -> dict[str, object]:
    """A page."""
    return {"object": "list", "url": "/v1/x", "has_more": more, "data": list(objects)}


def customer(identifier: str, metadata: dict[str, str] | None = None, **members: object) -> dict[str, object]:
    """A customer in the processor's form."""
    return {
        "id": identifier, "object": "customer", "created": 1_700_000_000, "metadata": metadata or {}, "balance": 0,
        "livemode": False, **members,
    }  # fmt: skip


def intent(metadata: dict[str, str] | None = None, **members: object) -> dict[str, object]:
    """A payment intent in the processor's form."""
    return {
        "id": "pi_1", "object": "payment_intent", "amount": 700, "amount_received": 0, "currency": "usd",
        "status": "requires_payment_method", "metadata": metadata or {}, "created": 1_700_000_000,
        "client_secret": "pi_1_secret_x", "livemode": False, **members,
    }  # fmt: skip


def event(kind: str, subject: dict[str, object], **members: object) -> dict[str, object]:
    """An event in the processor's form; `previous` are the attributes before."""
    previous = members.pop("previous", None)
    data = {"object": subject, **({} if previous is None else {"previous_attributes": previous})}
    return {
        "id": "evt_1", "object": "event", "created": 1_700_000_001, "livemode": False, "type": kind,
        "api_version": "2026-10-28.endive", "pending_webhooks": 1, "request": None, "data": data, **members,
    }  # fmt: skip
