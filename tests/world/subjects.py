"""Every subject over HTTP with real parts below it: contract on anvil, live reads, journaled writes, memory ledger."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web
from prometheus_client import CollectorRegistry

from node.accounts import routes as accounts
from node.accounts.service import AccountService
from node.actions import routes as actions
from node.actions.service import ActionService
from node.billing import routes as billing
from node.billing.metering import MeteredWrites
from node.billing.pricing import Prices
from node.billing.service import BillingService
from node.chain.block_floor import BlockFloor
from node.chain.port import WriteIntent, WriteObserver, WriteResult
from node.chain.reads import AccountReader
from node.chain.view import ContractViews
from node.chain.writes.events import account_config_events
from node.chain.writes.journal import Journal
from node.chain.writes.lane import Lanes
from node.chain.writes.limits import PayerLimits, WriteLimits
from node.chain.writes.transactor import Chain, Transactor
from node.chain.writes.writer import AccountWriter
from node.dev.memory_ledger import MemoryLedger
from node.groups import routes as groups
from node.groups.service import GroupService
from node.http.endpoint import AnyEndpoint
from node.http.limits import HttpLimits
from node.http.list_limits import ListLimits
from node.http.openapi import ApiDescription
from node.http.server import HttpServices, create_application, create_runner
from node.keyring.enclave import EnclaveKeyring
from node.sqlite import Database
from node.usage_keys import routes as usage_keys
from node.usage_keys.service import UsageKeyService
from node.wallets import routes as wallets
from node.wallets.service import WalletService
from tests.world.account_chain import AccountChain, account_chain
from tests.world.clock import FakeClock
from tests.world.http_server import ROOT, Reply, Server, World
from tests.world.openapi import OpenApiChecker

CHAIN_ID = 31337
ENDLESS = 10**6


class ListeningLedger(MemoryLedger):
    """The memory ledger, which also remembers the e-mail addresses it was handed."""

    def __init__(self, starter_cents: int) -> None:
        super().__init__(starter_cents)
        self.emails: dict[int, str | None] = {}

    async def open_account(self, account: int, *, email: str | None) -> None:
        self.emails[account] = email
        await super().open_account(account, email=email)


@dataclass
class Subjects:
    """A running node without actions; `clock` is what the subjects take for now."""

    server: Server
    chain: AccountChain
    reads: AccountReader
    ledger: ListeningLedger
    keyring: EnclaveKeyring
    clock: FakeClock
    journal: Path

    async def post(self, path: str, body: object = None, *, key: str | None = None, **headers: str) -> Reply:
        """POST under `/core/v1`; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.server.call("POST", path, body=body, key=key, headers=named)

    async def get(self, path: str, *, key: str | None = None) -> Reply:
        """GET under `/core/v1`."""
        return await self.server.call("GET", path, key=key)


class _LateObserver:
    """The journal needs its observer before there is one."""

    def __init__(self) -> None:
        self.metered: MeteredWrites | None = None

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        assert self.metered is not None
        await self.metered.write_ended(intent, result)


@contextlib.asynccontextmanager
async def _writing(
    chain: AccountChain, keyring: EnclaveKeyring, database: Database, floor: BlockFloor, observer: WriteObserver
) -> AsyncIterator[AccountWriter]:
    """An AccountWriter with two funded payers of this keyring's."""
    journal = Journal(database, keyring.idempotency_sealer(), CHAIN_ID)
    await journal.open()
    lanes = Lanes(in_flight_max=64)
    events = account_config_events(chain.contract)
    facts = Chain(chain.rpc, CHAIN_ID, chain.contract, chain.abi, events, floor)
    transactor = Transactor(facts, journal, lanes, observer, WriteLimits())
    payers = [keyring.payer("subjects", index) for index in range(2)]
    for payer in payers:
        await chain.rpc.call("anvil_setBalance", [payer.address, hex(10**20)])
        lane = await transactor.add_lane(payer.address, payer)
        lane.balance_wei = 10**20
        lanes.admit(lane)
    await chain.write("addApiPayers", [payer.address for payer in payers], sender=chain.admin_payer)
    await transactor.start()
    writer = AccountWriter(transactor, WriteLimits(), PayerLimits())
    try:
        yield writer
    finally:
        await writer.stop()
        await transactor.stop()


def _endpoints(
    reads: AccountReader, metered: MeteredWrites, ledger: ListeningLedger, keyring: EnclaveKeyring, clock: FakeClock
) -> list[AnyEndpoint]:
    return [
        *accounts.endpoints(AccountService(metered, ledger, keyring)),
        *usage_keys.endpoints(UsageKeyService(reads, metered, clock, ListLimits())),
        *wallets.endpoints(WalletService(reads, metered, keyring)),
        *groups.endpoints(GroupService(reads, metered, ListLimits())),
        *actions.endpoints(ActionService(reads, metered)),
        *billing.endpoints(BillingService(ledger)),
    ]


@contextlib.asynccontextmanager
async def _serving(endpoints: list[AnyEndpoint], services: HttpServices, directory: Path) -> AsyncIterator[Server]:
    limits = HttpLimits(mints_per_minute_per_address=ENDLESS, mints_per_hour=ENDLESS)
    application = create_application(endpoints, services, ApiDescription("API", "1"), limits)
    runner = create_runner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/core/v1/openapi.json") as response:
                checker = OpenApiChecker(await response.json())
            yield Server(port, session, World(directory), runner, checker)
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def subjects(directory: Path, starter_cents: int = 10_000) -> AsyncIterator[Subjects]:
    """Serve until the context ends."""
    async with contextlib.AsyncExitStack() as stack:
        chain = await stack.enter_async_context(account_chain())
        database = await Database.open(directory / "node.sqlite")
        stack.push_async_callback(database.close)
        clock, floor, observer = FakeClock(), BlockFloor(), _LateObserver()
        clock.now = await chain.head_timestamp()
        keyring = EnclaveKeyring(ROOT, CHAIN_ID, chain.contract)
        reads = AccountReader(ContractViews(chain.rpc, chain.abi, chain.contract, floor), chain.abi, clock)
        writer = await stack.enter_async_context(_writing(chain, keyring, database, floor, observer))
        ledger = ListeningLedger(starter_cents)
        observer.metered = metered = MeteredWrites(writer, ledger, Prices())
        stack.push_async_callback(metered.close)
        services = HttpServices(
            callers=reads, database=database, keyring=keyring, writes=writer, registry=CollectorRegistry()
        )
        server = await stack.enter_async_context(
            _serving(_endpoints(reads, metered, ledger, keyring, clock), services, directory)
        )
        yield Subjects(server, chain, reads, ledger, keyring, clock, directory / "node.sqlite")
