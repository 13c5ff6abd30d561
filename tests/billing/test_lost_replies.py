"""The reply of a statement is lost while a write is paid for: what its client is told is what is charged, also after a restart."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiohttp
import pytest

from devkit.local_chain import LocalChainOptions, local_chain
from node.api.errors import ErrorCode, NodeError, as_node_error
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.billing.charging import Prices
from node.chain.errors import ContractConflictError
from node.chain.port import ContractCall, WriteResult
from node.errors import DomainError
from node.ledger.postgres_ledger import PostgresLedger
from node.permissions.grants import Caller
from tests.billing.gated_writes import GatedWrites
from tests.support.free_writes import Unbounded
from tests.support.ledgers import ACCOUNT, assert_adds_up, cents, give, rows
from tests.support.postgres import PostgresServer, postgres
from tests.support.postgres_ledger import IMPATIENT, PostgresWorld, impatient
from tests.support.statement_proxy import COMMIT, StatementProxy
from tests.support.writes import BY_HAND_S, WriteWorld, local_settings, set_constants, write_world

__all__ = ["postgres"]

OWNER = Caller(ACCOUNT, ACCOUNT, True, None)
HURRIED = impatient(reserve_patience_s=0.3, settle_patience_s=0.3)
ONE_PAYER = local_settings(payer_count=1, write_receipt_timeout_s=1.0, write_stop_timeout_s=0.1)
LEASE_S = 3_600.0
"""It outlasts the test: its renewals, which are statements too, are left out."""


@pytest.fixture
async def chain() -> AsyncIterator[WriteWorld]:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        yield await write_world(session, chain.url)


@pytest.fixture(autouse=True)
def only_what_a_write_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else asks the database, and a node that stops gives up at once."""
    monkeypatch.setattr("node.billing.charging.CLOSING_ATTEMPTS", 1)
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)
    monkeypatch.setattr(PostgresLedger, "_keep", lambda _: asyncio.sleep(0))


async def group_made(metered: MeteredWrites, name: str) -> WriteResult | DomainError:
    async def prepare() -> ContractCall:
        return ContractCall("addGroup", (ACCOUNT, name, "", (), ()))

    try:
        return await metered.write(WriteOrder(prepare, OWNER))
    except DomainError as error:
        return error


class LossyNode:
    """Makes groups for an account, each time as a process of its own on a new database, and loses a reply."""

    def __init__(self, chain: WriteWorld, server: PostgresServer) -> None:
        self._chain = chain
        self._server = server
        self.told: WriteResult | DomainError | None = None

    async def loses(self, number: int, of: str = "", *, goes_down: bool) -> bool:
        """Write once while a reply is lost. Returns whether it was.

        What was told is compared with what is charged once the next life of the node has ended the write.
        """
        database, proxy = PostgresWorld(self._server), StatementProxy(self._server.port)
        direct = database.url
        async with proxy.running(direct) as database.url:
            ledger = await database.node("first", HURRIED, LEASE_S)
            async with self._life(database, ledger) as metered:
                await give(ledger, 10)
                # Its statements are parsed by then, as those of a node that has served before.
                assert isinstance(await group_made(metered, "first"), WriteResult)
                before = len(await self._chain.group_names(ACCOUNT))
                proxy.lose(number, of, goes_down=goes_down)
                self.told = await group_made(metered, "second")
                proxy.up()
            await ledger.close()
        database.url = direct
        ledger = await database.node("first", IMPATIENT)
        async with self._life(database, ledger):
            added = len(await self._chain.group_names(ACCOUNT)) - before
            charged = len(await rows(ledger, "SELECT cause FROM ledger_entry WHERE what IS NOT NULL")) - 1
            await assert_adds_up(ledger)
            assert await ledger.balance(ACCOUNT) == cents(9 - charged), "nothing is set aside"
        await ledger.close()
        assert charged == added, "what is on chain is charged, once"
        check_words(self.told, charged)
        return proxy.lost.is_set()

    @contextlib.asynccontextmanager
    async def _life(self, database: PostgresWorld, ledger: PostgresLedger) -> AsyncIterator[MeteredWrites]:
        observer = MeteredWrites(GatedWrites(), ledger, Prices(), Unbounded())
        async with self._chain.open(database, told=observer, settings=ONE_PAYER, books=ledger) as writes:
            metered = MeteredWrites(writes.writer, ledger, Prices(), Unbounded())
            with contextlib.suppress(ContractConflictError):  # made before
                await writes.writer.write(self._chain.new_account(ACCOUNT))
            yield metered
            await metered.close()


def check_words(told: WriteResult | DomainError | None, charged: int) -> None:
    if isinstance(told, WriteResult):
        assert charged == 1
        return
    assert told is not None
    shown = as_node_error(told)
    words = f"{shown.message} {shown.fix}"
    if shown.code is ErrorCode.CHAIN_TIMEOUT:
        assert "charged" not in words, "it was sent: the chain tells"
        return
    assert shown.code in {ErrorCode.BILLING_UNAVAILABLE, ErrorCode.DATABASE_UNAVAILABLE}
    if "charged_cents" in shown.details:
        assert shown.details["charged_cents"] is None
        assert "the statement shows it" in shown.message
        assert "othing was c" not in words
    else:
        assert charged == 0


@pytest.fixture
def lossy(chain: WriteWorld, postgres: PostgresServer) -> LossyNode:
    return LossyNode(chain, postgres)


async def test_a_write_that_a_lost_commit_leaves_in_doubt_is_not_told_to_be_nothing(lossy: LossyNode) -> None:
    assert await lossy.loses(2, COMMIT, goes_down=True), "the first is that of the reservation"
    assert isinstance(lossy.told, NodeError)
    assert (lossy.told.code, lossy.told.details) == (ErrorCode.DATABASE_UNAVAILABLE, {"charged_cents": None})


@pytest.mark.exhaustive
@pytest.mark.parametrize("goes_down", [False, True])
async def test_whichever_reply_is_lost_a_write_is_charged_as_its_client_was_told(
    lossy: LossyNode, goes_down: bool
) -> None:
    number = 1
    while await lossy.loses(number, goes_down=goes_down):
        number += 1
    assert number > 10, "a reservation, the journal twice, and a settlement"
    assert isinstance(lossy.told, WriteResult)
