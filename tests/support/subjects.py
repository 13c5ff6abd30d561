"""Every subject over HTTP with real parts below it: contract on anvil, live reads, journaled writes, a ledger on disk."""

import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from aiohttp import web
from prometheus_client import CollectorRegistry

from devkit.local_chain import LocalChainOptions, local_chain
from devkit.starter import StarterLedger
from node.accounts import routes as accounts
from node.accounts.service import AccountService
from node.actions import routes as actions
from node.actions.service import ActionService
from node.billing import routes as billing
from node.billing.charged_writes import MeteredWrites
from node.billing.charging import Prices
from node.billing.service import BillingService
from node.chain.foreign_contracts import QuorumWalletContracts
from node.chain.port import ContractCall, WriteIntent
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock
from node.chain.reads import AccountReader
from node.chain.writes.journal import Journal
from node.chain.writes.model import Chain
from node.chain.writes.transactor import Transactor
from node.chain.writes.writer import ChainWrites
from node.chainsecured import routes as chainsecured
from node.chainsecured.service import ChainSecuredService
from node.chainsecured.verification import AdminWallets, EnvelopeVerifier
from node.execution.metrics import LostRuns
from node.groups import routes as groups
from node.groups.service import GroupService
from node.http.endpoint import AnyEndpoint
from node.http.openapi import ApiDescription
from node.http.rate import ClientAddresses
from node.http.server import HttpServices, create_application, create_runner
from node.keyring.enclave import EnclaveKeyring
from node.ledger.sqlite_ledger import FILE_NAME
from node.runtime.clock import Clock
from node.settings.chain import WalletContractSettings
from node.settings.http import FieldSettings, HttpSettings
from node.usage_keys import routes as usage_keys
from node.usage_keys.service import UsageKeyService
from node.wallets import routes as wallets
from node.wallets.service import WalletService
from tests.support.clock import FakeClock
from tests.support.free_writes import ENDLESS_WEI, free_write_budget
from tests.support.http_server import Reply, Server, World
from tests.support.ledgers import SqliteWorld
from tests.support.no_news import NoNews
from tests.support.openapi import OpenApiChecker
from tests.support.rpc_proxy import RpcProxy
from tests.support.starter_ledgers import starter_ledgers
from tests.support.views import quorum_over, reader_over
from tests.support.writes import CHAIN_ID, WriteWorld, local_settings, write_world

ENDLESS = 10**6
UNLIMITED = HttpSettings(
    http_mints_per_minute_per_address=ENDLESS,
    http_unknown_keys_per_minute_per_address=ENDLESS,
    http_chain_reads_per_minute_per_account=ENDLESS,
    http_chain_reads_per_minute_per_address=ENDLESS,
)


@dataclass(frozen=True)
class Door:
    """How the HTTP layer bounds its callers, by which clock (monotonic), and whose forwarding header it believes."""

    limits: HttpSettings = UNLIMITED
    clock: Callable[[], float] = time.monotonic
    addresses: ClientAddresses = field(default_factory=lambda: ClientAddresses(["127.0.0.0/8"]))


class EmailsKept:
    """NewAccounts that a test looks at."""

    def __init__(self) -> None:
        self.emails: dict[int, str | None] = {}

    async def opened(self, account: int, email: str | None) -> None:
        self.emails[account] = email


@dataclass
class Subjects:
    """A running node without actions; `clock` is what the subjects take for now."""

    server: Server
    chain: WriteWorld
    writes: ChainWrites
    reads: AccountReader
    ledger: StarterLedger
    new_accounts: EmailsKept
    keyring: EnclaveKeyring
    clock: FakeClock
    journal: Path
    chain_url: str

    async def post(self, path: str, body: object = None, *, key: str | None = None, **headers: str) -> Reply:
        """POST under `/core/v1`; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.server.call("POST", path, body=body, key=key, headers=named)

    async def write(self, function: str, *arguments: object) -> None:
        """A write as another node would send it: through a payer, past the subjects."""
        await self.writes.writer.write(WriteIntent(str(uuid.uuid4()), ContractCall(function, arguments)))

    async def get(self, path: str, *, key: str | None = None, **headers: str) -> Reply:
        """GET under `/core/v1`; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.server.call("GET", path, key=key, headers=named)


