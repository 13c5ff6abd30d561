"""What becomes of a running action whose key may not run it any more: asked again before each second (spec 4, 10.2)."""

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest

from node.values import hash_of_text
from tests.execution.bench import CAPPED, EXPIRING, FAR, IN_ANY, IN_NONE, IN_ONE, MASTER, Bench, World, bench_over
from tests.execution.test_charges import SLEEP
from tests.support.rpc_proxy import hang, saying

pytestmark = pytest.mark.asyncio(loop_scope="module")

Change = Callable[[Bench], Awaitable[object]]

ENDLESS_MS = 15_000
"""Longer than any run here should last; the engine ends it at 20 seconds."""


async def _set(bench: Bench, key: int, groups: list[int], cap_cents: int = 0) -> None:
    lists: list[list[int]] = [[], [], [], groups]
    await bench.write("setUsageApiKey", key, 0, cap_cents, "key", "", False, False, False, *lists)


async def _nothing(bench: Bench) -> None:
    del bench


async def _removed(bench: Bench) -> None:
    await bench.write("removeUsageApiKey", IN_ANY)


async def _another_removed(bench: Bench) -> None:
    await bench.write("removeUsageApiKey", IN_NONE)


async def _without_groups(bench: Bench) -> None:
    await _set(bench, IN_ANY, [])


async def _action_taken_from_the_group(bench: Bench) -> None:
    await bench.write("removeActionFromGroup", 1, hash_of_text(await bench.service.cid_of(SLEEP)))


async def _group_removed(bench: Bench) -> None:
    await bench.write("removeGroup", 1)


async def _expired(bench: Bench) -> None:
    bench.world.now = FAR


async def _account_converted(bench: Bench) -> None:
    await bench.write("convertToChainSecuredAccount", "0x" + "c0" * 20)


async def _cap_lowered(bench: Bench) -> None:
    # From none to one cent: what the first second takes.
    await _set(bench, IN_ANY, [0], cap_cents=1)


async def _cap_raised(bench: Bench) -> None:
    await _set(bench, CAPPED, [0], cap_cents=100)


async def _chain_out(bench: Bench) -> None:
    await _removed(bench)
    bench.world.proxy.behaviour = saying(b"no", 500)


async def _chain_out_and_expired(bench: Bench) -> None:
    bench.world.proxy.behaviour = saying(b"no", 500)
    bench.world.now = FAR


async def _ran(bench: Bench, key: int, change: Change, ms: int) -> tuple[str | None, int]:
    """How a run ended that `change` met after it was authorised, and its charge."""
    await bench.write("addActionToGroup", 1, hash_of_text(await bench.service.cid_of(SLEEP)))
    bench.world.now = FAR - 1
    begun = asyncio.Event()
    bench.once_set_aside(begun.set)
    running = asyncio.create_task(bench.run(key, SLEEP, {"ms": ms}))
    await begun.wait()
    await change(bench)
    answer = await running
    assert answer.charged_cents == math.ceil(answer.duration_ms / 1000) == await bench.spent_cents()
    assert answer.has_error == (answer.response is None)
    return None if answer.error is None else answer.error.name, answer.charged_cents


async def test_a_removed_keys_run_ends(bench: Bench) -> None:
    ended, charged_cents = await _ran(bench, IN_ANY, _removed, ENDLESS_MS)
    assert ended == "ActionNotAuthorised"
    assert charged_cents < ENDLESS_MS / 1000


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("key", "change", "name"),
    [
        (EXPIRING, _expired, "ActionNotAuthorised"),
        (IN_ANY, _cap_lowered, "ActionOutOfFunds"),
        (IN_ONE, _action_taken_from_the_group, "ActionNotAuthorised"),
        (IN_ONE, _group_removed, "ActionNotAuthorised"),
        (IN_ANY, _without_groups, "ActionNotAuthorised"),
        (MASTER, _account_converted, "ActionNotAuthorised"),
        (EXPIRING, _chain_out_and_expired, "ActionNotAuthorised"),
    ],
)
async def test_a_run_ends_with_what_its_key_may(bench: Bench, key: int, change: Change, name: str) -> None:
    ended, charged_cents = await _ran(bench, key, change, ENDLESS_MS)
    assert ended == name
    assert charged_cents < ENDLESS_MS / 1000


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("key", "change"),
    [
        (IN_ANY, _nothing),
        (IN_ANY, _another_removed),
        (MASTER, _removed),
        (CAPPED, _cap_raised),
        # As a call of the action that finds no chain: it lives, and nobody can say that its key is gone.
        (IN_ANY, _chain_out),
    ],
)
async def test_a_run_goes_on_whose_key_may_run_it(bench: Bench, key: int, change: Change) -> None:
    ended, charged_cents = await _ran(bench, key, change, 2100)
    assert ended is None
    assert charged_cents >= 3


@pytest.mark.exhaustive
async def test_a_run_whose_key_stays_asks_nothing_of_the_chain(bench: Bench) -> None:
    seen: list[int] = []

    async def note(bench: Bench) -> None:
        seen.append(len(bench.world.proxy.seen))

    await _ran(bench, IN_ANY, note, 2100)
    assert len(bench.world.proxy.seen) == seen[0]


@pytest.mark.exhaustive
async def test_a_slow_chain_leaves_no_second_unpaid(world: World, bench: Bench) -> None:
    poor = await bench_over(world, cents=2)
    begun = asyncio.Event()
    poor.once_set_aside(begun.set)
    running = asyncio.create_task(poor.run(IN_ANY, SLEEP, {"ms": ENDLESS_MS}))
    await begun.wait()
    await _another_removed(poor)
    bench.world.proxy.behaviour = hang
    answer = await running
    assert answer.error is not None
    assert (answer.error.name, answer.charged_cents) == ("ActionOutOfFunds", 2)
    assert answer.duration_ms < ENDLESS_MS
