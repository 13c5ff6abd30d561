"""A node's own writes invalidate its caches before any caller is notified."""

import asyncio
from pathlib import Path

import pytest

from node.chain.abi import account_config_abi
from node.chain.port import ContractEvent, WriteResult
from node.chain.quorum.reader import MinimumBlock
from node.chain.writes.finaliser import EventDecoder
from node.errors import DomainError
from node.settings.chain import ChainWriteSettings
from tests.support.contract import ARTIFACT
from tests.support.writes import ANYWHERE, Heard, Told, WriteWorld, set_constants

ACCOUNT, OTHER = 0xACC, 0xBEE


def test_the_account_of_an_event_is_its_first_argument_where_that_is_an_indexed_uint256() -> None:
    """By the ABI: an event added to the contract is not forgotten here."""
    events = EventDecoder(account_config_abi(), ANYWHERE)
    speaking = set()
    for entry in ARTIFACT["abi"]:
        if entry["type"] != "event":
            continue
        names = [each["name"] for each in entry["inputs"]]
        types = {each["name"]: (each["type"], each["indexed"]) for each in entry["inputs"]}
        found = events.accounts_of([_event(entry["name"], names)])
        assert found == (frozenset({0}) if names and types[names[0]] == ("uint256", True) else frozenset())
        speaking |= {entry["name"]} if found else set()
    assert {"AccountCreated", "GroupAdded", "UsageApiKeyRemoved", "ChainSecuredAccountOwnershipTransferred"} <= speaking
    assert "CallFailed" not in speaking
    assert events.accounts_of([_event("Unheard", ["account"])]) == frozenset()


def _event(name: str, names: list[str]) -> ContractEvent:
    """Each argument is its own place."""
    return ContractEvent(name, {each: place for place, each in enumerate(names)})


async def test_the_account_is_told_after_the_floor_and_before_the_observer_and_the_caller(
    world: WriteWorld, database: Path
) -> None:
    told, floor = Told(), MinimumBlock()
    stands: list[tuple[int, int, bool]] = []
    callers: list[asyncio.Task[WriteResult]] = []
    news = Heard(on_account=lambda: stands.append((floor.value, len(told.ended), any(each.done() for each in callers))))
    async with world.open(database, told=told, floor=floor, news=news) as writes:
        assert news.accounts == []
        for number, account in enumerate((ACCOUNT, OTHER)):
            callers = [asyncio.create_task(writes.writer.write(world.new_account(account)))]
            result = await callers[0]
            assert news.accounts[number:] == [(account, result.block_number)]
            assert stands[number:] == [(result.block_number, number, False)]


async def test_every_account_a_write_speaks_of_is_told(world: WriteWorld, database: Path) -> None:
    """Twelve at once, in any order of mining."""
    news = Heard()
    async with world.open(database, news=news) as writes:
        results = await asyncio.gather(*(writes.writer.write(world.new_account(number)) for number in range(1, 13)))
    assert sorted(news.accounts) == [(number, result.block_number) for number, result in enumerate(results, 1)]


@pytest.mark.exhaustive
async def test_a_write_whose_caller_was_answered_504_is_told_when_it_ends(world: WriteWorld, database: Path) -> None:
    news = Heard()
    async with world.open(database, news=news, settings=ChainWriteSettings(write_receipt_timeout_s=3)) as writes:
        await world.automine(False)
        with pytest.raises(DomainError):
            await writes.writer.write(world.new_account(ACCOUNT, idempotency_id="late"))
        assert news.accounts == []
        await world.automine(True)
        await world.mine()
        found = await writes.writer.recall("late")
        assert found is not None
        assert found.result is not None
        assert news.accounts == [(ACCOUNT, found.result.block_number)]


async def test_a_write_that_failed_on_chain_changed_nothing(world: WriteWorld, database: Path) -> None:
    news = Heard()
    async with world.open(database, news=news) as writes:
        await world.automine(False)
        twins = [asyncio.create_task(writes.writer.write(world.new_account(ACCOUNT))) for _ in range(2)]
        await world.until_pending(2)
        await world.mine()
        await asyncio.gather(*twins, return_exceptions=True)
        await world.automine(True)
    assert [account for account, _ in news.accounts] == [ACCOUNT]


async def test_a_write_the_chain_lost_voids_what_was_read_since_and_is_told_again_where_it_is_mined_anew(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05)
    news = Heard()
    async with world.open(database, news=news, settings=ChainWriteSettings(payer_count=1)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        lost = await writes.writer.write(world.add_group(ACCOUNT))
        again = asyncio.Event()
        news.on_account = lambda: again.set() if len(news.accounts) == 3 else None
        await world.rpc.call("anvil_rollback", [1])
        await again.wait()
        assert news.forks == [lost.block_number - 1]
        assert news.accounts[1:] == [(ACCOUNT, lost.block_number), (ACCOUNT, lost.block_number)]
    assert await world.group_names(ACCOUNT) == ["group"]
