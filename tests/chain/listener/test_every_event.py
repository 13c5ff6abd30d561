"""No event of an account is forgotten: the contract's own source and every write of it say which there are."""

import re
from typing import Final

from node.chain.abi import account_config_abi
from node.chain.listener.queries import account_event_topics
from node.values import hash_of_text
from tests.chain.contract import gas
from tests.chain.contract.world import ADMIN_PAYER, OWNER, PAYER, World
from tests.chain.listener.bench import Bench
from tests.support.account_chain import OWNER_CHANGE_DELAY_S
from tests.support.contract import REPOSITORY

SOURCE: Final = REPOSITORY / "node" / "chain" / "contract" / "IAccountEvents.sol"
DECLARED: Final = re.compile(r"event (\w+)\(([^)]*)\)")
OF_THE_NODE: Final = {
    "addApiPayers",
    "removeApiPayers",
    "setApiPayers",
    "setAdminApiPayerAccount",
    "setRequestedApiPayerCount",
    "setRebalanceAmount",
    "setConfigOperator",
    "setNodeConfiguration",
    "transferOwnership",
    "acceptOwnership",
    "applyOwnerChange",
    "cancelOwnerChange",
}
"""Writes that change no account, and multicall, whose calls are writes again."""


def declared_of_an_account() -> set[str]:
    events = DECLARED.findall(SOURCE.read_text(encoding="utf-8"))
    named = ("apiKeyHash", "masterApiKeyHash", "account")
    return {name for name, inputs in events if inputs.split(",")[0].split()[-1] in named}


def test_the_topics_are_those_of_all_events_that_name_an_account() -> None:
    abi = account_config_abi()
    names = declared_of_an_account()
    assert len(names) > 15
    assert account_event_topics(abi) == {"0x" + abi.events[name].hex() for name in names}


async def test_every_write_to_an_account_voids_that_account_and_no_other_write_does(bench: Bench) -> None:
    rpc, contract = bench.chain.rpc, bench.chain.contract
    await rpc.ask("anvil_autoImpersonateAccount", True)
    owner = World(rpc, contract)
    await owner.send(bench.chain.owner, "transferOwnership", OWNER)
    await owner.send(OWNER, "acceptOwnership")
    await owner.send(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
    await owner.go_to(await owner.now() + OWNER_CHANGE_DELAY_S)
    await owner.send(OWNER, "applyOwnerChange")
    await owner.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    follower = await bench.followed()
    names = declared_of_an_account()
    account = hash_of_text("an account")
    steps = [*gas.account_steps(account), *gas.group_steps(account), *gas.key_steps(account)]
    written = set()
    for what, sender, function, arguments in [*steps, *gas.administration_steps()]:
        bench.told.forget()
        receipt = await owner.send(sender, function, *arguments)
        await follower.poll()
        masters = {event.arguments[0] for event in receipt.events if event.name in names}
        assert set(bench.told.changes) == {(master, receipt.block_number) for master in masters}, what
        assert bool(masters) == (function not in OF_THE_NODE), what
        written.add(function)
    assert written | OF_THE_NODE | {"multicall"} == account_config_abi().writes


async def test_a_multicall_voids_the_accounts_of_all_its_calls(bench: Bench) -> None:
    first, second = await bench.touch("first"), await bench.touch("second")
    follower = await bench.followed()
    calls = [bench.chain.contract.encode("addGroup", each, "group", "", [], []) for each, _ in (first, second)]
    block = await bench.chain.write("multicall", calls)
    await follower.poll()
    assert set(bench.told.changes) == {(first[0], block), (second[0], block)}
