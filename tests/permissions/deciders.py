"""Everybody who decides who may run what, asked the same: the contract's views, the node's readers, the truth table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from node.chain.explanations import ExplanationReader
from node.chain.port import Page
from node.chain.reads import AccountReader
from node.permissions.denial import Denial
from node.permissions.execution import GroupContents, may_execute, may_use_wallet
from node.permissions.grants import Caller
from node.permissions.reasons import Decided, DecidingGroups, reason
from node.values import ZERO_ADDRESS
from tests.permissions.strategies import deciding_groups
from tests.world.contract import Contract


@dataclass(frozen=True)
class Decision:
    """May the action be run, and each of the wallets be used in it."""

    runs: bool
    uses: tuple[bool, ...]


@dataclass(frozen=True)
class Table:
    """The truth table over what an account lists."""

    groups: Sequence[GroupContents]
    registered: Sequence[str]

    @classmethod
    async def of(cls, reads: AccountReader, account: int) -> "Table":
        groups = await reads.groups(account, Page(0, 100))
        wallets = await reads.wallets(account, Page(0, 100))
        return cls(
            [GroupContents(each.id, frozenset(each.action_hashes), frozenset(each.wallets)) for each in groups.items],
            [wallet.address for wallet in wallets.items],
        )

    def decides(self, caller: Caller | None, action: int, wallets: Sequence[str]) -> Decision:
        if caller is None:
            return Decision(False, tuple(False for _ in wallets))
        uses = (
            wallet in self.registered
            and may_use_wallet(caller, action, wallet, self.registered[0], self.groups) is None
            for wallet in wallets
        )
        return Decision(may_execute(caller, action, self.groups) is None, tuple(uses))

    def deciding(self, caller: Caller | None, action: int, wallet: str | None) -> DecidingGroups:
        if caller is None:
            return DecidingGroups()
        # What is not registered is no wallet, as little as the wildcard address is one.
        asked = wallet if wallet is None or wallet in self.registered else ZERO_ADDRESS
        return deciding_groups(caller, action, asked, self.registered[0], self.groups)


async def contract_decides(
    contract: Contract, key: int, action: int, wallets: Sequence[str]
) -> tuple[Sequence[Decision], Sequence[DecidingGroups]]:
    """What each view that decides says, and the reasons: without a wallet, then for each."""
    pairs = [(key, action, wallet) for wallet in wallets]
    whole, runs, *rest = await _views(
        contract,
        ("authorisation", key, action, wallets),
        ("canExecuteAction", key, action),
        *(("canUseWalletInAction", *pair) for pair in pairs),
        *(("canExecuteActionAndUseWallet", *pair) for pair in pairs),
        *(("decidingGroups", key, action, wallet) for wallet in (ZERO_ADDRESS, *wallets)),
    )
    count = len(wallets)
    uses, both, reasons = rest[:count], rest[count : 2 * count], rest[2 * count :]
    decisions = [
        Decision(whole["canExecute"], tuple(whole["canUseWallets"])),
        Decision(runs, tuple(uses)),
        *(Decision(run, tuple(use for _, use in both)) for run, _ in both),
    ]
    return decisions, [DecidingGroups(*(group or None for group in groups)) for groups in reasons]


async def _views(contract: Contract, *calls: tuple[Any, ...]) -> list[Any]:
    requests = [("eth_call", [contract.request(None, contract.encode(*call)), "latest"]) for call in calls]
    answers = await contract.rpc.ask_all(requests)
    return [contract.decode(call[0], bytes.fromhex(answer[2:])) for call, answer in zip(calls, answers, strict=True)]


async def reader_decides(reads: AccountReader, key: int, action: int, wallets: Sequence[str]) -> Decision:
    decision = await reads.authorisation(key, action, wallets)
    return Decision(decision.may_execute, tuple(decision.wallets))


async def explanations_decide(
    explanations: ExplanationReader, key: int, action: int, wallets: Sequence[str]
) -> tuple[Decision, Sequence[DecidingGroups]]:
    """By its reasons: a yes is one, and nothing is missing from it."""
    found = [await explanations.explanation(key, action, wallet) for wallet in (None, *wallets)]
    yes = []
    for wallet, each in zip((None, *wallets), found, strict=True):
        if each is None:
            yes.append(False)
            continue
        may_use = None if wallet is None else each.decision.wallets[0]
        decided = Decided(each.decision.is_account_key, each.decision.managed, each.decision.may_execute, may_use)
        yes.append(not isinstance(reason(each.caller, decided, each.groups), Denial))
    return Decision(yes[0], tuple(yes[1:])), [DecidingGroups() if each is None else each.groups for each in found]
