"""What is answered from the cache, for how long, and what ends it."""

import asyncio
import gc
import tracemalloc

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.chain.errors import ChainUnavailableError
from node.errors import DomainError
from node.permissions.grants import Grants
from node.settings.chain import AuthorisationSettings
from tests.chain.authorisations.model import ACTION, WALLET, Bench, Block, Key, bench_of, freely, granted, never

ACCOUNT, OTHER_ACCOUNT = 100, 200
KEY, OTHER_KEY = 1, 2
ALLOWED = Key(ACCOUNT, frozenset({ACTION}), grants=Grants(execute_in_groups=frozenset({1})))
DENIED = granted(ALLOWED)


@pytest.fixture
def bench() -> Bench:
    return bench_of({KEY: ALLOWED, OTHER_KEY: Key(OTHER_ACCOUNT, frozenset({ACTION}))})


async def runs(bench: Bench, key: int = KEY, min_block: int = 0, action: int = ACTION) -> bool:
    decision = await bench.cache.execution(await bench.caller(key), action, min_block, freely)
    return decision.may_execute


async def test_what_was_read_is_answered_again_without_reading(bench: Bench) -> None:
    bench.chain.mine()
    caller = await bench.caller(KEY)
    decision = await bench.cache.execution(caller, ACTION, 0, freely)
    use = await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)
    assert bench.reads == 3
    bench.chain.mine()
    assert await bench.caller(KEY) == caller
    assert await bench.cache.execution(caller, ACTION, 0, freely) == decision
    assert await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely) == use
    assert bench.reads == 3
    assert (caller.key_hash, caller.master_hash, caller.grants) == (KEY, ACCOUNT, ALLOWED.grants)
    assert (decision.may_execute, decision.block_number, decision.master_hash) == (True, 3, ACCOUNT)
    assert use.wallet is not None
    assert (use.allowed, use.wallet.address, use.wallet.derivation_path) == (True, WALLET, 99)
    assert [bench.metric("hits", kind) for kind in ("caller", "execution", "wallet")] == [1, 1, 1]
    assert [bench.metric("misses", kind) for kind in ("caller", "execution", "wallet")] == [1, 1, 1]
    assert (bench.cache.keys, bench.cache.readings) == (1, 3)


async def test_every_action_and_every_wallet_is_a_question_of_its_own(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    assert await runs(bench)
    assert not await runs(bench, action=8)
    assert (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)).allowed
    assert (await bench.cache.wallet_use(caller, ACTION, 3, 0, freely)).allowed
    assert not (await bench.cache.wallet_use(caller, 8, WALLET, 0, freely)).allowed
    absent = await bench.cache.wallet_use(caller, ACTION, 4, 0, freely)
    assert (absent.wallet, absent.allowed) == (None, False)


async def test_to_run_an_action_is_not_to_use_a_wallet_in_it() -> None:
    bench = bench_of({KEY: Key(ACCOUNT, frozenset({ACTION}), uses=False)})
    assert await runs(bench)
    use = await bench.cache.wallet_use(await bench.caller(KEY), ACTION, WALLET, 0, freely)
    assert use.wallet is not None
    assert not use.allowed


async def test_one_event_clears_one_account(bench: Bench) -> None:
    assert await runs(bench)
    assert await runs(bench, OTHER_KEY)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    reads = bench.reads
    assert await runs(bench, OTHER_KEY)
    assert bench.reads == reads
    assert not await runs(bench)
    assert bench.metric("voided", "execution") == bench.metric("voided", "caller") == 1


async def test_an_event_before_the_reading_changes_nothing(bench: Bench) -> None:
    assert await runs(bench)
    reads = bench.reads
    bench.told(ACCOUNT)
    bench.cache.account_changed(ACCOUNT, 1)
    assert await runs(bench)
    assert bench.reads == reads


async def test_an_event_told_late_again_and_out_of_order_stays(bench: Bench) -> None:
    assert await runs(bench)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    bench.cache.account_changed(ACCOUNT, 1)
    assert not await runs(bench)


async def test_what_is_read_below_the_last_change_is_answered_and_not_kept(bench: Bench) -> None:
    """The quorum has not agreed on the block yet that one provider told of."""
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    bench.chain.behind = 1
    assert await runs(bench)
    bench.chain.behind = 0
    assert not await runs(bench)
    assert bench.cache.readings == 2


