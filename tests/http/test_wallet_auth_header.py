"""X-Wallet-Auth as the HTTP layer treats it: where it counts, before which checks, and what wrong ones cost."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel

from node.api.calls import Call, NoInput
from node.api.errors import ErrorCode, NodeError
from node.chain.errors import ChainUnavailableError
from node.errors import DomainError
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Endpoint, Operation
from node.http.openapi import ApiDescription, openapi_document
from node.permissions.grants import Caller
from node.settings.http import FieldSettings, HttpSettings
from tests.http.conftest import Keys
from tests.support.http_server import Server, World, serving

WALLETS_CALLER = Caller(77, 7, managed=False, grants=None)
PER_MINUTE = 3


class Who(BaseModel):
    master_hash: int
    by_wallet: bool


async def _who(call: Call, _: NoInput) -> Who:
    return Who(master_hash=call.caller.master_hash, by_wallet=call.by_wallet)


def endpoints() -> list[AnyEndpoint]:
    unavailable = frozenset({ErrorCode.CHAIN_UNAVAILABLE})
    return [
        Endpoint(Operation("GET", "/bill", NoInput, Who, _who), Docs("Bill"), "Test", Access(Auth.ANY_KEY, wallet_auth=True), unavailable),
        Endpoint(Operation("POST", "/pay", NoInput, Who, _who), Docs("Pay"), "Test", Access(Auth.ANY_KEY, wallet_auth=True), unavailable),
        Endpoint(Operation("GET", "/other", NoInput, Who, _who), Docs("Other"), "Test", Access(Auth.ANY_KEY)),
    ]  # fmt: skip


@pytest.fixture
async def server(world: World, keys: Keys) -> AsyncIterator[Server]:
    world.wallets.callers["signed"] = WALLETS_CALLER
    limits = HttpSettings(http_unknown_keys_per_minute_per_address=PER_MINUTE)
    async with serving(endpoints(), world, limits) as running:
        yield running


async def status_of(server: Server, path: str, header: str, key: str | None = None) -> int:
    method = "POST" if path == "/pay" else "GET"
    return (await server.call(method, path, key=key, headers={"X-Wallet-Auth": header})).status


async def test_a_wallet_calls_for_its_account_also_what_an_old_key_may_not(server: Server, keys: Keys) -> None:
    for method, path in (("GET", "/bill"), ("POST", "/pay")):
        reply = await server.call(method, path, headers={"X-Wallet-Auth": "signed"})
        assert (reply.status, reply.body) == (200, {"master_hash": 7, "by_wallet": True})
        assert (await server.call(method, path, key=keys.converted_account)).status == 403


async def test_it_goes_before_any_key_and_wrong_it_lets_none_through(server: Server, keys: Keys) -> None:
    reply = await server.call("GET", "/bill", key=keys.account, headers={"X-Wallet-Auth": "signed"})
    assert reply.body["master_hash"] == 7
    assert await status_of(server, "/bill", "wrong", keys.account) == 401
    assert await status_of(server, "/bill", "", keys.account) == 401
    assert server.world.keys.asked == 0


async def test_where_it_does_not_count_it_is_as_if_it_were_not_sent(server: Server, keys: Keys) -> None:
    assert await status_of(server, "/other", "wrong", keys.account) == 200
    assert await status_of(server, "/other", "signed") == 401
    assert server.world.wallets.asked == 0


async def test_wrong_ones_are_limited_by_address_and_cost_the_chain_nothing_then(server: Server, world: World) -> None:
    assert [await status_of(server, "/bill", "wrong") for _ in range(PER_MINUTE + 1)] == [401] * PER_MINUTE + [429]
    asked = world.wallets.asked
    assert await status_of(server, "/bill", "signed") == 429
    assert world.wallets.asked == asked
    world.monotonic.advance(60 / PER_MINUTE)
    assert await status_of(server, "/bill", "signed") == 200


async def test_right_ones_are_not_limited(server: Server) -> None:
    assert {await status_of(server, "/bill", "signed") for _ in range(3 * PER_MINUTE)} == {200}


@pytest.mark.parametrize(
    "error",
    [
        NodeError(ErrorCode.CHAIN_UNAVAILABLE, "The endpoints contradict one another."),
        ChainUnavailableError("The endpoints contradict one another."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_what_a_contract_wallet_can_bring_about_at_will_is_limited_too(
    server: Server, world: World, error: DomainError
) -> None:
    """One that tells endpoints apart keeps them from agreeing, after each has run it."""
    world.wallets.error = error
    assert [await status_of(server, "/bill", "signed") for _ in range(PER_MINUTE + 1)] == [503] * PER_MINUTE + [429]
    assert world.wallets.asked == PER_MINUTE
    world.wallets.error = None
    world.monotonic.advance(60 / PER_MINUTE)
    assert await status_of(server, "/bill", "signed") == 200


async def test_the_document_says_where_it_counts() -> None:
    document: Any = openapi_document(endpoints(), ApiDescription("API", "1"), FieldSettings())
    assert document["paths"]["/bill"]["get"]["security"] == [{"bearer": []}, {"api_key": []}, {"wallet": []}]
    assert document["paths"]["/other"]["get"]["security"] == [{"bearer": []}, {"api_key": []}]
    assert document["components"]["securitySchemes"]["wallet"]["name"] == "X-Wallet-Auth"
