"""The reply of a statement is lost on its way from the ledger's database: what a client is told of money is what was charged."""

import asyncio
import math
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Final

import pytest
import pytest_asyncio

from devkit.starter import StarterLedger
from node.api.errors import ErrorCode, as_node_error
from node.errors import DomainError
from node.execution.models import SvcActionAnswer
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import Usage
from node.ledger.postgres_ledger import PostgresLedger
from node.settings.execution import ActionSettings
from tests.execution.bench import MASTER, STARTER_CENTS, Bench, World, bench_over
from tests.support.ledgers import CENT
from tests.support.postgres import PostgresServer, postgres
from tests.support.postgres_ledger import PostgresWorld, impatient
from tests.support.statement_proxy import COMMIT, StatementProxy

__all__ = ["postgres"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHORT: Final = "function main() { return 1; }"
TWO_SECONDS: Final = "const main = () => new Promise((resolve) => setTimeout(resolve, 1020, 1));"
HURRIED: Final = impatient(reserve_patience_s=0.4, settle_patience_s=0.4)
NO_ALLOWANCE: Final = ActionSettings(action_uncharged_s_per_hour=0)
UNHURRIED_S: Final = 60.0
"""Patience with a database that is back: whether the machine is quick enough is not what is tested."""
LEASE_S: Final = 3_600.0
"""It outlasts the test: its renewals, which are statements too, are left out."""


class Outage(StrEnum):
    """How long the database stays away after the reply was lost."""

    NONE = "it is back at once"
    UNTIL_GIVEN_UP = "until the settlement is given up"
    UNTIL_ANSWERED = "until the client is answered"


class LossyNode:
    """Runs actions against a PostgreSQL behind a proxy, each time as a process of its own."""

    def __init__(self, world: World, server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world = world
        self._server = server
        self._patch = monkeypatch
        self.told: SvcActionAnswer | DomainError | None = None

    async def loses(
        self, number: int, outage: Outage, *, of: str = "", code: str = SHORT, limits: ActionSettings | None = None
    ) -> bool:
        """Run once while a reply is lost. Returns whether it was; what was told is compared with what was charged."""
        database = PostgresWorld(self._server, HURRIED)
        proxy = StatementProxy(self._server.port)
        async with proxy.running(database.url) as database.url:
            ledger = await database.node("a", lease_s=LEASE_S)
            bench = await bench_over(self._world, limits=limits, ledger=StarterLedger(ledger, STARTER_CENTS))
            # Its statements are parsed by then, as those of a node that has served before.
            assert (await bench.run(MASTER, SHORT)).charged_cents == 1
            with self._patch.context() as patch:
                self._keep_down(proxy, bench, ledger, outage, patch)
                proxy.lose(number, of, goes_down=outage is not Outage.NONE)
                self.told = await outcome_of(bench, code)
            proxy.up()
            await bench.service.close()
            await ledger.close()
        charged, held = (int(database.sql(f"SELECT {each}")) for each in (
            "coalesce(sum(amount_microdollars), 0) FROM ledger_entry WHERE what IS NOT NULL",
            "coalesce(sum(amount_microdollars), 0) FROM ledger_allotment",
        ))  # fmt: skip
        assert held == 0
        check_words(self.told, charged // CENT - 1, outage)
        return proxy.lost.is_set()

    def _keep_down(
        self, proxy: StatementProxy, bench: Bench, ledger: PostgresLedger, outage: Outage, patch: pytest.MonkeyPatch
    ) -> None:
        if outage is Outage.UNTIL_ANSWERED:
            patch.setattr("node.execution.service.AGAIN_S", 0.05)
            return
        patch.setattr("node.execution.service.AGAIN_S", UNHURRIED_S)
        settle = bench.ledger.settle

        async def settled(cause: str, amount_microdollars: int, usage: Usage) -> int:
            try:
                return await settle(cause, amount_microdollars, usage)
            except LedgerUnavailableError:
                proxy.up()
                patch.setattr(ledger, "_settle_patience_s", UNHURRIED_S)
                raise

        patch.setattr(bench.ledger, "settle", settled)


async def outcome_of(bench: Bench, code: str) -> SvcActionAnswer | DomainError:
    try:
        return await bench.run(MASTER, code)
    except DomainError as error:
        return error


def check_words(told: SvcActionAnswer | DomainError, charged_cents: int, outage: Outage) -> None:
    if isinstance(told, SvcActionAnswer):
        assert told.charged_cents == charged_cents
        return
    shown = as_node_error(told)
    assert shown.code is ErrorCode.BILLING_UNAVAILABLE
    # A run that did not begin is told nothing of a charge.
    cents = shown.details.get("charged_cents", 0)
    words = f"{shown.message} {shown.fix}"
    if cents is None:
        assert outage is Outage.UNTIL_ANSWERED, "it could be found out"
        assert "the statement shows it" in shown.message
        assert "othing is charged" not in words
        ran_ms = shown.details["ran_ms"]
        assert isinstance(ran_ms, float)
        assert charged_cents <= math.ceil(ran_ms / 1000)
    else:
        assert cents == charged_cents
        assert ("nothing is charged" in words) == (not cents and "charged_cents" in shown.details)


@pytest_asyncio.fixture(loop_scope="module")
async def lossy(world: World, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LossyNode]:
    monkeypatch.setattr(PostgresLedger, "_keep", lambda _: asyncio.sleep(0))
    yield LossyNode(world, postgres, monkeypatch)


@pytest.mark.parametrize("outage", [Outage.UNTIL_GIVEN_UP, Outage.UNTIL_ANSWERED])
async def test_a_commit_whose_reply_is_lost_is_never_told_to_be_nothing(lossy: LossyNode, outage: Outage) -> None:
    assert await lossy.loses(2, outage, of=COMMIT), "the first is that of the reservation"
    assert isinstance(lossy.told, DomainError)
    assert lossy.told.details["charged_cents"] == (1 if outage is Outage.UNTIL_GIVEN_UP else None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("outage", Outage)
@pytest.mark.parametrize("limits", [None, NO_ALLOWANCE], ids=["allowance", "no allowance"])
async def test_whichever_reply_is_lost_the_client_is_told_what_is_charged(
    lossy: LossyNode, outage: Outage, limits: ActionSettings | None
) -> None:
    number = 1
    while await lossy.loses(number, outage, limits=limits):
        number += 1
    assert number > 10, "a reservation and a settlement, each a transaction of some statements"
    assert isinstance(lossy.told, SvcActionAnswer)


@pytest.mark.exhaustive
@pytest.mark.parametrize("limits", [None, NO_ALLOWANCE], ids=["allowance", "no allowance"])
async def test_so_also_where_a_second_is_set_aside_on_the_way(lossy: LossyNode, limits: ActionSettings | None) -> None:
    number = 1
    while await lossy.loses(number, Outage.UNTIL_ANSWERED, code=TWO_SECONDS, limits=limits):
        number += 1
    assert number > 15
    assert isinstance(lossy.told, SvcActionAnswer)
    assert lossy.told.charged_cents == math.ceil(lossy.told.duration_ms / 1000) >= 2
