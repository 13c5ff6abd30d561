"""Serves the simulated platform as dstack's guest agent does: JSON over HTTP/1.1 on a unix socket."""

import asyncio
import contextlib
import logging
import socket
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aiohttp import web
from pydantic import JsonValue, TypeAdapter

from attest.errors import AttestError, AttestErrorCode
from attest.simulator.platform import WARNING, Answer, SimulatedPlatform
from attest.simulator.seed import load_or_create_seed

LOGGER: Final = logging.getLogger(__name__)
REQUEST_LIMIT_BYTES: Final = 65_536
BACKLOG: Final = 64
PROBE_TIMEOUT_S: Final = 1.0
OBJECT: Final = TypeAdapter(dict[str, JsonValue])


class TeeSimulator:
    """INSECURE dstack guest agent for development. Use as an async context manager.

    `directory` keeps its root seed (created on the first start, mode 0600), so keys survive restarts;
    `socket_path` is the unix socket to serve on (mode 0600; a dead one left by a kill is replaced).
    Entering raises AttestError(SIMULATOR) when the seed is damaged or the socket cannot be had.
    """

    def __init__(self, directory: Path, socket_path: Path) -> None:
        self._directory = directory
        self._socket_path = socket_path
        self._platform: SimulatedPlatform | None = None
        self._runner: web.AppRunner | None = None

    @property
    def endpoint(self) -> str:
        """What `GuestAgent` takes."""
        return str(self._socket_path)

    @property
    def platform(self) -> SimulatedPlatform:
        """The platform behind the socket; there once the simulator was started."""
        if self._platform is None:
            raise AttestError(AttestErrorCode.SIMULATOR, "The TEE simulator was not started.")
        return self._platform

    async def __aenter__(self) -> Self:
        seed = await asyncio.to_thread(load_or_create_seed, self._directory)
        self._platform = SimulatedPlatform(seed)
        listening = await asyncio.to_thread(_listen, self._socket_path)
        self._runner = web.AppRunner(_application(self._platform), access_log=None)
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


def _listen(path: Path) -> socket.socket:
    """A listening socket that only this user may connect to: its mode is set before it listens."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_dead_socket(path)
        listening.bind(str(path))
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


def _application(platform: SimulatedPlatform) -> web.Application:
    application = web.Application(client_max_size=REQUEST_LIMIT_BYTES)
    methods: Mapping[str, Callable[[Answer], Answer]] = {
        "Info": platform.info,
        "GetKey": platform.get_key,
        "GetQuote": platform.get_quote,
        "Version": platform.version,
    }

    async def serve(request: web.Request) -> web.Response:
        method = methods.get(request.match_info["method"])
        if method is None:
            return web.json_response({"error": "no such method"}, status=404)
        try:
            return web.json_response(dict(method(await _asked(request))))
        except AttestError as error:
            return web.json_response({"error": error.message}, status=400)

    application.router.add_route("GET", "/{method}", serve)
    application.router.add_route("POST", "/{method}", serve)
    return application


async def _asked(request: web.Request) -> Answer:
    if request.method in {"GET", "HEAD"}:
        return dict(request.query)
    try:
        return OBJECT.validate_json(await request.read() or b"{}")
    except (ValueError, web.HTTPRequestEntityTooLarge):
        message = f"the body is no JSON object of at most {REQUEST_LIMIT_BYTES} bytes"
        raise AttestError(AttestErrorCode.BAD_REQUEST, message) from None
