"""Measured cost of each write; run as `python -m tests.chain.contract.gas` it puts the table into docs/contract.md."""

import asyncio
from pathlib import Path
from typing import Any, Final

import aiohttp

from devkit.local_chain import LocalChainOptions, local_chain
from tests.chain.contract.world import ADMIN_PAYER, DELAY_S, EVERYBODY, OWNER, PAYER, Grants, World, wallet
from tests.support.contract import ARTIFACT, REPOSITORY, Receipt, Rpc, address_of, deploy, key_hash, wallet_hash

PAGE: Final[Path] = REPOSITORY / "docs" / "contract.md"
BEGIN: Final = "<!-- gas: written by `python -m tests.chain.contract.gas` -->\n"
END: Final = "<!-- end of gas -->\n"
ENTRIES: Final = 100
NAME: Final = "a name of thirty-one characters"
LONGEST_NAME: Final = "n" * 256
LONGEST_DESCRIPTION: Final = "d" * 2048
ALICE: Final = address_of("alice")
ACTIONS: Final = [key_hash(f"action {each}") for each in range(ENTRIES)]
CID: Final = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n"

Step = tuple[str, str, str, tuple[Any, ...]]


def account_steps(account: int) -> list[Step]:
    """(what is said, sender, function, arguments); each step finds what the steps before it made."""
    return [
        ("createManagedAccount", PAYER, "createManagedAccount", (account, NAME, "", wallet("a", 0), 1)),
        ("newAccount", PAYER, "newAccount", (account + 1, True, NAME, "", ALICE)),
        ("newChainSecuredAccount", ALICE, "newChainSecuredAccount", (NAME, "")),
        (
            "transferChainSecuredAccountOwnership",
            ALICE,
            "transferChainSecuredAccountOwnership",
            (wallet_hash(ALICE), address_of("bob")),
        ),
        ("convertToChainSecuredAccount", PAYER, "convertToChainSecuredAccount", (account + 1, address_of("carol"))),
        ("registerWalletDerivation", PAYER, "registerWalletDerivation", (account, wallet("a", 1), 2, NAME, "")),
        ("addAction", PAYER, "addAction", (account, NAME, "", ACTIONS[0])),
        ("addActionWithCid", PAYER, "addActionWithCid", (account, NAME, "", CID)),
        ("updateActionMetadata", PAYER, "updateActionMetadata", (account, ACTIONS[0], 0, NAME[::-1], "")),
    ]


def group_steps(account: int) -> list[Step]:
    longest: tuple[Any, ...] = (LONGEST_NAME, LONGEST_DESCRIPTION, ACTIONS, [])
    return [
        ("addGroup, the account's first, empty", PAYER, "addGroup", (account, NAME, "", [], [])),
        ("addGroup, empty", PAYER, "addGroup", (account, NAME, "", [], [])),
        ("addGroup, 1 action, 1 wallet", PAYER, "addGroup", (account, NAME, "", ACTIONS[:1], [wallet("a", 1)])),
        ("addGroup, 100 actions", PAYER, "addGroup", (account, NAME, "", ACTIONS, [])),
        ("addGroup, 100 actions, longest texts", PAYER, "addGroup", (account, *longest)),
        (
            "updateGroup, 100 actions by 100 others",
            PAYER,
            "updateGroup",
            (account, 5, *longest[:2], [a + 1 for a in ACTIONS], []),
        ),
        ("updateGroup, 100 actions by none", PAYER, "updateGroup", (account, 4, NAME, "", [], [])),
        ("updateGroupMetadata", PAYER, "updateGroupMetadata", (account, 1, NAME[::-1], "")),
        ("addActionToGroup, the group's first", PAYER, "addActionToGroup", (account, 1, ACTIONS[0])),
        ("addActionToGroup", PAYER, "addActionToGroup", (account, 1, ACTIONS[1])),
        ("addPkpToGroup, the group's first", PAYER, "addPkpToGroup", (account, 1, wallet("a", 0))),
        ("addPkpToGroup", PAYER, "addPkpToGroup", (account, 1, wallet("a", 1))),
        ("removeActionFromGroup", PAYER, "removeActionFromGroup", (account, 1, ACTIONS[0])),
        ("removePkpFromGroup", PAYER, "removePkpFromGroup", (account, 1, wallet("a", 0))),
        ("removeAction", PAYER, "removeAction", (account, ACTIONS[0])),
        ("removeGroup, holding 100 actions", PAYER, "removeGroup", (account, 5)),
        ("removeGroup, empty", PAYER, "removeGroup", (account, 4)),
    ]


