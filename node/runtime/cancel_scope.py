"""An end to what one task does, told from outside it: without a second task, which would cost each action its turns."""

import asyncio
from types import TracebackType


class CancelScope:
    """A block of one task that others may end: `with interruption:`, once.

    As with `asyncio.timeout`, what waits inside is cancelled, and the block raises the error it was ended with; a task
    that is cancelled itself, before or after, stays so.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._error: Exception | None = None
        self._cancelling_before = 0
        self._has_cancelled = False

    def end(self, error: Exception) -> None:
        """End the block with this error, now or as soon as it begins; only the first call counts, and none after it."""
        if self._error is None:
            self._error = error
            if self._task is not None:
                # Not at once: called from inside, what is cancelled would be the wait after the block.
                self._task.get_loop().call_soon(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._has_cancelled = True
            self._task.cancel()

    def __enter__(self) -> None:
        if self._error is not None:
            raise self._error
        self._task = asyncio.current_task()
        # Cancellations from before are somebody else's: only one more than these may be turned into the error.
        if self._task is not None:
            self._cancelling_before = self._task.cancelling()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # From here on `_cancel`, which may be scheduled already, finds nothing to cancel.
        task, self._task = self._task, None
        if self._error is None or task is None:
            return
        # As asyncio.timeout does: `uncancel` takes the scope's own request back, and what is left is the task's own end.
        if self._has_cancelled:
            if task.uncancel() <= self._cancelling_before and kind is asyncio.CancelledError:
                raise self._error from None
        elif kind is None:
            raise self._error
