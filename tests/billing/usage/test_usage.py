"""What an account was charged for, over HTTP, from a real ledger: whole, ordered, its own, and nobody else's."""

import asyncio
import csv
import io
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from node.billing.routes import usage_endpoints as endpoints
from node.billing.usage import UsageQuery, UsageService
from node.database.port import Row, Statement
from node.ledger.entries import account_book
from node.ledger.port import MICRODOLLARS_PER_CENT, Posting, Service, Source, Spender, Usage
from node.ledger.sqlite_ledger import SqliteLedger
from node.permissions.grants import Caller, Grants
from node.settings.credits import UsageSettings
from node.settings.ledger import LedgerSettings
from node.values import hash_of_text, new_key, u256_hex
from tests.support.clock import FakeClock
from tests.support.http_server import Server, World, serving

START_S = 1_700_000_000
EXPORTS = 6
"""Of CSV, a minute."""
CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"


@dataclass
class Accounts:
    """Two accounts; the first has a usage key. `charge` charges the first. `monotonic` is the rates' clock."""

    server: Server
    ledger: SqliteLedger
    clock: FakeClock
    monotonic: FakeClock
    owner: str
    usage: str
    other: str
    callers: dict[int, Caller]

    async def charge(self, cause: str, at_s: float, service: Service, *, by_usage_key: bool = False) -> None:
        self.clock.now = at_s
        account, usage_key = hash_of_text(self.owner), hash_of_text(self.usage) if by_usage_key else None
        cents = 3 if service is Service.EXECUTION else 1
        await self.ledger.reserve(Spender(account, usage_key), cause, cents * MICRODOLLARS_PER_CENT)
        told = (
            Usage(service, CID, f"request of {cause}", 2345)
            if service is Service.EXECUTION
            else Usage(service, "addGroup", f"request of {cause}")
        )
        await self.ledger.settle(cause, cents * MICRODOLLARS_PER_CENT, told)


@pytest.fixture
async def accounts(tmp_path: Path) -> AsyncIterator[Accounts]:
    world, clock = World(tmp_path), FakeClock(START_S)
    owner, usage, other = new_key(), new_key(), new_key()
    account = hash_of_text(owner)
    world.keys.callers[account] = Caller(account, account, True, None)
    world.keys.callers[hash_of_text(usage)] = Caller(hash_of_text(usage), account, True, Grants())
    world.keys.callers[hash_of_text(other)] = Caller(hash_of_text(other), hash_of_text(other), True, None)
    ledger = await SqliteLedger.open(tmp_path / "ledger.sqlite3", LedgerSettings(), clock)
    for rich in (account, hash_of_text(other)):
        await ledger.post(Posting(f"starter:{rich}", rich, Source.STARTER, 10**9))
    try:
        monotonic = FakeClock()
        service = UsageService(
            ledger, UsageSettings(usage_export_max_rows=150, usage_exports_per_minute_per_account=EXPORTS), monotonic
        )
        async with serving(endpoints(service), world) as server:
            yield Accounts(server, ledger, clock, monotonic, owner, usage, other, world.keys.callers)
    finally:
        await ledger.close()


async def usage(accounts: Accounts, query: str = "", key: str | None = None) -> list[dict[str, object]]:
    reply = await accounts.server.call("GET", f"/billing/usage{query}", key=key or accounts.owner)
    assert reply.status == 200, reply.body
    items: list[dict[str, object]] = reply.body
    return items


async def test_every_charge_is_told_with_what_it_was_for(accounts: Accounts) -> None:
    await accounts.charge("run", START_S + 1.25, Service.EXECUTION, by_usage_key=True)
    await accounts.charge("write", START_S + 2, Service.WRITE)
    assert await usage(accounts) == [
        {
            "id": "run",
            "time": "2023-11-14T22:13:21.250Z",
            "service": "execution",
            "charged_cents": 3,
            "api_key_hash": u256_hex(hash_of_text(accounts.usage)),
            "action_ipfs_cid": CID,
            "operation": None,
            "duration_ms": 2345,
            "request_id": "request of run",
        },
        {
            "id": "write",
            "time": "2023-11-14T22:13:22.000Z",
            "service": "write",
            "charged_cents": 1,
            "api_key_hash": None,
            "action_ipfs_cid": None,
            "operation": "addGroup",
            "duration_ms": None,
            "request_id": "request of write",
        },
    ]


