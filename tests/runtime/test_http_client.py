"""Requests of the node to others over HTTP, their bounds, and how a failure is told."""

import gzip
from pathlib import Path

import aiohttp
import pytest

from node.runtime.http_client import FAILURES, NoResponse, bounded_body, no_response, plain_session, request
from tests.engine.egress.certificates import tls_for
from tests.engine.egress.servers import answer, redirect, server
from tests.support.node import REPOSITORY
from tests.support.ports import free_port

BYTES_MAX = 1000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n"


async def asked(url: str, timeout_s: float = 30) -> bytes | NoResponse:
    async with plain_session(timeout=aiohttp.ClientTimeout(total=timeout_s)) as session:
        try:
            async with request(session, "GET", url) as response:
                return await bounded_body(response, BYTES_MAX)
        except FAILURES as error:
            return no_response(error)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (answer(b"x" * BYTES_MAX), b"x" * BYTES_MAX),
        (answer(b"x" * (BYTES_MAX + 1)), NoResponse.TOO_LARGE),
        (CHUNKED, NoResponse.TOO_LARGE),
        (answer(gzip.compress(b"x" * (BYTES_MAX + 1)), "Content-Encoding: gzip"), NoResponse.TOO_LARGE),
        (answer(b"x" * 10)[:-1], NoResponse.LATE),
        (b"SSH-2.0-OpenSSH\r\n\r\n", NoResponse.BROKEN),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nx", NoResponse.BROKEN),
    ],
    ids=["whole", "a byte more", "chunked", "compressed", "never ends", "not HTTP", "breaks off"],
)
async def test_a_body_is_read_up_to_its_bound(sent: bytes, read: bytes | NoResponse) -> None:
    async with server() as origin:
        origin.by_path["/"] = sent
        assert await asked(origin.url(), 0.5 if read is NoResponse.LATE else 30) == read


async def test_a_failure_is_told_without_the_address(tmp_path: Path) -> None:
    assert await asked(f"http://127.0.0.1:{free_port()}/secret") is NoResponse.UNREACHABLE
    assert await asked(f"http://{'a' * 64}.example/secret") in {NoResponse.BROKEN, NoResponse.UNREACHABLE}
    serving, _ = tls_for(["localhost"], tmp_path)
    async with server(serving) as untrusted:
        assert await asked(f"https://localhost:{untrusted.port}/secret") is NoResponse.TLS


async def test_a_redirect_is_a_response_and_no_cookie_is_sent_back() -> None:
    async with server() as elsewhere, server() as origin, plain_session() as session:
        origin.by_path["/"] = redirect(elsewhere.url()).replace(
            b"\r\n\r\n", b"\r\nSet-Cookie: backend=7; Path=/\r\n\r\n"
        )
        for _ in range(2):
            # By name: a cookie jar keeps nothing of hosts that are addresses.
            async with request(session, "POST", origin.url(host="localhost"), json={"a": 1}) as response:
                assert (response.status, response.cookies["backend"].value) == (302, "7")
        assert [("cookie" in each.headers, each.body) for each in origin.asked] == [(False, b'{"a": 1}')] * 2
        assert elsewhere.connections == 0


def test_no_other_module_makes_a_session_but_that_of_the_actions_own_requests() -> None:
    made = {
        str(path.relative_to(REPOSITORY))
        for folder in ("node", "devkit")
        for path in (REPOSITORY / folder).rglob("*.py")
        if "ClientSession(" in path.read_text()
    }
    assert made == {"node/runtime/http_client.py", "node/engine/egress/client.py"}
