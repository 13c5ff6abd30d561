"""The processes of the engine: the zygote, started by exec without an environment and replaced in time, and its workers.

There is one zygote in service and at most one more being started. It is replaced when it dies, and before it grows old.
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
"""Age at which the zygote, and with it the address layout of its workers, is replaced."""
ZYGOTE_FORKS_MAX: Final = 10_000
"""Workers forked from one zygote before a fresh one takes its place."""
ZYGOTE_START_TIMEOUT_S: Final = 20.0
"""From starting a zygote to its being ready, its snapshots loaded."""
WORKER_START_TIMEOUT_S: Final = 10.0
"""From asking the zygote for a process to its being ready."""
RESTART_DELAY_S: Final = 0.1
"""Before another attempt when a zygote did not start or died young; doubled each time."""
RESTART_DELAY_MAX_S: Final = 5.0
"""The longest that delay grows to, and the age from which on a zygote did not die young."""
_BOOT: Final = "import sys; sys.path[:0] = sys.argv[1:3]; from node.engine.zygote.main import main; main()"
_START_BYTES: Final = 65_536
"""Longest text of a process that starts: the names of measures, or what went wrong."""
_WORKER_DATA_BYTES: Final = 480 * 1024 * 1024
"""Private writable memory of a worker beyond its actions': 224 MiB that stacks may grow to, the interpreter, and frames on
their way."""
WORKER_CPU_S: Final = 3_600
"""Processor time of a worker's life beyond one action's longest: far above what any worker has, so that one that was taken
over ends by the kernel even if nobody looks."""
_log = structlog.get_logger(__name__)


class ZygoteError(Exception):
    """A zygote, or a child of one, did not come up; the message says why, for the log."""


class ZygoteEndedError(ZygoteError):
    """A zygote ended before it was ready, without a word."""


def zygote_command(settings: ActionSettings) -> Sequence[str]:
    """The command of this interpreter, isolated and without site packages, that finds our package and the engine alone.

    The arguments after the folders are those of `node.engine.zygote.main`. Raises StartupRefusedError when the engine or its
    snapshots are missing, damaged or do not fit together.
    """
    package_root = str(Path(str(files("node"))).parent)
    # Not imported: that would load the engine into the node.
    engine = find_spec("wasmtime")
    if engine is None or engine.origin is None:
        raise StartupRefusedError("wasmtime", "the engine of actions is not installed: run `make setup`")
    try:
        # Snapshots are machine code: the files must be the ones that were built.
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
    """A zygote that is ready. `measures` names the optional ones it took: namespaces, landlock."""

    def __init__(self, process: OwnProcess, requests: socket.socket, measures: tuple[str, ...]) -> None:
        self.measures = measures
        self.forks = 0
        self._process = process
        self._requests = requests

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start one and wait until it is ready. Raises ZygoteError or TimeoutError.

        To be called in a thread that lives as long as the actions: the kernel ends them with it.
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
        """Its process id; also its process group's, its children's too."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """True until the event loop has seen it end."""
        return self._process.alive

    def request(self, theirs: socket.socket) -> None:
        """Ask for a child that has `theirs` as its one descriptor. Raises OSError when the zygote is gone."""
        socket.send_fds(self._requests, [b"F"], [theirs.fileno()])
        self.forks += 1

    def kill(self) -> None:
        """End it at once; children it has made stay."""
        self._process.kill()

    async def ended(self) -> None:
        """Wait for its end."""
        await self._process.exit_signal()

    async def close(self) -> None:
        """Ask for nothing more, and wait until it has answered what was asked and is gone; killed when it is slow."""
        # The zygote ends when it reads the end of this socket.
        self._requests.close()
        try:
            async with asyncio.timeout(WORKER_START_TIMEOUT_S):
                await self.ended()
        except TimeoutError:
            self.kill()
            await self.ended()


class Zygotes:
    """Keeps one zygote of this command ready; made inside a running event loop. `monotonic` counts seconds."""

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
        """Return one that lives, as far as is known, after a start that is under way. Raises ZygoteError when it fails."""
        while self._current is None or not self._current.alive:
            # Shared by all requests that wait: a cancelled one must not cancel the start for the others.
            failure = await asyncio.shield(self._renew())
            if failure is not None:
                raise failure
        # In the background: the one in service goes on forking until the fresh one is ready.
        if self._worn(self._current):
            _ = self._renew()
        return self._current

    async def close(self) -> None:
        """End it, and wait for every one that was replaced."""
        if self._starting is not None:
            self._starting.cancel()
        if self._current is not None:
            self._current.kill()
            await self._current.close()
        await self._tasks.drain()

    def _worn(self, zygote: ZygoteProcess) -> bool:
        return self._age_s() >= ZYGOTE_MAX_AGE_S or zygote.forks >= ZYGOTE_FORKS_MAX

    def _age_s(self) -> float:
        return self._monotonic() - self._born

    def _renew(self) -> "asyncio.Task[ZygoteError | None]":
        if self._starting is None:
            self._starting = self._tasks.begin(self._replace())
        return self._starting

    async def _replace(self) -> ZygoteError | None:
        """Make one attempt, shared by everybody who waits; the later, the more there were that came to nothing."""
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
        # Only now: a fresh zygote that fails leaves the old one in service.
        old, self._current, self._born = self._current, fresh, self._monotonic()
        _log.info("zygote_started", measures=fresh.measures)
        if old is not None:
            self._tasks.start(old.close())
        return None


async def receive_frame(ours: socket.socket) -> tuple[Kind, str] | None:
    """The next frame of a process that starts, None when it has closed its socket. Raises FrameError."""
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
    # The node's environment holds its secrets.
    no_environment: Mapping[str, str] = {}
    # A process group, and no session: the kernel may share processors out by session first, and an action at the
    # lowest priority in a session of its own would then have as much as the node.
    return os.posix_spawn(command[0], [*command], no_environment, file_actions=actions, setpgroup=0)


_ATTEMPTS: Final = 10
"""A zygote that dies costs a request up to three: one it had begun, one it had not read, one it can no longer take."""
_FAILED_STARTS_MAX: Final = 2
"""Zygotes that end while they start, for one request: the first may have been killed from outside."""


class _LostError(Exception):
    """The socket closed before the worker said anything: the zygote died, or the worker did."""


class Spawner:
    """Forks ready workers from a zygote of its own; made inside a running event loop.

    `monotonic` counts seconds and tells the zygote's age.
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
        """The optional measures of isolation in force: namespaces by name, `landlock`."""
        zygote = self._zygotes.current
        return zygote.measures if zygote is not None else ()

    async def spawn(self) -> Worker:
        """A worker that has locked itself in and waits for its program. Raises EngineUnavailableError.

        Not to be cancelled: between its parts nobody else knows of the process.
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
        """End the zygote, once every worker is gone."""
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
            # The zygote has its own copy: while this one is open, the end of the worker would not close the socket.
            theirs.close()
        async with asyncio.timeout(WORKER_START_TIMEOUT_S):
            return await self._ready_worker(zygote, ours)

    async def _ready_worker(self, zygote: ZygoteProcess, ours: socket.socket) -> Worker:
        try:
            process = await _identify(ours)
        except BaseException as error:
            ours.close()
            # From now on there may be a process we know no number of; it ends as soon as it reads its socket.
            self._groups_with_orphans.add(zygote.pid)
            if isinstance(error, asyncio.CancelledError):  # by the timeout alone
                zygote.kill()
            raise
        try:
            await _until_ready(ours)
        except BaseException:
            # Known by now, so it is reaped here and not left to its group.
            process.kill()
            ours.close()
            await process.exit_signal()
            raise
        return Worker(process, ours)


async def _identify(ours: socket.socket) -> OwnProcess:
    """The process at the other end. Raises _LostError, ZygoteError."""
    frame = await receive_frame(ours)
    if frame is None:
        raise _LostError
    kind, text = frame
    if kind is not Kind.PROCESS:
        raise ZygoteError(text)
    try:
        # The number is the zygote's word; OwnProcess verifies that it is a child of this process.
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
    """Kill and reap what is left of a process group; as long as a child of ours is in it, its number is its own."""
    with contextlib.suppress(ChildProcessError):
        while True:
            # Proves that a child is left in the group, without reaping it: otherwise the number could belong to others.
            os.waitid(os.P_PGID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(group, signal.SIGKILL)
            os.waitpid(-group, 0)


def _unavailable(reason: str) -> ActionProcessNotStartedError:
    _log.error("action_process_not_started", reason=reason)
    return ActionProcessNotStartedError()
