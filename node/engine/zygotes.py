"""Starts and replaces the zygote, by exec without an environment, and its workers.

One zygote is in service, and at most one is being started. It is replaced when it dies or ages.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

import structlog

from node.engine.errors import ActionProcessNotStartedError
from node.engine.frames import START_HEADER, FrameError, Kind, kind_of
from node.engine.guest import artifacts
from node.engine.protocol import FIBERS_MAX, FRAME_BYTES_MAX
from node.engine.worker_process import OwnProcess, Worker
from node.errors import StartupRefusedError
from node.runtime.clock import Backoff
from node.runtime.tasks import TaskSet
from node.settings.execution import ActionSettings

ZYGOTE_MAX_AGE_S: Final = 600.0
"""Maximum age of the zygote, whose address layout its workers share."""
ZYGOTE_FORKS_MAX: Final = 10_000
"""Maximum workers forked from one zygote."""
ZYGOTE_START_TIMEOUT_S: Final = 20.0
"""Maximum time for a zygote to start and load its snapshots."""
WORKER_START_TIMEOUT_S: Final = 10.0
"""Maximum time from the request for a process until it is ready."""
RESTART_DELAY_S: Final = 0.1
"""Delay before the next attempt if a zygote failed or died young, doubled each time."""
RESTART_DELAY_MAX_S: Final = 5.0
"""Maximum of that delay, and the age from which a zygote did not die young."""
_BOOT: Final = "import sys; sys.path[:0] = sys.argv[1:3]; from node.engine.zygote.main import main; main()"
_START_BYTES: Final = 65_536
"""Maximum text of a starting process, with names of measures or an error."""
_WORKER_DATA_BYTES: Final = 480 * 1024 * 1024
"""Private writable memory of a worker beyond its actions, for stacks (up to 224 MiB), the
interpreter and buffered frames."""
WORKER_CPU_S: Final = 3_600
"""Processor time of a worker beyond its longest action. It is far above real use, so that the
kernel ends a compromised worker that the node overlooks."""
_log = structlog.get_logger(__name__)


class ZygoteError(Exception):
    """A zygote or its child did not start; the message has the reason for the log."""


class ZygoteEndedError(ZygoteError):
    """A zygote ended without a message before it was ready."""


def zygote_command(settings: ActionSettings) -> Sequence[str]:
    """Returns the command of this interpreter, isolated and without site packages.

    The arguments after the folders are those of `node.engine.zygote.main`. Raises
    StartupRefusedError if the engine or its snapshots are missing, damaged or do not match.
    """
    package_root = str(Path(str(files("node"))).parent)
    # An import would load the engine into the node.
    engine = find_spec("wasmtime")
    if engine is None or engine.origin is None:
        raise StartupRefusedError("wasmtime", "the engine of actions is not installed: run `make setup`")
    try:
        # Snapshots are machine code, so the files must be those that were built.
        artifacts.check(artifacts.FOLDER)
    except artifacts.ArtifactError as error:
        raise StartupRefusedError("snapshots", str(error)) from error
    numbers = [
        settings.action_memory_bytes,
        FRAME_BYTES_MAX,
        settings.action_log_bytes,
        FIBERS_MAX * settings.action_memory_bytes + _WORKER_DATA_BYTES,
        WORKER_CPU_S + int(settings.action_timeout_s),
        os.getpid(),
    ]
    folders = [package_root, str(Path(engine.origin).parents[1]), str(artifacts.FOLDER)]
    return [sys.executable, "-I", "-S", "-c", _BOOT, *folders, *map(str, numbers)]


class ZygoteProcess:
    """A zygote that is ready. `measures` names its optional ones (namespaces, landlock)."""

    def __init__(self, process: OwnProcess, requests: socket.socket, measures: tuple[str, ...]) -> None:
        self.measures = measures
        self.forks = 0
        self._process = process
        self._requests = requests

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Starts a zygote and waits until it is ready. Raises ZygoteError or TimeoutError.

        Call it in a thread that lives as long as the actions, since the kernel ends them with it.
        """
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            # PR_SET_PDEATHSIG follows the thread that forked, not the process (prctl(2)).
            process = OwnProcess(_execute(command, theirs))
        except OSError as error:
            ours.close()
            raise ZygoteError(str(error)) from error
        finally:
            theirs.close()
        try:
            async with asyncio.timeout(ZYGOTE_START_TIMEOUT_S):
                return cls(process, ours, await _ready_measures(ours))
        except BaseException:
            process.kill()
            ours.close()
            await process.exit_signal()
            raise

    @property
    def pid(self) -> int:
        """Its process id, which is also its process group, shared by its children."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the event loop has not yet seen it end."""
        return self._process.alive

    def request(self, theirs: socket.socket) -> None:
        """Requests a child with `theirs` as its only descriptor. Raises OSError if it is gone."""
        socket.send_fds(self._requests, [b"F"], [theirs.fileno()])
        self.forks += 1

    def kill(self) -> None:
        """Ends it at once; its children stay."""
        self._process.kill()

    async def ended(self) -> None:
        """Waits for its end."""
        await self._process.exit_signal()

    async def close(self) -> None:
        """Sends no more requests, and waits for its end; kills it if that is slow."""
        # The zygote ends when it reads the end of this socket.
        self._requests.close()
        try:
            async with asyncio.timeout(WORKER_START_TIMEOUT_S):
                await self.ended()
        except TimeoutError:
            self.kill()
            await self.ended()


