"""`svc-node serve`: the node in production, which refuses what is missing or insecure."""

import asyncio
import contextlib
import ctypes
import gc
import resource
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import structlog
from prometheus_client import CollectorRegistry

from attest.guest_agent import GuestAgent
from node.chain.rpc import JsonRpc, RpcError, parse_quantity
from node.errors import StartupRefusedError
from node.keyring.enclave import EnclaveKeyring, obtain_root
from node.runtime.http_client import plain_session
from node.settings import OWNER_CHANGE_DELAY_MIN_S, Settings
from node.values import ZERO_ADDRESS
from node.wiring.app import StandIns, running_node
from node.wiring.components import play_money
from node.wiring.listeners import RunningNode, insecure_certificate
from node.wiring.logs import configure_logs, exported_logs

PR_GET_DUMPABLE: Final = 3
PR_SET_DUMPABLE: Final = 4
_WHERE: Final = "operating system"


def harden_process() -> None:
    """No core file, and on Linux not dumpable: prctl(2) PR_SET_DUMPABLE also closes ptrace and /proc/PID/mem.

    Raises StartupRefusedError where the system does not let it.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        raise StartupRefusedError(_WHERE, "does not let this process limit itself (setrlimit).") from None
    if sys.platform == "linux":
        # Read back: a sandbox may accept the call without effect (seccomp(2), SECCOMP_RET_ERRNO with 0).
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        if prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 or prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise StartupRefusedError(_WHERE, "does not let this process close its memory to others (PR_SET_DUMPABLE).")


WEI_PER_ETHER = 10**18
SWITCH_INTERVAL_S: Final = 0.0005
"""After so long a thread is asked for the interpreter lock by others. The event loop gives it up at each call of the
system, and beside a thread that hashes or parses it would wait for Python's five milliseconds at each of them."""


_PLATFORM: Final = ("rpc_endpoints", "chain_id", "guest_agent", "kms_root_public_key")
"""Settings without which no payer can be derived or asked for its balance."""
_TRUST: Final = ("rpc_endpoints", "chain_id", "chain_name", "contract_address", "guest_agent", "kms_root_public_key")
"""Settings that decide trust, none of which has a default that could be right."""


def _pinned_key(settings: Settings, needed: Sequence[str]) -> bytes:
    """Return the pinned KMS key. Raises StartupRefusedError when one of the needed settings is missing."""
    for name in needed:
        if not getattr(settings, name):
            raise StartupRefusedError(name, "must be set; `svc-node settings` says what it means.")
    return bytes.fromhex(settings.kms_root_public_key)


def _insecure(settings: Settings) -> Sequence[str]:
    """Returns the announcements of settings that are insecure but allowed, for a chain in a test."""
    still = "chain_max_head_age_s = 0: endpoints that stand still are believed, however long"
    old_heads = [] if settings.chain_max_head_age_s else [still]
    return (*old_heads, *short_owner_delay(settings), *insecure_certificate(settings), *play_money(settings))


def short_owner_delay(settings: Settings) -> Sequence[str]:
    """Return the insecure announcement of a node that accepts a contract whose owner users cannot outrun."""
    delay_s = settings.min_owner_change_delay_s
    if delay_s >= OWNER_CHANGE_DELAY_MIN_S:
        return ()
    what = f"min_owner_change_delay_s = {delay_s}: the contract's owner may replace the admin payer after {delay_s} s"
    return (f"{what}, and its payers then write every API-mode account",)


class StopSignal:
    """Event of SIGINT and SIGTERM. It cancels a start that is still under way."""

    def __init__(self, starting: asyncio.Task[object] | None) -> None:
        self._starting = starting
        self._event = asyncio.Event()

    def set(self) -> None:
        """Stop. Idempotent."""
        self._event.set()
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None

    def is_set(self) -> bool:
        """Whether a stop was requested."""
        return self._event.is_set()

    async def wait(self) -> None:
        """Mark the start as done, so that nothing is cancelled any more, and wait for the stop."""
        # From here on SIGTERM ends the wait, and the running parts close in order; before, it cancelled the start.
        self._starting = None
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        gc.collect()
        gc.freeze()  # Objects of the start live as long as the process: no later collection scans them.
        await self._event.wait()


@contextlib.asynccontextmanager
async def until_stopped() -> AsyncIterator[StopSignal]:
    """Yields a signal that SIGINT or SIGTERM sets. A start that it interrupts ends here, cleaned up and without an error."""
    stopped = StopSignal(asyncio.current_task())
    loop = asyncio.get_running_loop()
    # Handlers of the loop run between its callbacks; those of `signal.signal` would interrupt whatever runs.
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    except asyncio.CancelledError:
        # A cancellation that no signal caused is somebody else's, and goes on.
        if not stopped.is_set():
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def serve(settings: Settings, ready: Callable[[RunningNode], None] = lambda _: None) -> None:
    """Serve until SIGINT or SIGTERM. Raises StartupRefusedError naming the setting that is missing, wrong or insecure."""
    # Before any secret is in memory, and before anything is logged.
    harden_process()
    lines = configure_logs(settings.log_level)
    registry = CollectorRegistry()
    stand_ins = StandIns(kms_public_key=_pinned_key(settings, _TRUST), insecure=_insecure(settings))
    async with exported_logs(lines, settings.log_export_url, registry), until_stopped() as stopped:
        for reason in stand_ins.insecure:
            structlog.get_logger("node").warning("insecure", reason=reason)
        async with running_node(settings, stand_ins, registry) as node:
            structlog.get_logger("node").info("ready", api=node.api_url, https=node.https_url, metrics=node.metrics_url)
            ready(node)
            await stopped.wait()


async def show_payers(settings: Settings, show: Callable[[str], None]) -> None:
    """Show the admin payer's address and balance. Needs the guest agent and a provider, not the contract."""
    pinned = _pinned_key(settings, _PLATFORM)
    async with GuestAgent(settings.guest_agent) as agent:
        root = await obtain_root(agent, pinned)
    admin = EnclaveKeyring(root.reveal(), settings.chain_id, settings.contract_address or ZERO_ADDRESS).admin_payer()
    async with plain_session() as session:
        rpc = JsonRpc(session, settings.rpc_urls, settings)
        try:
            balance = parse_quantity(await rpc.call("eth_getBalance", [admin.address, "latest"]))
        except RpcError as error:
            raise StartupRefusedError("rpc_endpoints", f"no balance can be read: {error}") from None
    held = "unknown" if balance is None else f"{balance / WEI_PER_ETHER:.6f} {settings.chain_token}"
    show(f"admin payer {admin.address} holds {held}")
