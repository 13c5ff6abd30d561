"""A secret Idempotency-Key: its form, and that it shows its answer at the address of the first request alone."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from node.api.calls import json_bytes
from node.api.errors import ErrorCode, NodeError
from node.chain.port import RecalledWrite, WriteResult
from node.http.answers import NO_STORE, Answer
from node.http.idempotency import KeyedRequest
from node.http.rate import ClientAddresses
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Reply, Server, World, serving
from tests.support.idempotent_nodes import Nodes, Work, error_of, keyed
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import PostgresWorld

NOTE = {"name": "n"}
HOME = "192.0.2.1"


@pytest.fixture
async def server(world: World, desk: Desk) -> AsyncIterator[Server]:
    async with serving(desk.endpoints(), world, addresses=ClientAddresses(["127.0.0.1"])) as running:
        yield running


async def signed_up(server: Server, key: str, address: str = HOME, name: str = "n") -> Reply:
    headers = {"Idempotency-Key": key, "X-Forwarded-For": address}
    return await server.call("POST", "/sign_up", body={"name": name}, headers=headers)


def is_refused(reply: Reply) -> bool:
    return reply.status == 409 and reply.body.get("details") == {"reason": "other_address"}


@pytest.mark.parametrize("key", ["a" * 32, "Az09_-" * 6, "a" * 255, "11111111-2222-3333-4444-555555555555"])
async def test_a_secret_key_of_32_characters_or_more_is_taken(server: Server, key: str) -> None:
    assert (await signed_up(server, key)).status == 200


@pytest.mark.parametrize("key", ["", "a" * 22, "a" * 31, "a" * 256, "a" * 31 + "=", "a" * 31 + "+", "a" * 31 + " b"])
async def test_another_form_of_a_secret_key_is_400_and_does_nothing(server: Server, desk: Desk, key: str) -> None:
    reply = await signed_up(server, key)
    assert (reply.status, reply.body["error"], desk.count) == (400, "bad_request", 0)
    assert "32 to 255" in reply.body["message"]


async def test_other_endpoints_take_the_keys_they_took(server: Server, keys: Keys) -> None:
    headers = {"Idempotency-Key": "printable: 22 or more!"}
    assert (await server.call("POST", "/note", body=NOTE, key=keys.usage, headers=headers)).status == 200


def test_the_document_tells_the_form_of_a_secret_key(server: Server) -> None:
    forms = {}
    for path in ("/sign_up", "/note"):
        parameters = server.checker.document["paths"][path]["post"]["parameters"]
        forms[path] = next(each["schema"] for each in parameters if each["name"] == "Idempotency-Key")
    assert forms == {
        "/sign_up": {"type": "string", "minLength": 32, "maxLength": 255, "pattern": "^[A-Za-z0-9_-]*$"},
        "/note": {"type": "string", "minLength": 22, "maxLength": 255, "pattern": "^[!-~][ -~]*[!-~]$"},
    }


@pytest.mark.parametrize(
    ("first", "other", "is_other"),
    [
        ("192.0.2.1", "192.0.2.1", False),
        ("192.0.2.1", "::ffff:192.0.2.1", False),
        ("192.0.2.1", "192.0.2.2", True),
        ("2001:db8::1", "2001:db8::ffff:1", False),
        ("2001:db8::1", "2001:db8:0:1::1", True),
        ("192.0.2.1", "2001:db8::1", True),
    ],
)
async def test_a_repetition_from_another_address_is_shown_nothing(
    server: Server, desk: Desk, first: str, other: str, is_other: bool
) -> None:
    key = secrets.token_urlsafe()
    made = await signed_up(server, key, first)
    again = await signed_up(server, key, other)
    assert is_refused(again) is is_other
    assert (again.raw == made.raw) is not is_other
    # Nor does another body from there tell anything else, and the first client still gets its answer.
    assert is_refused(await signed_up(server, key, other, "other")) is is_other
    assert (await signed_up(server, key, first)).raw == made.raw
    assert desk.count == 1


async def test_a_twin_from_another_address_is_refused_while_the_first_is_under_way(server: Server, desk: Desk) -> None:
    key = secrets.token_urlsafe()
    twins = [asyncio.create_task(signed_up(server, key, address)) for address in (HOME, "192.0.2.2", HOME, "192.0.2.3")]
    replies = await asyncio.gather(*twins)
    assert desk.count == 1
    (answered,) = {reply.raw for reply in replies if reply.status == 200}
    assert answered
    refused = [is_refused(reply) for reply in replies]
    assert refused in ([False, True, False, True], [True, False, True, True], [True, True, True, False])


async def test_the_first_address_goes_on_where_another_one_asked_after_a_failure(
    server: Server, world: World, desk: Desk
) -> None:
    """The claim was released without an answer, and the journal has the write."""
    key = secrets.token_urlsafe()
    desk.fail_with = NodeError(ErrorCode.CHAIN_TIMEOUT, "late")
    assert (await signed_up(server, key)).status == 504
    desk.fail_with = None
    world.writes.ends[desk.idempotency_ids[0] or ""] = RecalledWrite(
        {"usage_api_key": "k"}, WriteResult("0xab", 7), None, 0.0
    )
    assert is_refused(await signed_up(server, key, "192.0.2.2"))
    made = await signed_up(server, key)
    assert (made.status, made.body["usage_api_key"], desk.count) == (200, "k", 1)


def by(request: KeyedRequest, address: bytes) -> KeyedRequest:
    return replace(request, key_hash=None, owner=b"address" + address, key_is_secret=True)


async def test_it_holds_between_nodes_and_for_what_an_earlier_version_stored(postgres: PostgresServer) -> None:
    world = PostgresWorld(postgres)
    nodes = Nodes(world)
    try:
        a, b = await nodes.start(), await nodes.start()
        request, work = keyed(secrets.token_urlsafe()), Work()
        first = asyncio.create_task(a.ask(by(request, b"home"), work))
        await work.begun.wait()
        assert (await error_of(b.ask(by(request, b"away"), work))).details == {"reason": "other_address"}
        work.may_end.set()
        answer = await first
        assert (await error_of(b.ask(by(request, b"away"), work))).details == {"reason": "other_address"}
        assert (await b.ask(by(request, b"home"), work)).body == answer.body
        # Rows had their owners before keys were secret.
        earlier = keyed(secrets.token_urlsafe())
        stored = await a.ask(replace(by(earlier, b"home"), key_is_secret=False), Work.quick())
        assert (await error_of(b.ask(by(earlier, b"away"), work))).details == {"reason": "other_address"}
        assert (await b.ask(by(earlier, b"home"), work)).body == stored.body
        assert len(work.ids) == 1
    finally:
        await world.close()


async def test_an_address_that_is_refused_at_one_node_keeps_no_other_node_waiting(postgres: PostgresServer) -> None:
    """The first try ended without an answer, so that the claim was there to be taken up."""
    world = PostgresWorld(postgres)
    nodes = Nodes(world)
    try:
        a, b = await nodes.start(), await nodes.start()
        request = keyed(secrets.token_urlsafe())
        late = Work.quick(Answer(504, json_bytes({}), NO_STORE))
        assert (await a.ask(by(request, b"home"), late)).status == 504
        assert (await error_of(b.ask(by(request, b"away"), Work()))).details == {"reason": "other_address"}
        again = await asyncio.wait_for(a.ask(by(request, b"home"), Work.quick()), 10)
        assert again.status == 200
    finally:
        await world.close()
