"""Keys in headers: which one counts, what is no key, and which kind of key may call what."""

import asyncio
import itertools
import json

import pytest
from pydantic import BaseModel

from node.api.calls import Call, NoInput
from node.api.errors import ErrorCode, NodeError
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Endpoint, Operation
from node.http.rate import ClientAddresses
from node.settings.http import HttpSettings
from node.values import hash_of_text, new_key, u256_hex
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.http.test_malformed_http import assert_error
from tests.support.http_server import KeyTable, Server, World, serving

NOTE = {"name": "n"}
MADE_AT = 7
"""A block."""


async def test_both_headers_are_equivalent(server: Server, keys: Keys) -> None:
    for headers in ({"X-Api-Key": keys.usage}, {"Authorization": f"Bearer {keys.usage}"}, {"authorization": f"bearer  {keys.usage} "}):  # fmt: skip
        reply = await server.call("POST", "/note", body=NOTE, headers=headers)
        assert (reply.status, reply.body["caller"]) == (200, str(hash_of_text(keys.usage)))


async def test_authorization_is_read_first(server: Server, keys: Keys) -> None:
    both = {"Authorization": f"Bearer {keys.usage}", "X-Api-Key": keys.unknown}
    assert (await server.call("POST", "/note", body=NOTE, headers=both)).status == 200
    swapped = {"Authorization": f"Bearer {keys.unknown}", "X-Api-Key": keys.usage}
    assert (await server.call("POST", "/note", body=NOTE, headers=swapped)).status == 401


def no_keys() -> list[str]:
    key = new_key()
    return [
        "", "garbage", key[:-1], key + "=", key.replace("=", "a"), u256_hex(hash_of_text(key)), "0x" + "AB" * 32,
        "-" + key[1:], key[:20] + " " + key[21:], "é" + key[1:], key + "," + key,
    ]  # fmt: skip


# Named by position: the values are random, and two workers must agree on the tests' names.
@pytest.mark.parametrize("value", no_keys(), ids=itertools.count())
async def test_what_is_no_key_is_401_without_asking_the_chain(server: Server, value: str) -> None:
    for headers in ({"X-Api-Key": value}, {"Authorization": f"Bearer {value}"}):
        reply = await server.call("POST", "/note", body=NOTE, headers=headers)
        assert (reply.status, reply.body["error"]) == (401, "unauthorized")
        assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert server.world.keys.asked == 0


@pytest.mark.parametrize("value", ["Basic dXNlcjpwYXNz", "Token x", "Bearerx", "Bearer\tx", ""])
async def test_another_scheme_names_no_caller(server: Server, keys: Keys, value: str) -> None:
    """Before a node there may be a proxy with an authentication of its own."""
    other = {"Authorization": value}
    assert (await server.call("POST", "/note", body=NOTE, headers=other)).status == 401
    reply = await server.call("POST", "/note", body=NOTE, headers={**other, "X-Api-Key": keys.usage})
    assert (reply.status, reply.body["caller"]) == (200, str(hash_of_text(keys.usage)))


@pytest.mark.parametrize("value", ["Bearer", "bearer ", "Bearer x"])
async def test_a_wrong_bearer_is_never_passed_over(server: Server, keys: Keys, value: str) -> None:
    headers = {"Authorization": value, "X-Api-Key": keys.usage}
    assert (await server.call("POST", "/note", body=NOTE, headers=headers)).status == 401


@pytest.mark.parametrize(
    "names",
    [("Authorization", "Authorization"), ("X-Api-Key", "X-Api-Key"), ("Authorization", "X-Api-Key", "x-api-key")],
)
async def test_a_header_of_a_key_in_two_lines_is_401(server: Server, keys: Keys, names: tuple[str, ...]) -> None:
    """A proxy may check the one and the node go by the other."""
    lines = "".join(f"{name}: {'Bearer ' if name == 'Authorization' else ''}{keys.usage}\r\n" for name in names)
    head = "GET /core/v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    answer = await server.raw((head + lines + "\r\n").encode())
    assert_error(answer, 401, "unauthorized")
    assert b'"reason":"header_repeated"' in answer
    assert server.world.keys.asked == 0


