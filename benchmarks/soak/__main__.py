"""`make soak`: exits with status 1 if anything grew, stayed behind or gave a wrong response."""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.nodes import family
from benchmarks.origin import billed_by, serve_prices, serve_processor, served
from benchmarks.soak.judge import MIB, Bounds, Ending, Sample, Verdict, judge
from benchmarks.soak.load import KINDS, Tally, run_load
from benchmarks.soak.watch import Watch
from benchmarks.tenants import Tenant, new_tenants
from tests.support.node import NodeProcess, running_node

TENANTS = 4
WARM_UP_S = 10.0
ACTION_TIMEOUT_S = 5
SPARE_WORKERS = 4
"""Workers that a node starts ahead by default."""
SHOWN_SAMPLES = 24
SETTINGS = {
    "SVC_EGRESS_ALLOW_LOOPBACK": "1",
    "SVC_ACTION_TIMEOUT_S": str(ACTION_TIMEOUT_S),
}


async def _soak(node: NodeProcess, url: str, seconds: float, interval_s: float) -> tuple[Watch, Tally, Ending]:
    tally = Tally()
    tenants = await new_tenants(node.api, TENANTS)
    watch = Watch(node.process.pid, tally.answered.total)
    # A short load first, since pools and caches that fill once are no growth.
    await run_load(tenants, url, tally, WARM_UP_S)
    before = await watch.quiet(SPARE_WORKERS)
    watching = asyncio.create_task(watch.every(interval_s))
    showing = asyncio.create_task(_progress(watch, seconds))
    try:
        await run_load(tenants, url, tally, seconds)
    finally:
        for task in (watching, showing):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
    after = await watch.quiet(SPARE_WORKERS)
    return watch, tally, await _ending(node.process.pid, tenants, tally, before, after)


async def _ending(node: int, tenants: Sequence[Tenant], tally: Tally, before: int, after: int) -> Ending:
    """Observes the node while it still runs. The remains of its stop are not known yet."""
    found = family(node)
    balances = [await tenant.ask("billing/balance") for tenant in tenants]
    return Ending(
        quiet_descriptors_before=before,
        quiet_descriptors_after=after,
        workers_beyond_spares=max(0, len(found.workers) - SPARE_WORKERS),
        zygotes=len(found.zygotes),
        zombies=len(found.zombies),
        reserved_cents=sum(balance["reserved_cents"] for balance in balances),
        left_after_stop=0,
        unexpected_answers=tally.unexpected,
        unanswered_kinds=sum(1 for kind in KINDS if not tally.answered[kind.name]),
    )


async def _progress(watch: Watch, seconds: float) -> None:
    begun = time.monotonic()
    while True:
        await asyncio.sleep(60)
        last = watch.samples[-1]
        print(
            f"soak: {time.monotonic() - begun:.0f} of {seconds:.0f} s, {last.answers} answers, "
            f"node {last.node_rss / MIB:.1f} MiB, zygote {last.zygote_rss / MIB:.1f} MiB, "
            f"a worker {last.worker_rss / MIB:.1f} MiB",
            file=sys.stderr,
        )


def _show_samples(samples: Sequence[Sample]) -> None:
    table = Table(title="every so many seconds; memory in MiB")
    for column in ("s", "node RSS", "PSS", "zygote RSS", "PSS", "worker RSS", "zygote", "fds", "zygote fds", "threads"):
        table.add_column(column, justify="right")
    for column in ("processes", "zombies", "answers"):
        table.add_column(column, justify="right")
    for each in samples[:: max(1, len(samples) // SHOWN_SAMPLES)]:
        memory = (each.node_rss, each.node_pss, each.zygote_rss, each.zygote_pss, each.worker_rss)
        rest = (each.zygote_pid, each.node_descriptors, each.zygote_descriptors, each.node_threads, each.processes)
        cells = [f"{value / MIB:.1f}" for value in memory] + [str(value) for value in rest]
        table.add_row(f"{each.at_s:.0f}", *cells, str(len(each.zombies)), str(each.answers))
    Console(width=140).print(table)


def _show_verdicts(verdicts: Sequence[Verdict], tally: Tally) -> None:
    answers = Table("kind of action", "answered or hung up on")
    for kind in KINDS:
        answers.add_row(kind.name, str(tally.answered[kind.name]))
    table = Table("what must hold", "measured", "at most", "")
    for each in verdicts:
        measured = f"{each.measured:.2f} {each.unit}" if each.unit == "MiB" else f"{each.measured:.4g} {each.unit}"
        table.add_row(each.name, measured, f"{each.bound:g} {each.unit}", "holds" if each.holds else "FAILS")
    console = Console(width=140)
    console.print(answers)
    console.print(table)
    for text in tally.shown:
        console.print(f"unexpected: {text}", markup=False)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long the load lasts (SOAK_S of make)")
    parser.add_argument("--interval", type=float, default=3.0, help="seconds between two looks")
    parser.add_argument("--json", type=Path, help="a file for all samples and verdicts")
    return parser.parse_args()


def main() -> int:
    """Returns the exit status."""
    told = _arguments()
    with (
        tempfile.TemporaryDirectory() as directory,
        served(serve_prices) as origin,
        served(serve_processor) as processor,
    ):
        with running_node(Path(directory), SETTINGS | billed_by(processor.url)) as node:
            watch, tally, ending = asyncio.run(_soak(node, origin.url, told.seconds, told.interval))
        # After the node's end, any process that it started and did not stop is still there.
        left = watch.left()
    ended = Ending(**(asdict(ending) | {"left_after_stop": left}))
    verdicts = judge(watch.samples, ended, Bounds())
    _show_samples(watch.samples)
    _show_verdicts(verdicts, tally)
    if told.json:
        shown = [asdict(each) | {"zombies": sorted(each.zombies)} for each in watch.samples]
        told.json.write_text(json.dumps({"samples": shown, "verdicts": [asdict(each) for each in verdicts]}, indent=1))
    return 0 if all(verdict.holds for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
