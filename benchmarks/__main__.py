"""`make bench`: requests per second and p50/p99 of the node and its baselines, with the aims."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import aiohttp
from rich.console import Console
from rich.table import Table

from benchmarks.actions.comparison import aims_of_actions, compared_actions
from benchmarks.actions.costly_inputs import costly_inputs
from benchmarks.actions.engine_alone import aims_of_engines, engines
from benchmarks.actions.lines import Line, show_lines
from benchmarks.actions.neighbours import neighbours
from benchmarks.actions.node_part import node_part
from benchmarks.actions.sleeping import sleeping_actions
from benchmarks.aims import Aim, Finding, show_aims
from benchmarks.api_calls import Row, instant_writes, reads, second_blocks, show
from benchmarks.attestation import attestation_costs
from benchmarks.cached_decisions import cached_decisions
from benchmarks.client import client_costs
from benchmarks.cold_decisions import cold_decisions
from benchmarks.interpreter import interpreter
from benchmarks.ledger import ledger_costs
from benchmarks.propagation import propagation
from benchmarks.verifier import verifier_costs


@dataclass(frozen=True)
class Measured:
    """Results of the sections, by the table that shows them."""

    rows: list[Row] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    aims: list[Aim] = field(default_factory=list)


def show_findings(findings: list[Finding]) -> None:
    """Prints the figures, each with its bound if it has one."""
    table = Table("what", "measured", "at most")
    for each in findings:
        bound = "" if each.bound is None else f"{each.bound:g} {each.unit}"
        table.add_row(each.name, f"{each.value:.4g} {each.unit}", bound)
    Console(width=140).print(table)


Section = Callable[[], Coroutine[None, None, Measured]]


async def _reads() -> Measured:
    async with aiohttp.ClientSession() as session:
        return Measured(rows=await reads(session))


async def _writes() -> Measured:
    async with aiohttp.ClientSession() as session:
        return Measured(rows=[*await instant_writes(session), *await second_blocks(session)])


async def _decisions() -> Measured:
    print("measuring: cold decisions", file=sys.stderr)
    cold = await cold_decisions()
    rows = [Row(each.name, 1, each.decision, "bare eth_call", each.bare) for each in cold]
    print("measuring: cached decisions", file=sys.stderr)
    findings = [each.exchanges for each in cold] + await asyncio.to_thread(cached_decisions)
    return Measured(rows=rows, findings=findings)


async def _attestation() -> Measured:
    print("measuring: attestation", file=sys.stderr)
    async with aiohttp.ClientSession() as session:
        costs = await attestation_costs(session)
    return Measured(
        rows=[Row(cost.name, cost.concurrency, cost.figures, "no-op handler", cost.no_op) for cost in costs]
    )


async def _propagation() -> Measured:
    print("measuring: how soon changes hold on a second node", file=sys.stderr)
    return Measured(findings=await asyncio.to_thread(propagation))


async def _verifier() -> Measured:
    print("measuring: the verifier", file=sys.stderr)
    return Measured(findings=await asyncio.to_thread(verifier_costs))


async def _client() -> Measured:
    print("measuring: the client", file=sys.stderr)
    return Measured(findings=await asyncio.to_thread(client_costs))


async def _ledger() -> Measured:
    rows, findings, aims = await ledger_costs()
    return Measured(rows=rows, findings=findings, aims=aims)


async def _engine(before: Path | None) -> Measured:
    lines = await engines(before)
    return Measured(lines=lines, aims=aims_of_engines(lines))


async def _actions(before: Path | None) -> Measured:
    lines = await compared_actions(before)
    return Measured(lines=lines, aims=aims_of_actions(lines))


async def _node_part() -> Measured:
    return Measured(findings=await node_part())


async def _sleeping() -> Measured:
    findings, aims = await sleeping_actions()
    return Measured(findings=findings, aims=aims)


async def _neighbours() -> Measured:
    findings, aims = await neighbours()
    return Measured(findings=findings, aims=aims)


async def _costly_inputs() -> Measured:
    findings, aims = await costly_inputs()
    return Measured(findings=findings, aims=aims)


def sections(before: Path | None) -> dict[str, Section]:
    """Returns all sections by name, in the order of measurement."""
    return {
        "reads": _reads,
        "writes": _writes,
        "decisions": _decisions,
        "propagation": _propagation,
        "attestation": _attestation,
        "verifier": _verifier,
        "client": _client,
        "ledger": _ledger,
        "engine": partial(_engine, before),
        "node-part": _node_part,
        "actions": partial(_actions, before),
        "sleeping": _sleeping,
        "neighbours": _neighbours,
        "costly": _costly_inputs,
    }


def show_measured(measured: Measured) -> None:
    """Prints the tables that are not empty."""
    if measured.rows:
        show(measured.rows)
    if measured.lines:
        show_lines(measured.lines)
    if measured.findings:
        show_findings(measured.findings)
    if measured.aims:
        show_aims(measured.aims)


def main() -> None:
    """Measure the sections named, all without a name; `--json` prints the figures for machines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    names = list(sections(None))
    parser.add_argument("sections", nargs="*", choices=[*names, []], help=", ".join(names), metavar="section")
    parser.add_argument(
        "--before", type=Path, help="an older checkout with its own .venv, measured in turn with this one"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--interpreter", action="store_true", help="name the interpreter and measure nothing")
    told = parser.parse_args()
    if told.interpreter or not told.json:
        print(f"interpreter: {interpreter()}", flush=True)
    if told.interpreter:
        return
    chosen = sections(told.before and told.before.resolve())
    parts: dict[str, Measured] = {}
    for name in told.sections or chosen:
        parts[name] = asyncio.run(chosen[name]())
        if not told.json:
            show_measured(parts[name])
    if told.json:
        measured = {name: asdict(part) for name, part in parts.items()}
        print(json.dumps({"interpreter": interpreter(), "sections": measured}, indent=1))


if __name__ == "__main__":
    main()
