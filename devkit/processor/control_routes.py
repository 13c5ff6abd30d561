"""The control over HTTP (`/_control`) for a developer beside `make run`; takes the secret key.

| | |
|---|---|
| `GET /_control` | present faults, webhooks, search lag and requests |
| `POST /_control/faults`, `DELETE /_control/faults` | set a fault (`faults.Fault`), clear all |
| `POST /_control/webhooks` | any of `url`, `mode`, `copies`, `release` (an order), `retry` (true) |
| `POST /_control/events/ID/resend` | send an event once more |
| `POST /_control/search` | `{"lag_s"}` |
| `POST /_control/charges/ID/dispute` | `{"amount"?}` |
| `POST /_control/disputes/ID/resolve` | `{"outcome", "returned"?}`, won or lost; cents given back |
| `POST /_control/refunds/ID/end` | `{"outcome"}`: succeeded or failed |
| `POST /_control/customers/ID/grant` | `{"cents"}`: credit given by hand |

The page of a crypto payment is here too. Any caller with the intent's id may take the step.
"""

import html
from collections.abc import Awaitable, Callable
from typing import Final, Literal
from urllib.parse import urlencode

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from devkit.processor.control import Control
from devkit.processor.errors import ApiError
from devkit.processor.faults import Fault
from devkit.processor.keys import Keys, publishable_refused, sent_key
from devkit.processor.objects import PaymentIntent
from devkit.processor.payments import AUTHORISE_PATH
from devkit.processor.webhooks import Mode

SHOWN_REQUESTS: Final = 50
PAGE: Final = """<!doctype html><meta charset="utf-8"><title>Local card processor</title>
<p>Local stand-in of the card processor: no money moves. Pay {amount} with {intent}?
<form method="post"><button name="outcome" value="succeeded">Authorise</button>
<button name="outcome" value="processing">Leave it under way</button>
<button name="outcome" value="failed">Fail</button></form>
"""
# form-action also limits the page that a form's response redirects to, so it is left open.
PAGE_POLICY: Final = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WebhookSettings(_Asked):
    """Body of `/_control/webhooks`."""

    url: str | None = None
    mode: Mode | None = None
    copies: int | None = Field(default=None, ge=1, le=10)
    release: Literal["oldest_first", "newest_first"] | None = None
    retry: bool = False


class SearchSettings(_Asked):
    """Body of `/_control/search`."""

    lag_s: float = Field(ge=0)


class DisputeOrder(_Asked):
    """Body of `/_control/charges/ID/dispute`."""

    amount: int | None = None


class Resolution(_Asked):
    """Body of `/_control/disputes/ID/resolve`."""

    outcome: Literal["won", "lost"]
    returned: int = Field(default=0, ge=0)


class RefundEnd(_Asked):
    """Body of `/_control/refunds/ID/end`."""

    outcome: Literal["succeeded", "failed"]


class Grant(_Asked):
    """Body of `/_control/customers/ID/grant`."""

    cents: int


class Authorisation(_Asked):
    """Body that the page of a payment sends."""

    outcome: Literal["succeeded", "processing", "failed"]


