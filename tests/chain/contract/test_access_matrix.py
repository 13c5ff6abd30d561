"""Every role tries every function with every kind of hash; the expected outcome comes from the document's rules alone."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.chain.contract.world import (
    ADMIN_PAYER,
    DELAY_S,
    EVERYTHING,
    OPERATOR,
    OWNER,
    PAYER,
    STRANGER,
    ZERO,
    Grants,
    World,
    wallet,
)
from tests.support.contract import address_of, key_hash, wallet_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORMER: Final = address_of("former admin")
ADMIN: Final = address_of("current admin")
CONVERTED_ADMIN: Final = address_of("admin of the converted account")
OTHER_ADMIN: Final = address_of("admin of another account")
MASTER_WALLET: Final = wallet("managed", 0)
ROLES: Final = {
    "payer": PAYER,
    "stranger": STRANGER,
    "owner": OWNER,
    "admin payer": ADMIN_PAYER,
    "operator": OPERATOR,
    "managed account's admin wallet": MASTER_WALLET,
    "former admin": FORMER,
    "admin": ADMIN,
    "other account's admin": OTHER_ADMIN,
    "converted account's admin": CONVERTED_ADMIN,
}
WRITER: Final = {"managed": PAYER, "unmanaged": ADMIN, "converted": CONVERTED_ADMIN}
MANAGED: Final = {"managed": True, "unmanaged": False, "converted": False}
KEY: Final = "<a usage key of the account>"
WALLET: Final = "<wallet 1 of the account>"
WALLETS: Final = "<a list of wallet 1 of the account>"
LISTED_ACTION: Final = key_hash("a listed and registered action")

MASTER_ONLY: Final[Mapping[str, Sequence[Any]]] = {
    "setUsageApiKey": (key_hash("a new usage key"), *EVERYTHING.arguments()),
    "updateUsageApiKey": (KEY, *EVERYTHING.arguments()),
    "updateUsageApiKeyMetadata": (KEY, "n", "d"),
    "removeUsageApiKey": (KEY,),
    "clearUsageApiKeys": (),
    "updateGroup": (1, "n", "d", [LISTED_ACTION, 0], [ZERO]),
    "updateGroupMetadata": (1, "n", "d"),
    "addAction": ("n", "d", key_hash("a new action")),
    "addActionWithCid": ("n", "d", "Qm"),
    "removeAction": (LISTED_ACTION,),
    "updateActionMetadata": (LISTED_ACTION, 1, "n", "d"),
    "convertToChainSecuredAccount": (address_of("nobody yet"),),
    "transferChainSecuredAccountOwnership": (address_of("nobody yet"),),
}
"""Arguments after the account's hash."""

SCOPED: Final[Mapping[str, tuple[str, Sequence[Any]]]] = {
    "addGroup": ("NotAllowedToCreateGroup", ("n", "d", [key_hash("any")], WALLETS)),
    "removeGroup": ("NotAllowedToDeleteGroup", (1,)),
    "registerWalletDerivation": ("NotAllowedToCreatePkp", (address_of("fresh wallet"), 77, "n", "d")),
    "addPkpToGroup": ("NotAllowedToAddPkpToGroup", (1, WALLET)),
    "removePkpFromGroup": ("NotAllowedToRemovePkpFromGroup", (1, WALLET)),
    "addActionToGroup": ("NotAllowedToManageIPFSIdsInGroup", (1, key_hash("any"))),
    "removeActionFromGroup": ("NotAllowedToManageIPFSIdsInGroup", (1, LISTED_ACTION)),
}
"""The denial of a key without the grant, and the arguments after the hash."""

KEYS: Final = ("every grant", "no grant", "expired", "removed", "cleared")


@dataclass(frozen=True)
class Subject:
    """An account under attack: its name, and the hashes it was, is or never was known by."""

    name: str
    hashes: Mapping[str, int]

    def arguments(self, template: Sequence[Any]) -> list[Any]:
        """A template with this account's own usage key or second wallet in it."""
        places = {KEY: self.hashes["no grant"], WALLET: self.wallet, WALLETS: [self.wallet]}
        return [places.get(each, each) if isinstance(each, str) else each for each in template]

    @property
    def wallet(self) -> str:
        return wallet(self.name, 1)


