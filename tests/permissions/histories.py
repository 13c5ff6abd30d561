"""Random histories of one account: writes as hypothesis draws them, and the account that carries them out on a chain."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from tests.support.account_chain import AccountChain
from tests.support.contract import Revert, address_of, key_hash, wallet_hash

ZERO: Final = "0x" + "00" * 20
MASTER_WALLET, SECOND_WALLET, LATE_WALLET = (address_of(f"{which} wallet of a history") for which in range(3))
WALLETS: Final = (MASTER_WALLET, SECOND_WALLET, LATE_WALLET)
"""The last is registered only where a history does it."""
ACTIONS: Final = (7, 8, 9)
"""The last is never listed by its hash."""
KEY_NAMES: Final = ("$first", "$second", "$third")
SOON_S: Final = 100
"""After so long the keys that expire soon have expired."""
FUNDS: Final = hex(10**20)

_groups = st.sampled_from((1, 1, 2, 2, 3, 4))
_group_lists = st.lists(st.sampled_from((0, 1, 2, 3, 4)), max_size=3)
_actions = st.sampled_from((0, 0, *ACTIONS[:2]))
_wallets = st.sampled_from((ZERO, *WALLETS))
_keys = st.sampled_from(KEY_NAMES)


@dataclass(frozen=True)
class Write:
    """A function of the contract and its arguments after the account; those that begin with `$` are the account's own."""

    function: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Together:
    """Several writes in one transaction."""

    writes: Sequence[Write]


@dataclass(frozen=True)
class Wait:
    """Time passes, and keys expire."""


Step: TypeAlias = Write | Together | Wait


def _write(function: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Write]:
    return st.builds(Write, st.just(function), st.tuples(*arguments))


_nothing = st.just("")
_contents = (st.lists(_actions, max_size=2), st.lists(_wallets, max_size=2))
_set_key = _write(
    "setUsageApiKey",
    *(_keys, st.sampled_from((0, 0, "$soon")), st.just(0), _nothing, _nothing, *[st.just(False)] * 3),
    *[_group_lists] * 4,
)
_writes = st.one_of(
    *[_set_key] * 3,
    _write("addGroup", _nothing, _nothing, *_contents),
    _write("updateGroup", _groups, _nothing, _nothing, *_contents),
    _write("removeGroup", _groups),
    *[_write("addActionToGroup", _groups, _actions)] * 2,
    *[_write("addPkpToGroup", _groups, _wallets)] * 2,
    _write("removeActionFromGroup", _groups, _actions),
    _write("removePkpFromGroup", _groups, _wallets),
    _write("addAction", _nothing, _nothing, st.sampled_from(ACTIONS)),
    _write("removeAction", st.sampled_from(ACTIONS)),
    _write("removeUsageApiKey", _keys),
    _write("clearUsageApiKeys"),
    _write("registerWalletDerivation", st.just(LATE_WALLET), st.just(3), _nothing, _nothing),
    _write("convertToChainSecuredAccount", st.just("$admin")),
)
histories: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        _writes, _writes, _writes, st.builds(Together, st.lists(_writes, min_size=2, max_size=4)), st.builds(Wait)
    ),
    min_size=3,
    max_size=8,
)

EVERY_KIND: Final[list[Step]] = [
    Write("addActionToGroup", (1, ACTIONS[1])),
    Write("addPkpToGroup", (1, MASTER_WALLET)),
    Write("removeActionFromGroup", (2, 0)),
    Write("removePkpFromGroup", (1, MASTER_WALLET)),
    Write("removeAction", (ACTIONS[0],)),
    Write("updateGroup", (1, "", "", [ACTIONS[0]], [ZERO])),
    Write("registerWalletDerivation", (LATE_WALLET, 3, "", "")),
    Write("removeGroup", (1,)),
    Write("addGroup", ("", "", [0], [*WALLETS])),
    Write("setUsageApiKey", ("$first", "$soon", 0, "", "", False, False, False, [0], [], [], [3])),
    Write("setUsageApiKey", ("$third", 0, 0, "", "", False, False, False, [], [], [], [3])),
    Wait(),
    Write("removeUsageApiKey", ("$third",)),
    Write("setUsageApiKey", ("$first", 0, 0, "", "", False, False, False, [], [], [], [0])),
    Write("convertToChainSecuredAccount", ("$admin",)),
    Write("clearUsageApiKeys"),
]
"""Each kind of change alone, each of which turns some decision."""

_START: Final = (
    Write("registerWalletDerivation", (SECOND_WALLET, 2, "", "")),
    Write("addAction", ("", "", ACTIONS[0])),
    Write("addGroup", ("", "", [ACTIONS[0]], [SECOND_WALLET])),
    Write("addGroup", ("", "", [0], [ZERO])),
    Write("setUsageApiKey", ("$first", 0, 0, "", "", False, False, False, [2], [], [], [1])),
    Write("setUsageApiKey", ("$second", "$soon", 0, "", "", False, False, False, [], [], [], [0])),
)
_numbers = itertools.count(1)


@dataclass
class Account:
    """An account of its own on a chain that histories share; its sender is whoever may write to it."""

    chain: AccountChain
    label: str = field(default_factory=lambda: f"history {next(_numbers)}")
    converted: bool = False

    @property
    def master_hash(self) -> int:
        return key_hash(self.label)

    @property
    def admin(self) -> str:
        return address_of(f"admin of {self.label}")

    @property
    def keys(self) -> Sequence[int]:
        """The usage keys, the account key, and the public hash of who administers it once it is converted."""
        return (*(key_hash(self.label + name) for name in KEY_NAMES), self.master_hash, wallet_hash(self.admin))

    async def open(self) -> None:
        """A managed account with two wallets, two groups and two keys."""
        await self.chain.write("createManagedAccount", self.master_hash, "", "", MASTER_WALLET, 1)
        await self.carry_out(Together(_START))

    async def carry_out(self, step: Step) -> bool:
        """Do it where the contract lets it be done; False where it refuses, which changes nothing."""
        now = await self.chain.head_timestamp()
        if isinstance(step, Wait):
            await self.chain.mine_at(now + SOON_S)
            return True
        own = {name: key_hash(self.label + name) for name in KEY_NAMES} | {"$soon": now + SOON_S, "$admin": self.admin}
        if isinstance(step, Together):
            calls = [self.chain.contract.encode(*self._call(write, own)) for write in step.writes]
            return await self._send("multicall", calls)
        return await self._send(*self._call(step, own))

    def _call(self, write: Write, own: Mapping[str, Any]) -> tuple[Any, ...]:
        filled = (own.get(each, each) if isinstance(each, str) else each for each in write.arguments)
        return (write.function, self.master_hash, *filled)

    async def _send(self, function: str, *arguments: Any) -> bool:
        sender = self.admin if self.converted else self.chain.payer
        try:
            receipt = await self.chain.contract.send(sender, function, *arguments)
        except Revert:
            return False
        if receipt.named("AccountConvertedToChainSecured"):
            await self.chain.rpc.ask("anvil_impersonateAccount", self.admin)
            await self.chain.rpc.ask("anvil_setBalance", self.admin, FUNDS)
            self.converted = True
        return True
