"""Cancel scope that ends a block of a task from outside, without a second task."""

import asyncio
from types import TracebackType


class CancelScope:
    """Block of one task that others may end; enter it once.

    As with `asyncio.timeout`, a wait inside is cancelled, and the block raises the error of `end`.
    A task that is cancelled itself, before or after, stays cancelled.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._error: Exception | None = None
        self._cancelling_before = 0
        self._has_cancelled = False

    def end(self, error: Exception) -> None:
        """Ends the block with this error, now or when it begins. Only the first call counts."""
        if self._error is None:
            self._error = error
            if self._task is not None:
                # Scheduled: a call from inside would cancel the wait after the block.
                self._task.get_loop().call_soon(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._has_cancelled = True
            self._task.cancel()

    def __enter__(self) -> None:
        if self._error is not None:
            raise self._error
        self._task = asyncio.current_task()
        # Earlier cancellations come from others; only one more may become the error.
        if self._task is not None:
            self._cancelling_before = self._task.cancelling()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # From here on `_cancel`, which may be scheduled already, finds nothing to cancel.
        task, self._task = self._task, None
        if self._error is None or task is None:
            return
        # As asyncio.timeout does: `uncancel` takes back the scope's own request alone.
        if self._has_cancelled:
            if task.uncancel() <= self._cancelling_before and kind is asyncio.CancelledError:
                raise self._error from None
        elif kind is None:
            raise self._error
