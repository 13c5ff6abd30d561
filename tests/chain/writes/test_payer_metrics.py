"""Payers as Prometheus is shown them, on a real chain: what was read, never a question of its own, and no secret."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from node.chain.writes.payer_status import PayerMetrics
from node.chain.writes.writer import ChainWrites
from tests.support.constants import replace_constants
from tests.support.rpc_proxy import RpcProxy, drop, honest, only
from tests.support.writes import ETHER, WriteWorld, local_settings, set_constants

ACCOUNT = 0xACC
TWO_PAYERS = local_settings(payer_count=2)


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that failed or dissented is asked again at once."""
    replace_constants(monkeypatch, "node.chain", ENDPOINT_REST_S=0.0, DISSENTER_REST_S=0.0)


class Scraped:
    """The metrics of one node's payers."""

    def __init__(self, writes: ChainWrites) -> None:
        self.registry = CollectorRegistry()
        PayerMetrics(self.registry, writes.payers.status, TWO_PAYERS)

    def text(self) -> str:
        return generate_latest(self.registry).decode()

    def of(self, name: str) -> dict[str, float]:
        """Values by payer; "" where there is no such label."""
        return dict(self._samples(name))

    def one(self, name: str) -> float:
        (value,) = self.of(name).values()
        return value

    def _samples(self, name: str) -> Iterator[tuple[str, float]]:
        for family in text_string_to_metric_families(self.text()):
            for sample in family.samples:
                if sample.name == name:
                    yield sample.labels.get("payer", ""), sample.value


async def test_balances_names_and_thresholds_are_those_of_the_last_round(world: WriteWorld, database: Path) -> None:
    async with world.open(database, settings=TWO_PAYERS) as writes:
        scraped, (first, second) = Scraped(writes), writes.payers.addresses
        assert scraped.of("svc_payer_balance_ether") == {first: 0.5, second: 0.5}
        assert scraped.of("svc_payer_registered") == scraped.of("svc_payer_ready") == {first: 1.0, second: 1.0}
        (admin,) = scraped.of("svc_admin_payer_balance_ether")
        assert admin == writes.payers.admin_address
        assert 98 < scraped.one("svc_admin_payer_balance_ether") < 99
        assert (scraped.one("svc_payer_low_balance_ether"), scraped.one("svc_admin_payer_low_balance_ether")) == (
            0.2,
            0.5,
        )
        assert scraped.one("svc_payer_funding_problem") == 0.0
        await world.set_balance(second, 0)
        await world.set_balance(admin, ETHER // 4)
        await writes.payers.funding.run_once()
        assert scraped.of("svc_payer_balance_ether") == {first: 0.5, second: 0.0}
        assert scraped.of("svc_payer_ready") == {first: 1.0, second: 0.0}
        assert scraped.of("svc_admin_payer_balance_ether") == {admin: 0.25}
        assert scraped.one("svc_payer_funding_problem") == 1.0


async def test_what_was_not_read_since_the_start_is_not_a_number(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zero would be an empty payer, and somebody would send it money."""
    set_constants(monkeypatch, SETUP_TIMEOUT_S=5.0)
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = only("eth_getBalance", drop)
        async with world.open(database, urls=[proxy.url], settings=TWO_PAYERS) as writes:
            scraped = Scraped(writes)
            for name in ("svc_payer_balance_ether", "svc_payer_registered", "svc_payer_ready"):
                assert set(scraped.of(name)) == set(writes.payers.addresses)
                assert all(math.isnan(value) for value in scraped.of(name).values()), name
            assert math.isnan(scraped.one("svc_admin_payer_balance_ether"))
            assert math.isnan(scraped.one("svc_payer_read_age_seconds"))
            assert scraped.one("svc_payer_funding_problem") == 1.0
            proxy.behaviour = honest
            await writes.payers.funding.run_once()
            assert set(scraped.of("svc_payer_balance_ether").values()) == {0.5}
            assert scraped.one("svc_payer_read_age_seconds") < 60


async def test_a_payer_that_the_contract_does_not_name_shows(world: WriteWorld, database: Path) -> None:
    await world.set_balance(world.keyring.admin_payer().address, 0)
    async with world.open(database, settings=TWO_PAYERS) as writes:
        scraped = Scraped(writes)
        assert set(scraped.of("svc_payer_registered").values()) == {0.0}
        assert set(scraped.of("svc_payer_ready").values()) == {0.0}


async def test_what_the_owner_does_shows(world: WriteWorld, database: Path) -> None:
    stranger = await world.stranger()
    async with world.open(database, settings=TWO_PAYERS) as writes:
        scraped = Scraped(writes)

        def named() -> set[str]:
            samples = [each for family in text_string_to_metric_families(scraped.text()) for each in family.samples]
            return {each.labels["named"] for each in samples if each.name == "svc_contract_admin_payer" and each.value}

        due = "svc_owner_change_effective_timestamp_seconds"
        assert (named(), scraped.one(due)) == ({"own"}, 0.0)
        assert scraped.one("svc_contract_payers_of_others") == 0.0
        await world.transact(await world.owner(), "setAdminApiPayerAccount", stranger)
        await writes.payers.funding.run_once()
        assert named() == {"own"}
        read = writes.payers.status().administration
        assert read is not None
        assert read.scheduled is not None
        assert scraped.one(due) == read.scheduled.effective_at > 0
        await world.names(stranger)
        await world.transact(stranger, "addApiPayers", [stranger])
        await writes.payers.funding.run_once()
        assert (named(), scraped.one(due)) == ({"other"}, 0.0)
        assert scraped.one("svc_contract_payers_of_others") == 1.0
        assert set(scraped.of("svc_payer_ready").values()) == {0.0}
        await world.names(writes.payers.admin_address)
        await writes.payers.funding.run_once()
        assert named() == {"replaced"}
        assert set(scraped.of("svc_payer_ready").values()) == {0.0}


async def test_being_looked_at_asks_nobody_and_tells_no_secret(world: WriteWorld, database: Path) -> None:
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=TWO_PAYERS) as writes,
    ):
        await writes.writer.write(world.new_account(ACCOUNT))
        scraped, answers = Scraped(writes), proxy.behaviour
        asked = sum("eth_getBalance" in str(each) for each in proxy.seen)
        texts = [scraped.text() for _ in range(20)]
        assert proxy.behaviour is answers
        assert sum("eth_getBalance" in str(each) for each in proxy.seen) == asked
        for text in texts:
            assert "http" not in text
            assert str(proxy.port) not in text
            labels = {
                label
                for family in text_string_to_metric_families(text)
                for each in family.samples
                for label in each.labels
            }
            assert labels == {"payer", "named"}
