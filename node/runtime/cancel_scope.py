"""Cancel scope that ends a block of a task from outside, without a second task."""

import asyncio
from types import TracebackType


class CancelScope:
    """Block of a task that other tasks may end. Enter it once.

    As with `asyncio.timeout`, a wait inside is cancelled, and the block raises the error of `end`.
    If the task itself is cancelled, before or after, it stays cancelled.
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
                # Scheduled, since a call from inside the block would cancel the wait after it.
                self._task.get_loop().call_soon(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._has_cancelled = True
            self._task.cancel()

    def __enter__(self) -> None:
        if self._error is not None:
            raise self._error
        self._task = asyncio.current_task()
        # Earlier cancellations are not this scope's. Only one more may become the error.
        if self._task is not None:
            self._cancelling_before = self._task.cancelling()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # From here on a `_cancel` that is already scheduled does nothing.
        task, self._task = self._task, None
        if self._error is None or task is None:
            return
        # As in asyncio.timeout, `uncancel` takes back only the scope's own request.
        if self._has_cancelled:
            if task.uncancel() <= self._cancelling_before and kind is asyncio.CancelledError:
                raise self._error from None
        elif kind is None:
            raise self._error
