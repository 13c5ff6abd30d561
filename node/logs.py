"""Logs: one JSON line an event on standard output, from structlog and the standard library alike."""

import asyncio
import json
import logging
import re
import sys
import traceback
from typing import Any, Final, Literal

import structlog
from structlog.typing import EventDict

Level = Literal["debug", "info", "warning", "error"]

_NEEDS_QUOTES: Final = re.compile(r"[\s=\"']|[^ -~]|^$")
_to_json: Final = json.JSONEncoder(sort_keys=True, default=repr).encode


def without_values(_logger: object, _method: str, line: EventDict) -> EventDict:
    """An exception as its type and where it happened; its message and its frames' variables may hold a secret."""
    given = line.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)
        line["exception"] = type(error).__name__
        line["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return line


def as_json(_logger: object, _method: str, line: EventDict) -> str:
    """One line for machines. Not structlog's own: that makes a new encoder for each line, and an action has two lines."""
    return _to_json(line)


def as_text(_logger: object, _method: str, line: EventDict) -> str:
    """One line for people: when, how bad, what, and its fields by name. structlog's own costs three times as much."""
    head = f"{line.pop('timestamp', '')} [{line.pop('level', ''):<8}] {line.pop('event', '')!s:<30}"
    return " ".join([head, *(f"{name}={_shown(line[name])}" for name in sorted(line))])


def _shown(value: object) -> str:
    return value if isinstance(value, str) and not _NEEDS_QUOTES.search(value) else repr(value)


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
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer = as_text if for_people else as_json
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
