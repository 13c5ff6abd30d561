"""Writes that nobody pays for, through the door: what they can cost in all, and who keeps whom from them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from node.billing.charging import Prices
from tests.subjects.conftest import Account
from tests.support.envelopes import Eoa
from tests.support.http_server import Reply
from tests.support.subjects import Subjects, subjects

PER_HOUR_WEI: Final = 4 * 10**17
"""Some thirty sign-ups at once on the local chain, whose gas costs about a gwei."""
CONVERT: Final = "/convert_to_chain_secured_account"
LIMIT: Final = {"limit": "free_writes_per_hour_wei"}


async def sign_up(world: Subjects, address: str) -> Reply:
    return await world.post("/new_account", {"account_name": "x" * 256}, X_Forwarded_For=address)


async def flood(world: Subjects, addresses: Sequence[str]) -> list[dict[str, Any]]:
    """Sign up from each address until all of them are refused; the accounts."""
    opened: list[dict[str, Any]] = []
    asking = list(addresses)
    while asking:
        for address in list(asking):
            reply = await sign_up(world, address)
            if reply.status == 200:
                opened.append(reply.body)
                continue
            assert (reply.status, reply.body["error"], reply.body["details"]) == (429, "too_many_requests", LIMIT)
            assert int(reply.headers["Retry-After"]) > 0
            asking.remove(address)
    return opened


async def gas_money(world: Subjects) -> int:
    """What the node's payers hold together, the admin payer with them."""
    addresses = [*world.writes.payers.addresses, world.writes.payers.admin_address]
    balances = [await world.chain.rpc.call("eth_getBalance", [address, "latest"]) for address in addresses]
    return sum(int(str(balance), 16) for balance in balances)


@pytest.mark.exhaustive
async def test_free_writes_cost_no_more_than_their_budget_and_everything_else_goes_on(tmp_path: Path) -> None:
    async with subjects(tmp_path, free_wei_per_hour=PER_HOUR_WEI) as world:
        account = Account(world, (await sign_up(world, "198.51.100.1")).body["api_key"], "")
        before = await gas_money(world)
        malformed = {"typed_data": {}, "signature": "0x"}
        for number in range(60):
            reply = await world.post(
                "/create_wallet_with_signature", malformed, X_Forwarded_For=f"203.0.113.{1 + number % 2}"
            )
            assert reply.status == 400
        assert await gas_money(world) == before

        opened = await flood(world, ["203.0.113.1"])
        assert opened
        assert (await sign_up(world, "203.0.113.1")).status == 429
        honest = await sign_up(world, "198.51.100.2")
        assert honest.status == 200, "an address that asked much yields to one that asked little"
        opened += await flood(world, [f"2001:db8:0:{number}::1" for number in range(200)])
        assert len(opened) > 10
        assert before - await gas_money(world) <= PER_HOUR_WEI // 2

        assert (await sign_up(world, "198.51.100.3")).status == 429
        await account.ok("/create_wallet")
        wallet, now = Eoa.of("mints while sign-ups are refused"), int(world.clock.now)
        for kind, path in (("CreateWallet", "/create_wallet_with_signature"), ("AddUsageApiKey", "/add_usage_api_key_with_signature")):  # fmt: skip
            minted = await world.post(path, wallet.request(kind, now), X_Forwarded_For="203.0.113.1")
            assert minted.status == 200, "what sends no transaction takes no gas"
        request = wallet.request("ConvertAccount", now, new_admin_wallet_address=wallet.address)
        assert (await world.post(CONVERT, request, key=account.key)).status == 200, (
            "conversions have a part of their own"
        )


async def test_what_is_refused_before_it_is_sent_takes_nothing_of_the_budget(tmp_path: Path) -> None:
    async with subjects(tmp_path, free_wei_per_hour=PER_HOUR_WEI) as world:
        key = (await sign_up(world, "198.51.100.1")).body["api_key"]
        wallet, now = Eoa.of("is an admin already"), int(world.clock.now)
        request = wallet.request("ConvertAccount", now, new_admin_wallet_address=wallet.address)
        assert (await world.post(CONVERT, request, key=key)).status == 200
        other = (await sign_up(world, "198.51.100.1")).body["api_key"]
        for _ in range(100):
            assert (await world.post(CONVERT, request, key=other)).status == 409, "refused by the simulation"
            assert (await world.post("/new_account", {"account_name": "x" * 300})).status == 400
        fresh = Eoa.of("is no admin yet")
        request = fresh.request("ConvertAccount", now, new_admin_wallet_address=fresh.address)
        assert (await world.post(CONVERT, request, key=other)).status == 200


async def test_where_writes_have_no_price_they_are_free_writes_too(tmp_path: Path) -> None:
    """`billing = off`: whoever opens an account could write without end, and the admin payer would pay for it."""
    free = Prices(write_cents=0, execution_cents_per_second=0)
    async with subjects(tmp_path, free_wei_per_hour=PER_HOUR_WEI, prices=free) as world:
        account = Account(world, (await sign_up(world, "198.51.100.1")).body["api_key"], "")
        before = await gas_money(world)
        body = {"group_name": "g", "group_description": "d" * 2048}
        for number in range(1000):
            reply = await world.post("/add_group", body, key=account.key, X_Forwarded_For=f"203.0.113.{number % 200}")
            if reply.status != 200:
                break
        assert (reply.status, reply.body["details"]) == (429, LIMIT)
        assert 0 < before - await gas_money(world) <= PER_HOUR_WEI // 2
        assert await account.spent_cents() == 0


@pytest.mark.exhaustive
async def test_writes_that_revert_on_chain_are_free_but_few(tmp_path: Path) -> None:
    """They pass their simulation together, the first one of them counts, and the gas of the others is nobody's."""
    async with subjects(tmp_path) as world:
        account = Account(world, (await sign_up(world, "198.51.100.1")).body["api_key"], "")
        usage = await account.usage_key(can_delete_groups=True)
        groups = [await account.group() for _ in range(3)]
        spent = await account.spent_cents()

        async def race(group: str, key: str) -> list[Reply]:
            await world.chain.automine(False)
            removing = [
                asyncio.create_task(world.post("/remove_group", {"group_id": group}, key=key)) for _ in range(40)
            ]
            await world.chain.until_pending(40)
            await world.chain.automine(True)
            await world.chain.mine()
            return await asyncio.gather(*removing)

        replies = await race(groups[0], usage)
        assert sorted(reply.status for reply in replies) == [200] + [404] * 39
        assert await account.spent_cents() == spent + 1
        before = await gas_money(world)
        refused = await world.post("/remove_group", {"group_id": groups[1]}, key=usage)
        assert (refused.status, refused.body["error"]) == (429, "too_many_requests"), refused.body
        wait_s = int(refused.headers["Retry-After"])
        assert await gas_money(world) == before
        await account.ok("/remove_usage_api_key", {"usage_api_key": usage})
        usage = await account.usage_key(can_delete_groups=True)
        assert (await world.post("/remove_group", {"group_id": groups[1]}, key=usage)).status == 429
        world.clock.advance(wait_s)
        assert (await world.post("/remove_group", {"group_id": groups[1]}, key=usage)).status == 200
