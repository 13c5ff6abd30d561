"""Everybody who decides who may run what, asked the same: the contract's views, the node's readers, the truth table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry

from node.chain.abi import ContractAbi
from node.chain.authorisations.cache import CachedAuthorisations, CacheMetrics, ChainView
from node.chain.listener.queries import account_event_topics, changes_of
from node.chain.port import Explanation, Page
from node.chain.reads import AccountReader
from node.permissions.grants import Allowed, Caller, Decided, DecidingGroups, reason
from node.runtime.clock import Clock
from node.settings.chain import AuthorisationSettings
from node.values import U64_MAX, ZERO_ADDRESS
from tests.permissions.strategies import deciding_groups
from tests.permissions.truth_table import GroupContents, may_execute, may_use_wallet
from tests.support.account_chain import AccountChain
from tests.support.contract import Contract


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
    explanations: AccountReader, key: int, action: int, wallets: Sequence[str]
) -> tuple[Decision, Sequence[DecidingGroups], Sequence[Caller | None]]:
    """By its reasons, a yes being one without anything missing; and who the key is said to be each time."""
    found = [await explanations.explanation(key, action, wallet) for wallet in (None, *wallets)]
    runs, *uses = (each is not None and _is_a_yes(each) for each in found)
    groups = [DecidingGroups() if each is None else each.groups for each in found]
    return Decision(runs, tuple(uses)), groups, [None if each is None else each.caller for each in found]


def _is_a_yes(found: Explanation) -> bool:
    decision = found.decision
    may_use = decision.wallets[0] if decision.wallets else None
    decided = Decided(decision.is_account_key, decision.managed, decision.may_execute, may_use)
    return isinstance(reason(found.caller, decided, found.groups), Allowed)


class WatchedCache:
    """The execute path's cache, told the chain's own events as a listener would, and never of the time that passes."""

    def __init__(
        self, chain: AccountChain, reads: AccountReader, abi: ContractAbi, head_timestamp: Callable[[], int]
    ) -> None:
        view = ChainView(head_timestamp, self._reach, lambda: 0.0)
        metrics = CacheMetrics(CollectorRegistry())
        self.cache = CachedAuthorisations(
            reads, view, AuthorisationSettings(), Clock(lambda: 0.0, lambda: 0.0), metrics
        )
        self._chain = chain
        self._topics = account_event_topics(abi)
        self._followed_to = 0

    async def follow(self) -> None:
        """Tell of every event since the last time."""
        address, first = self._chain.contract.address.lower(), self._followed_to
        asked = {"fromBlock": hex(first), "address": address, "topics": [sorted(self._topics)]}
        logs = await self._chain.rpc.ask("eth_getLogs", asked)
        for account, number in changes_of(logs, address, self._topics, first, U64_MAX):
            self.cache.account_changed(account, number)
            self._followed_to = max(number, self._followed_to)

    async def _reach(self, number: int) -> None:
        raise AssertionError(f"nobody waits for block {number} here")


async def cache_decides(cache: CachedAuthorisations, key: int, action: int, wallets: Sequence[str]) -> Decision:
    """What the execute path goes by, its kept denials not read again."""

    def never() -> bool:
        return False

    caller = await cache.caller(key)
    if caller is None:
        return Decision(False, tuple(False for _ in wallets))
    decision = await cache.execution(caller, action, 0, never)
    known = decision.master_hash == caller.master_hash
    uses = [(await cache.wallet_use(caller, action, wallet, 0, never)).allowed for wallet in wallets]
    return Decision(known and decision.may_execute, tuple(uses))
