"""The transport for programs without an event loop. It runs in its own thread for any caller."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, TypeVar

from svc_client.errors import InvalidArgument
from svc_client.transport import TIMEOUT_S, Call, Transport, TrustIn

if TYPE_CHECKING:
    from svc_verifier.check import Report
    from svc_verifier.session import AttestedSession, Response
    from svc_verifier.trust import Trust

Result = TypeVar("Result")


class LoopThread:
    """An event loop in its own thread, for callers in any thread. Starts with the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def run(self, work: Coroutine[None, None, Result]) -> Result:
        """Runs a coroutine and returns its result. Raises InvalidArgument after `close`."""
        try:
            # Under the lock, so that the loop cannot stop between this look and the submission.
            with self._lock:
                running = asyncio.run_coroutine_threadsafe(work, self._running_loop())
        except BaseException:
            work.close()
            raise
        try:
            return running.result()
        except CancelledError:
            raise InvalidArgument("The client was closed before the answer came.") from None
        except BaseException:
            running.cancel()  # Ctrl-C in the caller's thread ends the request as well
            raise

    def close(self, release: Callable[[], Awaitable[None]]) -> None:
        """Runs `release` in the loop and ends the thread. Calls in progress fail. Idempotent."""
        with self._lock:
            # From here `_running_loop` refuses, so that no call reaches a loop about to stop.
            is_first, self._is_closed = not self._is_closed, True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None or not is_first:
            return
        # Outside the lock: a thread about to submit must be refused now, and not wait until all
        # connections have ended.
        asyncio.run_coroutine_threadsafe(_end(release), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._is_closed:
            raise InvalidArgument("The client is closed.")
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            # A daemon thread: a program that forgets `close` must still be able to exit.
            self._thread = threading.Thread(target=self._loop.run_forever, name="svc-client", daemon=True)
            self._thread.start()
        return self._loop


async def _end(release: Callable[[], Awaitable[None]]) -> None:
    """Runs `release`, and cancels calls whose response will never come."""
    await release()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0)  # asyncio closes the socket of an aborted transport one iteration later
    await asyncio.sleep(0)


class SyncTransport:
    """`Transport` for any number of threads."""

    def __init__(self, url: str, api_key: str | None, trusted: TrustIn, timeout_s: float = TIMEOUT_S) -> None:
        self._transport = Transport(url, api_key, trusted, timeout_s)
        self.timeout_s = timeout_s
        self._thread = LoopThread()

    @property
    def report(self) -> "Report | None":
        """The report of the last verification; None before the first."""
        return self._transport.report

    @property
    def highest_block(self) -> int | None:
        """Highest block of all responses so far."""
        return self._transport.highest_block

    @property
    def trusted(self) -> TrustIn:
        """The trust as configured."""
        return self._transport.trusted

    def trust(self) -> "Trust":
        """Returns the verifier's trust, offline. Raises InvalidArgument and UnreadableFile."""
        return self._transport.trust()

    def open(self) -> "AttestedSession":
        """Verifies the node unless that is done."""
        return self._thread.run(self._transport.open())

    def call(self, call: Call, timeout_s: float | None = None) -> "Response":
        """Sends a request as `Transport.call` does."""
        return self._thread.run(self._transport.call(call, timeout_s))

    def close(self) -> None:
        """Closes all connections. Calls in progress fail. Idempotent."""
        self._thread.close(self._transport.close)
