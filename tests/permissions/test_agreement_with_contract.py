"""The pure truth table and the contract's own decision are the same, key by key, action by action, wallet by wallet."""

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio

from node.chain.abi import account_config_abi
from node.chain.block_floor import BlockFloor
from node.chain.port import Page
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc
from node.chain.view import ContractViews
from node.permissions.execution import GroupContents, may_execute, may_use_wallet
from node.values import ZERO_ADDRESS, checksum_address
from tests.world.account_chain import AccountChain, account_chain

pytestmark = pytest.mark.asyncio(loop_scope="module")

MASTER_HASH = 1001
USAGE_HASHES = range(2001, 2025)
ACTIONS = (7, 8, 9)
MASTER_WALLET, *OTHER_WALLETS = (checksum_address("0x" + f"{number:02x}" * 20) for number in (0xA1, 0xB2, 0xC3))
WALLETS = (MASTER_WALLET, *OTHER_WALLETS)
GROUPS = range(1, 9)


@dataclass(frozen=True)
class Account:
    reads: AccountReader
    groups: Sequence[GroupContents]


async def populate(chain: AccountChain, dice: random.Random) -> None:
    """Wallets, groups of chance contents, and usage keys that execute in chance groups."""
    await chain.write("createManagedAccount", MASTER_HASH, "account", "", MASTER_WALLET, 1)
    for path, wallet in enumerate(OTHER_WALLETS, start=2):
        await chain.write("registerWalletDerivation", MASTER_HASH, wallet, path, "", "")
    for _ in GROUPS:
        actions = [action for action in (0, *ACTIONS) if dice.random() < 0.35]
        wallets = [wallet for wallet in (ZERO_ADDRESS, *WALLETS) if dice.random() < 0.35]
        await chain.write("addGroup", MASTER_HASH, "group", "", actions, wallets)
    for usage_hash in USAGE_HASHES:
        executes = [group for group in (0, *GROUPS, 99) if dice.random() < 0.15]
        flags = (True, True, True)
        await chain.write("setUsageApiKey", MASTER_HASH, usage_hash, 0, 0, "", "", *flags, [0], [0], [0], executes)
    await chain.write("removeGroup", MASTER_HASH, 3)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def account() -> AsyncIterator[Account]:
    async with account_chain() as chain, aiohttp.ClientSession() as session:
        await populate(chain, random.Random(7))
        abi = account_config_abi()
        views = ContractViews(JsonRpc(session, [chain.url]), abi, chain.contract.address, BlockFloor())
        now = await chain.head_timestamp()
        reads = AccountReader(views, abi, lambda: now)
        listed = await reads.groups(MASTER_HASH, Page(0, 100))
        groups = [
            GroupContents(group.id, frozenset(group.action_hashes), frozenset(group.wallets)) for group in listed.items
        ]
        yield Account(reads, groups)


async def test_every_decision_is_the_contracts(account: Account) -> None:
    seen: set[tuple[bool, bool]] = set()
    for key_hash in (MASTER_HASH, *USAGE_HASHES):
        caller = await account.reads.caller(key_hash)
        assert caller is not None
        for action in (*ACTIONS, 55):
            decision = await account.reads.authorisation(key_hash, action, WALLETS)
            runs = may_execute(caller, action, account.groups) is None
            assert decision.may_execute is runs, (caller, action)
            for wallet, allowed in zip(WALLETS, decision.wallets, strict=True):
                uses = may_use_wallet(caller, action, wallet, MASTER_WALLET, account.groups) is None
                assert allowed is uses, (caller, action, wallet)
                seen.add((runs, uses))
    assert seen == {(False, False), (True, False), (True, True)}, "the dice left a case of the table out"
