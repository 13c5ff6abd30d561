"""A wallet administers its account on a real chain while no node answers: every function, and what the contract refuses."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from svc_client import InvalidArgument, NodeNotAccepted, Reverted
from svc_client.models import MintedWallet
from svc_client.sovereign import AsyncSovereign, Call, Sovereign
from svc_client.sovereign.calls import ANY_ACTION, ANY_WALLET
from tests.support.contract import wallet_hash
from tests.support.sovereign import SUCCESSOR, WALLET, Stage, unlimited

pytestmark = pytest.mark.exhaustive
CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG"
KEY, OTHER_KEY = "0x" + "ab" * 32, "0x" + "cd" * 32
FIRST = MintedWallet(success=True, wallet_address="0x" + "11" * 20, derivation_path="0x" + "01" * 32)
SECOND = MintedWallet(success=True, wallet_address="0x" + "22" * 20, derivation_path="0x" + "02" * 32)


async def test_an_account_is_opened_and_read_without_a_node(stage: Stage) -> None:
    def work(mine: Sovereign) -> None:
        assert (mine.status().exists, mine.status().is_admin) == (False, False)
        assert mine.preview(mine.calls.open("me")).words == (f"open the account 'me' of {WALLET.address}",)
        opened = mine.open("me")
        assert opened.events("AccountCreated") == [
            {"apiKeyHash": wallet_hash(WALLET.address), "admin": WALLET.address, "managed": False}
        ]
        group = mine.create_group("signers", actions=[ANY_ACTION])
        sent = mine.send(mine.calls.add_action(CID, "sign"), mine.calls.allow_action(group, CID))
        status = mine.status()
        assert (status.is_admin, status.name, status.groups, status.actions) == (True, "me", 1, 1)
        assert status.block_number == sent.block_number
        assert [each.action_ipfs_cid for each in mine.actions()] == [CID]
        with pytest.raises(NodeNotAccepted):
            mine.mint_wallet()

    await stage.by(work)
    assert await stage.sent_count() == len(stage.told) == 3
    shown = await stage.chain.contract.call("getAccount", wallet_hash(WALLET.address))
    assert (shown["adminWallet"], shown["managed"], shown["name"]) == (WALLET.address, False, "me")


async def test_the_asynchronous_form_does_the_same(stage: Stage) -> None:
    async with stage.async_client() as node, AsyncSovereign(WALLET, node, tell=stage.told.append) as mine:
        assert not (await mine.status()).exists
        await mine.open("me")
        group = await mine.create_group("signers", actions=[ANY_ACTION])
        await mine.send(mine.calls.add_action(CID, "sign"), mine.calls.allow_action(group, CID))
        assert [each.action_ipfs_cid async for each in mine.actions()] == [CID]
        assert [each.id async for each in mine.groups()] == [group]
        with pytest.raises(NodeNotAccepted):
            await mine.mint_wallet()
    assert await stage.sent_count() == len(stage.told) == 3


def test_both_forms_have_the_same_methods() -> None:
    for form in (AsyncSovereign, Sovereign):
        assert {"wallet", "node", "options"} < inspect.signature(form.__init__).parameters.keys()
    shared = {name: getattr(Sovereign, name) for name in vars(Sovereign) if not name.startswith("_")}
    assert len(shared) > 12
    for name, method in shared.items():
        given = [inspect.signature(each).parameters for each in (method, getattr(AsyncSovereign, name))]
        assert given[0] == given[1], name


async def test_every_function_changes_what_it_says(stage: Stage) -> None:
    await stage.by(_administer)
    contract, account = stage.chain.contract, wallet_hash(WALLET.address)
    assert await contract.call("masterOfWallet", SUCCESSOR.address) == account
    await stage.by(_succeed, SUCCESSOR)


def _administer(mine: Sovereign) -> None:
    calls = mine.calls
    mine.open("me", "about me")
    mine.send(calls.register_wallet(FIRST, "first"), calls.register_wallet(SECOND, "second", "2"))
    assert [(each.id, each.name) for each in mine.wallets()] == [("0", "first"), ("1", "second")]
    group = mine.create_group("g", "about g", actions=[CID], wallets=[SECOND.wallet_address])
    mine.send(calls.rename_group(group, "h"))
    mine.send(calls.allow_wallet(group, ANY_WALLET), calls.allow_action(group, ANY_ACTION))
    (listed,) = mine.groups()
    assert (listed.name, len(listed.pkp_ids_permitted), len(listed.cid_hashes_permitted)) == ("h", 2, 2)
    mine.send(calls.forbid_wallet(group, ANY_WALLET), calls.forbid_action(group, CID))
    mine.send(calls.update_group(group, "i", "", [CID], [FIRST.wallet_address]))
    (listed,) = mine.groups()
    assert (listed.name, listed.pkp_ids_permitted) == ("i", ("0x" + "11" * 20,))
    mine.send(calls.add_action(CID, "sign"), calls.add_action(KEY, "hash alone"), calls.rename_action(CID, "sign2"))
    mine.send(calls.remove_action(KEY))
    assert [each.name for each in mine.actions()] == ["sign2"]
    grants = unlimited(
        execute_in=[group, 0],
        create_wallets=True,
        manage_actions_in=[group],
        expires=1_900_000_000,
        cap_cents=500,
    )
    other = calls.set_usage_key(OTHER_KEY, "o", **unlimited())
    mine.send(calls.set_usage_key(KEY, "backend", **grants), other)
    again = calls.update_usage_key(OTHER_KEY, "p", **unlimited(execute_in=[group]))
    mine.send(again, calls.rename_usage_key(OTHER_KEY, "q"))
    one, two = sorted(mine.usage_keys(), key=lambda key: key.name)
    assert (one.api_key_hash, one.balance, one.can_execute_in_groups) == (KEY, 500, ("0", group))
    assert (one.can_create_pkps, one.can_manage_ipfs_ids_in_groups, one.expiration) == (True, (group,), "1900000000")
    assert (two.name, two.can_execute_in_groups) == ("q", (group,))
    mine.send(calls.remove_usage_key(OTHER_KEY))
    assert [each.name for each in mine.usage_keys()] == ["backend"]
    mine.send(calls.clear_usage_keys())
    mine.send(calls.remove_group(group))
    assert (list(mine.usage_keys()), list(mine.groups())) == ([], [])
    mine.send(calls.transfer(SUCCESSOR.address))
    assert (mine.status().exists, mine.status().is_admin) == (True, False)
    with pytest.raises(Reverted) as refused:
        mine.send(calls.clear_usage_keys())
    assert refused.value.name == "NoAccountAccess"


def _succeed(mine: Sovereign) -> None:
    status = mine.status()
    assert (status.is_admin, status.wallets) == (True, 2)
    assert mine.create_group("of the successor") == "2"
    with pytest.raises(Reverted) as refused:
        mine.send(mine.calls.transfer(WALLET.address))
    assert refused.value.name == "AccountAlreadyExists"


async def test_a_list_of_several_pages_is_whole_while_what_it_gives_is_removed(stage: Stage) -> None:
    def work(mine: Sovereign) -> None:
        mine.open("me")
        for start in range(0, 120, 60):
            mine.send(*(mine.calls.add_group(f"g{number}") for number in range(start, start + 60)))
        given: list[str] = []
        for group in mine.groups():
            if not given:
                mine.send(*(mine.calls.remove_group(number) for number in range(1, 61)))
            given.append(group.name)
        assert given == [f"g{number}" for number in range(120)]

    await stage.by(work)


Make = Callable[[Sovereign], list[Call]]
REFUSED: list[tuple[str, Make]] = [
    ("AccountAlreadyExists", lambda mine: [mine.calls.open("again")]),
    ("AccountAlreadyExists", lambda mine: [mine.calls.register_wallet(FIRST, "twice")]),
    ("ActionDoesNotExist", lambda mine: [mine.calls.remove_action(CID)]),
    ("ActionDoesNotExist", lambda mine: [mine.calls.forbid_action(1, CID)]),
    ("GroupDoesNotExist", lambda mine: [mine.calls.remove_group(9)]),
    ("PkpDoesNotExist", lambda mine: [mine.calls.allow_wallet(1, SECOND.wallet_address)]),
    ("UsageApiKeyDoesNotExist", lambda mine: [mine.calls.update_usage_key(KEY, "k", **unlimited())]),
    ("InvalidRequest", lambda mine: [mine.calls.transfer(mine.address)]),
    ("InvalidRequest", lambda mine: [mine.calls.transfer(ANY_WALLET)]),
    ("InvalidRequest", lambda mine: [mine.calls.set_usage_key(KEY, "k", **unlimited(execute_in=list(range(513))))]),
    ("GroupDoesNotExist", lambda mine: [mine.calls.add_group("made"), mine.calls.remove_group(9)]),
]


async def test_a_refusal_costs_nothing_and_has_a_name(stage: Stage) -> None:
    def prepare(mine: Sovereign) -> None:
        mine.open("me")
        mine.send(mine.calls.register_wallet(FIRST, "first"), mine.calls.add_group("g"))

    def work(mine: Sovereign) -> None:
        for name, make in REFUSED:
            for attempt in (mine.send, mine.preview, mine.safe_batch):
                act: Any = attempt
                with pytest.raises(Reverted) as refused:
                    act(*make(mine))
                assert (refused.value.name, refused.value.transaction_hash) == (name, None)
        with pytest.raises(Reverted, match="is not the account's admin wallet"):
            mine.send(Call("clearUsageApiKeys", (wallet_hash(stage.chain.owner),), "another's"))

    await stage.by(prepare)
    await stage.chain.write("newChainSecuredAccount", "another's", "", sender=stage.chain.owner)
    await stage.by(work)
    assert await stage.sent_count() == 2


async def test_nothing_is_minted_for_a_wallet_without_an_account(stage: Stage) -> None:
    """A wallet that is minted before could be given to any account."""

    def work(mine: Sovereign) -> None:
        for mint in (mine.mint_wallet, mine.mint_usage_key):
            act: Any = mint
            with pytest.raises(InvalidArgument, match="open the account first"):
                act()

    await stage.by(work)
