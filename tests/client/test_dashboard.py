"""`svc dashboard`: a browser gets the files that the node attests, or nothing; and no foreign page gets anything."""

import asyncio
import contextlib
import errno
import hashlib
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import rfc8785
from aiohttp import web
from pydantic import JsonValue
from yarl import URL

from svc_client.cli_context import Exit, exit_of
from svc_client.dashboard import DashboardServer
from svc_client.dashboard_files import HEADERS, DashboardFiles, fetch_dashboard
from svc_client.errors import NodeNotAccepted
from svc_client.loopback import Listen, serve
from svc_client.transport import Transport, TrustIn
from tests.support.client_attacks import Attack
from tests.support.instances import CONFIG, Instance, running_app
from tests.support.local_proxy import raw
from tests.support.loopback_paths import PASSED, REFUSED

KEY = "k" * 43 + "="
SETTINGS: dict[str, JsonValue] = {**CONFIG, "processor_url": "http://127.0.0.1:1"}
SCRIPT = "assets/0123456789abcdef/main.mjs"
FILES = {"index.html": b"<!doctype html>", "pay.html": b"<!doctype html>pay", SCRIPT: b"export {};"}
Manifest = dict[str, JsonValue]


def manifest_of(files: dict[str, bytes]) -> Manifest:
    return {path: hashlib.sha256(body).hexdigest() for path, body in files.items()}


@dataclass
class Hosting(Instance):
    """A node with a dashboard. `served` are its files as it serves them, `attested` is what its statement says of them."""

    served: dict[str, bytes] = field(
        default_factory=lambda: {**FILES, "manifest.json": rfc8785.dumps(manifest_of(FILES))}
    )

    def attest(self, dashboard: JsonValue) -> None:
        self.config = {"settings": SETTINGS, "dashboard": dashboard}

    def attest_manifest(self, manifest: Manifest) -> None:
        """Serve this manifest and attest its hash."""
        self.served["manifest.json"] = rfc8785.dumps(manifest)
        self.attest({"manifest_sha256": hashlib.sha256(self.served["manifest.json"]).hexdigest()})

    def _response(self, request: web.BaseRequest) -> web.Response:
        if request.path.startswith("/dashboard/"):
            body = self.served.get(request.path.removeprefix("/dashboard/"))
            return web.Response(status=404) if body is None else web.Response(body=body)
        if request.path == "/core/v1/page":
            headers = {"Content-Type": "text/html", "Access-Control-Allow-Origin": "*", "Set-Cookie": "a=b"}
            return web.Response(body=b"<script>steal()</script>", headers=headers)
        return super()._response(request)


