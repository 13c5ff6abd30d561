"""The truth table: which key may run which action and use which wallet, against spec 4."""

import itertools
from typing import Any

import pytest

from tests.chain.contract.world import ADMIN_PAYER, OWNER, PAYER, STRANGER, ZERO, Grants, World, wallet
from tests.support.contract import address_of, key_hash, wallet_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALICE = address_of("alice")
ONE, TWO = key_hash("action 1"), key_hash("action 2")
MASTER, FIRST, SECOND = (wallet("a", number) for number in range(3))
ACTION_LISTS: tuple[list[int], ...] = ([], [ONE], [0])
WALLET_LISTS: tuple[list[str], ...] = ([], [MASTER], [FIRST], [ZERO], [MASTER, ZERO])
GRANTED: tuple[list[int], ...] = ([], [1], [2], [1, 2], [0], [0, 3], [3])


def decision(
    groups: dict[int, tuple[list[int], list[str]]], granted: list[int], action: int, used: str
) -> tuple[bool, bool]:
    """The table in words: the run rule, and one and the same group for the wallet rule."""
    counted = [groups[each] for each in (groups if 0 in granted else granted) if each in groups]
    listing = [wallets for actions, wallets in counted if action in actions or 0 in actions]
    run = 0 in granted or bool(listing)
    registered = used in {MASTER, FIRST, SECOND}
    use = registered and any(used in wallets or (ZERO in wallets and used != MASTER) for wallets in listing)
    return run, use


@pytest.mark.parametrize(
    "second", [([TWO], [SECOND]), ([ONE], [ZERO]), ([0], [MASTER])], ids=["other", "any wallet", "any action"]
)
async def test_the_table(world: World, second: tuple[list[int], list[str]]) -> None:
    """Every content of group 1 beside three of group 2, every list of granted groups, every action and wallet."""
    account = await world.managed("a", wallets=3)
    await world.group(account, [], [])
    await world.group(account, *second)
    keys = {tuple(granted): await world.key(account, f"key {granted}", Grants(execute=granted)) for granted in GRANTED}
    used = [MASTER, FIRST, SECOND, address_of("unregistered"), ZERO]
    for actions, wallets in itertools.product(ACTION_LISTS, WALLET_LISTS):
        await world.pay("updateGroup", account, 1, "", "", actions, wallets)
        groups = {1: (actions, wallets), 2: second}
        for granted, action in itertools.product(GRANTED, (ONE, TWO)):
            shown = await world.call("authorisation", keys[tuple(granted)], action, used)
            wanted = [decision(groups, granted, action, each) for each in used]
            case = (actions, wallets, granted, action)
            assert shown["canExecute"] == wanted[0][0], case
            assert shown["canUseWallets"] == [use for _, use in wanted], case


async def test_the_four_views_agree(world: World) -> None:
    account = await world.managed("a", wallets=3)
    await world.group(account, [ONE], [FIRST])
    await world.group(account, [TWO], [ZERO])
    keys = [await world.key(account, f"{each}", Grants(execute=each)) for each in ([], [0], [1], [2], [1, 2])]
    for key, action, used in itertools.product(
        [*keys, account, key_hash("unknown")], (ONE, TWO, 0), (MASTER, FIRST, SECOND)
    ):
        run, use = await world.call("canExecuteActionAndUseWallet", key, action, used)
        shown = await world.call("authorisation", key, action, [used])
        assert run == shown["canExecute"] == await world.call("canExecuteAction", key, action)
        assert [use] == shown["canUseWallets"] == [await world.call("canUseWalletInAction", key, action, used)]


async def test_the_account_key_of_a_managed_account_is_the_owner(world: World) -> None:
    account = await world.managed("a", wallets=2)
    await world.managed("b")
    shown = await world.call("authorisation", account, ONE, [MASTER, FIRST, wallet("b", 0), ZERO])
    assert (shown["canExecute"], shown["canUseWallets"]) == (True, [True, True, False, False])
    assert (shown["masterHash"], shown["managed"], shown["isMaster"]) == (account, True, True)
    assert (shown["expiration"], shown["cap"]) == (0, 0)


