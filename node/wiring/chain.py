"""The chain of one node: providers, contract, writes and who pays for them."""

import time

import aiohttp
from prometheus_client import CollectorRegistry

from node.billing.charging import Prices
from node.billing.free_writes import FreeWriteBudget
from node.billing.metering import MeteredWrites
from node.chain.assembly import ChainComponent
from node.chain.rpc import JsonRpc
from node.chain.writes.assembly import ChainWrites
from node.chain.writes.journal import Journal
from node.chain.writes.model import Chain
from node.chain.writes.transactor import Transactor
from node.errors import StartupRefusedError
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import LedgerDatabase
from node.runtime.tls_trust import built_in_trust
from node.settings import Settings
from node.wiring.credits import Credits


async def connect_chain(
    settings: Settings, session: aiohttp.ClientSession, registry: CollectorRegistry
) -> ChainComponent:
    """Returns the chain component of the configured contract, checked. Raises StartupRefusedError naming the setting that is wrong."""
    if not settings.rpc_endpoints:
        raise StartupRefusedError("rpc_endpoints", "name at least one JSON-RPC endpoint.")
    chain = ChainComponent(JsonRpc(session, settings.rpc_urls, settings), settings, registry)
    await chain.verify()
    return chain


def rpc_session() -> aiohttp.ClientSession:
    """Returns the HTTP session of the RPC providers.

    The environment, which the host can forge, names neither authorities nor a proxy. Needs a running event loop.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=built_in_trust()),
        trust_env=False,
    )


async def chain_writes(
    settings: Settings, chain: ChainComponent, ledger: LedgerDatabase, keyring: EnclaveKeyring, instance: str
) -> ChainWrites:
    """Returns the writer of this instance, with its own payers."""
    on_chain = Chain(
        client=chain.client,
        chain_id=settings.chain_id,
        contract=settings.contract_address,
        abi=chain.abi,
        floor=chain.floor,
        news=chain.news,
    )
    journal = Journal(ledger.database, keyring.idempotency_sealer(), settings.chain_id, instance)
    return ChainWrites(Transactor(on_chain, journal, settings), keyring, chain.reads)


async def metered_writes(
    settings: Settings, writes: ChainWrites, credit: Credits, ledger: LedgerDatabase, registry: CollectorRegistry
) -> MeteredWrites:
    """Returns writes that are charged, or take their gas from the budget of free writes, which the database keeps."""
    free_writes = FreeWriteBudget(ledger, settings.chain_id, settings.free_writes_per_hour_wei, time.time, registry)
    await free_writes.open()
    return MeteredWrites(writes.writer, credit.ledger, Prices.of(settings), free_writes)
