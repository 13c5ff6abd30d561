"""`svc-node serve` runs the node in production and refuses missing or insecure settings."""

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
    """Disables core files and, on Linux, PR_SET_DUMPABLE, which closes ptrace and /proc/PID/mem.

    Raises StartupRefusedError if the system does not permit it.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        raise StartupRefusedError(_WHERE, "does not let this process limit itself (setrlimit).") from None
    if sys.platform == "linux":
        # Read it back, since a sandbox may ignore the call (seccomp(2), SECCOMP_RET_ERRNO with 0).
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        if prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 or prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise StartupRefusedError(_WHERE, "does not let this process close its memory to others (PR_SET_DUMPABLE).")


WEI_PER_ETHER = 10**18
SWITCH_INTERVAL_S: Final = 0.0005
"""Time after which a waiting thread requests the interpreter lock. The event loop releases it at
system calls, where a hashing thread would delay it by Python's default of 5 ms."""


_PLATFORM: Final = ("rpc_endpoints", "chain_id", "guest_agent", "kms_root_public_key")
"""Settings that are needed to derive a payer and read its balance."""
_TRUST: Final = ("rpc_endpoints", "chain_id", "chain_name", "contract_address", "guest_agent", "kms_root_public_key")
"""Settings that decide trust and can have no correct default."""


def _pinned_key(settings: Settings, needed: Sequence[str]) -> bytes:
    """Returns the pinned KMS key. Raises StartupRefusedError if a needed setting is missing."""
    for name in needed:
        if not getattr(settings, name):
            raise StartupRefusedError(name, "must be set; `svc-node settings` says what it means.")
    return bytes.fromhex(settings.kms_root_public_key)


def _insecure(settings: Settings) -> Sequence[str]:
    """Returns the announcements of settings that are insecure but allowed for test chains."""
    still = "chain_max_head_age_s = 0: endpoints that stand still are believed, however long"
    old_heads = [] if settings.chain_max_head_age_s else [still]
    return (*old_heads, *short_owner_delay(settings), *insecure_certificate(settings), *play_money(settings))


def short_owner_delay(settings: Settings) -> Sequence[str]:
    """Returns the announcement that the contract's owner may act before users can react."""
    delay_s = settings.min_owner_change_delay_s
    if delay_s >= OWNER_CHANGE_DELAY_MIN_S:
        return ()
    what = f"min_owner_change_delay_s = {delay_s}: the contract's owner may replace the admin payer after {delay_s} s"
    return (f"{what}, and its payers then write every API-mode account",)


class StopSignal:
    """Event of SIGINT and SIGTERM. It cancels an unfinished start."""

    def __init__(self, starting: asyncio.Task[object] | None) -> None:
        self._starting = starting
        self._event = asyncio.Event()

    def set(self) -> None:
        """Requests the stop. Idempotent."""
        self._event.set()
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None

    def is_set(self) -> bool:
        """Whether a stop was requested."""
        return self._event.is_set()

    async def wait(self) -> None:
        """Marks the start as done, so that it is no longer cancelled, and waits for the stop."""
        # SIGTERM now ends the wait, and parts close in order; before, it cancelled the start.
        self._starting = None
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        gc.collect()
        gc.freeze()  # objects of the start live as long as the process
        await self._event.wait()


@contextlib.asynccontextmanager
async def until_stopped() -> AsyncIterator[StopSignal]:
    """Yields a signal that SIGINT or SIGTERM sets. An interrupted start ends here without error."""
    stopped = StopSignal(asyncio.current_task())
    loop = asyncio.get_running_loop()
    # Loop handlers run between callbacks; those of `signal.signal` would interrupt one.
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    except asyncio.CancelledError:
        # A cancellation without a signal has another cause, so pass it on.
        if not stopped.is_set():
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def serve(settings: Settings, ready: Callable[[RunningNode], None] = lambda _: None) -> None:
    """Serves until SIGINT or SIGTERM. Raises StartupRefusedError naming the wrong setting."""
    # Before any secret is in memory and anything is logged.
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
    """Shows the admin payer's address and balance. Needs the guest agent and a provider."""
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