@pytest.mark.parametrize(
    ("path", "account", "usage", "converted_account", "converted_usage", "unknown"),
    [
        ("POST /note", 200, 200, 403, 200, 401),
        ("POST /owner", 200, 403, 403, 403, 401),
        ("GET /things", 200, 200, 200, 200, 401),
        ("GET /shaped", 200, 200, 200, 200, 200),
        ("GET /noop", 200, 200, 200, 200, 200),
    ],
)
async def test_which_key_may_call_what(
    server: Server, keys: Keys, path: str, account: int, usage: int, converted_account: int, converted_usage: int, unknown: int
) -> None:  # fmt: skip
    method, target = path.split()
    expected = {keys.account: account, keys.usage: usage, keys.converted_account: converted_account, keys.converted_usage: converted_usage, keys.unknown: unknown}  # fmt: skip
    body = NOTE if target == "/note" else None
    found = {key: (await server.call(method, target, body=body, key=key)).status for key in expected}
    assert found == expected


async def test_a_shaped_key_is_told_whether_it_is_known(server: Server, keys: Keys) -> None:
    assert (await server.call("GET", "/shaped", key=keys.usage)).body is True
    assert (await server.call("GET", "/shaped", key=keys.unknown)).body is False
    assert (await server.call("GET", "/shaped")).status == 401
    assert (await server.call("GET", "/shaped", key="garbage")).status == 401


async def test_endpoints_without_authentication_ignore_garbage(server: Server) -> None:
    assert (await server.call("POST", "/text", body="ab", key="garbage")).body == "ba"
    reply = await server.call("POST", "/anonymous", body=NOTE, headers={"Authorization": "nonsense"})
    assert (reply.status, reply.body["caller"]) == (200, None)


async def test_keys_appear_nowhere(server: Server, keys: Keys) -> None:
    await server.call("POST", "/note", body=NOTE, key=keys.usage)
    await server.call("POST", "/note?" + keys.usage, body=NOTE, key=keys.usage)
    refused = await server.call("GET", "/" + keys.usage.replace("/", "_"), key=keys.unknown)
    assert keys.unknown.encode() not in refused.raw
    assert keys.usage not in json.dumps(server.world.logs.lines)
    assert keys.usage.replace("/", "_") not in json.dumps(server.world.logs.lines)


async def test_unknown_keys_are_limited_by_address_and_known_ones_pass(world: World, desk: Desk, keys: Keys) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_unknown_keys_per_minute_per_address=3)) as server:
        assert (await server.call("POST", "/note", body=NOTE, key=keys.usage)).status == 200
        statuses = [(await server.call("POST", "/note", body=NOTE, key=new_key())).status for _ in range(4)]
        assert statuses == [401, 401, 401, 429]
        asked = world.keys.asked
        refused = await server.call("GET", "/shaped", key=keys.unknown)
        assert (refused.status, refused.headers["Retry-After"]) == (429, "20")
        assert world.keys.asked == asked
        assert (await server.call("POST", "/note", body=NOTE, key=keys.usage)).status == 200
        world.monotonic.advance(20)
        assert (await server.call("GET", "/shaped", key=keys.unknown)).status == 200


@pytest.mark.parametrize("path", ["/note", "/shaped"])
async def test_a_key_that_was_known_is_limited_as_any_other_once_it_is_revoked(
    world: World, desk: Desk, keys: Keys, path: str
) -> None:
    """Also where the endpoint answers unknown keys, as account_exists does."""
    method, body = ("POST", NOTE) if path == "/note" else ("GET", None)
    async with serving(desk.endpoints(), world, HttpSettings(http_unknown_keys_per_minute_per_address=3)) as server:
        assert (await server.call(method, path, body=body, key=keys.usage)).status == 200
        del world.keys.callers[hash_of_text(keys.usage)]
        statuses = [(await server.call(method, path, body=body, key=keys.usage)).status for _ in range(6)]
        asked = world.keys.asked
        assert statuses == [401 if path == "/note" else 200] * 3 + [429] * 3
        assert (await server.call(method, path, body=body, key=keys.usage)).status == 429
        assert world.keys.asked == asked


