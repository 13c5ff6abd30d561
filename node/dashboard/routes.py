"""Routes of the dashboard: its pages, its files by content hash, and the manifest of both."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from multidict import CIMultiDict

from node.api.calls import Document
from node.dashboard.assets import PAYMENT, START, Dashboard
from node.http.answers import NO_STORE
from node.http.documents import CLOSED_POLICY, KEPT, OFF_PERMISSIONS, PAGE_HEADERS, serving

PREFIX: Final = "/dashboard/"
MANIFEST: Final = "manifest.json"
_OF_THE_COMMAND: Final = ("alive", "verified.json")
"""Paths at which a page asks whether `svc dashboard` serves it. An empty answer says that it does
not: a browser would write a 404 on its console."""
_STRIPE: Final = "https://js.stripe.com"
# The processor's own list: https://docs.stripe.com/security/guide#content-security-policy.
_STRIPE_SCRIPTS: Final = f"{_STRIPE} https://*.js.stripe.com"
_STRIPE_FRAMES: Final = f"{_STRIPE_SCRIPTS} https://hooks.stripe.com"
_STRIPE_API: Final = "https://api.stripe.com"


def payment_headers(script: str) -> Mapping[str, str]:
    """Returns the payment page's changes of PAGE_HEADERS for the processor's `script` and API.

    Trusted types are not required there, since the processor's script does not promise to use them.
    """
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(script))
    is_stripe = origin == _STRIPE
    scripts, api = (_STRIPE_SCRIPTS, _STRIPE_API) if is_stripe else (origin, origin)
    policy = (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' {api}; frame-src {_STRIPE_FRAMES if is_stripe else origin}; {CLOSED_POLICY}"
    )
    return {"Content-Security-Policy": policy, "Permissions-Policy": f'{OFF_PERMISSIONS}, payment=(self "{origin}")'}


def add_dashboard(application: web.Application, dashboard: Dashboard | None) -> None:
    """Serves the dashboard at `/dashboard/`. Does nothing if it is off."""
    if dashboard is None:
        return
    add = application.router.add_get
    # By exact path, so that no path of a request reaches the file system.
    for path, file in dashboard.files.items():
        add(PREFIX + path, serving(file, _headers(dashboard, path)))
    add(PREFIX, serving(dashboard.files[START], _headers(dashboard, START)))
    add(PREFIX.removesuffix("/"), _redirect)
    manifest = Document(dashboard.manifest, "application/json")
    add(PREFIX + MANIFEST, serving(manifest, {**PAGE_HEADERS, **NO_STORE}))
    for path in _OF_THE_COMMAND:
        add(PREFIX + path, _say_nothing)


def _headers(dashboard: Dashboard, path: str) -> Mapping[str, str]:
    headers = {**PAGE_HEADERS, **(KEPT if path.startswith("assets/") else NO_STORE)}
    if path == PAYMENT and dashboard.processor_script is not None:
        headers.update(payment_headers(dashboard.processor_script))
    return headers


async def _redirect(_: web.Request) -> web.Response:
    return web.Response(status=308, headers=CIMultiDict({**PAGE_HEADERS, "Location": PREFIX}))


async def _say_nothing(_: web.Request) -> web.Response:
    return web.Response(status=204, headers=CIMultiDict({**PAGE_HEADERS, **NO_STORE}))