@dataclass
class Around:
    node: Hosting
    transport: Transport
    attack: Attack
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to end `svc dashboard`."""


@asynccontextmanager
async def around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api_key: str | None = None, other: Instance | None = None
) -> AsyncIterator[Around]:
    node = Hosting("a")
    node.attest_manifest(manifest_of(FILES))
    async with running_app(*([node] if other is None else [node, other])) as app:
        app.order = ["a"] * 50
        attack = Attack(app, tmp_path, monkeypatch)
        transport = Transport(app.origin, api_key, TrustIn())
        try:
            yield Around(node, transport, attack)
        finally:
            await transport.close()


async def fetched(there: Around) -> DashboardFiles:
    found = await fetch_dashboard(there.transport)
    assert found is not None
    return found


async def test_the_files_are_those_that_the_node_attests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # With a key, as `svc billing add` has one: files are fetched without it.
    async with around(tmp_path, monkeypatch, KEY) as there:
        found = await fetched(there)
        assert {path: file.body for path, file in found.files.items()} == there.node.served
        assert found.manifest_sha256 == hashlib.sha256(there.node.served["manifest.json"]).hexdigest()
        assert {path for _, path, _ in there.node.told} == {f"/dashboard/{path}" for path in there.node.served}
        assert KEY not in repr(there.node.requests)


def flip(path: str) -> Callable[[Hosting], None]:
    def change(node: Hosting) -> None:
        body = node.served[path]
        node.served[path] = bytes([body[0] ^ 1]) + body[1:]

    return change


def drop(path: str) -> Callable[[Hosting], None]:
    def change(node: Hosting) -> None:
        del node.served[path]

    return change


def swap(node: Hosting) -> None:
    """Another dashboard, whole and consistent in itself."""
    node.served |= {SCRIPT: b"steal()", "manifest.json": rfc8785.dumps(manifest_of({**FILES, SCRIPT: b"steal()"}))}


def grow(path: str) -> Callable[[Hosting], None]:
    def change(node: Hosting) -> None:
        node.served[path] = bytes(17 * 1024 * 1024)
        if path != "manifest.json":
            node.attest_manifest(manifest_of({**FILES, path: node.served[path]}))

    return change


def grow_together(node: Hosting) -> None:
    files = {**FILES, **{f"assets/0123456789abcdef/{number}.mjs": bytes(3_000_000) for number in range(3)}}
    node.served |= files
    node.attest_manifest(manifest_of(files))


def attest_entry(path: str, sha256: JsonValue = None) -> Callable[[Hosting], None]:
    """Attest one more entry, with the right hash unless another value is named."""

    def change(node: Hosting) -> None:
        node.served[path] = b"x"
        node.attest_manifest({**manifest_of({**FILES, path: b"x"}), **({} if sha256 is None else {path: sha256})})

    return change


def attest_many(node: Hosting) -> None:
    node.attest_manifest(
        manifest_of({**FILES, **{f"assets/0123456789abcdef/{number}.mjs": b"" for number in range(200)}})
    )


def attest_without_start(node: Hosting) -> None:
    node.attest_manifest(manifest_of({SCRIPT: FILES[SCRIPT]}))


def attest_text(node: Hosting) -> None:
    node.served["manifest.json"] = b'{"index.html": 1, "index.html": 2}'
    node.attest({"manifest_sha256": hashlib.sha256(node.served["manifest.json"]).hexdigest()})


def other_processor(url: str) -> Callable[[Hosting], None]:
    def change(node: Hosting) -> None:
        node.config = {**node.config, "settings": {**SETTINGS, "processor_url": url}}

    return change


LIES: list[tuple[str, Callable[[Hosting], None], str]] = [
    *((f"flipped: {path}", flip(path), path) for path in (*FILES, "manifest.json")),
    *((f"missing: {path}", drop(path), path) for path in (*FILES, "manifest.json")),
    ("another dashboard", swap, "manifest.json"),
    ("huge: a script", grow(SCRIPT), SCRIPT),
    ("huge: the manifest", grow("manifest.json"), "manifest.json"),
    ("huge: all together", grow_together, "assets/0123456789abcdef/"),
    ("a path outside", attest_entry("../core/v1/page"), "manifest.json"),
    ("an address", attest_entry("https://evil.example/x.mjs"), "manifest.json"),
    ("a file of no known kind", attest_entry("assets/0123456789abcdef/x.exe"), "manifest.json"),
    ("another page", attest_entry("login.html"), "manifest.json"),
    ("no hash", attest_entry(SCRIPT, 1), "manifest.json"),
    ("a hash in capitals", attest_entry(SCRIPT, "A" * 64), "manifest.json"),
    ("too many files", attest_many, "manifest.json"),
    ("no first page", attest_without_start, "manifest.json"),
    ("a member twice", attest_text, "manifest.json"),
    ("the processor's script from anywhere", other_processor("http://evil.example"), "pay.html"),
    ("a directive in the processor's address", other_processor("http://127.0.0.1:1; script-src *"), "pay.html"),
    ("a processor without an address", other_processor("javascript:alert(1)"), "pay.html"),
]


def table(*cases: tuple[Any, ...], quick: int) -> list[Any]:
    """A table whose first cases run with every change."""
    marks = [[] if place < quick else [pytest.mark.exhaustive] for place in range(len(cases))]
    return [pytest.param(*case[1:], id=case[0], marks=mark) for case, mark in zip(cases, marks, strict=True)]


@pytest.mark.parametrize(("change", "named"), table(*LIES, quick=1))
async def test_anything_else_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Hosting], None], named: str
) -> None:
    async with around(tmp_path, monkeypatch) as there:
        change(there.node)
        with pytest.raises(NodeNotAccepted) as refused:
            await fetch_dashboard(there.transport)
        assert f"/dashboard/{named}" in str(refused.value)
        assert exit_of(refused.value) is Exit.NOT_ACCEPTED


@pytest.mark.exhaustive
@pytest.mark.parametrize("dashboard", [None, {}, {"manifest_sha256": "x"}, {"manifest_sha256": None}, "on", []])
async def test_without_a_hash_in_the_statement_there_is_no_dashboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dashboard: JsonValue
) -> None:
    async with around(tmp_path, monkeypatch) as there:
        there.node.attest(dashboard)
        assert await fetch_dashboard(there.transport) is None
        assert not there.node.told


@pytest.mark.exhaustive
async def test_a_node_that_is_refused_is_asked_for_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with around(tmp_path, monkeypatch) as there:
        there.node.shown = "b"
        with pytest.raises(NodeNotAccepted):
            await fetch_dashboard(there.transport)
        assert not there.node.told


@asynccontextmanager
async def serving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: Instance | None = None
) -> AsyncIterator[tuple[Around, str]]:
    """`svc dashboard` in this process, and the origin at which it listens."""
    async with around(tmp_path, monkeypatch, other=other) as there:
        stopped, listening = there.stopped, asyncio.get_running_loop().create_future()
        server = DashboardServer(there.transport, await fetched(there), "https://node.example", stopped)
        listen = Listen.own()

        def started(port: int) -> None:
            server.origin = listen.url(port)
            listening.set_result(server.origin)

        running = asyncio.create_task(serve(server.answer, listen, started, stopped))
        try:
            yield there, await listening
        finally:
            stopped.set()
            await running


@pytest.mark.exhaustive
async def test_a_browser_gets_the_files_with_this_program_s_own_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as (there, url), aiohttp.ClientSession() as session:
        before = len(there.node.told)
        # What the node would serve now no longer matters.
        there.node.served = dict.fromkeys(there.node.served, b"steal()")
        for path, body in {**FILES, "": FILES["index.html"]}.items():
            async with session.get(f"{url}/dashboard/{path}") as response:
                assert (response.status, await response.read()) == (200, body)
                told = {name: response.headers[name] for name in HEADERS}
            if path != "pay.html":
                assert told == dict(HEADERS)
        async with session.head(f"{url}/dashboard/") as response:
            assert (response.status, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert len(there.node.told) == before


async def test_calls_pass_with_the_page_s_key_and_answers_can_do_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as (there, url), aiohttp.ClientSession() as session:
        own = {"Origin": url, "Sec-Fetch-Site": "same-origin", "X-Api-Key": KEY, "Cookie": "a=b", "Referer": f"{url}/x"}
        async with session.post(f"{url}/core/v1/page", data=b"{}", headers=own) as response:
            assert response.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"
            assert not {"Access-Control-Allow-Origin", "Set-Cookie"} & set(response.headers)
        method, path, headers = there.node.told[-1]
        assert (method, path, headers["X-Api-Key"]) == ("POST", "/core/v1/page", KEY)
        assert not {"Origin", "Cookie", "Referer", "Sec-Fetch-Site"} & set(headers)
        for passed in ("/attestation?nonce=" + "ab" * 32, "/info", "/health", "/core/v1/x?a=b"):
            async with session.get(url + passed) as response:
                assert response.status == 200, passed
            assert there.node.requests[-1][1] == passed


@pytest.mark.parametrize("target", PASSED)
async def test_a_call_passes_with_its_path_as_it_is_written(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as (there, url):
        address = URL(url)
        answer = await raw(address.port or 0, get(target, address), str(address.host))
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert there.node.told[-1][1] == target


@pytest.mark.parametrize("target", REFUSED)
async def test_a_call_whose_path_could_be_another_one_to_the_node_is_refused(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as (there, url):
        address, before = URL(url), len(there.node.told)
        answer = await raw(address.port or 0, get(target, address), str(address.host))
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert len(there.node.told) == before


async def test_what_a_browser_held_back_is_refused_here_and_comes_to_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens six connections, and sends the next call as soon as one closes: by then nobody else may listen there."""
    async with serving(tmp_path, monkeypatch) as (there, url), aiohttp.ClientSession() as session:
        before = len(there.node.told)
        async with session.get(f"{url}/dashboard/alive") as alive:
            assert await alive.content.readany() == b"\n"
            there.stopped.set()
            assert await alive.content.read() == b""
        with socket.socket() as taker:
            taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with pytest.raises(OSError, match=os.strerror(errno.EADDRINUSE)):
                taker.bind((URL(url).host, URL(url).port))
        async with session.post(f"{url}/core/v1/page", data=b"{}", headers={"X-Api-Key": KEY}) as response:
            assert (response.status, (await response.json())["error"]) == (503, "ended")
        assert len(there.node.told) == before