async def test_unknown_keys_sent_all_at_once_count_each(world: World, desk: Desk, keys: Keys) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_unknown_keys_per_minute_per_address=60)) as server:
        wave = [server.call("POST", "/note", body=NOTE, key=new_key()) for _ in range(90)]
        passed = [reply.status for reply in await asyncio.gather(*wave)].count(401)
        assert world.keys.asked == passed
        world.monotonic.advance(passed - 60)
        assert (await server.call("POST", "/note", body=NOTE, key=keys.unknown)).status == 429
        world.monotonic.advance(1)
        assert (await server.call("POST", "/note", body=NOTE, key=keys.unknown)).status == 401


async def test_mints_are_limited_by_address(world: World, desk: Desk) -> None:
    limits = HttpSettings(http_mints_per_minute_per_address=2)
    proxy = ClientAddresses(["127.0.0.0/8"])

    async with serving(desk.endpoints(), world, limits, proxy) as server:

        async def mint(address: str) -> int:
            headers = {"X-Forwarded-For": address}
            return (await server.call("POST", "/secret", body=NOTE, headers=headers)).status

        assert [await mint("2001:db8::1"), await mint("2001:db8::ffff"), await mint("2001:db8::2")] == [200, 200, 429]
        assert [await mint("2001:db8:0:1::1"), await mint("198.51.100.1")] == [200, 200]
        world.monotonic.advance(60)
        assert await mint("2001:db8::1") == 200


async def test_malformed_mints_count_for_their_address_and_for_nobody_else(world: World, desk: Desk) -> None:
    limits = HttpSettings(http_mints_per_minute_per_address=5)
    async with serving(desk.endpoints(), world, limits, ClientAddresses(["127.0.0.0/8"])) as server:
        attacker = {"X-Forwarded-For": "203.0.113.9"}
        malformed = [await server.call("POST", "/secret", body={"x": 1}, headers=attacker) for _ in range(6)]
        assert [reply.status for reply in malformed] == [400] * 5 + [429]
        honest = [await server.call("POST", "/secret", body=NOTE) for _ in range(5)]
        assert [reply.status for reply in honest] == [200] * 5


async def test_the_forwarding_header_counts_only_from_a_listed_proxy(world: World, desk: Desk, server: Server) -> None:
    reply = await server.call("POST", "/anonymous", body=NOTE, headers={"X-Forwarded-For": "203.0.113.9"})
    assert reply.body["address"] == "127.0.0.1"


def cached_endpoint() -> AnyEndpoint:
    """Says whether the client may have a cached denial read again."""

    async def handle(call: Call, _: NoInput) -> bool:
        return call.may_reread()

    return Endpoint(
        Operation("POST", "/cached", NoInput, bool, handle),
        Docs("Cached"),
        "Test",
        Access(Auth.ANY_KEY, cached_caller=True),
    )


async def test_only_an_endpoint_that_says_so_takes_a_caller_from_the_cache(
    world: World, desk: Desk, keys: Keys
) -> None:
    world.cached_keys, key = KeyTable(), new_key()
    world.cached_keys.callers[hash_of_text(key)] = world.keys.callers[hash_of_text(keys.usage)]
    async with serving([*desk.endpoints(), cached_endpoint()], world) as server:
        assert (await server.call("POST", "/cached", key=key)).status == 200
        assert (world.cached_keys.asked, world.keys.asked) == (1, 0)
        assert (await server.call("POST", "/note", body=NOTE, key=key)).status == 401
        assert (await server.call("POST", "/note", body=NOTE, key=keys.usage)).status == 200
        assert (world.cached_keys.asked, world.keys.asked) == (1, 2)
        assert (await server.call("POST", "/cached", key=keys.usage)).status == 401


class Named(BaseModel, extra="forbid"):
    block: int | None = None