@pytest.mark.parametrize(("lag_s", "lives_s"), [(0.0, 300), (30.0, 300), (30.1, 30), (None, 30)])
async def test_a_grant_ends_with_its_time(bench: Bench, lag_s: float | None, lives_s: float) -> None:
    """The listener is stalled and tells of nothing."""
    bench.lag_s = lag_s
    assert await runs(bench)
    bench.chain.mine({KEY: DENIED})
    bench.advance(lives_s - 0.1)
    assert await runs(bench)
    bench.advance(0.2)
    assert not await runs(bench)


async def test_a_listener_that_stalls_shortens_what_is_kept_already(bench: Bench) -> None:
    assert await runs(bench)
    bench.chain.mine({KEY: DENIED})
    bench.advance(31)
    assert await runs(bench)
    bench.lag_s = 31
    assert not await runs(bench)


async def test_what_was_read_before_the_first_poll_keeps_its_short_life(bench: Bench) -> None:
    """The listener may begin after a change that came after the reading."""
    bench.lag_s = None
    assert await runs(bench)
    bench.chain.mine({KEY: DENIED})
    bench.lag_s = 0.0
    bench.advance(31)
    assert not await runs(bench)


@pytest.mark.parametrize("suspended", ["monotonic", "clock"])
async def test_a_clock_that_stands_still_or_goes_back_lengthens_no_life(bench: Bench, suspended: str) -> None:
    assert await runs(bench)
    bench.chain.mine({KEY: DENIED})
    (bench.clock if suspended == "monotonic" else bench.monotonic).advance(150)
    assert await runs(bench)
    bench.clock.advance(-10_000)
    assert await runs(bench)
    (bench.clock if suspended == "monotonic" else bench.monotonic).advance(151)
    assert not await runs(bench)


async def test_a_denial_is_read_again_before_it_is_told(bench: Bench) -> None:
    bench.chain.mine({KEY: DENIED})
    assert not await runs(bench)
    bench.chain.mine({KEY: ALLOWED})
    assert await runs(bench)
    assert bench.metric("rereads", "execution") == 1


async def test_a_denial_just_read_is_told_without_a_second_reading(bench: Bench) -> None:
    bench.chain.mine({KEY: DENIED})
    caller = await bench.caller(KEY)
    reads = bench.reads
    asked = []

    def may_reread() -> bool:
        asked.append(True)
        return True

    assert not (await bench.cache.execution(caller, ACTION, 0, may_reread)).may_execute
    assert (bench.reads, asked) == (reads + 1, [])


@pytest.mark.parametrize("lag_s", [0.0, None, 1000.0])
async def test_a_denial_that_may_not_be_read_again_ends_after_ten_seconds(bench: Bench, lag_s: float | None) -> None:
    bench.lag_s = lag_s
    bench.chain.mine({KEY: DENIED})
    caller = await bench.caller(KEY)

    async def both() -> tuple[bool, bool]:
        decision = await bench.cache.execution(caller, ACTION, 0, never)
        use = await bench.cache.wallet_use(caller, ACTION, WALLET, 0, never)
        return decision.may_execute, use.allowed

    assert await both() == (False, False)
    bench.chain.mine({KEY: ALLOWED})
    bench.advance(9.9)
    assert await both() == (False, False)
    bench.advance(0.2)
    assert await both() == (True, True)


async def test_an_event_ends_a_denial_too(bench: Bench) -> None:
    bench.chain.mine({KEY: DENIED})
    caller = await bench.caller(KEY)
    assert not (await bench.cache.execution(caller, ACTION, 0, never)).may_execute
    bench.chain.mine({KEY: ALLOWED})
    bench.told(ACCOUNT)
    assert (await bench.cache.execution(caller, ACTION, 0, never)).may_execute


@pytest.mark.parametrize("by", ["clock", "head"])
async def test_a_grant_ends_with_its_key(by: str) -> None:
    bench = bench_of({KEY: Key(ACCOUNT, frozenset({ACTION}), expiration=1_800_000_100)})
    caller = await bench.caller(KEY)
    assert (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    assert (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)).allowed
    reads = bench.reads
    if by == "clock":
        bench.advance(100)
    else:
        bench.head_timestamp = 1_800_000_100
    await bench.cache.caller(KEY)
    await bench.cache.execution(caller, ACTION, 0, freely)
    await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)
    assert bench.reads == reads + 3