async def subject(world: World, name: str, hashes: dict[str, int], writer: str) -> Subject:
    """Fill an account: wallets 0 and 1, group 1 with an action and wallet 1, usage keys of every kind."""
    account = hashes["master"]
    if not await world.call("pkpCountOf", account):
        await world.wallet(account, wallet(name, 0), 1, writer)
    await world.wallet(account, wallet(name, 1), 2, writer)
    await world.send(writer, "addAction", account, "n", "d", LISTED_ACTION)
    await world.group(account, [LISTED_ACTION], [wallet(name, 1)], writer)
    await world.key(account, f"cleared of {name}", EVERYTHING, writer)
    await world.send(writer, "clearUsageApiKeys", account)
    past = Grants(**{**EVERYTHING.__dict__, "expiration": 1})
    for kind, grants in {
        "every grant": EVERYTHING,
        "no grant": Grants(),
        "expired": past,
        "removed": EVERYTHING,
    }.items():
        await world.key(account, f"{kind} of {name}", grants, writer)
    await world.send(writer, "removeUsageApiKey", account, key_hash(f"removed of {name}"))
    keys = {kind: key_hash(f"{kind} of {name}") for kind in KEYS}
    return Subject(name, hashes | keys | {"unknown": key_hash("nothing"), "zero": 0})


async def subjects(world: World) -> list[Subject]:
    """A managed account, one handed from FORMER to ADMIN, a converted one, and strangers' accounts beside them."""
    await world.send(OWNER, "setConfigOperator", OPERATOR)
    await world.unmanaged(OTHER_ADMIN)
    managed = await subject(world, "managed", {"master": await world.managed("managed")}, PAYER)
    master = await world.unmanaged(FORMER)
    await world.send(FORMER, "transferChainSecuredAccountOwnership", master, ADMIN)
    aliases = {"master": master, "alias": await alias(world, ADMIN), "former alias": await alias(world, FORMER)}
    unmanaged = await subject(world, "unmanaged", aliases, ADMIN)
    old = await world.managed("converted")
    await world.pay("convertToChainSecuredAccount", old, CONVERTED_ADMIN)
    hashes = {"master": old, "alias": await alias(world, CONVERTED_ADMIN)}
    return [managed, unmanaged, await subject(world, "converted", hashes, CONVERTED_ADMIN)]


async def alias(world: World, admin: str) -> int:
    found = wallet_hash(admin)
    assert await world.call("resolveMaster", found) != 0
    return found


def expected(account: str, kind: str, sender: str, function: str) -> str | None:
    """The error the rules of docs/contract.md give, in their order; None for success."""
    if kind in {"removed", "cleared", "unknown", "zero"}:
        return "AccountDoesNotExist"
    if function == "convertToChainSecuredAccount" and not MANAGED[account]:
        return "InvalidRequest"
    if function == "transferChainSecuredAccountOwnership" and MANAGED[account]:
        return "InvalidRequest"
    if sender != WRITER[account]:
        return "NoAccountAccess"
    if kind in {"master", "alias", "former alias"}:
        return None
    if function in MASTER_ONLY:
        return "NotMasterAccount"
    if kind == "expired":
        return "UsageApiKeyExpired"
    return SCOPED[function][0] if kind == "no grant" else None


@pytest.mark.exhaustive
async def test_every_role_tries_every_function_with_every_hash(world: World) -> None:
    templates = {**MASTER_ONLY, **{function: template for function, (_, template) in SCOPED.items()}}
    calls: list[tuple[str, str, list[Any]]] = []
    wanted: list[tuple[tuple[str, ...], str | None, int]] = []
    for each in await subjects(world):
        for (kind, known), (role, sender), function in itertools.product(each.hashes.items(), ROLES.items(), templates):
            calls.append((sender, function, [known, *each.arguments(templates[function])]))
            wanted.append(((each.name, kind, role, function), expected(each.name, kind, sender, function), known))
    outcomes = await world.contract.outcomes(calls)
    wrong = []
    for (case, error, known), outcome, (sender, _, _) in zip(wanted, outcomes, calls, strict=True):
        name = outcome.name if outcome else None
        # The hash in an error is the one that was passed, never the master it stands for.
        told = outcome is None or name == "InvalidRequest" or outcome.arguments[0] == known
        if name != error or not told or (name == "NoAccountAccess" and outcome and outcome.arguments[1] != sender):
            wrong.append((case, error, outcome))
    assert len(calls) > 4000
    assert not wrong, wrong[:10]


