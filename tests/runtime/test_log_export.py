"""Log lines reach a collector as they were written; a collector that is out costs lines, never a wait."""

import asyncio
import json
import threading
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from structlog.testing import capture_logs

from node.runtime import log_export
from node.runtime.log_export import LogExport, export_request
from tests.support.otlp import receiving

pytestmark = pytest.mark.asyncio
LINE = '{"event":"request","level":"warning","timestamp":"2026-11-22T20:49:58.000123Z"}\n'


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_export, "INTERVAL_S", 0.01)
    monkeypatch.setattr(log_export, "LONGEST_PAUSE_S", 0.02)


def counters(registry: CollectorRegistry) -> tuple[float | None, float | None]:
    return registry.get_sample_value("svc_log_lines_exported_total"), registry.get_sample_value(
        "svc_log_lines_dropped_total"
    )


async def test_lines_arrive_in_their_order_each_once() -> None:
    registry = CollectorRegistry()
    async with receiving() as receiver:
        export = LogExport(receiver.url, registry)
        async with export.running():
            export.take([LINE])
            await receiver.took(1)
            export.take(f"{number}\n" for number in range(1200))
            await receiver.took(1201)
        assert receiver.bodies == [LINE.rstrip(), *map(str, range(1200))]
    assert counters(registry) == (1201, 0)


async def test_what_waits_at_the_stop_is_sent() -> None:
    registry = CollectorRegistry()
    async with receiving() as receiver:
        export = LogExport(receiver.url, registry)
        async with export.running():
            export.take([LINE] * 3)
        assert len(receiver.bodies) == 3
    assert counters(registry) == (3, 0)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_collector_that_is_busy_gets_the_lines_again(status: int) -> None:
    registry = CollectorRegistry()
    async with receiving(status, status) as receiver:
        export = LogExport(receiver.url, registry)
        async with export.running():
            export.take([LINE])
            await receiver.took(1)
        assert receiver.requests == 3
    assert counters(registry) == (1, 0)


@pytest.mark.parametrize("status", [307, 400, 404, 500])
async def test_lines_that_are_refused_are_dropped_and_counted(status: int) -> None:
    registry = CollectorRegistry()
    async with receiving(status) as receiver:
        export = LogExport(receiver.url, registry)
        async with export.running():
            export.take([LINE])
        assert receiver.bodies == []
    assert counters(registry) == (0, 1)


async def test_a_full_queue_keeps_the_oldest_lines_and_counts_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_export, "QUEUED_CHARACTERS", 25)
    registry = CollectorRegistry()
    async with receiving() as receiver:
        export = LogExport(receiver.url, registry)
        export.take(f"{number:09}\n" for number in range(10))
        async with export.running():
            await receiver.took(2)
        export.take(["room again\n"])
        async with export.running():
            await receiver.took(3)
        assert receiver.bodies == ["000000000", "000000001", "room again"]
    assert counters(registry) == (3, 8)


async def test_without_a_collector_nobody_waits_and_the_stop_counts_what_is_lost() -> None:
    async with receiving() as receiver:
        closed = receiver.url
    registry = CollectorRegistry()
    export = LogExport(closed, registry)
    async with export.running():
        threads = [threading.Thread(target=export.take, args=([LINE] * 100,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counters(registry) == (0, 400)
    assert b"svc_log_lines_dropped_total 400.0" in generate_latest(registry)


async def test_the_form_is_that_of_otlp() -> None:
    sent = export_request([LINE, "no json\n", '{"level":"info"}\n', "[1]\n"])
    (resource,) = json.loads(json.dumps(sent))["resourceLogs"]
    assert resource["resource"] == {"attributes": [{"key": "service.name", "value": {"stringValue": "svc-node"}}]}
    first, *others = resource["scopeLogs"][0]["logRecords"]
    assert first == {
        "timeUnixNano": "1795380598000123000",
        "severityNumber": 13,
        "severityText": "warning",
        "body": {"stringValue": LINE.rstrip()},
    }
    assert json.loads(first["body"]["stringValue"])["event"] == "request"
    assert others == [{"body": {"stringValue": text}} for text in ("no json", '{"level":"info"}', "[1]")]


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"timestamp":"0001-01-01T00:00:00+23:59","level":"info"}',
        '{"timestamp":"9999-12-31T23:59:59"}',
        "\ud800",
    ],
    ids=["deep", "first year", "last year", "surrogate"],
)
async def test_no_line_ends_the_export(line: str) -> None:
    registry = CollectorRegistry()
    async with receiving() as receiver:
        export = LogExport(receiver.url, registry)
        async with export.running():
            export.take([line + "\n"])
            await receiver.took(1)
            export.take([LINE])
            await receiver.took(2)
        assert receiver.bodies == [line, LINE.rstrip()]
    assert counters(registry) == (2, 0)


@pytest.mark.parametrize("host", ["a..b", "a" * 64])
async def test_a_name_that_no_dns_holds_is_a_collector_that_is_out(host: str) -> None:
    registry = CollectorRegistry()
    export = LogExport(f"http://{host}:4318/v1/logs", registry)
    with capture_logs() as logged:
        async with export.running():
            export.take([LINE])
    assert [line["event"] for line in logged] == ["log_export_failed"]
    assert counters(registry) == (0, 1)


async def test_cookies_of_the_collector_are_neither_kept_nor_sent() -> None:
    async with receiving() as receiver:
        # aiohttp keeps no cookies of addresses in any case.
        export = LogExport(receiver.url.replace("127.0.0.1", "localhost"), CollectorRegistry())
        async with export.running():
            for count in (1, 2):
                export.take([LINE])
                await receiver.took(count)
        assert receiver.cookies == [{}, {}]


async def test_a_finaliser_that_logs_while_lines_are_taken_waits_for_nobody() -> None:
    registry = CollectorRegistry()
    async with receiving() as receiver:
        export = LogExport(receiver.url, registry)

        def lines() -> Iterator[str]:
            yield "first\n"
            export.take(["of a finaliser\n"])
            yield "last\n"

        taking = threading.Thread(target=export.take, args=(lines(),), daemon=True)
        taking.start()
        await asyncio.to_thread(taking.join, 10)
        assert not taking.is_alive()
        async with export.running():
            await receiver.took(3)
        assert receiver.bodies == ["first", "of a finaliser", "last"]
    assert counters(registry) == (3, 0)


async def test_the_event_loop_never_waits_for_a_thread_that_hands_lines_over() -> None:
    registry = CollectorRegistry()
    going_on = threading.Event()
    async with receiving() as receiver:
        export = LogExport(receiver.url, registry)

        def lines() -> Iterator[str]:
            yield "first\n"
            # Ends by itself, so that an event loop that waits fails the test and does not hang it.
            going_on.wait(5)
            yield "last\n"

        taking = threading.Thread(target=export.take, args=(lines(),), daemon=True)
        taking.start()
        async with export.running():
            await receiver.took(1)
            assert receiver.bodies == ["first"]
            assert taking.is_alive()
            going_on.set()
            await receiver.took(2)
    assert counters(registry) == (2, 0)