async def test_an_expired_key_that_is_extended_works_at_once() -> None:
    bench = bench_of({KEY: Key(ACCOUNT, frozenset({ACTION}), expiration=1_800_000_100)})
    caller = await bench.caller(KEY)
    assert await runs(bench)
    bench.advance(100)
    assert await bench.cache.caller(KEY) is None
    assert not (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    bench.chain.mine({KEY: Key(ACCOUNT, frozenset({ACTION}), expiration=1_900_000_000)})
    assert await runs(bench)


async def test_unknown_keys_are_never_kept(bench: Bench) -> None:
    for _ in range(3):
        assert await bench.cache.caller(9) is None
    assert (bench.reads, bench.cache.keys) == (3, 0)
    bench.chain.mine({9: ALLOWED})
    assert await runs(bench, 9)


async def test_a_key_found_removed_is_forgotten_whole(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    assert (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)).allowed
    bench.chain.mine({KEY: None})
    decision = await bench.cache.execution(caller, ACTION, 0, freely)
    assert (decision.master_hash, decision.may_execute) == (0, False)
    assert bench.cache.keys == 0
    assert not (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, never)).allowed
    assert await bench.cache.caller(KEY) is None


async def test_a_key_that_turned_up_in_another_account_grants_nothing(bench: Bench) -> None:
    """After a reorganisation the same key may have been created by somebody else."""
    caller = await bench.caller(KEY)
    bench.chain.mine({KEY: Key(OTHER_ACCOUNT, frozenset({ACTION}))})
    decision = await bench.cache.execution(caller, ACTION, 0, freely)
    assert (decision.master_hash, decision.may_execute) == (0, False)
    assert not (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)).allowed


async def test_an_old_account_key_is_unmanaged_from_the_event_on() -> None:
    bench = bench_of({KEY: Key(ACCOUNT, frozenset({ACTION}), grants=None)})
    assert (await bench.caller(KEY)).is_account_key
    bench.chain.mine({KEY: Key(ACCOUNT, frozenset(), grants=None, managed=False)})
    bench.told(ACCOUNT)
    caller = await bench.caller(KEY)
    decision = await bench.cache.execution(caller, ACTION, 0, freely)
    assert (caller.managed, decision.managed, decision.is_account_key, decision.may_execute) == (
        False,
        False,
        True,
        False,
    )


async def test_min_block_takes_what_is_new_enough_and_reads_what_is_not(bench: Bench) -> None:
    assert await runs(bench, min_block=2)
    reads = bench.reads
    assert await runs(bench, min_block=2)
    assert bench.reads == reads
    bench.chain.mine({KEY: DENIED})
    bench.reached.clear()
    assert not await runs(bench, min_block=3)
    assert bench.reached == [3]


async def test_min_block_out_of_reach_is_the_chains_failure(bench: Bench) -> None:
    assert await runs(bench)
    with pytest.raises(DomainError) as refused:
        await runs(bench, min_block=99)
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert refused.value.details["min_block"] == 99
    assert await runs(bench)


async def test_a_reading_below_min_block_is_no_decision() -> None:
    bench = bench_of({KEY: ALLOWED})
    bench.chain.mine()

    async def reached(_: int) -> None:
        """Says it is there; the reading is not."""

    object.__setattr__(bench.cache._chain, "reach", reached)
    bench.chain.behind = 1
    with pytest.raises(DomainError) as refused:
        await runs(bench, min_block=3)
    assert refused.value.details == {"min_block": 3, "block_number": 2}


