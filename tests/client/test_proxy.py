"""`svc proxy`: loopback alone, no web page, no key without the token, and nothing to a node that is not proven."""

import re
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from svc_client.errors import InvalidArgument
from svc_client.loopback import Listen
from svc_client.profile import Profile
from svc_client.proxy import TOKEN_HEADER
from tests.support.local_proxy import KEY, around, raw
from tests.support.loopback_paths import PASSED
from tests.support.loopback_paths import REFUSED as TARGETS_REFUSED


@pytest.mark.parametrize(
    "listen", ["0.0.0.0:9000", "[::]:9000", "192.0.2.1:9000", "node.example:9000", ":9000", "9000"]
)
def test_only_loopback_is_listened_on(listen: str) -> None:
    with pytest.raises(InvalidArgument, match="loopback"):
        Listen.of(listen)


@pytest.mark.parametrize("listen", ["127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:-1"])
def test_a_port_is_a_port(listen: str) -> None:
    with pytest.raises(InvalidArgument, match="port"):
        Listen.of(listen)


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "127.0.0.2:9000", "[::1]:9000", "localhost:9000"])
def test_addresses_of_loopback(listen: str) -> None:
    assert Listen.of(listen).host in {"127.0.0.1", "127.0.0.2", "::1"}


async def test_a_request_passes_without_what_belongs_to_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with around(tmp_path, monkeypatch) as there, aiohttp.ClientSession() as session:
        headers = {
            "X-Api-Key": "own",
            "Connection": "close, X-Hop",
            "X-Hop": "1",
            "Cookie": "c=d",
            "X-Forwarded-For": "x",
            "Referer": "https://elsewhere.example/",
            # Of Node.js.
            "Sec-Fetch-Mode": "cors",
        }
        async with session.post(f"{there.url}/core/v1/who?a=%20b", json={"x": 1}, headers=headers) as response:
            assert (response.status, await response.json()) == (200, {"instance": "a"})
            assert response.headers["X-Request-Id"] == "r1"
            for name in ("Access-Control-Allow-Origin", "Strict-Transport-Security", "Set-Cookie", "Keep-Alive"):
                assert name not in response.headers
        ((method, path, sent),) = there.node.told
        assert (method, path) == ("POST", "/core/v1/who?a=%20b")
        assert sent["X-Api-Key"] == "own"
        assert sent["Host"].startswith("localhost:")
        assert not {"X-Hop", "Cookie", "X-Forwarded-For", "Referer", TOKEN_HEADER} & set(sent)


