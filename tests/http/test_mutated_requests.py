"""Valid requests with random damage: never a bug, never anything but the error shape."""

import asyncio
import json
import random

import pytest

from node.settings.http import HttpSettings
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.http.test_malformed_http import parts
from tests.support.http_server import World, serving

ROUNDS = 400
SPLICES = [
    b"\r\n",
    b"\x00",
    b"\xff",
    b": ",
    b" ",
    b"%",
    b"{",
    b'"',
    b"\\ud800",
    b"HTTP/1.1",
    b"chunked",
    b"9" * 30,
    b"\t",
]


def damaged(request: bytes, chance: random.Random) -> bytes:
    """The request with one to three bytes or pieces changed, dropped or put in."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(request))
        end = min(len(request), start + chance.choice([0, 1, 1, 4, 20]))
        piece = chance.choice([b"", bytes([chance.randrange(256)]), chance.choice(SPLICES)])
        request = request[:start] + piece + request[end:]
    return request


@pytest.mark.exhaustive
async def test_damaged_requests_are_answered_or_given_up(
    world: World, keys: Keys, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = b'{"name":"n","group_id":"0x1","anything":[1,{"a":null}]}'
    valid = (
        b"POST /core/v1/note HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
        b"X-Api-Key: " + keys.usage.encode() + b"\r\nX-Correlation-Id: abc\r\n"
        b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
    )  # fmt: skip
    chance = random.Random(7)
    sent = [valid, *(damaged(valid, chance) for _ in range(ROUNDS))]
    monkeypatch.setattr("node.http.reading.BODY_TIMEOUT_S", 4.0)
    async with serving(desk.endpoints(), world, HttpSettings(http_keepalive_timeout_s=4.0)) as server:
        answers = await asyncio.gather(*(server.raw(request) for request in sent))
        found = [parts(answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")) for answer in answers if answer]
    assert found[0][0] == 200
    assert len(found) > ROUNDS * 0.8
    assert {status for status, _, _ in found} <= {200, 400, 401, 404, 405, 413, 414, 415, 429, 431, 501, 505}
    assert {headers["content-type"] for _, headers, _ in found} == {"application/json; charset=utf-8"}
    assert all(status == 200 or "error" in json.loads(answered) for status, _, answered in found)
    assert world.logs.named("internal_error") == []
