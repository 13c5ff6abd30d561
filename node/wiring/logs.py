"""Writes logs to standard output, a JSON line an event, also those of the standard library."""

import asyncio
import atexit
import contextlib
import json
import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final, Literal, TextIO

import structlog
from prometheus_client import CollectorRegistry
from pydantic_core import PydanticSerializationError, to_json
from structlog.typing import EventDict

from node.runtime.log_export import LogExport

Level = Literal["debug", "info", "warning", "error"]

_NEEDS_QUOTES: Final = re.compile(r"[\s=\"']|[^ -~]|^$")
_to_json: Final = json.JSONEncoder(sort_keys=True, default=repr).encode
_WRITTEN_AFTER_S: Final = 0.05
"""Maximum time that a line is buffered, and that a crash may lose from the log."""
_WAITING_CHARACTERS: Final = 64 * 1024
"""Maximum characters in the buffer; more are written at once."""


class BatchedLines:
    """Buffers text for `stream` and writes it a few times a second. Other threads write at once.

    Create it inside the event loop. `flush` and process exit write everything.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._loops_thread = threading.get_ident()
        # Reentrant, since a finaliser that logs may run while its own thread holds the lock.
        self._lock = threading.RLock()
        self._waiting: list[str] = []
        self._characters = 0
        self._timer: asyncio.TimerHandle | None = None
        self._copy: Callable[[Sequence[str]], None] | None = None
        atexit.register(self.flush)

    def copy_to(self, take: Callable[[Sequence[str]], None] | None) -> None:
        """Passes all later text to `take` too, from any thread. It must neither block nor log."""
        self._copy = take

    def write(self, text: str) -> int:
        """Buffers text to be written soon."""
        # Threads log too, through the standard library's handlers.
        with self._lock:
            self._waiting.append(text)
            self._characters += len(text)
        # Another thread cannot use `call_later` of this loop.
        if self._characters > _WAITING_CHARACTERS or threading.get_ident() != self._loops_thread:
            self.flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(_WRITTEN_AFTER_S, self._write_waiting)
        return len(text)

    def flush(self) -> None:
        """Writes the buffered text."""
        # Write under the lock, or lines of two threads would mix.
        with self._lock:
            # Make the list first: a finaliser that runs now still writes to the unread old one.
            empty: list[str] = []
            waiting, self._waiting, self._characters = self._waiting, empty, 0
            if waiting:
                self._stream.write("".join(waiting))
                self._stream.flush()
                if self._copy is not None:
                    self._copy(waiting)

    def _write_waiting(self) -> None:
        self._timer = None
        self.flush()


class LineLogger:
    """Logger for structlog. An error is written at once, with all buffered lines before it."""

    def __init__(self, lines: BatchedLines) -> None:
        self._lines = lines

    def info(self, line: str) -> None:
        """Buffers the line."""
        self._lines.write(line + "\n")

    def error(self, line: str) -> None:
        """Writes the line now."""
        self._lines.write(line + "\n")
        self._lines.flush()

    debug = msg = info
    warning = warn = exception = critical = fatal = error


class _Timestamps:
    """Current time as ISO 8601 in UTC with microseconds; the seconds part is cached."""

    def __init__(self) -> None:
        self._second = -1
        self._text = ""

    def now(self) -> str:
        second, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
        if second != self._second:
            self._second, self._text = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f"{self._text}.{nanoseconds // 1000:06d}Z"


_timestamps: Final = _Timestamps()


def with_level_and_time(_logger: object, method: str, line: EventDict) -> EventDict:
    """Adds level and time. structlog's own processors cost five times as much."""
    line["level"] = "error" if method == "exception" else method
    line["timestamp"] = _timestamps.now()
    return line


def without_values(_logger: object, _method: str, line: EventDict) -> EventDict:
    """Reduces the exception to type and place, since message and variables may hold secrets."""
    # Always pop it, or structlog and the standard library would render its message.
    given = line.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)
        line["exception"] = type(error).__name__
        line["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return line


def as_json(_logger: object, _method: str, line: EventDict) -> str:
    """Returns a JSON line. structlog and json would make a new encoder for each line."""
    try:
        return to_json(dict(sorted(line.items())), ensure_ascii=True, fallback=repr).decode()
    except (PydanticSerializationError, ValueError):  # for example half a surrogate pair
        return _to_json(line)


def as_text(_logger: object, _method: str, line: EventDict) -> str:
    """Returns a line for people. structlog's own renderer costs three times as much."""
    head = f"{line.pop('timestamp', '')} [{line.pop('level', ''):<8}] {line.pop('event', '')!s:<30}"
    return " ".join([head, *(f"{name}={_shown(line[name])}" for name in sorted(line))])


def _shown(value: object) -> str:
    return value if isinstance(value, str) and not _NEEDS_QUOTES.search(value) else repr(value)


def _log_unhandled(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs an unhandled exception without its text, which asyncio would log and may be secret."""
    structlog.get_logger("node").error("an unhandled exception", exc_info=context.get("exception"))


def configure_logs(level: Level, *, for_people: bool = False) -> BatchedLines:
    """Sends log lines from `level` up to standard output, as text with `for_people`, else JSON.

    Returns the buffer; flush it before writing to standard output directly. Call it inside the
    event loop, whose unhandled exceptions are then logged.
    """
    asyncio.get_running_loop().set_exception_handler(_log_unhandled)
    number = logging.getLevelNamesMapping()[level.upper()]
    renderer = as_text if for_people else as_json
    lines = BatchedLines(sys.stdout)
    logger = LineLogger(lines)
    structlog.configure(
        processors=[with_level_and_time, without_values, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: logger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(lines)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
            ],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, without_values, renderer],
        )
    )
    # Libraries log requests and URLs at `info`, which may contain secrets.
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
    return lines


@contextlib.asynccontextmanager
async def exported_logs(lines: BatchedLines, url: str, registry: CollectorRegistry) -> AsyncIterator[None]:
    """Sends logs to the collector in the settings. Outermost, to include lines of the stop."""
    # Create it also without a collector, so that alarms find its counters at 0.
    export = LogExport(url, registry)
    if not url:
        yield
        return
    lines.copy_to(export.take)
    async with export.running():
        try:
            yield
        finally:
            lines.flush()
            lines.copy_to(None)