def key_steps(account: int) -> list[Step]:
    one, many = Grants(name=NAME, execute=[1]), Grants(name=NAME, execute=list(range(1, ENTRIES + 1)))
    first, second = key_hash("first"), key_hash("second")
    return [
        ("setUsageApiKey, the account's first, 1 group", PAYER, "setUsageApiKey", (account, first, *one.arguments())),
        ("setUsageApiKey, 100 groups", PAYER, "setUsageApiKey", (account, second, *many.arguments())),
        ("updateUsageApiKey, 100 groups by 1", PAYER, "updateUsageApiKey", (account, second, *one.arguments())),
        ("updateUsageApiKeyMetadata", PAYER, "updateUsageApiKeyMetadata", (account, second, NAME[::-1], "")),
        ("removeUsageApiKey", PAYER, "removeUsageApiKey", (account, second)),
        ("clearUsageApiKeys", PAYER, "clearUsageApiKeys", (account,)),
    ]


def administration_steps() -> list[Step]:
    return [
        ("addApiPayers, 4", ADMIN_PAYER, "addApiPayers", ([address_of(f"payer {each}") for each in range(4)],)),
        ("removeApiPayers, 4", ADMIN_PAYER, "removeApiPayers", ([address_of(f"payer {each}") for each in range(4)],)),
        ("setApiPayers, 4", ADMIN_PAYER, "setApiPayers", ([address_of(f"payer {each}") for each in range(4)],)),
        ("setAdminApiPayerAccount, scheduled", OWNER, "setAdminApiPayerAccount", (ADMIN_PAYER,)),
        ("cancelOwnerChange", OWNER, "cancelOwnerChange", ()),
        ("setConfigOperator", OWNER, "setConfigOperator", (ALICE,)),
        ("setRequestedApiPayerCount", OWNER, "setRequestedApiPayerCount", (4,)),
        ("setRebalanceAmount", OWNER, "setRebalanceAmount", (10**17,)),
        ("setNodeConfiguration", OWNER, "setNodeConfiguration", ("name", "value")),
    ]


async def measure(world: World) -> list[tuple[str, Receipt]]:
    """Every write once, on a contract that holds one account already, so that no counter is new."""
    await world.managed("before")
    account = key_hash("a")
    steps = [*account_steps(account), *group_steps(account), *key_steps(account), *administration_steps()]
    costs = [(what, await world.send(sender, function, *arguments)) for what, sender, function, arguments in steps]
    await world.send(OWNER, "setAdminApiPayerAccount", ADMIN_PAYER)
    await world.go_to(await world.now() + DELAY_S)
    return [*costs, ("applyOwnerChange, with 4 payers", await world.send(OWNER, "applyOwnerChange"))]


def table(costs: list[tuple[str, Receipt]]) -> str:
    """The costs, and the sizes of what is deployed, as markdown."""
    sizes = [(len(ARTIFACT[part]) - 2) // 2 for part in ("deployedBytecode", "viewsDeployedBytecode", "bytecode")]
    rows = [f"| {what} | {receipt.gas_used:,} |" for what, receipt in costs]
    head = "Runtime {:,} bytes of 24,576 (the views' module {:,}), initcode {:,} of 49,152.\n".format(*sizes)
    return "\n".join([head, "| Write | Gas |", "|---|---|", *rows]) + "\n"


async def fresh_world() -> str:
    """The table, measured on a chain of its own."""
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = Rpc(session, chain.url)
        await rpc.ask("anvil_autoImpersonateAccount", True)
        for address in EVERYBODY:
            await rpc.ask("anvil_setBalance", address, hex(10**24))
        contract = await deploy(rpc, OWNER, OWNER, ADMIN_PAYER, DELAY_S)
        await contract.send(ADMIN_PAYER, "addApiPayers", [PAYER])
        return table(await measure(World(rpc, contract)))


def main() -> None:
    """Write the table into the page, between its marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + asyncio.run(fresh_world()) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