async def test_nobody_fills_the_memory_with_exports(accounts: Accounts) -> None:
    """Each is megabytes until its client has read it, which may take a minute."""

    async def status(key: str, accept: str = "text/csv") -> int:
        headers = {"X-Api-Key": key, "Accept": accept}
        async with accounts.server.session.get(url(accounts, ""), headers=headers) as response:
            return response.status

    assert [await status(accounts.owner) for _ in range(EXPORTS + 1)] == [200] * EXPORTS + [429]
    assert [await status(key) for key in (accounts.usage, accounts.other)] == [200, 200]
    assert await status(accounts.owner, "application/json") == 200
    accounts.monotonic.advance(60 / EXPORTS)
    assert [await status(accounts.owner) for _ in range(2)] == [200, 429]


async def test_credit_that_was_bought_is_no_usage(accounts: Accounts) -> None:
    assert await usage(accounts) == []
    refund = Posting("refund:1", hash_of_text(accounts.owner), Source.CARD, -5)
    await accounts.ledger.post(refund)
    assert await usage(accounts) == []


async def test_a_usage_key_sees_its_own_charges_and_others_nothing(accounts: Accounts) -> None:
    await accounts.charge("by key", START_S, Service.EXECUTION, by_usage_key=True)
    await accounts.charge("by owner", START_S, Service.EXECUTION)
    assert [item["id"] for item in await usage(accounts, key=accounts.usage)] == ["by key"]
    assert [item["id"] for item in await usage(accounts)] == ["by key", "by owner"]
    assert await usage(accounts, key=accounts.other) == []


async def test_a_converted_account_keeps_what_it_was_charged(accounts: Accounts) -> None:
    """Its old key reads balance and lists still; usage keys go on being charged to the same account."""
    account = hash_of_text(accounts.owner)
    await accounts.charge("before", START_S, Service.WRITE)
    accounts.callers[account] = Caller(account, account, False, None)
    await accounts.charge("after", START_S + 1, Service.EXECUTION, by_usage_key=True)
    assert [item["id"] for item in await usage(accounts)] == ["before", "after"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?from=2023-11-14T22:13:21Z", ["b", "c"]),
        ("?from=1700000001", ["b", "c"]),
        ("?to=2023-11-14T22:13:21Z", ["a"]),
        ("?from=2023-11-14T23:13:21%2B01:00&to=2023-11-14T22:13:22Z", ["b"]),
        ("?from=2024-01-01T00:00:00Z", []),
        ("?from=1700000002&to=1700000001", []),
    ],
)
async def test_a_period_has_its_first_moment_and_not_its_last(
    accounts: Accounts, query: str, expected: list[str]
) -> None:
    for second, cause in enumerate("abc"):
        await accounts.charge(cause, START_S + second, Service.WRITE)
    assert [item["id"] for item in await usage(accounts, query)] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?from=2023-11-14T22:13:20.250Z", ["at .250", "at .251"]),
        ("?from=2023-11-14T22:13:20.249999Z", ["at .250", "at .251"]),
        ("?from=2023-11-14T22:13:20.250001Z", ["at .251"]),
        ("?from=2023-11-14T22:13:20.251Z", ["at .251"]),
        ("?from=2023-11-14T22:13:20.251001Z", []),
        ("?from=2023-11-14T22:13:21Z", []),
        ("?to=2023-11-14T22:13:20.250Z", []),
        ("?to=2023-11-14T22:13:20.250001Z", ["at .250"]),
        ("?to=2023-11-14T22:13:20.251Z", ["at .250"]),
        ("?to=2023-11-14T22:13:20.251001Z", ["at .250", "at .251"]),
    ],
)
async def test_a_part_of_a_second_counts_in_both_ends_of_a_period(
    accounts: Accounts, query: str, expected: list[str]
) -> None:
    await accounts.charge("at .250", START_S + 0.25, Service.WRITE)
    await accounts.charge("at .251", START_S + 0.251, Service.WRITE)
    assert [item["id"] for item in await usage(accounts, query)] == expected