async def test_connections_without_end_of_another_user_fill_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, monkeypatch):
        loop = asyncio.get_running_loop()
        # As asyncio reports it at each try to take a connection: some 200 times a second.
        for number in (errno.EMFILE, errno.ENFILE, errno.EIO):
            loop.call_exception_handler({"message": f"accept {number}", "exception": OSError(number, "no")})
        assert [each.message.splitlines()[0] for each in caplog.records if each.name == "asyncio"] == [
            f"accept {errno.EIO}"
        ]


def get(target: str, origin: URL) -> str:
    return f"GET {target} HTTP/1.1\r\nHost: {origin.host}:{origin.port}\r\nConnection: close\r\n\r\n"


async def test_each_run_has_an_origin_of_its_own_and_lets_nothing_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as (_, url), aiohttp.ClientSession() as session:
        assert len({URL(url).host, Listen.own().host, "127.0.0.1"}) == 3
        for path in FILES:
            async with session.get(f"{url}/dashboard/{path}") as response:
                assert response.headers["Cache-Control"] == "no-store"
        # Another name of the same address is another origin.
        async with session.get(f"{url}/dashboard/", headers={"Host": f"localhost:{URL(url).port}"}) as response:
            assert response.status == 403


def test_where_loopback_has_one_address_the_port_alone_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS 127.0.0.1 is the only one that is there without a command of the administrator."""

    class Refusing(socket.socket):
        def bind(self, address: object, /) -> None:
            raise OSError(errno.EADDRNOTAVAIL, f"{address} cannot be bound")

    monkeypatch.setattr(socket, "socket", Refusing)
    assert Listen.own() == Listen("127.0.0.1", 0)


async def test_the_page_is_told_when_the_program_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with aiohttp.ClientSession() as session:
        async with serving(tmp_path, monkeypatch) as (_, url):
            alive = await session.get(f"{url}/dashboard/alive")
            assert (alive.status, await alive.content.read(1)) == (200, b"\n")
            assert not alive.content.at_eof()
        # The server has ended with the block above.
        with contextlib.suppress(aiohttp.ClientError):
            assert await alive.content.read() == b""
        assert alive.content.is_eof() or alive.content.exception() is not None


async def test_no_connection_carries_a_second_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser sends a request again when a connection that it has used before closes: to whoever listens there by then."""
    async with serving(tmp_path, monkeypatch) as (_, url), aiohttp.ClientSession() as session:
        for path in ("/", "/dashboard/", f"/dashboard/{SCRIPT}", "/dashboard/verified.json", "/dashboard/alive"):
            async with session.get(url + path, allow_redirects=False) as response:
                assert response.headers.get("Connection") == "close", path
        for path, status in (("/core/v1/page", 200), ("/metrics", 405)):
            async with session.post(url + path, data=b"{}", headers={"X-Api-Key": KEY}) as response:
                assert (response.status, response.headers.get("Connection")) == (status, "close"), path


