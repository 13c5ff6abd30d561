"""A chain of blocks that say which keys are granted what, read like the contract, with forks, lag and held answers."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from prometheus_client import CollectorRegistry

from node.chain.authorisations.cache import CachedAuthorisations, CacheMetrics, ChainView
from node.chain.errors import HeadNotReachedError
from node.chain.port import Authorisation, WalletRecord
from node.errors import DomainError
from node.permissions.grants import Caller, Grants
from node.runtime.clock import Clock
from node.settings.chain import AuthorisationSettings
from tests.support.clock import FakeClock

ACTION = 7
WALLET = "0x" + "aB" * 20


@dataclass(frozen=True)
class Key:
    """A key as one block has it; `runs` are the actions it may run, and use the wallet in where `uses` is true."""

    account: int
    runs: frozenset[int] = frozenset()
    expiration: int = 0
    grants: Grants | None = field(default_factory=Grants)
    managed: bool = True
    uses: bool = True


@dataclass(frozen=True)
class Block:
    number: int
    keys: Mapping[int, Key]


@dataclass(frozen=True)
class Read:
    """One look of the node at the chain: `order` among everything that happened, and the time it began."""

    order: int
    at: float
    block: Block


@dataclass
class ModelChain:
    """`blocks[-1]` is the head. Reads answer `behind` blocks below it while they may; `hold` keeps answers back.

    A decision's `block_timestamp` is the order of its read, by which a test finds out what an answer rests on.
    """

    clock: FakeClock
    blocks: list[Block] = field(default_factory=lambda: [Block(1, {})])
    behind: int = 0
    floor: int = 0
    held: list[asyncio.Event] | None = None
    reads: dict[int, Read] = field(default_factory=dict)
    fault: DomainError | None = None
    orders: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)

    @property
    def head(self) -> Block:
        return self.blocks[-1]

    def mine(self, keys: Mapping[int, Key | None] | None = None) -> int:
        """A block in which these keys are written, None taking one away; gives its number."""
        merged = {**self.head.keys, **(keys or {})}
        self.blocks.append(Block(self.head.number + 1, {name: key for name, key in merged.items() if key is not None}))
        return self.head.number

    def fork_at(self, number: int) -> None:
        """Blocks after this one are gone."""
        self.blocks = [block for block in self.blocks if block.number <= number]
        self.floor = min(self.floor, number)

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        read = await self._look()
        key = read.block.keys.get(key_hash)
        if key is None or self._expired(key):
            return None, read.block.number
        return Caller(key_hash, key.account, key.managed, key.grants, key.expiration), read.block.number

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        read = await self._look()
        key = read.block.keys.get(key_hash)
        if key is None:
            return Authorisation(0, False, False, False, (False,) * len(wallets), 0, 0, read.block.number, read.order)
        runs = action_hash in key.runs and not self._expired(key)
        return Authorisation(
            key.account, key.managed, key.grants is None, runs, (runs and key.uses,) * len(wallets), key.expiration, 0,
            read.block.number, read.order,
        )  # fmt: skip

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        named = wallet in {WALLET, 3}
        decision = await self.authorisation(caller.key_hash, action_hash, [WALLET] if named else [])
        return WalletRecord(3, WALLET, 99, "name", "description") if named else None, decision

    async def _look(self) -> Read:
        number = max(self.floor, self.head.number - self.behind)
        block = next(block for block in self.blocks if block.number == number)
        read = Read(self.orders(), self.clock(), block)
        self.reads[read.order] = read
        if self.held is not None:
            released = asyncio.Event()
            self.held.append(released)
            await released.wait()
        else:
            await asyncio.sleep(0)
        if self.fault is not None:
            raise self.fault
        self.floor = max(self.floor, block.number)
        return read

    def _expired(self, key: Key) -> bool:
        return 0 < key.expiration <= self.clock()


@dataclass
class Bench:
    """A cache over a model chain, with a clock, a lag and a head's time that a test moves."""

    clock: FakeClock
    monotonic: FakeClock
    chain: ModelChain
    registry: CollectorRegistry
    lag_s: float | None = 0.0
    head_timestamp: int = 0
    reached: list[int] = field(default_factory=list)
    settings: AuthorisationSettings = field(default_factory=AuthorisationSettings)

    def __post_init__(self) -> None:
        view = ChainView(lambda: self.head_timestamp, self._reach, lambda: self.lag_s)
        metrics = CacheMetrics(self.registry)
        self.cache = CachedAuthorisations(self.chain, view, self.settings, Clock(self.monotonic, self.clock), metrics)

    @property
    def reads(self) -> int:
        """How often the chain was read."""
        return len(self.chain.reads)

    def advance(self, seconds: float) -> None:
        """Let time pass on both clocks."""
        self.clock.advance(seconds)
        self.monotonic.advance(seconds)

    async def caller(self, key: int) -> Caller:
        caller = await self.cache.caller(key)
        assert caller is not None
        return caller

    def told(self, account: int) -> None:
        """The listener tells of a change in the newest block."""
        self.cache.account_changed(account, self.chain.head.number)

    def metric(self, name: str, kind: str) -> float:
        return self.registry.get_sample_value(f"svc_authorisation_cache_{name}_total", {"kind": kind}) or 0.0

    async def _reach(self, number: int) -> None:
        self.reached.append(number)
        await asyncio.sleep(0)
        if self.chain.head.number < number:
            raise HeadNotReachedError(number, self.chain.head.number)
        self.chain.floor = max(self.chain.floor, number)


def bench_of(keys: Mapping[int, Key], settings: AuthorisationSettings | None = None) -> Bench:
    """A cache over a chain with these keys."""
    clock = FakeClock()
    chain = ModelChain(clock)
    chain.mine(keys)
    return Bench(clock, FakeClock(50.0), chain, CollectorRegistry(), settings=settings or AuthorisationSettings())


def granted(key: Key, *actions: int) -> Key:
    """The key with these actions and no others."""
    return replace(key, runs=frozenset(actions))


def freely() -> bool:
    return True


def never() -> bool:
    return False
