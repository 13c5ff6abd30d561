"""Calls of the API except actions, each beside the cheapest program that does the same work."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import aiohttp
from rich.console import Console
from rich.table import Table

from benchmarks.baselines import plain_handler, raw_transactions
from benchmarks.load import Figures, measure
from benchmarks.nodes import measured_node
from tests.support.node import NodeProcess

Once = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    concurrency: int
    node: Figures
    baseline_name: str
    baseline: Figures


UNBOUNDED_READS: Final = {
    "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ACCOUNT": "1000000000",
    "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ADDRESS": "1000000000",
}
"""Rate limits lifted, since one account and one address make all the load."""


class Subject:
    """Measured calls of one running node."""

    def __init__(self, session: aiohttp.ClientSession, node: NodeProcess) -> None:
        self._session = session
        self._api = node.api
        self._headers: dict[str, str] = {}

    async def sign_up(self) -> None:
        """Makes an account with one group to list."""
        async with self._session.post(f"{self._api}/new_account", json={"account_name": "bench"}) as response:
            self._headers = {"X-Api-Key": (await response.json())["api_key"]}
        await self.write()

    async def _ok(self, method: str, path: str, body: object = None) -> None:
        async with self._session.request(method, f"{self._api}/{path}", json=body, headers=self._headers) as response:
            text = await response.text()
            assert response.status == 200, text

    async def no_op(self) -> None:
        """Makes the node's cheapest call."""
        await self._ok("GET", "version")

    async def listing(self) -> None:
        """Makes a live contract read."""
        await self._ok("GET", "list_groups?page_size=1")

    async def write(self) -> None:
        """Makes an administrative write."""
        await self._ok("POST", "add_group", {"group_name": "bench"})


async def compare(
    named_node: tuple[str, Once],
    named_baseline: tuple[str, Once],
    *,
    concurrency: int,
    requests: int,
    warm_up: int = 20,
) -> Row:
    """Measures the node, then the baseline, with the same load."""
    (name, node), (baseline_name, baseline) = named_node, named_baseline
    print(f"measuring: {name}, {concurrency} at once", file=sys.stderr)
    figures = await measure(node, concurrency=concurrency, requests=requests, warm_up=warm_up)
    beside = await measure(baseline, concurrency=concurrency, requests=requests, warm_up=warm_up)
    return Row(name, concurrency, figures, baseline_name, beside)


async def reads(session: aiohttp.ClientSession) -> list[Row]:
    """Measures the calls that send no transaction."""
    rows: list[Row] = []
    async with measured_node(UNBOUNDED_READS) as node, plain_handler(session) as plain:
        subject = Subject(session, node)
        await subject.sign_up()
        for concurrency in (1, 16):
            load = {"concurrency": concurrency, "requests": 500 * min(concurrency, 4)}
            rows.append(await compare(("no-op", subject.no_op), ("plain aiohttp handler", plain), **load))
            rows.append(await compare(("list", subject.listing), ("plain aiohttp handler", plain), **load))
    return rows


async def instant_writes(session: aiohttp.ClientSession) -> list[Row]:
    """Measures writes on fresh chains, since anvil slows down as a chain grows."""
    rows: list[Row] = []
    for concurrency in (1, 16):
        async with measured_node({}) as node, raw_transactions(session, None) as raw:
            subject = Subject(session, node)
            await subject.sign_up()
            load = {"concurrency": concurrency, "requests": 400}
            rows.append(await compare(("write, instant blocks", subject.write), ("raw transaction", raw), **load))
    return rows


async def second_blocks(session: aiohttp.ClientSession) -> list[Row]:
    """Measures writes that wait for a block a second."""
    async with measured_node({"SVC_DEV_BLOCK_TIME_S": "1"}) as node, raw_transactions(session, 1) as raw:
        subject = Subject(session, node)
        await subject.sign_up()
        one = {"concurrency": 1, "requests": 15, "warm_up": 2}
        many = {"concurrency": 16, "requests": 160, "warm_up": 2}
        return [
            await compare(("write, 1 s blocks", subject.write), ("raw transaction", raw), **load)
            for load in (one, many)
        ]


def show(rows: list[Row]) -> None:
    """Prints the table. `ratio` is the node's requests per second over the baseline's."""
    table = Table("what", "at once", "req/s", "p50 ms", "p99 ms", "baseline", "req/s", "p50 ms", "p99 ms", "ratio")
    for row in rows:
        node, beside = row.node, row.baseline
        cells = [f"{node.per_second:.0f}", f"{node.p50_ms:.1f}", f"{node.p99_ms:.1f}", row.baseline_name]
        cells += [f"{beside.per_second:.0f}", f"{beside.p50_ms:.1f}", f"{beside.p99_ms:.1f}"]
        table.add_row(row.name, str(row.concurrency), *cells, f"{node.per_second / beside.per_second:.2f}")
    Console(width=140).print(table)