FOREIGN: list[tuple[str, str, str, dict[str, str], int]] = [
    ("another host", "GET", "/dashboard/", {"Host": "evil.example"}, 403),
    ("another port", "GET", "/dashboard/", {"Host": "127.0.0.1:1"}, 403),
    ("a page that asks whether it runs", "GET", "/dashboard/alive", {"Sec-Fetch-Site": "cross-site"}, 403),
    ("another origin", "POST", "/core/v1/x", {"Origin": "https://evil.example"}, 403),
    ("no origin that a page names", "POST", "/core/v1/x", {"Origin": "null"}, 403),
    ("another port's page", "GET", "/dashboard/verified.json", {"Origin": "http://127.0.0.1:1"}, 403),
    ("a link from elsewhere", "GET", "/dashboard/", {"Sec-Fetch-Site": "cross-site"}, 403),
    ("a page of another port", "GET", "/core/v1/x", {"Sec-Fetch-Site": "same-site"}, 403),
    ("another method", "PUT", "/core/v1/x", {}, 405),
    ("a preflight", "OPTIONS", "/core/v1/x", {}, 405),
    ("a change of a file", "POST", "/dashboard/", {}, 405),
    ("what is not passed", "GET", "/metrics", {}, 404),
    ("nor the evidence", "GET", "/evidences/", {}, 404),
    ("a way to the verifier's own", "GET", "/core/v1/../../evidences/", {}, 400),
    ("another authority", "GET", "//evil.example/core/v1/x", {}, 404),
    ("a file that is not there", "GET", "/dashboard/x.mjs", {}, 404),
    ("a payment", "GET", "/dashboard/payment.json", {}, 404),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), table(*FOREIGN, quick=1))
