"""Long random histories, compared step by step with a small model that knows nothing of generations or bitmaps."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.chain.contract.world import PAYER, ZERO, Grants, World, wallet
from tests.support.contract import address_of, key_hash

pytestmark = pytest.mark.asyncio(loop_scope="module")

ACTIONS = [key_hash(f"action {each}") for each in range(5)]
KEYS = [key_hash(f"key {each}") for each in range(8)]
STEPS = 220


@dataclass
class GroupModel:
    actions: list[int] = field(default_factory=list)
    wallets: list[str] = field(default_factory=list)


@dataclass
class Model:
    """One managed account as the documents describe it: plain lists, dropped entries simply gone."""

    wallets: list[str]
    groups: dict[int, GroupModel] = field(default_factory=dict)
    last_group: int = 0
    actions: list[int] = field(default_factory=list)
    keys: dict[int, list[int]] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def set_key(self, key: int, execute: list[int]) -> str | None:
        if key not in self.keys and key in self.used:
            return "AccountAlreadyExists"
        self.used.add(key)
        self.keys[key] = execute
        return None

    def remove_key(self, key: int) -> str | None:
        return "UsageApiKeyDoesNotExist" if self.keys.pop(key, None) is None else None

    def clear_keys(self) -> None:
        self.keys.clear()

    def add_group(self, actions: list[int], wallets: list[str]) -> None:
        self.last_group += 1
        self.groups[self.last_group] = GroupModel(list(dict.fromkeys(actions)), list(dict.fromkeys(wallets)))

    def update_group(self, group: int, actions: list[int], wallets: list[str]) -> str | None:
        if group not in self.groups:
            return "GroupDoesNotExist"
        self.groups[group] = GroupModel(list(dict.fromkeys(actions)), list(dict.fromkeys(wallets)))
        return None

    def remove_group(self, group: int) -> str | None:
        return "GroupDoesNotExist" if self.groups.pop(group, None) is None else None

    def add_action(self, action: int) -> str | None:
        if action in self.actions:
            return "AccountAlreadyExists"
        self.actions.append(action)
        return None

    def remove_action(self, action: int) -> str | None:
        if action not in self.actions:
            return "ActionDoesNotExist"
        self.actions.remove(action)
        for group in self.groups.values():
            group.actions = [each for each in group.actions if each != action]
        return None

    def change_member(self, group: int, member: Any, *, adding: bool) -> str | None:
        if group not in self.groups:
            return "GroupDoesNotExist"
        members: list[Any] = self.groups[group].actions if isinstance(member, int) else self.groups[group].wallets
        if adding and member not in members:
            members.append(member)
        elif not adding and member not in members:
            return "ActionDoesNotExist" if isinstance(member, int) else "PkpDoesNotExist"
        elif not adding:
            members.remove(member)
        return None

    def decides(self, key: int, action: int, used: str) -> tuple[bool, bool]:
        """The truth table, over the model's lists."""
        if key not in self.keys:
            return False, False
        granted = self.keys[key]
        counted = [group for number, group in self.groups.items() if 0 in granted or number in granted]
        listing = [group for group in counted if action in group.actions or 0 in group.actions]
        lists = [used in group.wallets or (ZERO in group.wallets and used != self.wallets[0]) for group in listing]
        return 0 in granted or bool(listing), used in self.wallets and any(lists)


Step = tuple[str, tuple[Any, ...], Callable[[], str | None]]


def step(dice: random.Random, model: Model) -> Step:
    """One write, its arguments after the account, and what the model makes of it."""
    group = dice.randint(1, model.last_group + 1)
    action, used = dice.choice([0, *ACTIONS]), dice.choice([ZERO, *model.wallets])
    actions, wallets = (
        dice.choices([0, *ACTIONS], k=dice.randint(0, 3)),
        dice.choices([ZERO, *model.wallets], k=dice.randint(0, 3)),
    )
    key, execute = dice.choice(KEYS), dice.choices(range(model.last_group + 2), k=dice.randint(0, 3))
    registered = dice.choice(ACTIONS)
    steps: list[Step] = [
        ("setUsageApiKey", (key, *Grants(execute=execute).arguments()), lambda: model.set_key(key, execute)),
        ("removeUsageApiKey", (key,), lambda: model.remove_key(key)),
        ("addGroup", ("", "", actions, wallets), lambda: model.add_group(actions, wallets)),
        ("updateGroup", (group, "", "", actions, wallets), lambda: model.update_group(group, actions, wallets)),
        ("removeGroup", (group,), lambda: model.remove_group(group)),
        ("addAction", ("", "", registered), lambda: model.add_action(registered)),
        ("removeAction", (registered,), lambda: model.remove_action(registered)),
        ("addActionToGroup", (group, action), lambda: model.change_member(group, action, adding=True)),
        ("removeActionFromGroup", (group, action), lambda: model.change_member(group, action, adding=False)),
        ("addPkpToGroup", (group, used), lambda: model.change_member(group, used, adding=True)),
        ("removePkpFromGroup", (group, used), lambda: model.change_member(group, used, adding=False)),
        ("clearUsageApiKeys", (), model.clear_keys),
    ]
    return dice.choices(steps, weights=[4, 2, 3, 2, 1, 4, 3, 10, 3, 8, 3, 0.3])[0]


async def compare(world: World, account: int, model: Model, dice: random.Random) -> None:
    """Every list, and a few decisions."""
    keys, _ = await world.call("listApiKeys", account, 0, 99)
    assert {each["apiKeyHash"]: each["executeInGroups"] for each in keys} == model.keys
    assert [each["apiKeyHash"] for each in keys] == list(model.keys)
    groups, _ = await world.call("listGroups", account, 0, 99)
    shown = {each["id"]: GroupModel(each["cidHashes"], each["pkpIds"]) for each in groups}
    assert shown == model.groups
    assert list(shown) == list(model.groups)
    actions, total = await world.call("listActions", account, 0, 99)
    assert ([each["actionHash"] for each in actions], total) == (model.actions, len(model.actions))
    for _ in range(6):
        key, action, used = (
            dice.choice(KEYS),
            dice.choice(ACTIONS),
            dice.choice([*model.wallets, address_of("no wallet")]),
        )
        decided = await world.call("canExecuteActionAndUseWallet", key, action, used)
        assert decided == model.decides(key, action, used)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
async def test_a_random_history_is_what_the_model_says(world: World, seed: int) -> None:
    dice = random.Random(seed)
    account = await world.managed("a", wallets=4)
    model = Model([wallet("a", each) for each in range(4)])
    refused = 0
    for _ in range(STEPS):
        function, arguments, apply = step(dice, model)
        error = apply()
        outcome = (await world.contract.outcomes([(PAYER, function, [account, *arguments])]))[0]
        assert (outcome.name if outcome else None) == error, (function, arguments)
        if error is None:
            await world.contract.send_data(PAYER, world.contract.encode(function, account, *arguments))
        refused += error is not None
        await compare(world, account, model, dice)
    assert 0 < refused < STEPS * 3 / 4