async def test_a_key_that_is_unknown_until_the_block_its_request_names_is_waited_for(world: World, keys: Keys) -> None:
    """It was made through another node a moment ago; the body, which says so, arrives and counts once."""
    key, waited = new_key(), list[int]()

    async def handle(_: Call, named: Named) -> int | None:
        return named.block

    async def until_known(named: Named) -> bool:
        if named.block is None:
            return False
        waited.append(named.block)
        if named.block == MADE_AT:
            world.keys.callers[hash_of_text(key)] = world.keys.callers[hash_of_text(keys.usage)]
        if named.block > MADE_AT:
            raise NodeError(ErrorCode.CHAIN_UNAVAILABLE, "Not there yet.")
        return True

    endpoint = Endpoint(Operation("POST", "/named", Named, int | None, handle, until_known=until_known), Docs("named"), "test", Access(Auth.ANY_KEY), frozenset({ErrorCode.CHAIN_UNAVAILABLE}))  # fmt: skip
    async with serving([endpoint], world) as server:
        for body, status in (({}, 401), ({"block": "x"}, 401), ({"block": 3}, 401), ({"block": 99}, 503)):
            assert (await server.call("POST", "/named", body=body, key=key)).status == status
        assert (await server.call("POST", "/named", body={"block": MADE_AT}, key="no key")).status == 401
        assert waited == [3, 99]
        reply = await server.call("POST", "/named", body={"block": MADE_AT}, key=key)
        assert (reply.status, reply.body) == (200, MADE_AT)
        assert (await server.call("POST", "/named", body={"block": 99}, key=key)).status == 200
        assert waited == [3, 99, MADE_AT], "a key that is known is not waited for here"


async def test_unknown_keys_that_wait_for_a_block_keep_nobody_out(world: World, keys: Keys) -> None:
    waiting, come = asyncio.Event(), asyncio.Event()

    async def handle(_: Call, named: Named) -> int | None:
        return named.block

    async def until_known(_: Named) -> bool:
        waiting.set()
        await come.wait()
        return True

    endpoint = Endpoint(
        Operation("POST", "/named", Named, int | None, handle, until_known=until_known),
        Docs("named"),
        "test",
        Access(Auth.ANY_KEY),
    )
    async with serving([endpoint], world, HttpSettings(http_max_concurrent_requests=1)) as server:
        unknown = asyncio.create_task(server.call("POST", "/named", body={"block": 1}, key=keys.unknown))
        await waiting.wait()
        assert (await server.call("POST", "/named", body={"block": 2}, key=keys.usage)).status == 200
        come.set()
        assert (await unknown).status == 401


async def test_who_waited_and_finds_the_node_full_is_sent_away(world: World, keys: Keys) -> None:
    waiting, come, begun, may_end = (asyncio.Event() for _ in range(4))

    async def handle(_: Call, named: Named) -> int | None:
        begun.set()
        await may_end.wait()
        return named.block

    async def until_known(_: Named) -> bool:
        waiting.set()
        await come.wait()
        return True

    endpoint = Endpoint(
        Operation("POST", "/named", Named, int | None, handle, until_known=until_known),
        Docs("named"),
        "test",
        Access(Auth.ANY_KEY),
    )
    async with serving([endpoint], world, HttpSettings(http_max_concurrent_requests=1)) as server:
        unknown = asyncio.create_task(server.call("POST", "/named", body={"block": 1}, key=keys.unknown))
        await waiting.wait()
        working = asyncio.create_task(server.call("POST", "/named", body={"block": 2}, key=keys.usage))
        await begun.wait()
        come.set()
        assert (await unknown).status == 429
        may_end.set()
        assert (await working).status == 200
        assert (await server.call("POST", "/named", body={"block": 3}, key=keys.usage)).status == 200


async def test_keys_unknown_to_the_cache_are_limited_by_address_all_the_same(world: World, desk: Desk) -> None:
    world.cached_keys = KeyTable()
    limits = HttpSettings(http_unknown_keys_per_minute_per_address=3)
    async with serving([*desk.endpoints(), cached_endpoint()], world, limits) as server:
        statuses = [(await server.call("POST", "/cached", key=new_key())).status for _ in range(4)]
        assert statuses == [401, 401, 401, 429]
        assert (await server.call("POST", "/note", body=NOTE, key=new_key())).status == 429


async def test_each_address_has_so_many_rereads(world: World, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.http.server.REREADS_PER_MINUTE_PER_ADDRESS", 2)
    proxy = ClientAddresses(["127.0.0.0/8"])
    async with serving([cached_endpoint()], world, addresses=proxy) as server:

        async def may(address: str) -> bool:
            headers = {"X-Forwarded-For": address}
            return bool((await server.call("POST", "/cached", key=keys.usage, headers=headers)).body)

        assert [await may("2001:db8::1"), await may("2001:db8::2"), await may("2001:db8::3")] == [True, True, False]
        assert await may("198.51.100.1")
        world.monotonic.advance(30)
        assert [await may("2001:db8::4"), await may("2001:db8::5")] == [True, False]
