"""One account with wallets, groups and keys on a real chain, and the execution service over all real parts."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

import aiohttp
from eth_account import Account
from eth_account.messages import encode_defunct
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from devkit.starter import StarterLedger
from node.billing.charging import Prices
from node.chain.admins import AccountAdmins, AdminEvents
from node.chain.assembly import EventFanOut
from node.chain.authorisations.cache import CachedAuthorisations, CacheMetrics, ChainView
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import HeadWatch, MinimumBlock, QuorumReader
from node.chain.reads import AccountReader, ContractViews
from node.chain.rpc import JsonRpc
from node.engine.cid import cid_of_source
from node.engine.egress.egress import Egress
from node.engine.port import Engine
from node.engine.process_engine import ProcessEngine
from node.execution.host_calls import Derivation
from node.execution.metrics import ExecutionMetrics
from node.execution.models import Order, SvcActionAnswer, SvcActionRequest
from node.execution.service import ExecutionService
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import Spender
from node.permissions.grants import Caller
from node.runtime.clock import Clock
from node.settings.chain import AuthorisationSettings
from node.settings.execution import ActionSettings
from node.values import ZERO_ADDRESS, hash_of_address, hash_of_text
from tests.support.account_chain import AccountChain, account_chain
from tests.support.populated_account import ABI, RPC
from tests.support.rpc_proxy import RpcProxy
from tests.support.starter_ledgers import StarterLedgers, starter_ledgers
from tests.support.views import ANY_AGE

MASTER = hash_of_text("the account key")
OTHER = hash_of_text("another account's key")
CONVERTED = hash_of_text("a converted account's old key")
IN_ONE = hash_of_text("runs in group 1")
IN_ANY = hash_of_text("runs in every group")
IN_NONE = hash_of_text("runs in no group")
EXPIRING = hash_of_text("runs in group 1 until it expires")
CAPPED = hash_of_text("runs in group 1 for two cents")
FAR = 4_000_000_000
SECOND_PATH, THIRD_PATH, FALSE_PATH = 71, 72, 73
SIGN = "async function main({ pkpId, message }) { return Svc.Actions.signMessage({ pkpId, message }); }"
FALSE_ADDRESS = "0x" + "fa" * 20


@dataclass
class World:
    """Everything the tests share; `proxy` stands between the node and its chain."""

    chain: AccountChain
    proxy: RpcProxy
    keyring: EnclaveKeyring
    floor: MinimumBlock
    quorum: QuorumReader
    admin_sources: tuple[ContractViews, QuorumClient, AdminEvents]
    reader: AccountReader
    engine: ProcessEngine
    master: str
    second: str
    third: str
    ledgers: StarterLedgers
    now: float = 0.0


@dataclass
class Bench:
    """A service with a ledger of its own over the shared world."""

    world: World
    ledger: StarterLedger
    service: ExecutionService
    authorisations: CachedAuthorisations
    news: EventFanOut
    registry: CollectorRegistry

    async def write(self, function: str, *arguments: object) -> int:
        """A write for the account, of which a listener tells at once; gives its block."""
        block_number = await self.world.chain.write(function, MASTER, *arguments)
        self.news.account_changed(MASTER, block_number)
        return block_number

    async def caller(self, key: int) -> Caller:
        caller = await self.world.reader.caller(key)
        assert caller is not None
        return caller

    async def order(
        self,
        key: int,
        code: str,
        params: Mapping[str, JsonValue] | None = None,
        min_block: int | None = None,
        max_seconds: int | None = None,
    ) -> Order:
        js_params = None if params is None else dict(params)
        request = SvcActionRequest(code=code, js_params=js_params, min_block=min_block, max_seconds=max_seconds)
        headers = {"X-Request-Id": "request-1", "X-Correlation-Id": "mine"}
        return Order(await self.caller(key), request, headers, lambda: True)

    def once_set_aside(self, then: Callable[[], None]) -> None:
        """Let something happen after a run was authorised and before its action begins."""
        reserve = self.ledger.reserve

        async def reserved(spender: Spender, cause: str, amount_microdollars: int) -> None:
            await reserve(spender, cause, amount_microdollars)
            then()

        self.ledger.reserve = reserved  # type: ignore[method-assign]

    async def run(self, key: int, code: str, params: Mapping[str, JsonValue] | None = None) -> SvcActionAnswer:
        return (await self.service.run(await self.order(key, code, params))).answer

    async def spent_cents(self, account: int = MASTER) -> int:
        """What the account has paid, with nothing left set aside."""
        balance = await self.ledger.balance(account)
        assert balance.reserved_microdollars == 0
        return STARTER_CENTS - balance.credit_microdollars // 10_000


STARTER_CENTS = 1000


async def bench_over(
    world: World,
    *,
    cents: int = STARTER_CENTS,
    limits: ActionSettings | None = None,
    min_block_timeout_s: float = 10.0,
    egress: Egress | None = None,
    ledger: StarterLedger | None = None,
    engine: Engine | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> Bench:
    ledger = ledger or await world.ledgers.make(cents)
    registry = CollectorRegistry()
    view = ChainView(lambda: 0, HeadWatch(world.quorum, min_block_timeout_s).reach, lambda: 0.0)
    settings = AuthorisationSettings()
    authorisations = CachedAuthorisations(
        world.reader, view, settings, Clock(unix=lambda: world.now), CacheMetrics(registry)
    )
    admins = AccountAdmins(*world.admin_sources, lambda: 0.0, time.monotonic, settings)
    service = ExecutionService(
        authorisations=authorisations,
        derivation=Derivation(world.keyring, admins, remembered=100),
        engine=engine or world.engine,
        keyring=world.keyring,
        ledger=ledger,
        metrics=ExecutionMetrics(registry),
        egress=egress or Egress(),
        prices=Prices(),
        settings=limits or ActionSettings(),
        clock=Clock(unix=lambda: world.now, monotonic=monotonic),
    )
    news = EventFanOut(authorisations, admins)
    return Bench(
        world,
        ledger,
        service,
        authorisations,
        news,
        registry,
    )


def recovered(message: str, signature: JsonValue) -> str:
    return str(Account.recover_message(encode_defunct(text=message), signature=str(signature)))


async def _grant(chain: AccountChain, key: int, groups: list[int], expiration: int = 0, cap: int = 0) -> None:
    flags = (False, False, False)
    await chain.write("setUsageApiKey", MASTER, key, expiration, cap, "key", "", *flags, [], [], [], groups)


async def _populate(chain: AccountChain, keyring: EnclaveKeyring) -> tuple[str, str, str]:
    path = keyring.master_wallet_path(MASTER)
    master = keyring.wallet(MASTER, path).address
    second, third = (keyring.wallet(MASTER, each).address for each in (SECOND_PATH, THIRD_PATH))
    await chain.write("createManagedAccount", MASTER, "account", "", master, path)
    await chain.write("createManagedAccount", OTHER, "other", "", "0x" + "e5" * 20, 1)
    for address, derivation in ((second, SECOND_PATH), (third, THIRD_PATH), (FALSE_ADDRESS, FALSE_PATH)):
        await chain.write("registerWalletDerivation", MASTER, address, derivation, "", "")
    await chain.write("addGroup", MASTER, "one", "", [hash_of_text(cid_of_source(SIGN))], [second])
    await chain.write("addGroup", MASTER, "two", "", [0], [ZERO_ADDRESS])
    await _grant(chain, IN_ONE, [1])
    await _grant(chain, IN_ANY, [0])
    await _grant(chain, IN_NONE, [])
    await _grant(chain, CAPPED, [0], cap=2)
    await _grant(chain, EXPIRING, [1], expiration=FAR)
    await chain.write("createManagedAccount", CONVERTED, "converted", "", "0x" + "e6" * 20, 1)
    await chain.write("convertToChainSecuredAccount", CONVERTED, chain.stranger)
    assert hash_of_address(chain.stranger) != CONVERTED
    return master, second, third


@contextlib.asynccontextmanager
async def running_world() -> AsyncIterator[World]:
    async with (
        account_chain() as chain,
        RpcProxy(chain.url).running() as proxy,
        aiohttp.ClientSession() as session,
        ProcessEngine(ActionSettings(action_timeout_s=20, action_spare_workers=2)) as engine,
        starter_ledgers() as ledgers,
    ):
        keyring = EnclaveKeyring(bytes(range(32)), 31337, chain.contract.address)
        wallets = await _populate(chain, keyring)
        floor = MinimumBlock(may_fall=True)
        rpc = JsonRpc(session, [proxy.url], RPC)
        client = QuorumClient(rpc, ANY_AGE)
        quorum = QuorumReader(client, floor)
        views = ContractViews(quorum, ABI, chain.contract.address)
        sources = (views, client, AdminEvents.of(ABI, chain.contract.address))
        reader = AccountReader(views, ABI, lambda: made.now)
        made = World(chain, proxy, keyring, floor, quorum, sources, reader, engine, *wallets, ledgers)
        yield made