@pytest.mark.parametrize(
    "query",
    [
        "?from=yesterday",
        "?from=2023-11-14T22:13:21",
        "?from=2023-11-14",
        "?to=",
        "?to=-1",
        "?from=0001-01-01T00:00:00%2B23:00",
        "?to=2023-13-01T00:00:00Z",
        "?to=٣",
        "?since=1",
        "?from=1&from=2",
    ],
)
async def test_a_period_that_is_none_is_refused(accounts: Accounts, query: str) -> None:
    reply = await accounts.server.call("GET", f"/billing/usage{query}", key=accounts.owner)
    assert (reply.status, reply.body["error"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "moment",
    [
        "2023-11-14T22:13:21+00:99",
        "2023-11-14T22:13:21-00:60",
        "2023-11-14T22:13:21+24:00",
        "2023-11-14T22:13:21+99:00",
        "2023-11-14T22:13:21+0100",
        "2023-11-14T22:13:21+01",
        "2023-11-14T22:13:21+01:00:30",
        "2023-11-14T22:13:21 01:00",
        "2023-11-14T24:00:00Z",
        "2023-11-14T25:00:00Z",
        "2023-11-14T22:60:00Z",
        "2023-11-14T22:13:60Z",
        "2023-02-29T00:00:00Z",
        "2023-04-31T00:00:00Z",
        "2023-00-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01",
        "2023-11-14T22:13:21.Z",
        "2023-11-14T22:13:21.1234567Z",
        "2023-11-14T22:13:21,5Z",
        "2023-11-14T22:13Z",
        "2023-11-14 22:13:21Z",
        "20231114T221321Z",
        "2023-W46-2T22:13:21Z",
        "2023-11-14T22:13:21Z\n",
        " 2023-11-14T22:13:21Z",
        "+2023-11-14T22:13:21Z",
        "1700000001.5",
        "1e9",
        "0x10",
        "+1700000001",
        "1_700_000_001",
        "999999999999",
        "NaN",
    ],
)
@pytest.mark.parametrize("end", ["from", "to"])
async def test_a_malformed_moment_is_refused_and_named(accounts: Accounts, end: str, moment: str) -> None:
    reply = await accounts.server.call("GET", f"/billing/usage?{end}={quote(moment)}", key=accounts.owner)
    assert (reply.status, reply.body["error"]) == (400, "bad_request")
    assert end in json.dumps(reply.body["details"]["fields"])


@pytest.mark.parametrize("offset", ["+23:59", "-23:59", "-00:00", "+05:45", "Z"])
async def test_every_offset_there_is_is_taken(accounts: Accounts, offset: str) -> None:
    query = f"/billing/usage?from={quote('2023-11-14T22:13:21.123456' + offset)}"
    assert (await accounts.server.call("GET", query, key=accounts.owner)).status == 200


async def test_pages_hold_every_charge_once(accounts: Accounts) -> None:
    causes = [f"run {number}" for number in range(25)]
    for number, cause in enumerate(causes):
        await accounts.charge(cause, START_S + number // 3, Service.EXECUTION)
    pages = [await usage(accounts, f"?page_size=10&page_number={number}") for number in range(4)]
    assert [item["id"] for page in pages for item in page] == causes
    reply = await accounts.server.call("GET", "/billing/usage?page_size=1", key=accounts.owner)
    assert reply.headers["X-Total-Count"] == "25"


async def test_csv_holds_the_whole_period(accounts: Accounts) -> None:
    for number in range(150):
        await accounts.charge(f"run {number}", START_S + number, Service.EXECUTION)
    rows = await export(accounts, "?page_size=1")
    assert [row["id"] for row in rows] == [f"run {number}" for number in range(150)]
    assert sum(int(row["charged_cents"]) for row in rows) == 450
    assert rows[0] == {name: "" if value is None else str(value) for name, value in (await usage(accounts))[0].items()}


async def test_a_period_too_long_for_one_answer_is_refused_as_csv_and_not_cut(accounts: Accounts) -> None:
    for number in range(151):
        await accounts.charge(f"run {number}", START_S + number, Service.EXECUTION)
    async with accounts.server.session.get(url(accounts), headers=csv_headers(accounts)) as response:
        body = await response.json()
    assert (response.status, body["error"]) == (400, "bad_request")
    assert "from" in body["fix"]
    assert len(await export(accounts, f"?from={START_S + 1}")) == 150


def url(accounts: Accounts, query: str = "") -> str:
    return f"http://127.0.0.1:{accounts.server.port}/core/v1/billing/usage{query}"


def csv_headers(accounts: Accounts) -> dict[str, str]:
    return {"X-Api-Key": accounts.owner, "Accept": "text/csv"}


async def export(accounts: Accounts, query: str = "") -> list[dict[str, str]]:
    async with accounts.server.session.get(url(accounts, query), headers=csv_headers(accounts)) as response:
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert response.headers["Vary"] == "Accept"
        assert response.headers["Content-Disposition"] == 'attachment; filename="usage.csv"'
        return list(csv.DictReader(io.StringIO(await response.text())))


MANY: Final = """
    INSERT INTO ledger_entry (cause, at_ms, debit_book, credit_book, amount_microdollars, what, request_id, duration_ms)
    WITH RECURSIVE run (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM run WHERE number < 60000)
    SELECT 'run ' || number, number, ?, 'execution', 10000, ?, 'request ' || number, 5 FROM run
"""


async def test_a_long_export_holds_nobody_up(accounts: Accounts) -> None:
    account = hash_of_text(accounts.owner)
    await accounts.ledger.execute(Statement(MANY, (account_book(account), CID)))
    caller = Caller(account, account, True, None)
    exporting = asyncio.create_task(UsageService(accounts.ledger).export(caller, UsageQuery()))
    began = seen = time.thread_time()  # what the loop itself does, however busy the machine is
    longest = 0.0
    while not exporting.done():
        await asyncio.sleep(0)
        longest, seen = max(longest, time.thread_time() - seen), time.thread_time()
    assert (await exporting).count(b"\r\n") == 60_001
    assert longest < (seen - began) / 3


@pytest.mark.parametrize("by_usage_key", [False, True])
async def test_charges_are_counted_without_looking_each_of_them_up(accounts: Accounts, by_usage_key: bool) -> None:
    """A key that asks again and again for the last page of many must not take the disk from those who settle."""
    asked: list[Statement] = []

    class Noting:
        async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
            asked.extend(statements)
            return await accounts.ledger.read(*statements)

    await accounts.charge("run", START_S, Service.EXECUTION, by_usage_key=by_usage_key)
    key = hash_of_text(accounts.usage if by_usage_key else accounts.owner)
    listing = await UsageService(Noting()).page(accounts.callers[key], UsageQuery())
    assert [item.id for item in listing.items] == ["run"]
    plans = [f"EXPLAIN QUERY PLAN {statement.sql}" for statement in asked]
    counted, paged = await accounts.ledger.read(*map(Statement, plans, [statement.values for statement in asked]))
    assert "USING COVERING INDEX ledger_entry_debited" in str(counted[0][3])
    assert [str(step[3]).split(" (")[0] for step in paged] == ["SEARCH ledger_entry USING INDEX ledger_entry_debited"]