async def test_others_get_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    async with serving(tmp_path, monkeypatch) as (there, url), aiohttp.ClientSession() as session:
        before = len(there.node.told)
        async with session.request(method, URL(url + path, encoded=True), headers=headers) as response:
            assert response.status == status, await response.text()
            assert "Access-Control-Allow-Origin" not in response.headers
        assert len(there.node.told) == before


@dataclass
class Mute(Instance):
    """Somebody in the middle: a certificate of their own and no evidence."""

    def _response(self, _request: web.BaseRequest) -> web.Response:
        return web.Response(status=500)


async def test_a_stranger_s_connection_does_not_end_the_proof_of_the_key_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch, Mute("b")) as (there, url), aiohttp.ClientSession() as session:
        app = there.attack.app
        app.order = ["b", *["a"] * 50]
        app.balancer.cut()
        async with session.get(f"{url}/core/v1/x", headers={"X-Api-Key": KEY}) as response:
            assert response.status == 502
        async with session.get(f"{url}/dashboard/verified.json") as response:
            assert (response.status, (await response.json())["verdict"]) == (200, "accepted")
        # After an hour the key in use is proven again or it is not in use.
        there.attack.now_s += 7_200
        app.order = ["b"] * 50
        app.balancer.cut()
        async with session.get(f"{url}/core/v1/x", headers={"X-Api-Key": KEY}) as response:
            assert response.status == 502
        async with session.get(f"{url}/dashboard/verified.json") as response:
            assert response.status == 503


@pytest.mark.exhaustive
async def test_the_page_is_told_of_the_last_verification_and_not_of_a_refused_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as (there, url), aiohttp.ClientSession() as session:
        async with session.get(f"{url}/dashboard/verified.json") as response:
            told = await response.json()
        assert (told["node"], told["verdict"], told["development"]) == ("https://node.example", "accepted", True)
        assert told["manifest_sha256"] == json.loads(json.dumps(there.node.config))["dashboard"]["manifest_sha256"]
        assert told["verified_at"].endswith("Z")
        # The instance is replaced by one that cannot be proven: calls end, and so does the badge.
        there.attack.now_s += 7_200
        there.node.shown = "b"
        there.attack.app.balancer.cut()
        async with session.get(f"{url}/core/v1/x", headers={"X-Api-Key": KEY}) as response:
            assert (response.status, (await response.json())["error"]) == (502, "node_not_accepted")
        async with session.get(f"{url}/dashboard/verified.json") as response:
            assert response.status == 503
        assert KEY not in repr(there.node.requests)
