"""A development node in the running loop: every part real, and its event loop at hand."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from attest.guest_agent import GuestAgent
from devkit.card_processor import development_processor
from devkit.data_directory import locked_data_directory
from devkit.deployed_contract import deployed_contract
from devkit.run import ADMIN_PAYER_WEI, development_chain
from devkit.settings import DevelopmentSettings
from devkit.starter import StarterLedger
from devkit.tee import development_tee
from devkit.token.deployment import development_tokens
from node.chain.rpc import JsonRpc
from node.keyring.enclave import EnclaveKeyring, obtain_root
from node.values import ZERO_ADDRESS
from node.wiring.app import StandIns, running_node
from node.wiring.listeners import RunningNode

ENDLESS = 10**9
FREE_PORTS = {"http_port": 0, "https_port": 0, "metrics_port": 0, "dev_chain_port": 0, "dev_processor_port": 0}
NO_RATE_LIMITS = {
    "http_mints_per_minute_per_address": ENDLESS,
    "http_unknown_keys_per_minute_per_address": ENDLESS,
    "http_chain_reads_per_minute_per_account": ENDLESS,
    "http_chain_reads_per_minute_per_address": ENDLESS,
}

Provider = Callable[[str], contextlib.AbstractContextManager[str]]
"""What the node is told to ask, given the URL of the chain."""


@dataclass(frozen=True)
class WholeNode:
    """Where a node of this process answers."""

    running: RunningNode
    settings: DevelopmentSettings


@contextlib.asynccontextmanager
async def whole_node(
    directory: Path, settings: Mapping[str, object] | None = None, provider: Provider = contextlib.nullcontext
) -> AsyncIterator[WholeNode]:
    """Serve until the context ends, as `svc-devkit run` does; `provider` stands between the node and its chain."""
    given = DevelopmentSettings.model_validate({**FREE_PORTS, "data_dir": directory / "data", **(settings or {})})
    async with contextlib.AsyncExitStack() as stack:
        lock = await stack.enter_async_context(locked_data_directory(given.data_dir))
        chain = await stack.enter_async_context(development_chain(given, lock))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        rpc, record = JsonRpc(session, (chain.url,), given), given.data_dir / "contract.json"
        tee = await stack.enter_async_context(development_tee(rpc, given.data_dir, record))
        async with GuestAgent(tee.endpoint) as agent:
            root = await obtain_root(agent)
        admin = EnclaveKeyring(root.reveal(), given.chain_id, ZERO_ADDRESS).admin_payer().address
        contract = await deployed_contract(rpc, record, admin)
        await rpc.call("anvil_setBalance", [admin, hex(ADMIN_PAYER_WEI)])
        url = stack.enter_context(provider(chain.url))
        told = {"guest_agent": tee.endpoint, "rpc_endpoints": (url,), "contract_address": contract}
        given, _ = await development_tokens(rpc, given.model_copy(update=told))
        cards = await stack.enter_async_context(development_processor(given))
        stand_ins = StandIns(
            kms_public_key=root.kms_public_key,
            api_without_tls=True,
            tee="simulator",
            wrap_ledger=lambda ledger: StarterLedger(ledger, starter_cents=given.dev_starter_cents),
        )
        yield WholeNode(await stack.enter_async_context(running_node(cards.settings, stand_ins)), cards.settings)
