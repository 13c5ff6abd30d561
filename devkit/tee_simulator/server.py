"""Serves the simulated platform like dstack's guest agent, JSON over HTTP on a unix socket."""

import asyncio
import contextlib
import logging
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from aiohttp import web

from attest.errors import AttestError, AttestErrorCode
from devkit.tee_simulator.collateral import Collateral
from devkit.tee_simulator.options import Behaviour, SimulatorOptions
from devkit.tee_simulator.platform import WARNING, SimulatedPlatform
from devkit.tee_simulator.request_fields import Fields
from devkit.tee_simulator.responder import Responder
from devkit.tee_simulator.seed import COLLATERAL_FILE, ROOT_FILE, load_or_create_seed, write_whole

BACKLOG: Final = 256
PROBE_TIMEOUT_S: Final = 1.0


def listening_socket(path: Path) -> socket.socket:
    """Returns a listening socket of mode 0600. Raises AttestError(SIMULATOR)."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_dead_socket(path)
        listening.bind(str(path))
        # Between bind and listen no client can connect yet.
        path.chmod(0o600)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        message = f"The socket {path} cannot be had: {error.strerror or error}."
        raise AttestError(AttestErrorCode.SIMULATOR, message) from None
    except AttestError:
        listening.close()
        raise
    return listening


def _remove_dead_socket(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise AttestError(AttestErrorCode.SIMULATOR, f"{path} exists and is no socket.")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(PROBE_TIMEOUT_S)
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
                return
        raise AttestError(AttestErrorCode.SIMULATOR, f"Another process listens on {path}.")


LOGGER: Final = logging.getLogger(__name__)
STOP_TIMEOUT_S: Final = 1.0
PartT = TypeVar("PartT")


class TeeSimulator:
    """INSECURE dstack guest agent for development. Use as an async context manager.

    `directory` keeps its seed (created on the first start, mode 0600), so keys survive restarts,
    and `root.pem`, its quotes' root, and `collateral.json`, replaced before it ends. `socket_path`
    is the unix socket to serve on (mode 0600; a dead one left by a kill is replaced). `clock` gives
    unix seconds. Entering raises AttestError(SIMULATOR) when seed, socket or files are unusable.
    """

    def __init__(
        self,
        directory: Path,
        socket_path: Path,
        options: SimulatorOptions | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._directory = directory
        self._socket_path = socket_path
        self._options = options or SimulatorOptions()
        self._clock = clock
        self._platform: SimulatedPlatform | None = None
        self._responder: Responder | None = None
        self._collateral: Collateral | None = None
        self._runner: web.AppRunner | None = None

    @property
    def endpoint(self) -> str:
        """Endpoint for `GuestAgent`."""
        return str(self._socket_path)

    @property
    def root_file(self) -> Path:
        """The root certificate of its quotes, PEM."""
        return self._directory / ROOT_FILE

    @property
    def collateral_file(self) -> Path:
        """The collateral of its quotes, JSON."""
        return self._directory / COLLATERAL_FILE

    @property
    def platform(self) -> SimulatedPlatform:
        """The platform behind the socket, once the simulator was started."""
        return _started(self._platform)

    def behave(self, behaviour: Behaviour) -> None:
        """Respond like this from the next request on."""
        _started(self._responder).behaviour = behaviour

    async def __aenter__(self) -> Self:
        seed = await asyncio.to_thread(load_or_create_seed, self._directory)
        self._platform = await asyncio.to_thread(SimulatedPlatform, seed, self._options, self._clock)
        write_whole(self.root_file, self._platform.root_pem)
        self._keep_collateral()
        self._responder = Responder(
            {
                "Info": self._platform.info,
                "GetKey": self._platform.get_key,
                "GetTlsKey": self._platform.get_tls_key,
                "GetQuote": self._get_quote,
                "Version": self._platform.version,
            },
            self._options.behaviour,
        )
        listening = await asyncio.to_thread(listening_socket, self._socket_path)
        self._runner = web.AppRunner(
            self._responder.application(), access_log=None, handler_cancellation=True, shutdown_timeout=STOP_TIMEOUT_S
        )
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()
        LOGGER.warning("%s (socket %s)", WARNING, self._socket_path)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
            await asyncio.to_thread(self._socket_path.unlink, missing_ok=True)

    def _get_quote(self, asked: Fields) -> Fields:
        """Returns a quote, for which valid collateral is beside the root."""
        self._keep_collateral()
        return self.platform.get_quote(asked)

    def _keep_collateral(self) -> None:
        if self._collateral is None or self._collateral.is_due(self._clock()):
            issued = self.platform.collateral()
            write_whole(self.collateral_file, issued.text)
            self._collateral = issued


def _started(part: PartT | None) -> PartT:
    if part is None:
        raise AttestError(AttestErrorCode.SIMULATOR, "The TEE simulator was not started.")
    return part