class ControlRoutes:
    """Handlers of `/_control`."""

    def __init__(self, control: Control, keys: Keys) -> None:
        self._control = control
        self._keys = keys

    def add_to(self, application: web.Application) -> None:
        """Register them."""
        add, root = application.router.add_route, "/_control"
        add("GET", root, self._guarded(self.show))
        add("POST", root + "/faults", self._guarded(self.add_fault))
        add("DELETE", root + "/faults", self._guarded(self.clear_faults))
        add("POST", root + "/webhooks", self._guarded(self.set_webhooks))
        add("POST", root + "/search", self._guarded(self.set_search))
        add("POST", root + "/events/{id}/resend", self._guarded(self.resend))
        add("POST", root + "/charges/{id}/dispute", self._guarded(self.dispute))
        add("POST", root + "/disputes/{id}/resolve", self._guarded(self.resolve))
        add("POST", root + "/refunds/{id}/end", self._guarded(self.end_refund))
        add("POST", root + "/customers/{id}/grant", self._guarded(self.grant))
        add("GET", AUTHORISE_PATH, _answered(self.authorise_page))
        add("POST", AUTHORISE_PATH, _answered(self.authorise))

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: web.Request) -> web.StreamResponse:
            if not self._keys.is_secret(sent_key(request.headers, {})):
                raise publishable_refused()
            return await handler(request)

        return _answered(guarded)

    async def show(self, request: web.Request) -> web.StreamResponse:
        """Returns the state of every control."""
        del request
        control, webhooks = self._control, self._control.webhooks
        seen: list[JsonValue] = [
            {"method": each.method, "path": each.path, "status": each.status}
            for each in list(control.seen)[-SHOWN_REQUESTS:]
        ]
        return web.json_response(
            {
                "faults": control.faults.listed(),
                "hanging": control.faults.hanging,
                "requests": seen,
                "search_lag_s": control.search_lag_s,
                "webhooks": {"url": webhooks.url, "mode": webhooks.mode, "copies": webhooks.copies},
            }
        )

    async def add_fault(self, request: web.Request) -> web.StreamResponse:
        """Set one more fault."""
        self._control.faults.add(Fault.model_validate_json(await request.read()))
        return await self.show(request)

    async def clear_faults(self, request: web.Request) -> web.StreamResponse:
        """Remove them all. Hanging requests continue."""
        self._control.faults.clear()
        return await self.show(request)

    async def set_webhooks(self, request: web.Request) -> web.StreamResponse:
        """Change how events are sent."""
        asked, webhooks = WebhookSettings.model_validate_json(await request.read()), self._control.webhooks
        webhooks.url = webhooks.url if asked.url is None else asked.url
        webhooks.mode = asked.mode or webhooks.mode
        webhooks.copies = asked.copies or webhooks.copies
        if asked.release is not None:
            await webhooks.release(newest_first=asked.release == "newest_first")
        if asked.retry:
            webhooks.retry_now()
        return await self.show(request)

    async def set_search(self, request: web.Request) -> web.StreamResponse:
        """Change how far the search index lags."""
        self._control.search_lag_s = SearchSettings.model_validate_json(await request.read()).lag_s
        return await self.show(request)

    async def resend(self, request: web.Request) -> web.StreamResponse:
        """Send an event once more."""
        return web.json_response({"status": await self._control.webhooks.resend(request.match_info["id"])})

    async def dispute(self, request: web.Request) -> web.StreamResponse:
        """Take a charge back."""
        order = DisputeOrder.model_validate_json(await request.read() or b"{}")
        return web.json_response({"dispute": self._control.dispute(request.match_info["id"], order.amount)})

    async def resolve(self, request: web.Request) -> web.StreamResponse:
        """Decide a dispute."""
        given = Resolution.model_validate_json(await request.read())
        self._control.resolve_dispute(request.match_info["id"], given.outcome, given.returned)
        return web.json_response({"outcome": given.outcome})

    async def end_refund(self, request: web.Request) -> web.StreamResponse:
        """Let a refund arrive or come back."""
        outcome = RefundEnd.model_validate_json(await request.read()).outcome
        self._control.end_refund(request.match_info["id"], outcome)
        return web.json_response({"outcome": outcome})

    async def grant(self, request: web.Request) -> web.StreamResponse:
        """Give credit by hand."""
        cents = Grant.model_validate_json(await request.read()).cents
        return web.json_response({"balance_transaction": self._control.grant(request.match_info["id"], cents)})

    async def authorise_page(self, request: web.Request) -> web.StreamResponse:
        """Returns the page a customer decides on."""
        intent = self._control.store.payment_intents.get(request.match_info["intent"])
        text = PAGE.format(amount=f"${intent.amount / 100:.2f}", intent=html.escape(intent.id))
        return web.Response(text=text, content_type="text/html", headers=PAGE_POLICY)

    async def authorise(self, request: web.Request) -> web.StreamResponse:
        """Take the step, then redirect to the payment's return URL, or return its status."""
        intent = self._control.store.payment_intents.get(request.match_info["intent"])
        asked = Authorisation.model_validate(dict((await request.post()).items()))
        self._control.authorise(intent.id, asked.outcome)
        if intent.return_url is None:
            return web.json_response({"status": intent.status})
        raise web.HTTPSeeOther(_back(intent, asked.outcome))


def _back(intent: PaymentIntent, outcome: str) -> str:
    query = {
        "payment_intent": intent.id,
        "payment_intent_client_secret": intent.client_secret,
        "redirect_status": "failed" if outcome == "failed" else "succeeded",
    }
    url = intent.return_url or ""
    return url + ("&" if "?" in url else "?") + urlencode(query)


def _answered(handler: Handler) -> Handler:
    async def answered(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except ApiError as error:
            return web.json_response(error.body(), status=error.status)
        except ValidationError as error:
            said = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            return web.json_response(ApiError(400, said).body(), status=400)

    return answered
