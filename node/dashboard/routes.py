"""Routes of the dashboard: its pages, its files by content hash, and the manifest of both."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

import structlog
from aiohttp import web
from multidict import CIMultiDict

from node.dashboard.assets import PAYMENT, AssetChangedError, Dashboard
from node.http.answers import COMMON_HEADERS

PREFIX: Final = "/dashboard/"
MANIFEST: Final = "manifest.json"
_STRIPE: Final = "https://js.stripe.com"
# The processor's own list: https://docs.stripe.com/security/guide#content-security-policy.
_STRIPE_SCRIPTS: Final = f"{_STRIPE} https://*.js.stripe.com"
_STRIPE_FRAMES: Final = f"{_STRIPE_SCRIPTS} https://hooks.stripe.com"
_STRIPE_API: Final = "https://api.stripe.com"
_CLOSED: Final = "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    f"{_CLOSED}; require-trusted-types-for 'script'"
)
_OFF: Final = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
    "midi=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()"
)
_GZIP: Final = re.compile(r"(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+\s*)?(?=,|$)", re.IGNORECASE)
"""Matches gzip in Accept-Encoding with a quality that is not 0 (RFC 9110, 12.5.3)."""
_KEEP: Final = "public, max-age=31536000, immutable"
_INHERITED: Final = ("X-Content-Type-Options", "Referrer-Policy", "Server")
HEADERS: Final[Mapping[str, str]] = {
    # Without the API's CORS headers, since no other origin needs these files.
    **{name: COMMON_HEADERS[name] for name in _INHERITED},
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": f"{_OFF}, payment=()",
    # For browsers that do not know frame-ancestors.
    "X-Frame-Options": "DENY",
}


def payment_headers(script: str) -> Mapping[str, str]:
    """Returns the payment page's changes of HEADERS, which admit the processor's `script` and API.

    Trusted types are not required there, since the processor's script does not promise to use them.
    """
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(script))
    is_stripe = origin == _STRIPE
    scripts, api = (_STRIPE_SCRIPTS, _STRIPE_API) if is_stripe else (origin, origin)
    policy = (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' {api}; frame-src {_STRIPE_FRAMES if is_stripe else origin}; {_CLOSED}"
    )
    return {"Content-Security-Policy": policy, "Permissions-Policy": f'{_OFF}, payment=(self "{origin}")'}


def add_dashboard(application: web.Application, dashboard: Dashboard | None) -> None:
    """Serves the dashboard at `/dashboard/`. Does nothing if it is off."""
    if dashboard is None:
        return
    add = application.router.add_get
    # By exact path, so that no path of a request reaches the file system.
    for path in dashboard.files:
        add(PREFIX + path, _serving(dashboard, path))
    add(PREFIX, _serving(dashboard, "index.html"))
    add(PREFIX.removesuffix("/"), _redirect)
    add(PREFIX + MANIFEST, _manifest(dashboard.manifest))


def _serving(dashboard: Dashboard, path: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    asset = dashboard.files[path]
    cache = _KEEP if path.startswith("assets/") else "no-store"
    headers = {**HEADERS, "Content-Type": asset.content_type, "Cache-Control": cache, "Vary": "Accept-Encoding"}
    if path == PAYMENT and dashboard.processor_script is not None:
        headers.update(payment_headers(dashboard.processor_script))

    async def show(request: web.Request) -> web.Response:
        try:
            # In a thread, so that a disk that hangs does not delay other requests.
            body = await asyncio.to_thread(asset.read)
        except AssetChangedError:
            structlog.get_logger("node.dashboard").error("dashboard_file_changed", path=path)
            raise
        if _GZIP.search(request.headers.get("Accept-Encoding", "")) is None:
            return web.Response(body=body, headers=CIMultiDict(headers))
        return web.Response(body=asset.compressed, headers=CIMultiDict({**headers, "Content-Encoding": "gzip"}))

    return show


def _manifest(body: bytes) -> Callable[[web.Request], Awaitable[web.Response]]:
    headers = {**HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store"}

    async def show(_: web.Request) -> web.Response:
        return web.Response(body=body, headers=CIMultiDict(headers))

    return show


async def _redirect(_: web.Request) -> web.Response:
    return web.Response(status=308, headers=CIMultiDict({**HEADERS, "Location": PREFIX}))