@pytest.mark.parametrize("listen", ["127.0.0.2:0", "[::1]:0"])
async def test_it_answers_at_the_address_that_was_chosen(
    listen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with around(tmp_path, monkeypatch, listen=Listen.of(listen)) as there:
        own, host = there.url.removeprefix("http://"), str(URL(there.url).host)
        answer = await raw(there.port, f"GET /who HTTP/1.1\r\nHost: {own}\r\n\r\n", host)
        assert answer.startswith(b"HTTP/1.1 200 "), answer


@pytest.mark.parametrize("target", PASSED)
async def test_a_path_passes_as_it_is_written(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with around(tmp_path, monkeypatch) as there:
        answer = await raw(
            there.port, f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nConnection: close\r\n\r\n"
        )
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert [path for _, path, _ in there.node.told] == [target]


@pytest.mark.parametrize("target", [*TARGETS_REFUSED, "/core/v1/x#y", "/core/v1/\u00e9", "/core/v1/x?\u00e9"])
async def test_a_path_that_could_be_another_one_to_the_node_is_refused(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with around(tmp_path, monkeypatch) as there:
        head = f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\n{TOKEN_HEADER}: {there.token}\r\n"
        answer = await raw(there.port, f"{head}Content-Length: 0\r\nConnection: close\r\n\r\n")
        assert re.match(rb"HTTP/1\.[01] 400 ", answer), answer
        assert not there.node.told


@pytest.mark.parametrize(
    ("headers", "status", "key"),
    [
        ({}, 200, None),
        ({TOKEN_HEADER: "right"}, 200, KEY),
        ({TOKEN_HEADER: "right", "X-Api-Key": "own"}, 200, "own"),
        ({TOKEN_HEADER: "wrong"}, 401, None),
        ({TOKEN_HEADER: ""}, 401, None),
        ({"X-Api-Key": "own"}, 200, "own"),
    ],
)
async def test_the_key_goes_out_with_the_token_alone(
    headers: dict[str, str], status: int, key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with around(tmp_path, monkeypatch) as there, aiohttp.ClientSession() as session:
        given = {name: there.token if value == "right" else value for name, value in headers.items()}
        async with session.get(f"{there.url}/who", headers=given) as response:
            assert response.status == status
            assert KEY not in await response.text()
        told = there.node.told
        assert [sent.get("X-Api-Key") for _, _, sent in told] == ([key] if status == 200 else [])
        assert there.token not in repr(told)


REFUSED = [
    ("a name that was pointed at loopback", "GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n", 403),
    ("another port", "GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 403),
    ("no port", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 403),
    ("no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
    ("two hosts", "GET / HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\n\r\n", 400),
    ("a page of elsewhere", "GET / HTTP/1.1\r\nHost: {own}\r\nOrigin: https://evil.example\r\n\r\n", 403),
    ("a page of its own", "GET / HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\n\r\n", 403),
    ("a page of nowhere", "POST / HTTP/1.1\r\nHost: {own}\r\nOrigin: null\r\nContent-Length: 0\r\n\r\n", 403),
    *(
        (f"a picture on a {site} page", f"GET / HTTP/1.1\r\nHost: {{own}}\r\nSec-Fetch-Site: {site}\r\n\r\n", 403)
        for site in ("cross-site", "same-site", "same-origin", "none")
    ),
    ("a preflight", "OPTIONS / HTTP/1.1\r\nHost: {own}\r\n\r\n", 405),
    ("a deletion", "DELETE / HTTP/1.1\r\nHost: {own}\r\n\r\n", 405),
    ("two slashes", "GET //evil.example/ HTTP/1.1\r\nHost: {own}\r\n\r\n", 400),
    ("a slash and a backslash", "GET /\\evil.example/ HTTP/1.1\r\nHost: {own}\r\n\r\n", 400),
    ("a whole address", "GET http://evil.example/ HTTP/1.1\r\nHost: {own}\r\n\r\n", 400),
    ("a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: {own}\r\n\r\n", 405),
]


@pytest.mark.parametrize(("text", "status"), [each[1:] for each in REFUSED], ids=[each[0] for each in REFUSED])
async def test_what_a_web_page_could_send_is_refused(
    text: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with around(tmp_path, monkeypatch) as there:
        said = text.format(port=there.port, own=f"127.0.0.1:{there.port}")
        with_token = said.replace("\r\n\r\n", f"\r\n{TOKEN_HEADER}: {there.token}\r\n\r\n")
        answer = await raw(there.port, with_token)
        assert re.match(rf"HTTP/1\.[01] {status} ".encode(), answer), answer
        assert not there.node.told


async def test_a_node_that_is_refused_gets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with around(tmp_path, monkeypatch) as there, aiohttp.ClientSession() as session:
        there.node.shown = "b"
        with_token = {TOKEN_HEADER: there.token}
        async with session.post(f"{there.url}/who", data=b"private" * 9_999, headers=with_token) as response:
            assert (response.status, (await response.json())["error"]) == (502, "node_not_accepted")
        assert not there.node.told
        assert KEY not in repr(there.node.requests)


@pytest.mark.exhaustive
async def test_the_program_serves_a_node_until_it_is_told_to_stop(program: tuple[str, str]) -> None:
    url, token = program
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{url}/core/v1/version") as response:
            assert (response.status, "version" in await response.json()) == (200, True)
        async with session.get(f"{url}/core/v1/billing/balance") as response:
            assert response.status == 401
        async with session.get(f"{url}/core/v1/account_exists", headers={TOKEN_HEADER: token}) as response:
            assert (response.status, await response.json()) == (200, False)


def test_a_profile_shows_no_key() -> None:
    assert "secret" not in repr(Profile(url="https://a", api_key="secret", rpc_urls=("https://rpc/secret",)))