class Zygotes:
    """Keeps one zygote ready, inside a running event loop. `monotonic` is in seconds."""

    def __init__(self, command: Sequence[str], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._command = command
        self._monotonic = monotonic
        self._current: ZygoteProcess | None = None
        self._born = 0.0
        self._starting: asyncio.Task[ZygoteError | None] | None = None
        self._backoff = Backoff(RESTART_DELAY_S, RESTART_DELAY_MAX_S)
        self._delay_s = 0.0
        self._tasks = TaskSet("zygotes")

    @property
    def current(self) -> ZygoteProcess | None:
        """The one in service, which may have died since."""
        return self._current

    async def get(self) -> ZygoteProcess:
        """Returns a living zygote, after a start in progress. Raises ZygoteError if that fails."""
        while self._current is None or not self._current.alive:
            # All waiting requests share it, so a cancelled one must not cancel the start.
            failure = await asyncio.shield(self._renew())
            if failure is not None:
                raise failure
        # In the background, while the one in service continues to fork.
        if self._age_s() >= ZYGOTE_MAX_AGE_S or self._current.forks >= ZYGOTE_FORKS_MAX:
            _ = self._renew()
        return self._current

    async def close(self) -> None:
        """Ends it, and waits for all that were replaced."""
        if self._starting is not None:
            self._starting.cancel()
        if self._current is not None:
            self._current.kill()
            await self._current.close()
        await self._tasks.drain()

    def _age_s(self) -> float:
        return self._monotonic() - self._born

    def _renew(self) -> "asyncio.Task[ZygoteError | None]":
        if self._starting is None:
            self._starting = self._tasks.begin(self._replace())
        return self._starting

    async def _replace(self) -> ZygoteError | None:
        """Makes one attempt for all waiters. Each failure increases the delay of the next."""
        if self._current is not None and self._age_s() >= RESTART_DELAY_MAX_S:
            self._backoff.succeeded()
            self._delay_s = 0.0
        try:
            await asyncio.sleep(self._delay_s)
            self._delay_s = self._backoff.failed()
            fresh = await ZygoteProcess.start(self._command)
        except (ZygoteError, TimeoutError) as error:
            failure = error if isinstance(error, ZygoteError) else ZygoteError(repr(error))
            _log.error("zygote_not_started", reason=str(failure), next_delay_s=self._delay_s)
            return failure
        finally:
            self._starting = None
        # Only now, so that a failed start leaves the old one in service.
        old, self._current, self._born = self._current, fresh, self._monotonic()
        _log.info("zygote_started", measures=fresh.measures)
        if old is not None:
            self._tasks.start(old.close())
        return None


async def receive_frame(ours: socket.socket) -> tuple[Kind, str] | None:
    """Returns a starting process's next frame, None at its end. Raises FrameError."""
    try:
        byte, length = START_HEADER.unpack(await _exactly(ours, START_HEADER.size))
        if length > _START_BYTES:
            raise FrameError("a frame is over the limit")
        return kind_of(byte), (await _exactly(ours, length)).decode(errors="replace")
    except (EOFError, OSError):
        return None


async def _exactly(ours: socket.socket, count: int) -> bytes:
    loop, received = asyncio.get_running_loop(), b""
    while len(received) < count:
        part = await loop.sock_recv(ours, count - len(received))
        if not part:
            raise EOFError
        received += part
    return received


async def _ready_measures(ours: socket.socket) -> tuple[str, ...]:
    try:
        frame = await receive_frame(ours)
    except FrameError as error:
        raise ZygoteError(repr(error)) from error
    if frame is None:
        raise ZygoteEndedError("the zygote ended before it was ready")
    kind, text = frame
    if kind is not Kind.READY:
        raise ZygoteError(text)
    return tuple(text.split())


def _execute(command: Sequence[str], channel: socket.socket) -> int:
    # Output of a worker must not reach the node's log, which operators read.
    null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in (1, 2)]
    actions = [(os.POSIX_SPAWN_DUP2, channel.fileno(), 0), *null]
    # The node's environment has its secrets.
    no_environment: Mapping[str, str] = {}
    # A process group but no session. The kernel may share processors by session first, and one of
    # low priority in its own session would get as much as the node.
    return os.posix_spawn(command[0], [*command], no_environment, file_actions=actions, setpgroup=0)


