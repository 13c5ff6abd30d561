"""`svc-devkit run`, the node with embedded stand-ins. Insecure, and announced as such."""

import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry

from attest.guest_agent import GuestAgent
from devkit.card_processor import INSECURE as LOCAL_PROCESSOR
from devkit.card_processor import DevelopmentProcessor, development_processor
from devkit.chain_state import recover_state, state_copies
from devkit.data_directory import locked_data_directory
from devkit.deployed_contract import deployed_contract
from devkit.local_chain import REPOSITORY, LocalChain, LocalChainOptions, local_chain
from devkit.processor.server import LocalProcessor
from devkit.settings import DevelopmentSettings
from devkit.starter import StarterLedger
from devkit.stuck_transactions import stuck_transactions_mined
from devkit.tee import DevelopmentTee, development_tee
from devkit.token.deployment import DevelopmentTokens, development_tokens
from node.chain.rpc import JsonRpc
from node.keyring.enclave import EnclaveKeyring, obtain_root
from node.runtime.http_client import plain_session
from node.settings import WEI_PER_ETHER
from node.values import ZERO_ADDRESS
from node.wiring.app import StandIns, running_node
from node.wiring.components import play_money
from node.wiring.listeners import RunningNode, insecure_certificate
from node.wiring.logs import configure_logs, exported_logs
from node.wiring.serving import harden_process, short_owner_delay, until_stopped

INSECURE: Final = (
    "TEE simulator: keys follow from a file, no hardware vouches for anything",
    "local chain: its development keys are public and its owner is one of them",
)
STARTER: Final = "starter credit: every account begins with money that nobody paid"
INSECURE_LOOPBACK: Final = "egress_allow_loopback: actions reach everything that listens on this machine's loopback"
ADMIN_PAYER_WEI: Final = 10_000 * WEI_PER_ETHER


async def run_development_node(settings: DevelopmentSettings) -> None:
    """Run until SIGINT or SIGTERM; print `ready URL`. Raises StartupRefusedError."""
    harden_process()
    lines = configure_logs(settings.log_level, for_people=True)
    async with contextlib.AsyncExitStack() as stack:
        stopped = await stack.enter_async_context(until_stopped())
        # Before anything reads the directory, since a second node would recover a state file that
        # the first one's chain writes.
        lock = await stack.enter_async_context(locked_data_directory(settings.data_dir))
        chain = await stack.enter_async_context(development_chain(settings, lock))
        _say(f"chain {chain.url}")
        session = await stack.enter_async_context(plain_session())
        rpc = JsonRpc(session, (chain.url,), settings)
        record = settings.data_dir / "contract.json"
        tee = await stack.enter_async_context(development_tee(rpc, settings.data_dir, record))
        told = settings.model_copy(update={"guest_agent": tee.endpoint, "rpc_endpoints": (chain.url,)})
        kms_key, admin_payer = await _platform(told)
        contract = await deployed_contract(rpc, record, admin_payer)
        # The admin payer has no funds on a new chain, but pays for all other payers.
        await rpc.call("anvil_setBalance", [admin_payer, hex(ADMIN_PAYER_WEI)])
        told = told.model_copy(update={"contract_address": contract, "source_commit": told.source_commit or _commit()})
        told, tokens = await development_tokens(rpc, told)
        cards = await stack.enter_async_context(development_processor(told))
        stand_ins = StandIns(
            kms_public_key=kms_key,
            insecure=_insecure(cards),
            egress_allow_loopback=settings.egress_allow_loopback,
            api_without_tls=True,
            tee="simulator",
            wrap_ledger=partial(StarterLedger, starter_cents=settings.dev_starter_cents),
        )
        registry = CollectorRegistry()
        await stack.enter_async_context(exported_logs(lines, cards.settings.log_export_url, registry))
        node = await stack.enter_async_context(running_node(cards.settings, stand_ins, registry))
        # Only now, since the port may be a free one. Undelivered events of an earlier run follow.
        cards.send_webhooks_to(node.api_url)
        _say(f"account-contract {contract} (guards the accounts' keys; a verifier pins it)")
        if settings.dashboard == "on":
            _say(f"dashboard {node.api_url}/dashboard/")
        _announce(node, tee, cards.processor, tokens, stand_ins.insecure)
        await stopped.wait()
        lines.flush()
        _say("stopping")


@contextlib.asynccontextmanager
async def development_chain(settings: DevelopmentSettings, lock: int) -> AsyncIterator[LocalChain]:
    """Run the local chain of the data directory, which inherits the descriptor `lock`."""
    state = settings.data_dir / "chain.json"
    # Before anvil starts, since it reads the file once and writes over it a second later.
    recover_state(state)
    options = LocalChainOptions(
        port=settings.dev_chain_port,
        chain_id=settings.chain_id,
        block_time_s=settings.dev_block_time_s,
        state_file=state,
        lock_file_descriptor=lock,
    )
    async with local_chain(options) as chain, state_copies(state), stuck_transactions_mined(chain.url):
        yield chain


async def _platform(settings: DevelopmentSettings) -> tuple[bytes, str]:
    """Returns the simulator's KMS key, which only this node trusts, and its admin payer."""
    async with GuestAgent(settings.guest_agent) as agent:
        root = await obtain_root(agent)
    admin = EnclaveKeyring(root.reveal(), settings.chain_id, ZERO_ADDRESS).admin_payer()
    return root.kms_public_key, admin.address


def _commit() -> str:
    """Returns the checkout's commit; empty outside of a git checkout."""
    command = ["git", "-C", str(REPOSITORY), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - ours
    except (OSError, subprocess.CalledProcessError):
        return ""


def _insecure(cards: DevelopmentProcessor) -> Sequence[str]:
    settings = cards.settings
    return (
        *INSECURE,
        *short_owner_delay(settings),
        *([STARTER] if settings.dev_starter_cents and settings.billing != "off" else []),
        *(play_money(settings) if cards.processor is None else [LOCAL_PROCESSOR]),
        *insecure_certificate(settings),
        *([INSECURE_LOOPBACK] if settings.egress_allow_loopback else []),
    )


def _announce(
    node: RunningNode,
    tee: DevelopmentTee,
    processor: LocalProcessor | None,
    tokens: DevelopmentTokens | None,
    insecure: Sequence[str],
) -> None:
    for line in insecure:
        _say(f"INSECURE {line}")
    _say(f"tee-app-id {tee.governance.app} (governed by this contract; key service {tee.governance.kms})")
    _say(f"tee-root {tee.root_file} (INSECURE: for a verifier of this node alone; collateral.json lies beside it)")
    if processor is not None:
        _say(f"processor {processor.url}")
    for line in () if tokens is None else tokens.announcement():
        _say(line)
    _say(f"metrics {node.metrics_url}")
    if node.https_url is not None:
        _say(f"https {node.https_url}")
    _say(f"ready {node.api_url}")
    _say(f"try: examples/walk.sh {node.api_url}    API page: {node.api_url}/    stop: Ctrl-C")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
