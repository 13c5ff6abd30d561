"""What /health says of the chain: the newest word of each provider, and a listener that stalls or never begins."""

from dataclasses import dataclass, field

import aiohttp
import pytest
from prometheus_client import CollectorRegistry

from node.chain.assembly import ChainComponent
from node.chain.port import Administration, Head, ScheduledAdminPayer
from node.chain.rpc import JsonRpc
from node.chain.writes.payer_status import PayersStatus
from node.settings import Settings
from node.status.health import ChainProbe, freshness
from node.status.models import ComponentStatus, Freshness
from tests.support.account_chain import account_chain
from tests.support.clock import FakeClock

CHAIN_ID = 31337
STALLED_AFTER_S = 30.0


class Agreeing:
    """Providers that agree."""

    async def look(self) -> Head:
        return Head(1, "0x" + "11" * 32, "0x" + "22" * 32, 1)


class Paying:
    """Payers that can pay, unless they have a problem, or were not read yet."""

    problem: str | None = None
    read_age_s: float | None = 0.0
    scheduled: ScheduledAdminPayer | None = None

    def status(self) -> PayersStatus:
        admin = "0x" + "ad" * 20
        read = Administration("0x" + "0e" * 20, admin, (), self.scheduled, 86_400, 0)
        return PayersStatus((), admin, 0, self.problem, self.read_age_s, read)


@dataclass
class Room:
    """A chain room whose listener lags as the test says."""

    report: Freshness
    clock: FakeClock = field(default_factory=FakeClock)

    async def condition(self) -> tuple[ComponentStatus, str]:
        found = await self.probe.check()
        return found.status, found.note or ""

    def __post_init__(self) -> None:
        self.payers = Paying()
        self.probe = ChainProbe(Agreeing().look, lambda: self.report, self.payers.status, STALLED_AFTER_S, self.clock)


async def fresh(room: ChainComponent, now: float) -> Freshness:
    await room.quorum.look()
    return freshness(room, lambda: now)


@pytest.fixture
async def told() -> tuple[Freshness, Freshness]:
    """What a room of two providers, without any listener, tells of one block and of a later one."""
    async with account_chain() as chain, aiohttp.ClientSession() as session:
        settings = Settings(chain_id=CHAIN_ID, contract_address=chain.contract.address, chain_max_head_age_s=0)
        room = ChainComponent(JsonRpc(session, [chain.url] * 2), settings, CollectorRegistry())
        assert [each.block_number for each in freshness(room, lambda: 0.0).rpc_endpoints] == [None, None]
        before = await fresh(room, 0.0)
        await chain.rpc.ask("anvil_mine", hex(3))
        return before, await fresh(room, await chain.head_timestamp() + 5.0)


async def test_an_endpoints_head_is_what_it_told_last_to_anybody(told: tuple[Freshness, Freshness]) -> None:
    before, after = told
    assert before.chain_head is not None
    assert after.chain_head is not None
    assert after.chain_head.block_number == before.chain_head.block_number + 3
    assert [each.block_number for each in after.rpc_endpoints] == [after.chain_head.block_number] * 2
    assert after.chain_head.age_seconds == 5.0
    assert after.account_event_listener_lag_seconds is None


@pytest.mark.parametrize("lag_s", [0.0, STALLED_AFTER_S])
async def test_a_listener_that_keeps_up_is_well(told: tuple[Freshness, Freshness], lag_s: float) -> None:
    room = Room(told[0].model_copy(update={"account_event_listener_lag_seconds": lag_s}))
    room.clock.advance(10 * STALLED_AFTER_S)
    assert await room.condition() == (ComponentStatus.OK, "")


async def test_a_listener_that_lags_is_shown(told: tuple[Freshness, Freshness]) -> None:
    room = Room(told[0].model_copy(update={"account_event_listener_lag_seconds": STALLED_AFTER_S + 1}))
    status, note = await room.condition()
    assert (status, "lags 31 s" in note) == (ComponentStatus.DEGRADED, True)


async def test_a_listener_that_never_begins_is_shown_too(told: tuple[Freshness, Freshness]) -> None:
    room = Room(told[0])
    room.clock.advance(STALLED_AFTER_S)
    assert await room.condition() == (ComponentStatus.OK, "")
    room.clock.advance(1)
    status, note = await room.condition()
    assert (status, "lags 31 s" in note) == (ComponentStatus.DEGRADED, True)


async def test_what_payers_lack_is_said_beside_what_reading_lacks(told: tuple[Freshness, Freshness]) -> None:
    room = Room(told[0].model_copy(update={"account_event_listener_lag_seconds": STALLED_AFTER_S + 1}))
    room.payers.problem = "The admin payer has not enough gas money."
    status, note = await room.condition()
    assert status is ComponentStatus.DEGRADED
    assert "lags 31 s" in note
    assert "not enough gas money" in note


async def test_a_scheduled_change_of_the_owner_is_said_with_its_time(told: tuple[Freshness, Freshness]) -> None:
    room = Room(told[0].model_copy(update={"account_event_listener_lag_seconds": 0.0}))
    assert await room.condition() == (ComponentStatus.OK, "")
    room.payers.scheduled = ScheduledAdminPayer("0x" + "5c" * 20, 1_800_000_000)
    status, note = await room.condition()
    assert status is ComponentStatus.DEGRADED
    assert "0x" + "5c" * 20 in note
    assert "2027-01-15 08:00:00 UTC" in note
    assert "cancelOwnerChange" in note


async def test_payers_that_were_not_read_yet_are_not_said_to_be_poor(told: tuple[Freshness, Freshness]) -> None:
    room = Room(told[0].model_copy(update={"account_event_listener_lag_seconds": 0.0}))
    room.payers.read_age_s = None
    status, note = await room.condition()
    assert status is ComponentStatus.DEGRADED
    assert "not known yet" in note
    assert "gas" not in note
