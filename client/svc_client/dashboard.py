"""`svc dashboard` serves the node's dashboard on loopback, each file as the proven node attests it.

The page's API calls use the same proven connections, and the key that the page sends.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click
from aiohttp import web

from svc_client.cli_context import tell, tell_root
from svc_client.dashboard_files import HEADERS, PREFIX, START, DashboardFile, DashboardFiles, fetch_dashboard
from svc_client.errors import NodeNotAccepted
from svc_client.loopback import (
    Listen,
    Refusal,
    answered,
    begin,
    interrupted,
    pass_on,
    require_method,
    require_own_host,
    sent_headers,
    serve,
    trust_of,
)
from svc_client.transport import BASE, Transport
from svc_verifier.check import Status, Verdict
from svc_verifier.rendering.text import iso_moment

if TYPE_CHECKING:
    from svc_client.profile import Profile
    from svc_verifier.check import Report

VERIFIED: Final = "verified.json"
_ALIVE: Final = f"{PREFIX}alive"
"""Response that ends with this program: the page forgets the key before others can listen here."""
_PASSED: Final = ("/attestation", "/info", "/health")
_API: Final = f"{BASE}/"
# No response to an API call may act as a page of this origin, which holds a key.
_INERT: Final[Mapping[str, str]] = {
    **HEADERS,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
}


class DashboardServer:
    """Serves a dashboard's files and passes API calls. Set `origin` once it listens.

    `stopped` is set when it ends.
    """

    def __init__(self, transport: Transport, dashboard: DashboardFiles, url: str, stopped: asyncio.Event) -> None:
        self._transport = transport
        self._dashboard = dashboard
        self._url = url
        self._stopped = stopped
        self.origin = ""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answers one request."""
        return await answered(self._answer, request)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        require_own_page(request, self.origin)
        path = request.raw_path.partition("?")[0]
        if path.startswith(_API) or path in _PASSED:
            return await pass_call(self._transport, request)
        if path == PREFIX + VERIFIED:
            return self._verified(request)
        if path == _ALIVE:
            return await self._until_stopped(request)
        return show_file(self._dashboard, request, START)

    async def _until_stopped(self, request: web.BaseRequest) -> web.StreamResponse:
        require_method(request, "GET")
        passing = web.StreamResponse(headers={**_INERT, "Content-Type": "text/plain", "Cache-Control": "no-store"})
        await begin(request, passing)
        # The browser hands the response to the page with its first byte.
        await passing.write(b"\n")
        await self._stopped.wait()
        return passing

    def _verified(self, request: web.BaseRequest) -> web.Response:
        report = self._transport.report
        # The page takes any response as a proof, so refuse here.
        if report is None or report.verdict is not Verdict.ACCEPTED:
            raise Refusal(503, "not_verified", "The node was not accepted when it was last verified.")
        body = json.dumps(summary_of(report, self._url, self._dashboard.manifest_sha256)).encode()
        headers = {**HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store"}
        return _file(DashboardFile(body, headers), request)


def require_own_page(request: web.BaseRequest, origin: str) -> None:
    """Raises Refusal for a request that a page of another origin made."""
    require_own_host(request, origin.removeprefix("http://"))
    # A page sends its own origin with everything but plain GETs; programs send none.
    if request.headers.getall("Origin", [origin]) != [origin]:
        raise Refusal(403, "forbidden_origin", "Web pages of other origins may not use this server.")
    # Browsers add it to every request (W3C Fetch Metadata). `none` is a URL that the user opened.
    if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
        raise Refusal(403, "forbidden_origin", "Open this address itself: a link from another page is refused.")


async def pass_call(transport: Transport, request: web.BaseRequest) -> web.StreamResponse:
    """Passes a call of the API to the node, and its response back."""
    require_method(request, "GET", "HEAD", "POST")
    sent = {name: value for name, value in sent_headers(request).items() if name.lower() not in {"origin", "referer"}}
    return await pass_on(transport, request, sent, _INERT)


def show_file(dashboard: DashboardFiles, request: web.BaseRequest, start: str) -> web.Response:
    """Returns a file of the dashboard; `start` is the page at `/dashboard/`. Raises Refusal."""
    require_method(request, "GET", "HEAD")
    path = request.raw_path.partition("?")[0]
    if path in {"/", PREFIX.removesuffix("/")}:
        return web.Response(status=302, headers={**HEADERS, "Location": PREFIX})
    file = dashboard.files.get(path.removeprefix(PREFIX) or start) if path.startswith(PREFIX) else None
    if file is None:
        raise Refusal(404, "not_found", "There is no such file.")
    return _file(file, request)


def _file(file: DashboardFile, request: web.BaseRequest) -> web.Response:
    return web.Response(headers=file.headers, body=None if request.method == "HEAD" else file.body)


def summary_of(report: "Report", url: str, manifest_sha256: str) -> dict[str, object]:
    """Returns the page's summary of the last verification."""
    evidence = {check.id: check.evidence for check in report.checks}
    open_checks = [check.id for check in report.checks if check.status in {Status.UNKNOWN, Status.SKIPPED}]
    return {
        "node": url,
        "verdict": str(report.verdict),
        "development": report.development,
        "verified_at": iso_moment(report.now_s),
        "app_id": evidence["identity.app-id"].get("measured"),
        "compose_hash": evidence["identity.compose-measured"].get("measured"),
        "certificate_sha256": evidence["tls.certificate"].get("spki_sha256"),
        "manifest_sha256": manifest_sha256,
        "not_proven": open_checks,
    }


def run_dashboard(profile: "Profile", listen: str | None, *, opens: bool, as_json: bool) -> None:
    """Verifies the node and its dashboard, then serves until SIGINT or SIGTERM. Raises SvcError.

    Without `listen` each run has its own origin.
    """
    address = Listen.own() if listen is None else Listen.of(listen)
    tell_root(profile)
    asyncio.run(_run(profile, address, opens=opens, as_json=as_json))


async def _run(profile: "Profile", listen: Listen, *, opens: bool, as_json: bool) -> None:
    stopped = interrupted()
    # Without the profile's key: a page that stays open must not be signed in. The page asks for it.
    transport = Transport(profile.url, None, trust_of(profile))
    try:
        dashboard = await fetch_dashboard(transport)
        if dashboard is None:
            raise NodeNotAccepted("The node attests no dashboard: it is switched off there, or older than this.", None)
        server = DashboardServer(transport, dashboard, profile.url, stopped)

        def started(port: int) -> None:
            server.origin = listen.url(port)
            url = server.origin + PREFIX
            told = {"url": url, "node": profile.url, "manifest_sha256": dashboard.manifest_sha256}
            click.echo(json.dumps(told) if as_json else url)
            open_browser(url, wanted=opens)

        await serve(server.answer, listen, started, stopped)
    finally:
        await transport.close()


def open_browser(url: str, *, wanted: bool) -> None:
    """Opens a URL in this machine's browser. Says on standard error if none starts."""
    if wanted and click.launch(url) != 0:
        tell(f"svc: no browser could be started; open {url}")
