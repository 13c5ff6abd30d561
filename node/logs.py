"""Logs: one JSON line an event on standard output, from structlog and the standard library alike."""

import logging
import sys
from typing import Literal

import structlog

Level = Literal["debug", "info", "warning", "error"]


def configure_logs(level: Level, *, for_people: bool = False) -> None:
    """Send every log line to standard output from `level` up; `for_people` writes plain text instead of JSON."""
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
        processors=[*shared, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stdout),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