async def test_a_hash_of_another_account_opens_only_that_account(world: World) -> None:
    """With the managed account's usage key, the payer reaches what that account holds and nothing else."""
    managed, unmanaged, _ = await subjects(world)
    foreign = unmanaged.wallet
    key = managed.hashes["every grant"]
    refused = await world.contract.outcomes(
        [
            (PAYER, "addPkpToGroup", [key, 1, foreign]),
            (PAYER, "addGroup", [key, "n", "d", [], [foreign]]),
            (PAYER, "addPkpToGroup", [managed.hashes["master"], 1, foreign]),
            (
                PAYER,
                "updateUsageApiKey",
                [managed.hashes["master"], unmanaged.hashes["no grant"], *EVERYTHING.arguments()],
            ),
            (PAYER, "removeUsageApiKey", [managed.hashes["master"], unmanaged.hashes["no grant"]]),
            (
                PAYER,
                "setUsageApiKey",
                [managed.hashes["master"], unmanaged.hashes["no grant"], *EVERYTHING.arguments()],
            ),
        ]
    )
    names = [outcome.name if outcome else None for outcome in refused]
    assert names == [*["PkpDoesNotExist"] * 3, *["UsageApiKeyDoesNotExist"] * 2, "AccountAlreadyExists"]


ADMINISTRATION: Final[Sequence[tuple[str, Sequence[Any], set[str], str]]] = (
    ("addApiPayers", ([STRANGER],), {ADMIN_PAYER}, "OnlyApiPayer"),
    ("removeApiPayers", ([PAYER],), {ADMIN_PAYER}, "OnlyApiPayer"),
    ("setApiPayers", ([STRANGER],), {ADMIN_PAYER}, "OnlyApiPayer"),
    ("setAdminApiPayerAccount", (STRANGER,), {OWNER}, "OwnableUnauthorizedAccount"),
    ("setRequestedApiPayerCount", (3,), {OWNER, OPERATOR}, "OnlyConfigOperatorOrOwner"),
    ("setRebalanceAmount", (3,), {OWNER, OPERATOR}, "OnlyConfigOperatorOrOwner"),
    ("setNodeConfiguration", ("k", "v"), {OWNER, OPERATOR}, "OnlyConfigOperatorOrOwner"),
    ("setConfigOperator", (STRANGER,), {OWNER}, "OwnableUnauthorizedAccount"),
    ("transferOwnership", (STRANGER,), {OWNER}, "OwnableUnauthorizedAccount"),
    ("acceptOwnership", (), set(), "OwnableUnauthorizedAccount"),
    ("cancelOwnerChange", (), {OWNER}, "OwnableUnauthorizedAccount"),
    ("applyOwnerChange", (), {OWNER}, "OwnableUnauthorizedAccount"),
    ("newAccount", (key_hash("new"), True, "", "", ADMIN), {PAYER}, "OnlyApiPayer"),
    ("createManagedAccount", (key_hash("new"), "", "", ADMIN, 1), {PAYER}, "OnlyApiPayer"),
    ("renounceOwnership", (), set(), "InvalidRequest"),
)
"""Function, arguments, who may, and what everybody else is told."""


async def test_every_role_tries_the_administration(world: World) -> None:
    await subjects(world)
    await world.send(OWNER, "setAdminApiPayerAccount", STRANGER)
    await world.go_to(await world.now() + DELAY_S)
    cases = [(row, role) for row in ADMINISTRATION for role in ROLES]
    outcomes = await world.contract.outcomes([(ROLES[role], row[0], row[1]) for row, role in cases])
    for (row, role), outcome in zip(cases, outcomes, strict=True):
        wanted = None if ROLES[role] in row[2] else row[3]
        assert (outcome.name if outcome else None) == wanted, (row[0], role, outcome)


async def test_anybody_opens_an_unmanaged_account_for_themselves_only(world: World) -> None:
    mine, other = wallet_hash(STRANGER), wallet_hash(PAYER)
    outcomes = await world.contract.outcomes(
        [
            (STRANGER, "newAccount", [mine, False, "n", "d", STRANGER]),
            (STRANGER, "newAccount", [mine, False, "n", "d", PAYER]),
            (STRANGER, "newAccount", [other, False, "n", "d", STRANGER]),
            (STRANGER, "newAccount", [other, False, "n", "d", PAYER]),
            (PAYER, "newAccount", [mine, False, "n", "d", STRANGER]),
            (PAYER, "newAccount", [0, True, "n", "d", STRANGER]),
        ]
    )
    names = [outcome.name if outcome else None for outcome in outcomes]
    assert names == [None, *["NoAccountAccess"] * 4, "InvalidRequest"]