def _endpoints(
    reads: AccountReader,
    metered: MeteredWrites,
    ledger: StarterLedger,
    new_accounts: EmailsKept,
    keyring: EnclaveKeyring,
    clock: FakeClock,
    verifier: EnvelopeVerifier,
) -> list[AnyEndpoint]:
    return [
        *chainsecured.endpoints(ChainSecuredService(verifier, reads, keyring, metered)),
        *accounts.endpoints(AccountService(metered, new_accounts, keyring)),
        *usage_keys.endpoints(UsageKeyService(reads, metered, FieldSettings(), Clock(unix=clock))),
        *wallets.endpoints(WalletService(reads, metered, keyring)),
        *groups.endpoints(GroupService(reads, metered, FieldSettings())),
        *actions.endpoints(ActionService(reads, metered)),
        *billing.endpoints(BillingService(ledger)),
    ]


@contextlib.asynccontextmanager
async def _serving(
    endpoints: list[AnyEndpoint], services: HttpServices, directory: Path, limits: HttpSettings
) -> AsyncIterator[Server]:
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
async def subjects(
    directory: Path,
    starter_cents: int = 10_000,
    receipt_timeout_s: float = 30.0,
    *,
    proxy: RpcProxy | None = None,
    door: Door | None = None,
    free_wei_per_hour: int = ENDLESS_WEI,
    prices: Prices | None = None,
) -> AsyncIterator[Subjects]:
    """Serve until the context ends. With a `proxy` the node's only way to the chain leads through it.

    Whoever asks is behind a trusted proxy, unless `door` says otherwise: `X-Forwarded-For` names the client's address.
    """
    door = door or Door()
    async with contextlib.AsyncExitStack() as stack:
        local = await stack.enter_async_context(local_chain(LocalChainOptions()))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        way = local.url
        if proxy is not None:
            proxy.upstream = local.url
            way = (await stack.enter_async_context(proxy.running())).url
        chain = await write_world(session, way)
        books = await SqliteWorld(directory).open()
        stack.push_async_callback(books.close)
        clock, floor = FakeClock(time.time()), MinimumBlock()
        reads = reader_over(chain.rpc, chain.contract, clock, floor)
        client = QuorumClient(chain.rpc)
        facts = Chain(client, CHAIN_ID, chain.contract, chain.abi, floor, NoNews())
        journal = Journal(books, chain.keyring.idempotency_sealer(), CHAIN_ID, "subjects")
        settings = local_settings(payer_count=2, write_receipt_timeout_s=receipt_timeout_s)
        writes = ChainWrites(Transactor(facts, journal, settings), chain.keyring, reads)
        ledgers = await stack.enter_async_context(starter_ledgers())
        ledger, new_accounts = await ledgers.make(starter_cents), EmailsKept()
        free_writes = await free_write_budget(books, free_wei_per_hour)
        metered = MeteredWrites(writes.writer, ledger, prices or Prices(), free_writes, Clock(monotonic=clock))
        await stack.enter_async_context(writes.running(metered))
        stack.push_async_callback(metered.close)
        contracts = QuorumWalletContracts(quorum_over(chain.rpc, floor), WalletContractSettings())
        verifier = EnvelopeVerifier(CHAIN_ID, contracts, clock)
        registry = CollectorRegistry()
        services = HttpServices(
            callers=reads,
            cached_callers=reads,
            wallets=AdminWallets(verifier, reads),
            books=books,
            books_are_shared=False,
            keyring=chain.keyring,
            writes=writes.writer,
            runs=LostRuns(ledger, registry),
            registry=registry,
            addresses=door.addresses,
            clock=Clock(monotonic=door.clock),
        )
        endpoints = _endpoints(reads, metered, ledger, new_accounts, chain.keyring, clock, verifier)
        server = await stack.enter_async_context(_serving(endpoints, services, directory, door.limits))
        yield Subjects(
            server,
            chain,
            writes,
            reads,
            ledger,
            new_accounts,
            chain.keyring,
            clock,
            directory / FILE_NAME,
            local.url,
        )