async def test_an_unmanaged_accounts_hashes_authorise_nothing(world: World) -> None:
    """They follow from public addresses; only its usage keys stand for secrets."""
    account = await world.managed("a", wallets=2)
    await world.group(account, [0], [MASTER, ZERO])
    key = await world.key(account, "k", Grants(balance=42, execute=[0]))
    await world.pay("convertToChainSecuredAccount", account, ALICE)
    for known in (account, wallet_hash(ALICE)):
        shown = await world.call("authorisation", known, ONE, [MASTER, FIRST])
        assert (shown["canExecute"], shown["canUseWallets"]) == (False, [False, False])
        assert (shown["masterHash"], shown["managed"], shown["isMaster"]) == (account, False, True)
    shown = await world.call("authorisation", key, ONE, [MASTER, FIRST])
    assert (shown["canExecute"], shown["canUseWallets"]) == (True, [True, True])
    assert (shown["masterHash"], shown["managed"], shown["isMaster"], shown["cap"]) == (account, False, False, 42)


async def test_an_unknown_key_is_told_nothing_and_the_block(world: World) -> None:
    for unknown in (0, 1, key_hash("unknown")):
        shown = await world.call("authorisation", unknown, ONE, [MASTER, ZERO])
        block = await world.rpc.ask("eth_getBlockByNumber", "latest", False)
        assert (shown.pop("blockNumber"), shown.pop("blockTimestamp")) == (
            int(block["number"], 16),
            int(block["timestamp"], 16),
        )
        assert shown.pop("canUseWallets") == [False, False]
        assert (shown.pop("adminApiPayer"), shown.pop("adminApiPayerReplacements")) == (ADMIN_PAYER, 0)
        assert not any(shown.values())


async def test_what_is_removed_no_longer_counts(world: World) -> None:
    account = await world.managed("a", wallets=3)
    key = await world.key(account, "k", Grants(execute=[1]))
    everywhere = await world.key(account, "all", Grants(execute=[0]))

    async def rights(used: str = FIRST) -> list[Any]:
        return [await world.call("canExecuteActionAndUseWallet", each, ONE, used) for each in (key, everywhere)]

    await world.group(account, [ONE], [FIRST])
    assert await rights() == [(True, True), (True, True)]
    await world.pay("removePkpFromGroup", account, 1, FIRST)
    assert await rights() == [(True, False), (True, False)]
    await world.pay("addPkpToGroup", account, 1, FIRST)
    await world.pay("removeActionFromGroup", account, 1, ONE)
    assert await rights() == [(False, False), (True, False)]
    await world.pay("addActionToGroup", account, 1, 0)
    assert await rights() == [(True, True), (True, True)]
    await world.pay("removeGroup", account, 1)
    assert await rights() == [(False, False), (True, False)]
    await world.group(account, [ONE], [FIRST])
    assert await rights() == [(False, False), (True, True)]


async def test_groups_of_one_account_mean_nothing_to_another(world: World) -> None:
    account, other = await world.managed("a", wallets=3), await world.managed("b", wallets=2)
    await world.group(account, [0], [ZERO])
    await world.group(other, [], [])
    for granted in ([1], [0]):
        key = await world.key(other, f"{granted}", Grants(execute=granted))
        for used in (FIRST, wallet("b", 1)):
            assert await world.call("canUseWalletInAction", key, ONE, used) is False
    assert await world.contract.outcomes([(PAYER, "addPkpToGroup", [account, 1, FIRST])]) == [None]


async def test_an_empty_wildcard_and_many_groups_stay_within_a_call(world: World) -> None:
    """The wallet rule over every group of an account, the right one last."""
    account = await world.managed("a", wallets=3)
    calls = [world.contract.encode("addGroup", account, "", "", [TWO], [SECOND]) for _ in range(120)]
    await world.pay("multicall", calls[:60])
    await world.pay("multicall", calls[60:])
    last = await world.group(account, [ONE], [FIRST])
    key = await world.key(account, "k", Grants(execute=[0]))
    assert last == 121
    assert await world.call("canUseWalletInAction", key, ONE, FIRST)
    data = world.contract.encode("authorisation", key, ONE, [FIRST, SECOND])
    gas = int(await world.rpc.ask("eth_estimateGas", world.contract.request(PAYER, data)), 16)
    assert gas < 121 * 10_000


async def test_a_decision_tells_whether_payers_ever_could_write_the_account(world: World) -> None:
    """A conversion is a payer's write too: a hostile one must not make an account look untouched by payers."""
    managed, converted = await world.managed("a"), await world.managed("b")
    await world.pay("convertToChainSecuredAccount", converted, ALICE)
    own = await world.unmanaged(PAYER)
    handed = await world.unmanaged(OWNER)
    await world.send(OWNER, "transferChainSecuredAccountOwnership", handed, STRANGER)
    for account, opened_managed in ((managed, True), (converted, True), (own, False), (handed, False)):
        shown = await world.call("authorisation", account, ONE, [])
        assert (shown["masterHash"], shown["openedManaged"]) == (account, opened_managed)
