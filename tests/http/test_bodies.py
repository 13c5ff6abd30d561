"""Strict JSON and strict types: what is ambiguous, too deep or of another type is a 400 that names the field."""

import asyncio
import io
import time
from collections.abc import AsyncIterator, Iterable

import pytest

from node.api.calls import parse_strict_json
from node.http import pipeline
from node.http.rate import ClientAddresses
from node.runtime import processor_time
from node.settings.http import HttpSettings
from node.values import new_key
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.hostile_requests import SHAPES
from tests.support.http_server import Server, World, serving
from tests.support.loop_meter import STALL_MAX_S, metered_loop

pytestmark = pytest.mark.exhaustive

ABRUPT_S = 0.01
"""0 would be for ever."""
JSON = {"Content-Type": "application/json"}

REFUSED = {
    "empty": b"",
    "not json": b"nonsense",
    "trailing": b'{"name":"n"} x',
    "repeated name": b'{"name":"a","name":"b"}',
    "repeated deep inside": b'{"name":"n","anything":[{"x":{"a":1,"a":1}}]}',
    "NaN": b'{"name":"n","anything":NaN}',
    "Infinity": b'{"name":"n","anything":[-Infinity]}',
    "float too large": b'{"name":"n","anything":1e999}',
    "integer too large": b'{"name":"n","anything":' + b"9" * 5000 + b"}",
    "not utf-8": b'{"name":"\xff"}',
    "utf-16": '{"name":"n"}'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + b'{"name":"n"}',
    "lone surrogate": b'{"name":"\\ud800"}',
    "lone surrogate deep inside": b'{"name":"n","anything":{"\\udfff":1}}',
    "deep": b'{"name":"n","anything":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"name":"n","anything":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
    "an array": b"[]",
    "null": b"null",
    "a string": b'"name"',
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
async def test_ambiguous_json_is_400(server: Server, keys: Keys, body: bytes) -> None:
    reply = await server.call("POST", "/note", data=body, key=keys.usage, headers=JSON)
    assert (reply.status, reply.body["error"]) == (400, "bad_request")


@pytest.mark.parametrize("name", ["lone surrogate", "lone surrogate deep inside"])
async def test_half_a_surrogate_pair_is_called_that(server: Server, keys: Keys, name: str) -> None:
    reply = await server.call("POST", "/note", data=REFUSED[name], key=keys.usage, headers=JSON)
    assert "surrogate" in reply.body["message"]
    whole = b'{"name":"\\ud83d\\ude00 \\\\ud800"}'
    assert (await server.call("POST", "/note", data=whole, key=keys.usage, headers=JSON)).status == 200


FIELDS: list[tuple[dict[str, object], str]] = [
    ({}, "name"),
    ({"name": 1}, "name"),
    ({"name": None}, "name"),
    ({"name": "n" * 257}, "name"),
    ({"name": "n", "description": "d" * 2049}, "description"),
    ({"name": "n", "loud": 1}, "loud"),
    ({"name": "n", "loud": "true"}, "loud"),
    ({"name": "n", "group_id": True}, "group_id"),
    ({"name": "n", "group_id": 1.0}, "group_id"),
    ({"name": "n", "group_id": 2**64}, "group_id"),
    ({"name": "n", "group_id": -1}, "group_id"),
    ({"name": "n", "nmae": "x"}, "nmae"),
    ({"name": "n", "__proto__": {}}, "__proto__"),
]


@pytest.mark.parametrize(("body", "field"), FIELDS)
async def test_the_wrong_field_is_named(server: Server, keys: Keys, body: object, field: str) -> None:
    reply = await server.call("POST", "/note", body=body, key=keys.usage)
    assert reply.status == 400
    assert list(reply.body["details"]["fields"]) == [field]


async def test_every_wrong_field_is_named_at_once(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", body={"loud": 1, "group_id": "x", "extra": 1}, key=keys.usage)
    assert set(reply.body["details"]["fields"]) == {"name", "loud", "group_id", "extra"}


@pytest.mark.parametrize(
    ("name", "description", "wrong"),
    [
        ("\N{PILE OF POO}" * 64, "é" * 1024, set()),
        ("n" * 256, "d" * 2048, set()),
        ("\N{PILE OF POO}" * 65, "é" * 1024, {"name"}),
        ("n", "é" * 1024 + "e", {"description"}),
        ("\N{PILE OF POO}" * 256, "é" * 2048, {"name", "description"}),
    ],
    ids=range(5),
)
async def test_lengths_count_bytes_of_utf8(
    server: Server, keys: Keys, name: str, description: str, wrong: set[str]
) -> None:
    reply = await server.call("POST", "/note", body={"name": name, "description": description}, key=keys.usage)
    assert reply.status == (400 if wrong else 200), reply.body
    assert set(reply.body.get("details", {}).get("fields", {})) == wrong


async def test_half_a_surrogate_pair_is_no_text(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", data=b'{"name": "\\ud800"}', key=keys.usage, headers=JSON)
    assert reply.status == 400


async def test_a_refused_value_is_never_repeated(server: Server, keys: Keys) -> None:
    secret = new_key()[:-1]
    reply = await server.call("POST", "/with_key", body={"usage_api_key": secret}, key=keys.usage)
    assert reply.status == 400
    assert secret.encode() not in reply.raw


async def test_long_unknown_names_are_cut(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", body={"name": "n", "x" * 100_000: 1}, key=keys.usage)
    assert reply.status == 400
    assert len(reply.raw) < 2000


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=UTF-8",
        'application/json;charset="utf8"',
        "Application/JSON",
        "application/json; odata=verbose; charset=utf-8;",
        'application/json; a="' + "b" * 106 + '"',
    ],
)
async def test_json_content_types_are_taken(server: Server, content_type: str) -> None:
    reply = await server.call("POST", "/text", data=b'"abc"', headers={"Content-Type": content_type})
    assert (reply.status, reply.body) == (200, "cba")


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "application/json; charset=utf-8; charset=utf-16",
        "application/json; charset*=utf-16''x",
        "application/json; charset",
        "application/jsonp",
        'application/json; a="' + "b" * 107 + '"',
        "",
    ],
)
async def test_other_content_types_are_415(server: Server, content_type: str) -> None:
    reply = await server.call("POST", "/text", data=b'"abc"', headers={"Content-Type": content_type})
    assert (reply.status, reply.body["error"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("shape", SHAPES)
async def test_no_content_type_holds_the_loop(server: Server, shape: str) -> None:
    """Eight kilobytes of `;"` held it for two seconds: they were read by the email package."""
    head = b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\nContent-Type: "
    sent = head + SHAPES[shape](8_000).encode() + b'\r\n\r\n"ab"'
    async with metered_loop() as meter:
        answer = await server.raw(sent)
        assert int(answer.split()[1]) in {400, 415}
        assert meter.longest_s < STALL_MAX_S


@pytest.mark.parametrize("body", [b"", b"{}", b" { } \n"])
@pytest.mark.parametrize("content_type", ["", "text/plain", "application/json"])
async def test_endpoints_without_a_body_take_an_empty_one(
    server: Server, keys: Keys, body: bytes, content_type: str
) -> None:
    reply = await server.call("POST", "/count", data=body, key=keys.usage, headers={"Content-Type": content_type})
    assert reply.status == 200


@pytest.mark.parametrize("body", [b'{"a":1}', b"[]", b"null", b"x", b" " * 70_000 + b"{}"])
async def test_endpoints_without_a_body_refuse_another(server: Server, keys: Keys, body: bytes) -> None:
    assert (await server.call("POST", "/count", data=body, key=keys.usage)).status == 400
    assert (await server.call("GET", "/noop", data=body)).status == 400


async def test_endpoints_without_a_body_name_the_field_they_do_not_know(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/count", body={"name": "x"}, key=keys.usage)
    assert (reply.status, reply.body["details"]) == (400, {"fields": {"name": "is not a field of this request"}})


async def test_a_large_body_is_parsed_off_the_loop_alike(server: Server, keys: Keys) -> None:
    big = {"name": "n", "anything": ["x" * 1000] * 200}
    assert (await server.call("POST", "/note", body=big, key=keys.usage)).status == 200
    wrong = await server.call("POST", "/note", body={**big, "loud": 3}, key=keys.usage)
    assert list(wrong.body["details"]["fields"]) == ["loud"]
    text = await server.call("POST", "/text", body="é" * 100_000)
    assert text.body == "é" * 100_000


SMALL, LARGE = HttpSettings().http_max_other_body_bytes, HttpSettings().http_max_body_bytes


def text_of(size: int) -> bytes:
    return b'"' + b"x" * (size - 2) + b'"'


@pytest.mark.parametrize("arrives", ["announced", "in chunks"])
@pytest.mark.parametrize(
    ("path", "most"), [("/text", LARGE), ("/params", LARGE), ("/note", SMALL), ("/anonymous", SMALL)]
)
async def test_a_body_is_as_large_as_its_endpoint_takes_and_one_byte_more_is_413(
    server: Server, keys: Keys, path: str, most: int, arrives: str
) -> None:
    """Exactly as large a body is read: it is text, which only `/text` takes."""
    for size, status in ((most, 200 if path == "/text" else 400), (most + 1, 413)):
        body = text_of(size)
        sent = in_chunks(body) if arrives == "in chunks" else io.BytesIO(body)
        url = f"http://127.0.0.1:{server.port}/core/v1{path}"
        async with server.session.post(url, data=sent, headers={**JSON, "X-Api-Key": keys.usage}) as response:
            answer = await response.json()
        assert response.status == status, answer
        assert status != 413 or answer["details"] == {"max_body_bytes": most}


async def in_chunks(body: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(body), 65_536):
        yield body[at : at + 65_536]


async def test_no_endpoint_takes_more_than_the_larger_bound(world: World, desk: Desk, keys: Keys) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_max_body_bytes=1_000)) as server:
        for path in ("/text", "/note"):
            reply = await server.call("POST", path, data=text_of(1_001), key=keys.usage, headers=JSON)
            assert (reply.status, reply.body["details"]) == (413, {"max_body_bytes": 1_000})


async def test_a_post_takes_no_query(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note?verbose=1", body={"name": "n"}, key=keys.usage)
    assert (reply.status, list(reply.body["details"]["fields"])) == (400, ["verbose"])


def crowd(value: bytes, count: int) -> bytes:
    return b'{"params":[' + b",".join([value] * count) + b"]}"


def members(count: int) -> bytes:
    return b'{"params":{' + b",".join(b'"%d":[]' % number for number in range(count)) + b"}}"


VALUES, NAMES = "more than 600000 values", "more than 50000 names"
CROWDS = {
    "lists": (crowd(b"[]", 50_000), NAMES),
    "objects": (crowd(b"{}", 50_000), NAMES),
    "members": (members(25_001), NAMES),
    "members of many": (crowd(b'{"a":0}', 25_000), NAMES),
    "numbers": (crowd(b"0", 600_001), VALUES),
    "behind a string that does not end": (crowd(b"[]", 40_000)[:-2] + b',"' + b'\\"' * 100_000, "not valid JSON"),
    "quotes": (b'{"params":' + b'"' * 2_400_100 + b"," * 600_001, VALUES),
}


@pytest.mark.parametrize(("body", "fault"), CROWDS.values(), ids=CROWDS.keys())
async def test_a_crowd_of_values_is_refused_before_it_is_built(
    server: Server, keys: Keys, body: bytes, fault: str
) -> None:
    reply = await server.call("POST", "/params", data=body, key=keys.usage, headers=JSON)
    assert (reply.status, fault in reply.body["message"]) == (400, True)


LARGEST = {
    "lists": crowd(b"[]", 49_000),
    "members": members(24_000),
    "numbers": crowd(b"0", 500_000),
    "nested too deep": b'{"params":' + b"[" * 500 + b" " * 70_000 + b"]" * 500 + b"}",
}


@pytest.mark.parametrize("name", LARGEST)
async def test_what_an_action_may_be_given_is_read_once_and_no_part_of_it_holds_others(
    server: Server, keys: Keys, name: str
) -> None:
    body = LARGEST[name]
    reply = await server.call("POST", "/params", data=body, key=keys.usage, headers=JSON)
    assert reply.status == (400 if name == "nested too deep" else 200)
    assert reply.status == 200 or "nested too deeply" in reply.body["message"]
    took_s = []
    for _ in range(3):
        began_s = time.thread_time()
        parse_strict_json(body)
        took_s.append(time.thread_time() - began_s)
    # The parser calls back for numbers, and others have their turn then.
    assert name == "numbers" or min(took_s) < STALL_MAX_S


@pytest.mark.parametrize("count", [10_000, 50_000])
async def test_where_no_client_has_many_values_far_fewer_are_read(server: Server, keys: Keys, count: int) -> None:
    """On the event loop, where small bodies are read, and in a thread."""
    body = b'{"name":"n","anything":[' + b"[]," * count + b"[]]}"
    for path in ("/note", "/anonymous"):
        reply = await server.call("POST", path, data=body, key=keys.usage, headers=JSON)
        assert (reply.status, reply.body["message"]) == (400, "The body holds more than 10000 values.")


async def test_separators_inside_a_text_are_no_values(server: Server) -> None:
    text = '[{,"\\' * 100_000
    assert (await server.call("POST", "/text", body=text)).body == text[::-1]


async def test_who_sends_costly_bodies_waits_for_its_share_and_nobody_else(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COSTLY_S": 0.0, "BURST_S": 1e-9, "SHARE": 1e-6}.items():
        monkeypatch.setattr(processor_time, name, value)
    large = "a" * 100_000
    async with serving(desk.endpoints(), world, None, ClientAddresses(["127.0.0.0/8"])) as server:

        async def send(address: str, text: str) -> int:
            return (await server.call("POST", "/text", body=text, headers={"X-Forwarded-For": address})).status

        assert await send("198.51.100.1", large) == 200
        waiting = asyncio.create_task(send("198.51.100.1", large))
        assert [await send("198.51.100.1", "small") for _ in range(5)] == [200] * 5
        assert await send("198.51.100.2", large) == 200
        assert not waiting.done(), "the second large body of an address was read though its share was used up"
        await end_all(server, [waiting])


async def test_who_waits_too_long_for_its_share_is_told_to_come_back(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COSTLY_S": 0.0, "BURST_S": 1e-9, "SHARE": 1e-6}.items():
        monkeypatch.setattr(processor_time, name, value)
    monkeypatch.setattr(pipeline, "TURN_TIMEOUT_S", 0.01)
    large = "a" * 100_000
    async with serving(desk.endpoints(), world) as server:
        assert (await server.call("POST", "/text", body=large)).status == 200
        late = await server.call("POST", "/text", body=large)
        assert (late.status, late.body["error"], late.headers["Retry-After"]) == (429, "too_many_requests", "1")
        assert (await server.call("POST", "/text", body="small")).status == 200, "its place was given back"


async def end_all(server: Server, waiting: Iterable["asyncio.Task[int]"]) -> None:
    """End the requests at both ends: the graceful stop would give those that wait for their share a minute."""
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert server.runner.server is not None
    await server.runner.server.shutdown(ABRUPT_S)


async def test_who_waits_for_a_share_holds_no_place_of_the_node_and_is_one_of_few(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one address without any key would hold all places, and everybody else would be 429."""
    for name, value in {"COSTLY_S": 0.0, "BURST_S": 1e-9, "SHARE": 1e-6}.items():
        monkeypatch.setattr(processor_time, name, value)
    monkeypatch.setattr("node.http.reading.ARRIVING_BODIES_PER_ADDRESS_MAX", 4)
    limits = HttpSettings(http_max_concurrent_requests=2)
    async with serving(desk.endpoints(), world, limits, ClientAddresses(["127.0.0.0/8"])) as server:

        async def send(address: str, text: str) -> int:
            return (await server.call("POST", "/text", body=text, headers={"X-Forwarded-For": address})).status

        large = "a" * 100_000
        assert await send("198.51.100.1", large) == 200
        waiting = [asyncio.create_task(send("198.51.100.1", large)) for _ in range(5)]
        ended, still = await asyncio.wait(waiting, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        assert [each.result() for each in ended] == [429], "one address has more bodies that wait than it may"
        assert [await send("198.51.100.2", "small") for _ in range(3)] == [200] * 3
        await end_all(server, still)


async def test_of_very_many_unknown_fields_a_few_are_named(server: Server, keys: Keys) -> None:
    body = {f"field{number}": 0 for number in range(9_000)}
    reply = await server.call("POST", "/note", body=body, key=keys.usage)
    assert reply.status == 400
    assert list(reply.body["details"]["fields"]) == [f"field{number}" for number in range(20)]