_ATTEMPTS: Final = 10
"""Maximum attempts of a request. A dying zygote costs up to three: begun, unread, unsendable."""
_FAILED_STARTS_MAX: Final = 2
"""Maximum zygotes that end at start, for one request; one may have been killed from outside."""


class _LostError(Exception):
    """The socket closed before the worker sent anything, as it or the zygote died."""


class Spawner:
    """Forks ready workers from its own zygote, inside a running event loop.

    `monotonic` is in seconds and gives the zygote's age.
    """

    def __init__(
        self,
        settings: ActionSettings,
        command: Callable[[ActionSettings], Sequence[str]] = zygote_command,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._zygotes = Zygotes(list(command(settings)), monotonic)
        self._groups_with_orphans: set[int] = set()

    @property
    def measures(self) -> tuple[str, ...]:
        """The optional measures of isolation in force, namespaces and `landlock`."""
        zygote = self._zygotes.current
        return zygote.measures if zygote is not None else ()

    async def spawn(self) -> Worker:
        """Returns a confined worker without a program. Raises EngineUnavailableError.

        Not to be cancelled, since between its steps only this task knows the process.
        """
        failed_starts = 0
        for _ in range(_ATTEMPTS):
            try:
                return await self._fork(await self._zygotes.get())
            except ZygoteEndedError as error:
                failed_starts += 1
                if failed_starts == _FAILED_STARTS_MAX:
                    raise _unavailable(str(error)) from error
            except _LostError:
                continue
            except (ZygoteError, FrameError, TimeoutError) as error:
                raise _unavailable(str(error) or repr(error)) from error
        raise _unavailable("processes end before they are ready")

    async def close(self) -> None:
        """Ends the zygote, once every worker is gone."""
        await self._zygotes.close()
        for group in self._groups_with_orphans:
            await asyncio.to_thread(_end_orphans, group)

    async def _fork(self, zygote: ZygoteProcess) -> Worker:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            zygote.request(theirs)
        except OSError:
            ours.close()
            zygote.kill()
            await zygote.ended()
            raise _LostError from None
        finally:
            # Close our copy of the zygote's, or a worker's end would not close the socket.
            theirs.close()
        async with asyncio.timeout(WORKER_START_TIMEOUT_S):
            return await self._ready_worker(zygote, ours)

    async def _ready_worker(self, zygote: ZygoteProcess, ours: socket.socket) -> Worker:
        try:
            process = await _identify(ours)
        except BaseException as error:
            ours.close()
            # An unidentified process may exist now; it ends when it reads its socket.
            self._groups_with_orphans.add(zygote.pid)
            if isinstance(error, asyncio.CancelledError):  # by the timeout alone
                zygote.kill()
            raise
        try:
            await _until_ready(ours)
        except BaseException:
            # Its number is known, so reap it here instead of with its group.
            process.kill()
            ours.close()
            await process.exit_signal()
            raise
        return Worker(process, ours)


async def _identify(ours: socket.socket) -> OwnProcess:
    """Returns the process at the other end. Raises _LostError, ZygoteError."""
    frame = await receive_frame(ours)
    if frame is None:
        raise _LostError
    kind, text = frame
    if kind is not Kind.PROCESS:
        raise ZygoteError(text)
    try:
        # The number comes from the zygote; OwnProcess verifies that it is our child.
        return OwnProcess(int(text))
    except (OSError, ValueError) as error:
        raise ZygoteError(f"no process of ours: {error}") from error


async def _until_ready(ours: socket.socket) -> None:
    frame = await receive_frame(ours)
    if frame is None:
        raise ZygoteError("it ended")
    kind, text = frame
    if kind is not Kind.READY:
        raise ZygoteError(text)


def _end_orphans(group: int) -> None:
    """Kills and reaps a process group. With a child of ours in it, its number is not reused."""
    with contextlib.suppress(ChildProcessError):
        while True:
            # Proves, without reaping, that a child is left; else the number could be reused.
            os.waitid(os.P_PGID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(group, signal.SIGKILL)
            os.waitpid(-group, 0)


def _unavailable(reason: str) -> ActionProcessNotStartedError:
    _log.error("action_process_not_started", reason=reason)
    return ActionProcessNotStartedError()
