"""The routes of the dashboard: which bytes, which headers, and what a browser is allowed to do with them."""

import gzip
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
import structlog
from aiohttp import web
from aiohttp.test_utils import TestClient
from prometheus_client import CollectorRegistry
from pytest_aiohttp.plugin import AiohttpClient

from node.dashboard.assets import Dashboard, load_dashboard
from node.dashboard.routes import add_dashboard, payment_headers
from node.http.answers import Envelope, HttpMetrics
from node.http.documents import PAGE_HEADERS
from node.http.rate import ClientAddresses
from svc_client import dashboard_files
from svc_verifier.formats.info import AttestedConfig
from tests.dashboard.test_assets import SCRIPT, folders

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"
)
Client = TestClient[web.Request, web.Application]


@dataclass(frozen=True)
class Served:
    client: Client
    dashboard: Dashboard
    page: Path

    @property
    def script(self) -> str:
        return next(path for path in self.dashboard.files if path.endswith("main.mjs"))


@pytest.fixture
async def served(aiohttp_client: AiohttpClient, tmp_path: Path) -> Served:
    places = folders(tmp_path)
    dashboard = load_dashboard(SCRIPT, places)
    logger = structlog.get_logger("test").bind()
    envelope = Envelope(HttpMetrics(CollectorRegistry()), logger, ClientAddresses())
    application = web.Application(middlewares=[envelope.handle])
    add_dashboard(application, dashboard)
    client = await aiohttp_client(application, headers={"Accept-Encoding": "identity"}, auto_decompress=False)
    return Served(client, dashboard, places[0])


async def test_every_file_of_the_manifest_is_served_as_it_says(served: Served) -> None:
    async with served.client.get("/dashboard/manifest.json") as response:
        body = await response.read()
    assert hashlib.sha256(body).hexdigest() == served.dashboard.manifest_sha256
    for path, sha256 in json.loads(body).items():
        async with served.client.get(f"/dashboard/{path}") as response:
            assert (response.status, hashlib.sha256(await response.read()).hexdigest()) == (200, sha256)
    async with served.client.get("/dashboard/") as first, served.client.get("/dashboard/index.html") as second:
        assert await first.read() == await second.read()


async def test_pages_are_not_stored_and_assets_are_kept(served: Served) -> None:
    for path, kept in (("", "no-store"), ("pay.html", "no-store"), ("manifest.json", "no-store")):
        async with served.client.get(f"/dashboard/{path}") as response:
            assert response.headers["Cache-Control"] == kept, path
    async with served.client.get(f"/dashboard/{served.script}") as response:
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


async def test_every_answer_has_the_policy_of_its_page(served: Served) -> None:
    for path in ("", "index.html", "manifest.json", served.script):
        async with served.client.get(f"/dashboard/{path}") as response:
            told = response.headers
        assert told["Content-Security-Policy"] == PAGE_POLICY
        assert {name: told[name] for name in PAGE_HEADERS} == dict(PAGE_HEADERS)
        assert "Access-Control-Allow-Origin" not in told
        assert "payment=()" in told["Permissions-Policy"]
        assert (told["Cross-Origin-Opener-Policy"], told["Cross-Origin-Resource-Policy"]) == ("same-origin",) * 2


async def test_only_the_payment_page_may_run_the_processor_s_script(served: Served) -> None:
    async with served.client.get("/dashboard/pay.html") as response:
        policy = response.headers["Content-Security-Policy"]
        permissions = response.headers["Permissions-Policy"]
    assert "script-src 'self' https://processor.example;" in policy
    assert "frame-ancestors 'none'" in policy
    assert 'payment=(self "https://processor.example")' in permissions


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br", "gzip"), ("GZIP;q=0.1", "gzip"), ("gzip;q=0", None), ("br", None), ("identity", None)],
)
async def test_files_are_compressed_for_who_takes_it(served: Served, accepted: str, encoding: str | None) -> None:
    async with served.client.get(f"/dashboard/{served.script}", headers={"Accept-Encoding": accepted}) as response:
        assert (response.headers.get("Content-Encoding"), response.headers["Vary"]) == (encoding, "Accept-Encoding")
        body = await response.read()
    assert (gzip.decompress(body) if encoding else body) == (served.page / "main.mjs").read_bytes()


async def test_a_browser_is_not_sent_what_it_has(served: Served) -> None:
    for path in ("", served.script):
        async with served.client.get(f"/dashboard/{path}") as response:
            told = response.headers
        for accepted in ("gzip", "identity"):
            sent = {"If-None-Match": told["ETag"], "Accept-Encoding": accepted}
            async with served.client.get(f"/dashboard/{path}", headers=sent) as response:
                assert (response.status, await response.read()) == (304, b"")
                assert "Content-Encoding" not in response.headers
                kept = ("ETag", "Vary", "Cache-Control", "Content-Security-Policy")
                assert [response.headers[name] for name in kept] == [told[name] for name in kept]
        async with served.client.get(f"/dashboard/{path}", headers={"If-None-Match": '"x"'}) as response:
            assert response.status == 200


async def test_a_file_that_changed_after_the_start_reaches_no_browser(served: Served) -> None:
    before = (served.page / "main.mjs").read_bytes()
    (served.page / "main.mjs").write_text("steal()")
    for accepted in ("gzip", "identity"):
        async with served.client.get(f"/dashboard/{served.script}", headers={"Accept-Encoding": accepted}) as response:
            body = await response.read()
        assert (gzip.decompress(body) if accepted == "gzip" else body) == before


@pytest.mark.parametrize("path", ["alive", "verified.json"])
async def test_the_node_says_that_it_is_not_svc_dashboard(served: Served, path: str) -> None:
    async with served.client.get(f"/dashboard/{path}") as response:
        assert (response.status, await response.read()) == (204, b"")
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "assets/",
            "assets/main.mjs",
            "assets/0000000000000000/main.mjs",
            "main.mjs",
            "payment.json",
        ),
        *("../node/dashboard/assets.py", "%2e%2e/assets.py", "vendored.json", "index.html/", "LICENSE"),
    ],
)
async def test_nothing_else_is_there(served: Served, path: str) -> None:
    async with served.client.get(f"/dashboard/{path}") as response:
        assert response.status == 404


async def test_head_get_and_no_other_method(served: Served) -> None:
    calls: list[tuple[Callable[..., Awaitable[aiohttp.ClientResponse]], int]] = [
        (served.client.head, 200),
        (served.client.post, 405),
        (served.client.put, 405),
        (served.client.options, 405),
    ]
    for call, status in calls:
        response = await call("/dashboard/")
        assert (response.status, await response.read() if status == 200 else b"") == (status, b"")
    async with served.client.get("/dashboard", allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (308, "/dashboard/")


@pytest.mark.parametrize(
    ("url", "script"),
    [("https://api.stripe.com", "https://js.stripe.com/v3/"), ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v3/")],
)
def test_svc_dashboard_gives_the_pages_the_same_headers(url: str, script: str) -> None:
    config = AttestedConfig(processor_url=url)
    ours = {name: value for name, value in PAGE_HEADERS.items() if name != "Server"}
    assert dict(dashboard_files.HEADERS) == ours
    told = dashboard_files.headers_of("pay.html", config)
    assert {name: told[name] for name in payment_headers(script)} == dict(payment_headers(script))
