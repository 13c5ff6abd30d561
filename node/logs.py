"""Logs: one JSON line an event on standard output, from structlog and the standard library alike."""

import asyncio
import logging
import sys
import traceback
from typing import Any, Literal

import structlog
from structlog.typing import EventDict

Level = Literal["debug", "info", "warning", "error"]


def without_values(_logger: object, _method: str, line: EventDict) -> EventDict:
    """An exception as its type and where it happened; its message and its frames' variables may hold a secret."""
    given = line.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)
        line["exception"] = type(error).__name__
        line["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return line


def _log_unhandled(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Asyncio's own words repeat the exception's message; here it is said by its type and place alone."""
    structlog.get_logger("node").error("an exception that nobody handled", exc_info=context.get("exception"))


def configure_logs(level: Level, *, for_people: bool = False) -> None:
    """Send every log line to standard output from `level` up; `for_people` writes plain text instead of JSON.

    To be called inside the event loop whose unhandled exceptions are to be logged.
    """
    asyncio.get_running_loop().set_exception_handler(_log_unhandled)
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer = (
        structlog.dev.ConsoleRenderer(colors=False) if for_people else structlog.processors.JSONRenderer(sort_keys=True)
    )
    structlog.configure(
        processors=[*shared, without_values, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stdout),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, without_values, renderer],
        )
    )
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