async def test_a_failure_is_kept_by_nobody(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    bench.chain.fault = ChainUnavailableError("Out")
    with pytest.raises(DomainError):
        await bench.cache.execution(caller, ACTION, 0, freely)
    bench.chain.fault = None
    assert await runs(bench)


async def test_a_key_that_runs_ever_new_code_drives_out_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.chain.authorisations.cache.ENTRIES_PER_KEY_MAX", 4)
    settings = AuthorisationSettings(authorisation_max_readings=20)
    actions = range(1000, 1100)
    bench = bench_of({KEY: ALLOWED, OTHER_KEY: Key(OTHER_ACCOUNT, frozenset({ACTION}))}, settings)
    assert await runs(bench)
    assert await runs(bench, OTHER_KEY)
    for action in actions:
        assert not await runs(bench, OTHER_KEY, action=action)
    reads = bench.reads
    assert await runs(bench)
    assert await runs(bench, OTHER_KEY)
    assert bench.reads == reads, "denials drove out a grant"
    bench.chain.mine({OTHER_KEY: Key(OTHER_ACCOUNT, frozenset(actions))})
    bench.told(OTHER_ACCOUNT)
    reads = bench.reads
    for action in actions:
        assert await runs(bench, OTHER_KEY, action=action)
    assert bench.reads == reads + 1 + len(actions), "who the key is was driven out"
    reads = bench.reads
    assert await runs(bench)
    assert bench.reads == reads, "one key drove out another"
    assert bench.cache.readings <= 2 + 4


@pytest.mark.parametrize(("ids", "kept"), [(64, 2), (65, 1)])
async def test_a_key_of_very_many_groups_is_read_each_time(ids: int, kept: int) -> None:
    lists = frozenset(range(ids // 2)), frozenset(range(ids - ids // 2))
    grants = Grants(add_pkp_to_groups=lists[0], execute_in_groups=lists[1])
    bench = bench_of({KEY: Key(ACCOUNT, frozenset({ACTION}), grants=grants)})
    assert await runs(bench)
    assert (await bench.caller(KEY)).grants == grants
    assert bench.cache.readings == kept


async def test_keys_of_very_many_groups_fill_no_memory() -> None:
    """Each has lists like no other's, and so shares them with nobody."""
    keys, bench = range(1, 101), bench_of({})
    gc.collect()
    tracemalloc.start()
    try:
        for key in keys:
            lists = Grants(execute_in_groups=frozenset(range(key * 10_000, key * 10_000 + 1000)))
            bench.chain.blocks[:] = [Block(2, {key: Key(ACCOUNT, grants=lists)})]
            assert (await bench.caller(key)).grants == lists
            bench.chain.reads.clear()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 500_000, "of two or three keys' lists at most"


async def test_the_key_used_longest_ago_goes_first() -> None:
    settings = AuthorisationSettings(authorisation_max_readings=6)
    bench = bench_of({key: Key(key, frozenset({ACTION})) for key in range(1, 6)}, settings)
    for key in (1, 2, 3, 1, 4):
        assert await runs(bench, key)
    assert (bench.cache.keys, bench.cache.readings) == (3, 6)
    reads = bench.reads
    assert await runs(bench, 1)
    assert bench.reads == reads
    assert await runs(bench, 2)
    assert bench.reads == reads + 2


async def test_a_forgotten_change_counts_for_everybody_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.chain.authorisations.cache.CHANGED_ACCOUNTS_MAX", 2)
    bench = bench_of({KEY: ALLOWED})
    assert await runs(bench)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    for account in (1, 2, 3):
        bench.cache.account_changed(account, 1)
    assert not await runs(bench)


async def test_one_liars_far_away_block_costs_reads_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.chain.authorisations.cache.CHANGED_ACCOUNTS_MAX", 1)
    bench = bench_of({KEY: ALLOWED})
    bench.cache.account_changed(1, 10**12)
    bench.cache.account_changed(2, 10**12)
    for _ in range(2):
        assert await runs(bench)
    assert bench.cache.readings == 0
    bench.advance(601)
    assert await runs(bench)
    reads = bench.reads
    assert await runs(bench)
    assert bench.reads == reads


@pytest.mark.exhaustive
async def test_a_key_with_all_that_is_kept_of_it_takes_a_kilobyte() -> None:
    """Of so many keys as fill a hash table as far as a hundred thousand do."""
    keys = range(2**255, 2**255 + 3_000)
    bench = bench_of({}, AuthorisationSettings())
    bench.chain.mine({key: Key(key, frozenset({key})) for key in keys})
    gc.collect()
    tracemalloc.start()
    try:
        for key in keys:
            caller = await bench.caller(int(str(key)))
            assert (await bench.cache.execution(caller, int(str(key)), 0, freely)).may_execute
            assert (await bench.cache.wallet_use(caller, int(str(key)), WALLET, 0, freely)).allowed
            bench.chain.reads.clear()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bench.cache.readings == 9_000
    assert held < 3_000 * 1000


async def test_a_hundred_cold_calls_read_once(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    reads = bench.reads
    decisions = await asyncio.gather(*(bench.cache.execution(caller, ACTION, 0, freely) for _ in range(100)))
    assert all(decision.may_execute for decision in decisions)
    assert bench.reads == reads + 1
    await asyncio.gather(*(bench.cache.caller(OTHER_KEY) for _ in range(100)))
    assert bench.reads == reads + 2
