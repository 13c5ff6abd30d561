"""Measures the decision cache alone: its speed, and its memory for 100,000 keys."""

import asyncio
import gc
import multiprocessing
import resource
import time
import tracemalloc
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeAlias

from prometheus_client import CollectorRegistry

from benchmarks.aims import Finding
from benchmarks.load import percentile
from node.chain.authorisations.cache import CachedAuthorisations, CacheMetrics, ChainView
from node.chain.port import Authorisation, WalletRecord
from node.permissions.grants import Caller, Grants
from node.runtime.clock import Clock
from node.settings.chain import AuthorisationSettings
from node.values import checksum_address, hash_of_text

KEYS = 100_000
MEGABYTE = 1_000_000
MEMORY_BOUND_MB = 100.0
Fill: TypeAlias = Callable[[CachedAuthorisations, Sequence[int]], Coroutine[None, None, None]]
DECISION_BOUND_MS = 0.1
DECISIONS = 50_000
BLOCK = 20_000_000


class _Reads:
    """A chain where every key may run its action with its wallet. Every value is a new object."""

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        grants = Grants(execute_in_groups=frozenset({1 + key_hash % 3}))
        return Caller(key_hash + 0, hash_of_text(f"account {key_hash}"), managed=True, grants=grants), BLOCK + 0

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        caller, block_number = await self.caller_at_block(key_hash)
        assert caller is not None
        return Authorisation(
            master_hash=caller.master_hash,
            managed=True,
            is_account_key=False,
            may_execute=True,
            wallets=tuple(True for _ in wallets),
            expiration=0,
            cap_cents=action_hash % 1000,
            block_number=block_number,
            block_timestamp=int(time.time()),
        )

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        # As decoded from a reply of the chain: equal to the requested one, but another object.
        address = checksum_address(str(wallet).lower())
        record = WalletRecord(1, address, caller.key_hash % 2**250, "a wallet", "of a benchmark")
        return record, await self.authorisation(caller.key_hash, action_hash, [address])


class _AccountKeyReads(_Reads):
    """A chain where every key is the account key of its own account."""

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        return Caller(key_hash, key_hash, managed=True, grants=None), BLOCK


def account_key_cache() -> CachedAuthorisations:
    """Returns a cache for which every key is an account key."""
    return _cache(_AccountKeyReads())


def _cache(reads: _Reads | None = None) -> CachedAuthorisations:
    async def reach(_: int) -> None: ...

    chain = ChainView(head_timestamp=lambda: 0, reach=reach, lag_s=lambda: 1.0)
    settings = AuthorisationSettings(authorisation_max_readings=3 * KEYS)
    metrics = CacheMetrics(CollectorRegistry())
    return CachedAuthorisations(reads or _Reads(), chain, settings, Clock(), metrics)


def _never() -> bool:
    return False


async def _decide(cache: CachedAuthorisations, key_hash: int, action_hash: int) -> Caller:
    caller = await cache.caller(key_hash)
    assert caller is not None
    assert (await cache.execution(caller, action_hash, 0, _never)).may_execute
    return caller


async def _fill(cache: CachedAuthorisations, keys: Sequence[int]) -> None:
    for key_hash in keys:
        await _decide(cache, key_hash, hash_of_text(f"action of {key_hash}"))
    assert (cache.keys, cache.readings) == (len(keys), 2 * len(keys))


async def _fill_wallets(cache: CachedAuthorisations, keys: Sequence[int]) -> None:
    for key_hash in keys:
        action_hash = hash_of_text(f"action of {key_hash}")
        caller = await _decide(cache, key_hash, action_hash)
        await cache.wallet_use(caller, action_hash, checksum_address(f"0x{key_hash % 2**160:040x}"), 0, _never)
    assert (cache.keys, cache.readings) == (len(keys), 3 * len(keys))


def _keys() -> list[int]:
    return [hash_of_text(f"key {index}") for index in range(KEYS)]


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _weight(fill: Fill, used: Callable[[], int]) -> float:
    """Returns the megabytes of a cache after `fill`."""
    # Make the keys first: they belong to the caller and are not part of the cache's memory.
    keys, cache = _keys(), _cache()
    gc.collect()
    before = used()
    asyncio.run(fill(cache, keys))
    gc.collect()
    return (used() - before) / MEGABYTE


def _allocated(fill: Fill) -> float:
    # Exact, but slow and itself in memory. Another process measures resident memory without it.
    tracemalloc.start()
    return _weight(fill, lambda: tracemalloc.get_traced_memory()[0])


def _resident(fill: Fill) -> float:
    return _weight(fill, _resident_bytes)


async def _speed() -> list[Finding]:
    keys = _keys()[: KEYS // 10]
    cache = _cache()
    await _fill(cache, keys)
    asked = [(key, hash_of_text(f"action of {key}")) for key in keys]
    took: list[float] = []
    begun = time.perf_counter()
    for index in range(DECISIONS):
        started = time.perf_counter()
        # 7919 is prime to the number of keys, so all are visited, in another order than filled.
        await _decide(cache, *asked[index * 7919 % len(asked)])
        took.append(time.perf_counter() - started)
    elapsed = time.perf_counter() - begun
    ordered = sorted(took)
    return [
        Finding("cached decision (caller and execution): p50", percentile(ordered, 0.5), "ms", DECISION_BOUND_MS),
        Finding("cached decision (caller and execution): p99", percentile(ordered, 0.99), "ms", DECISION_BOUND_MS),
        Finding("cached decisions, one after another", DECISIONS / elapsed, "/s"),
    ]


def cached_decisions() -> list[Finding]:
    """Measures speed here, and allocated and resident memory in fresh processes."""
    findings = asyncio.run(_speed())
    # One process for each figure: memory freed for an earlier one would hide the next one's.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        for how, weigh in (("allocated", _allocated), ("resident", _resident)):
            for what, fill in (("an action", _fill), ("an action and a wallet", _fill_wallets)):
                name = f"{KEYS:,} keys with {what} each: {how}"
                findings.append(Finding(name, fresh.apply(weigh, [fill]), "MB", MEMORY_BOUND_MB))
    return findings
