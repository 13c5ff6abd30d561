"""Export of log lines to a collector, by OTLP over HTTP in JSON.

Lines are those of standard output, already without secrets. Logging never waits for the export:
lines beyond the queue's limit are dropped and counted. See docs/monitoring.md.
"""

import asyncio
import contextlib
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import Final

import aiohttp
import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector
from pydantic import JsonValue

from node.runtime.clock import Backoff
from node.runtime.http_client import FAILURES, plain_session, request

QUEUED_CHARACTERS: Final = 4 * 1024 * 1024
"""Queue limit. A busy node writes 3 kB a second, so it holds 20 minutes without a collector."""
BATCH_LINES: Final = 512
INTERVAL_S: Final = 1.0
LONGEST_PAUSE_S: Final = 30.0
TIMEOUT_S: Final = 5.0
LAST_LINES_S: Final = 2.0
"""Maximum wait for the collector at a stop, so that it fits into the container's stop time."""
_TAKEN: Final = 200
_RETRIED: Final = frozenset({429, 502, 503, 504})
"""Statuses after which OTLP/HTTP lets a client retry. After any other the lines are lost."""
_SEVERITIES: Final = {"debug": 5, "info": 9, "warning": 13, "error": 17, "critical": 21}
"""SeverityNumber in OpenTelemetry's log data model, by structlog's level."""

_log = structlog.get_logger(__name__)


class LogExport(Collector):
    """Bounded queue of log lines, and the task that sends them to `url`."""

    def __init__(self, url: str, registry: CollectorRegistry) -> None:
        self._url = url
        # Guards the counts of `take`, which any thread calls. Reentrant, since a finaliser may log
        # on the thread that holds the lock. The event loop never takes it, or it could deadlock
        # with a finaliser that holds the buffer's lock. So each count has one writer.
        self._lock = threading.RLock()
        self._lines: deque[str] = deque()
        self._taken_characters = 0
        self._removed_characters = 0
        self._exported = 0
        self._overflowed = 0
        self._lost = 0
        self._is_failing = False
        registry.register(self)

    def take(self, lines: Iterable[str]) -> None:
        """Queues lines without waiting, from any thread. Drops those beyond the queue's limit."""
        with self._lock:
            for line in lines:
                # The oldest lines are kept, since they show how an incident began.
                if self._taken_characters - self._removed_characters + len(line) > QUEUED_CHARACTERS:
                    self._overflowed += 1
                else:
                    self._lines.append(line)
                    self._taken_characters += len(line)

    def collect(self) -> Iterable[Metric]:
        """Returns the counters."""
        yield CounterMetricFamily("svc_log_lines_exported", "Log lines that the collector took.", self._exported)
        dropped = self._overflowed + self._lost
        yield CounterMetricFamily("svc_log_lines_dropped", "Log lines that were not exported.", dropped)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sends lines until the context ends, and then the rest within `LAST_LINES_S`."""
        async with plain_session(timeout=aiohttp.ClientTimeout(total=TIMEOUT_S)) as session:
            stopping = asyncio.Event()
            task = asyncio.create_task(self._keep_sending(session, stopping))
            try:
                yield
            finally:
                # If a request under way were cancelled, the collector might get its lines twice.
                stopping.set()
                await asyncio.wait({task}, timeout=LAST_LINES_S)
                task.cancel()
                await asyncio.wait({task})
                self._remove(len(self._lines), were_taken=False)

    async def _keep_sending(self, session: aiohttp.ClientSession, stopping: asyncio.Event) -> None:
        """Sends batches until `stopping` is set, then until the queue is empty or a batch fails."""
        backoff = Backoff(INTERVAL_S, LONGEST_PAUSE_S)
        while True:
            was_sent = await self._send_batch(session)
            if stopping.is_set() and not (was_sent and self._lines):
                return
            if was_sent:
                backoff.succeeded()
            pause_s = 0 if len(self._lines) >= BATCH_LINES else INTERVAL_S
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), pause_s if was_sent else backoff.failed())

    async def _send_batch(self, session: aiohttp.ClientSession) -> bool:
        """Sends the oldest lines. Returns False if they must be sent again."""
        # By index, since an iterator of the deque fails when a thread adds a line meanwhile.
        lines = tuple([self._lines[place] for place in range(min(BATCH_LINES, len(self._lines)))])
        if not lines:
            return True
        try:
            async with request(session, "POST", self._url, json=export_request(lines)) as response:
                status = response.status
        except FAILURES:
            status = 0
        if status == 0 or status in _RETRIED:
            self._report_failure(status)
            return False
        # Removed only after the response, so that the next attempt has lines that were not taken.
        self._remove(len(lines), were_taken=status == _TAKEN)
        if status != _TAKEN:
            self._report_failure(status)
        else:
            self._is_failing = False
        return True

    def _remove(self, count: int, *, were_taken: bool) -> None:
        self._removed_characters += sum(len(self._lines.popleft()) for _ in range(count))
        if were_taken:
            self._exported += count
        else:
            self._lost += count

    def _report_failure(self, status: int) -> None:
        """Logs only the first failure in a row, since each further line would itself be queued."""
        if not self._is_failing:
            self._is_failing = True
            _log.warning("log_export_failed", status=status or None)


def export_request(lines: Sequence[str]) -> dict[str, JsonValue]:
    """Returns OTLP's ExportLogsServiceRequest as JSON, with 64-bit numbers as decimal strings."""
    service: JsonValue = {"attributes": [{"key": "service.name", "value": {"stringValue": "svc-node"}}]}
    records: JsonValue = [_record(line.rstrip("\n")) for line in lines]
    return {"resourceLogs": [{"resource": service, "scopeLogs": [{"scope": {"name": "node"}, "logRecords": records}]}]}


def _record(line: str) -> dict[str, JsonValue]:
    """Returns the log record of one line. Its body is the unchanged line."""
    record: dict[str, JsonValue] = {"body": {"stringValue": line}}
    try:
        fields = json.loads(line)
        seconds = datetime.fromisoformat(fields["timestamp"]).timestamp()
        level = str(fields["level"])
    # ArithmeticError: a date out of range; RecursionError: JSON nested thousands deep.
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        return record  # not written by structlog, sent without time and severity
    record["timeUnixNano"] = str(round(seconds * 1_000_000) * 1_000)
    record["severityText"] = level
    record["severityNumber"] = _SEVERITIES.get(level, 0)
    return record
