"""Where the server is, whom to believe to be it, and what is never told of the URL."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from node.database.port import DatabaseUnavailableError, Reader, Statement, StatementRefusedError, whole
from node.database.postgres import PostgresDatabase
from node.database.postgres_address import address_of
from node.errors import DomainError, StartupRefusedError
from node.ledger.check import check, postgres_source
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.clock import FakeClock
from tests.support.constants import replace_constants
from tests.support.ledgers import ACCOUNT, CENT, RUN, cents, give, pay
from tests.support.postgres import PASSWORD, PostgresServer, write_certificate
from tests.support.postgres_ledger import PostgresWorld, impatient

SECRET = "s3cr3t%2Fof%40us"  # as it stands in a URL
PLAIN = "s3cr3t/of@us"
HURRIED = impatient(settle_patience_s=0.5, reserve_patience_s=0.5)


@contextlib.asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresLedger]:
    ledger = await PostgresLedger.open(url, "a", HURRIED, FakeClock())
    try:
        yield ledger
    finally:
        await ledger.close()


async def refusal_of(url: str, setting: str = "ledger_url") -> str:
    with pytest.raises(StartupRefusedError) as refused:
        await PostgresLedger.open(url, "a", HURRIED, FakeClock())
    assert refused.value.setting == setting
    return str(refused.value)


def test_a_url_is_read_as_postgresql_clients_read_it() -> None:
    address = address_of(f"postgresql://me:{SECRET}@db.example:6543/credits")
    assert (address.host, address.port, address.user, address.database) == ("db.example", 6543, "me", "credits")
    assert address.password == PLAIN
    assert address_of("postgres://me@[::1]/credits").host == "::1"
    assert address_of("postgres://me@[::1]/credits").port == 5432
    assert address_of("postgresql://me@/credits?host=/run/postgresql").host == "/run/postgresql"


def test_a_server_is_verified_by_name_unless_the_url_says_otherwise(tmp_path: Path) -> None:
    write_certificate(tmp_path, "db.example")
    root = f"&sslrootcert={tmp_path}/server.pem"

    def tls(query: str) -> tuple[bool, ssl.VerifyMode] | None:
        context = address_of(f"postgresql://me@db.example/credits{query}").tls
        return None if context is None else (context.check_hostname, context.verify_mode)

    assert tls("") == tls("?sslmode=verify-full") == (True, ssl.CERT_REQUIRED)
    assert tls("?sslmode=verify-ca") == tls(f"?sslmode=require{root}") == (False, ssl.CERT_REQUIRED)
    assert tls("?sslmode=require") == (False, ssl.CERT_NONE)
    assert tls("?sslmode=disable") is None
    assert address_of("postgresql://me@/credits?host=/run/postgresql").tls is None


@pytest.mark.parametrize(
    "url",
    [
        f"mysql://me:{SECRET}@db.example/credits",
        f"postgresql://me:{SECRET}@db.example",
        f"postgresql://me:{SECRET}@/credits",
        f"postgresql://:{SECRET}@db.example/credits",
        f"postgresql://me:{SECRET}@db.example:port/credits",
        f"postgresql://me:{SECRET}/half@db.example/credits",
        f"postgresql://me:{SECRET}@db.example/credits?sslmode=prefer",
        f"postgresql://me:{SECRET}@db.example/credits?sslmode=allow",
        f"postgresql://me:{SECRET}@db.example/credits?sslmode={SECRET}",
        f"postgresql://me:{SECRET}@db.example/credits?sslrootcert=/nowhere/{SECRET}",
        f"postgresql://me:{SECRET}@db.example/credits?sslmode=disable&sslrootcert=/etc/hostname",
        f"postgresql://me:{SECRET}@db.example/credits?sslrootcert=/etc/hostname",
        f"postgresql://me:{SECRET}@db.example/credits?options=-csearch_path",
        f"postgresql://me:{SECRET}@db.example/credits?{SECRET}",
        f"postgresql://me:{SECRET}@[db.example/credits",
        f"postgresql://me%00{SECRET}:x@db.example/credits",
        f"postgresql://me:{SECRET}%00@db.example/credits",
        f"postgresql://me:{SECRET}@db.example%00/credits",
        f"postgresql://me:{SECRET}@/credits?host=db.example%0A",
        f"postgresql://me:{SECRET}@db.example/credits%00synchronous_commit%00off",
        f"postgresql://me:p@{SECRET}/rest@db.example/credits",
        SECRET,
    ],
)
def test_what_is_wrong_with_a_url_is_said_without_saying_it(url: str) -> None:
    with pytest.raises(StartupRefusedError) as refused:
        address_of(url)
    assert refused.value.setting == "ledger_url"
    shown = repr(refused.value) + str(refused.value) + repr(refused.value.__cause__) + repr(refused.value.__context__)
    assert "s3cr3t" not in shown


async def test_a_server_with_the_named_certificate_is_believed(postgres: PostgresServer) -> None:
    role = postgres.new_role()
    url = postgres.url(role, f"?sslrootcert={postgres.ca_file}", "localhost")
    async with opened(url) as ledger:
        await give(ledger, 3)
        ((((version,),)),) = await ledger.read(
            Statement(
                "SELECT min(version) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()"
            )
        )
        assert str(version).startswith("TLSv1.")


@pytest.mark.parametrize(
    ("query", "host"), [("", "localhost"), ("?sslmode=verify-ca", "localhost"), (None, "127.0.0.1")]
)
async def test_a_server_that_proves_nothing_is_refused(postgres: PostgresServer, query: str | None, host: str) -> None:
    """An authority nobody named, and a name that is not in the certificate."""
    role = postgres.new_role()
    url = postgres.url(role, query if query is not None else f"?sslrootcert={postgres.ca_file}", host)
    refusal = await refusal_of(url, "ledger_ca_pem" if query is not None else "ledger_url")
    assert PASSWORD not in refusal


async def test_a_server_without_tls_is_refused_where_tls_was_not_waived() -> None:
    async def refuse_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.append(task)
        asked.append(await reader.read(1024))
        writer.write(b"N")
        asked.append(await reader.read(1024))
        writer.close()
        await writer.wait_closed()

    asked: list[bytes] = []
    handlers: list[asyncio.Task[object]] = []
    async with await asyncio.start_server(refuse_tls, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert SECRET not in await refusal_of(f"postgresql://me:{SECRET}@127.0.0.1:{port}/credits")
        await asyncio.gather(*handlers)
    assert b"me" not in b"".join(asked)


async def test_the_password_is_told_to_nobody_but_the_server(
    world: PostgresWorld, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = world.url.replace(PASSWORD, SECRET)
    refusal = await refusal_of(wrong)
    ledger = await world.node("a", postgres=HURRIED)
    world.sql(f"ALTER ROLE {world.role} PASSWORD 'another'")
    for connections in (ledger._spending, ledger._database._connections):
        connections._end_idle()
    with pytest.raises(DomainError) as out:
        await ledger.balance(ACCOUNT)
    assert isinstance(out.value, LedgerUnavailableError)
    world.sql(f"ALTER ROLE {world.role} PASSWORD '{PASSWORD}'")
    assert await ledger.balance(ACCOUNT) == cents(0)
    shown = (
        refusal + repr(ledger) + repr(ledger._address) + str(out.value) + repr(out.value) + repr(out.value.__cause__)
    )
    captured = capfd.readouterr()
    for secret in (PASSWORD, PLAIN, SECRET):
        assert secret not in shown + caplog.text + captured.out + captured.err


async def test_environment_and_home_say_nothing(
    world: PostgresWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """libpq's variables, which asyncpg reads as well, must not send the ledger, or its password, elsewhere."""
    for name, value in {
        "PGHOST": "elsewhere.example", "PGPORT": "1", "PGUSER": "nobody", "PGPASSWORD": "x", "PGDATABASE": "other",
        "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/nowhere", "PGTARGETSESSIONATTRS": "standby", "HOME": str(tmp_path),
        "PGSSLNEGOTIATION": "direct", "PGGSSLIB": "none", "PGKRBSRVNAME": "other", "PGSERVICE": "other",
        "PGPASSFILE": str(tmp_path / ".pgpass"), "PGSERVICEFILE": "/nowhere", "SSLKEYLOGFILE": str(tmp_path / "keys"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / ".pgpass").write_text("*:*:*:*:wrong")
    (tmp_path / ".pgpass").chmod(0o600)
    ledger = await world.node("a")
    await give(ledger, 3)
    await pay(ledger, "e1")
    assert await ledger.balance(ACCOUNT) == cents(2)
    assert not (tmp_path / "keys").exists()


async def test_whoever_may_only_read_can_check(world: PostgresWorld) -> None:
    ledger = await world.node("a")
    await give(ledger, 3)
    await pay(ledger, "e1")
    reader = world.server.new_role()
    world.sql(
        f"GRANT USAGE ON SCHEMA {world.role} TO {reader}; GRANT SELECT ON ALL TABLES IN SCHEMA {world.role} TO {reader}"
    )
    world.sql(f"ALTER ROLE {reader} SET search_path = {world.role}")
    async with postgres_source(world.server.url(reader)) as source:
        report = await check(source.reader, source.rules)
    assert report.holds
    assert (report.entries, report.accounts) == (2, 1)


async def test_a_read_leaves_the_time_out_of_writes_to_the_next_caller(world: PostgresWorld) -> None:
    database = PostgresDatabase(address_of(world.url), impatient())
    await database.prepare()
    time_out = Statement("SELECT current_setting('statement_timeout')")
    of_writes = await database.execute(time_out)
    assert await database.read(time_out) != of_writes
    assert await database.execute(time_out) == of_writes
    await database.close()


async def test_a_read_may_take_longer_than_a_write(world: PostgresWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement of the books' check or of a snapshot reads them all."""
    replace_constants(monkeypatch, "node.database", STATEMENT_TIMEOUT_S=0.5, ANSWER_GRACE_S=0.0)
    database = PostgresDatabase(address_of(world.url), impatient())
    slow = Statement("SELECT 1 FROM pg_sleep(0.7)")
    both = database.read(slow), database.at_one_moment(lambda reader: reader.read(slow))
    assert all(found == [[(1,)]] for found in await asyncio.gather(*both))
    await database.close()


async def test_a_read_that_failed_leaves_its_place_to_the_next(world: PostgresWorld) -> None:
    database = PostgresDatabase(address_of(world.url), impatient(books_connections=2, settle_patience_s=3.0))
    with pytest.raises(StatementRefusedError):
        await database.read(Statement("SELECT 1 FROM missing"))
    assert await database.read(Statement("SELECT 1")) == [[(1,)]]
    await database.close()


async def test_a_snapshot_whose_connection_is_lost_is_not_begun_again(world: PostgresWorld) -> None:
    """Rows read before the loss would be mixed with those of another moment."""
    database = PostgresDatabase(address_of(world.url), impatient(settle_patience_s=3.0))
    begun = 0

    async def cut(reader: Reader) -> None:
        nonlocal begun
        begun += 1
        (((backend,),),) = await reader.read(Statement("SELECT pg_backend_pid()"))
        await world.change(f"SELECT pg_terminate_backend({whole(backend)})")
        await reader.read(Statement("SELECT 1"))

    with pytest.raises(DatabaseUnavailableError):
        await database.at_one_moment(cut)
    assert begun == 1
    await database.close()


@pytest.mark.exhaustive
async def test_books_that_take_every_connection_hold_no_charge_up(
    world: PostgresWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.database.postgres_connections.LOCK_TIMEOUT_S", 0.5)
    ledger = await world.node("a", postgres=impatient(books_connections=2, settle_patience_s=4.0))
    await give(ledger, 3)
    await ledger.migrate("parcels", ["CREATE TABLE parcel (name TEXT)"])
    blocker = await asyncpg.connect(world.url)
    await blocker.execute("BEGIN; LOCK TABLE parcel")
    insert = Statement("INSERT INTO parcel (name) VALUES (?)", ("a",))
    stuck = [asyncio.create_task(ledger.execute(insert)) for _ in range(5)]
    await asyncio.sleep(0)
    for number in range(3):
        await pay(ledger, f"e{number}")
    assert not any(each.done() and each.exception() is None for each in stuck)
    outcomes = await asyncio.gather(*stuck, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, DomainError)} == {LedgerUnavailableError}
    await blocker.execute("ROLLBACK")
    await blocker.close()
    await ledger.execute(insert)
    assert world.sql("SELECT count(*) FROM parcel") == "1"


async def test_one_account_that_somebody_has_locked_holds_no_other_up(
    world: PostgresWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.database.postgres_connections.LOCK_TIMEOUT_S", 0.5)
    ledger = await world.node("a", postgres=impatient(reserve_patience_s=60.0))
    await give(ledger, 3)
    await give(ledger, 3, 0xBAD, "payment:pi_2")
    blocker = await asyncpg.connect(world.url)
    await blocker.execute("BEGIN; SELECT 1 FROM ledger_account WHERE book LIKE '%bad' FOR UPDATE")
    waiting = asyncio.create_task(ledger.reserve(Spender(0xBAD), "bad", CENT))
    async with asyncio.timeout(20):
        await asyncio.gather(*(pay(ledger, f"e{number}") for number in range(3)))
    assert not waiting.done()
    await blocker.execute("ROLLBACK")
    await blocker.close()
    await waiting
    await ledger.settle("bad", CENT, RUN)
    assert await ledger.balance(0xBAD) == cents(2)
