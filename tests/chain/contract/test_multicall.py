"""Several calls in one transaction, each as if sent alone."""

from typing import Any

import pytest
from eth_abi.abi import decode

from tests.chain.contract.world import EVERYTHING, PAYER, STRANGER, Grants, World
from tests.support.contract import address_of, key_hash, revert_of, wallet_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE = address_of("alice")


async def test_each_stands_alone_and_says_what_became_of_it(world: World) -> None:
    account = await world.managed("a")
    own = await world.unmanaged(ALICE)
    encode = world.contract.encode
    calls = [
        encode("addGroup", account, "first", "", [1], []),
        encode("addGroup", own, "not ours", "", [], []),
        encode("removeGroup", account, 9),
        encode("addGroup", account, "second", "", [], []),
        encode("resolveMaster", account),
        b"",
        b"\x12\x34",
    ]
    ok, results = await world.call("multicall", calls, sender=PAYER)
    assert ok == [True, False, False, True, True, False, False]
    assert [decode(["uint256"], results[place]) for place in (0, 3, 4)] == [(1,), (2,), (account,)]
    failures = [revert_of(results[place]) for place in (1, 2)]
    assert [(each.name, each.arguments) for each in failures] == [
        ("NoAccountAccess", (own, PAYER)),
        ("GroupDoesNotExist", (account, 9)),
    ]
    receipt = await world.pay("multicall", calls)
    assert receipt.named("CallFailed") == [(place, results[place]) for place in (1, 2, 5, 6)]
    assert receipt.named("GroupAdded") == [(account, 1), (account, 2)]
    shown, total = await world.call("listGroups", account, 0, 5)
    assert ([each["name"] for each in shown], total) == (["first", "second"], 2)


async def test_a_failing_call_undoes_all_of_itself(world: World) -> None:
    """It fails at its last wallet, after group and actions were written."""
    account = await world.managed("a")
    failing = world.contract.encode("addGroup", account, "half", "", [1, 2, 3], [address_of("unregistered")])
    receipt = await world.pay("multicall", [failing])
    assert [event.name for event in receipt.events] == ["CallFailed"]
    assert await world.call("groupCount", account) == 0
    assert await world.group(account, [], []) == 1


async def test_a_multicall_inside_is_refused_and_alone(world: World) -> None:
    account = await world.managed("a")
    add = world.contract.encode("addGroup", account, "", "", [], [])
    nested = world.contract.encode("multicall", [add])
    ok, results = await world.call("multicall", [nested, add, nested + b"\0", nested[:4]], sender=PAYER)
    assert ok == [False, True, False, False]
    assert {revert_of(results[place]).name for place in (0, 2, 3)} == {"InvalidRequest"}


async def test_the_sender_stays_the_sender(world: World) -> None:
    """No call inside gets more than its sender has, and each sender gets what it has."""
    account = await world.managed("a")
    calls = [
        world.contract.encode("newChainSecuredAccount", "mine", ""),
        world.contract.encode("clearUsageApiKeys", account),
        world.contract.encode("setApiPayers", [STRANGER]),
        world.contract.encode("addGroup", wallet_hash(STRANGER), "", "", [], []),
    ]
    ok, _ = await world.call("multicall", calls, sender=STRANGER)
    assert ok == [True, False, False, True]
    await world.send(STRANGER, "multicall", calls)
    assert await world.call("getAccountWalletAddress", wallet_hash(STRANGER)) == STRANGER


async def test_an_empty_multicall_does_nothing(world: World) -> None:
    assert await world.call("multicall", [], sender=STRANGER) == ([], [])
    assert (await world.send(STRANGER, "multicall", [])).events == ()


async def test_what_is_done_together_is_what_would_be_done_apart(world: World) -> None:
    account = await world.managed("a")
    steps: list[tuple[str, tuple[Any, ...]]] = [
        ("addAction", (account, "n", "d", 1)),
        ("addGroup", (account, "n", "d", [1], [])),
        ("setUsageApiKey", (account, key_hash("k"), *EVERYTHING.arguments())),
        ("setUsageApiKey", (account, key_hash("l"), *Grants().arguments())),
        ("removeUsageApiKey", (account, key_hash("l"))),
        ("addActionToGroup", (key_hash("k"), 1, 2)),
    ]
    views: list[tuple[str, tuple[Any, ...]]] = [
        *[(view, (account, 0, 9)) for view in ("listApiKeys", "listGroups", "listActions")],
        ("getAccount", (account,)),
    ]
    snapshot = await world.rpc.ask("evm_snapshot")
    for function, arguments in steps:
        await world.pay(function, *arguments)
    apart = [await world.call(view, *arguments) for view, arguments in views]
    await world.rpc.ask("evm_revert", snapshot)
    await world.pay("multicall", [world.contract.encode(function, *arguments) for function, arguments in steps])
    assert [await world.call(view, *arguments) for view, arguments in views] == apart
