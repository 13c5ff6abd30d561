"""`Expect: 100-continue`: who waits to be asked for a body is asked, or refused on a connection that ends."""

import asyncio

import pytest

from tests.http.conftest import Keys
from tests.http.test_malformed_http import assert_error, parts
from tests.http.test_request_heads import answered, connected
from tests.support.http_server import Server

BODY = b'{"name":"n"}'
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def asking(
    path: str = "note", *, method: str = "POST", version: str = "1.1", length: int = len(BODY), key: str = ""
) -> bytes:
    lines = [
        f"{method} /core/v1/{path} HTTP/{version}",
        *("Host: x", "Content-Type: application/json", "Expect: 100-Continue", f"Content-Length: {length}"),
        *([f"X-Api-Key: {key}"] if key else []),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


REFUSED: list[tuple[str, bytes, int, str]] = [
    ("no key", asking(), 401, "unauthorized"),
    ("no such path", asking("nowhere"), 404, "not_found"),
    ("another method", asking(method="PUT"), 405, "method_not_allowed"),
    ("too long", asking(length=1 << 40), 413, "payload_too_large"),
]


@pytest.mark.parametrize(("head", "status", "error"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
async def test_a_refusal_says_that_the_connection_ends_and_ends_it(
    server: Server, head: bytes, status: int, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a proxy sends its next request as the body of this one, and the node reads the first bytes of it as that."""
    # Longer than the test waits: a node that reads what may come of the body does not answer in time.
    monkeypatch.setattr("node.http.protocol._LINGERING_S", 120.0)
    answer = await server.raw(head)
    assert_error(answer, status, error)
    assert parts(answer)[1]["connection"] == "close"


async def test_a_body_that_is_wanted_is_asked_for_and_the_connection_goes_on(server: Server, keys: Keys) -> None:
    async with connected("plain", server.port) as (reader, writer):
        for _ in range(2):
            writer.write(asking(key=keys.usage))
            async with asyncio.timeout(20):
                assert await reader.readuntil(b"\r\n\r\n") == CONTINUE
                assert await answered((reader, writer), BODY) == 200


async def test_a_body_that_is_there_is_not_asked_for(server: Server, keys: Keys) -> None:
    """RFC 9110, 10.1.1: the interim response may be omitted then."""
    last = asking(key=keys.usage).replace(b"Host: x", b"Host: x\r\nConnection: close")
    assert (await server.raw(last + BODY)).startswith(b"HTTP/1.1 200 ")


async def test_a_refusal_that_no_longer_spares_the_body_keeps_the_connection(server: Server) -> None:
    last = asking("nowhere").replace(b"Host: x", b"Host: x\r\nConnection: close")
    answers = (await server.raw(asking() + BODY + last + BODY)).split(b"HTTP/1.1 ")[1:]
    assert [int(each[:3]) for each in answers] == [401, 404]


async def test_http_1_0_is_sent_no_interim_answer(server: Server, keys: Keys) -> None:
    """It knows none, and would take it for the answer."""
    answer = await server.raw(asking(version="1.0", key=keys.usage) + BODY)
    assert answer.startswith(b"HTTP/1.0 200 ")
    assert b"100 Continue" not in answer
