"""A start names what is wrong with the database, at once, in words that tell it from all else; and a private authority."""

import asyncio
import contextlib
import errno
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest

from node.database.port import Statement
from node.errors import StartupRefusedError
from node.ledger.check import postgres_source
from node.ledger.postgres_ledger import PostgresLedger
from node.settings.ledger import PostgresSettings
from tests.support.clock import FakeClock
from tests.support.ports import free_port
from tests.support.postgres import DATABASE, PASSWORD, PostgresServer, write_certificate
from tests.support.postgres_ledger import PostgresWorld

AT_ONCE_S = 8.0
"""Far below the 20 seconds for which a server that is about to come is waited for, on a machine that does much at once."""
ENCRYPTED = "SELECT bool_and(ssl)::int FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()"


def with_authority(file: Path) -> PostgresSettings:
    return PostgresSettings(ledger_ca_pem=file.read_text())


async def refusal_of(url: str, settings: PostgresSettings | None = None) -> StartupRefusedError:
    """Why a start with this URL is refused; it says no password, and comes at once."""
    begun = time.monotonic()
    with pytest.raises(StartupRefusedError) as refused:
        await PostgresLedger.open(url, "a", settings or PostgresSettings(), FakeClock())
    assert time.monotonic() - begun < AT_ONCE_S
    assert PASSWORD not in repr(refused.value)
    assert refused.value.__cause__ is None
    return refused.value


async def test_an_authority_of_the_settings_is_believed_in_the_system_s_place(postgres: PostgresServer) -> None:
    url = postgres.url(postgres.new_role(), "", "localhost")
    ledger = await PostgresLedger.open(url, "a", with_authority(postgres.ca_file), FakeClock())
    ((row,),) = await ledger.read(Statement(ENCRYPTED))
    assert row == (1,)
    await ledger.close()
    async with postgres_source(url, postgres.ca_file.read_text()) as source:
        ((row,),) = await source.reader.read(Statement(ENCRYPTED))
        assert row == (1,)


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_no_other_authority_is_believed_then_whatever_the_url_says(
    postgres: PostgresServer, tmp_path: Path, mode: str
) -> None:
    write_certificate(tmp_path, "localhost")
    url = postgres.url(postgres.new_role(), f"?sslmode={mode}", "localhost")
    refused = await refusal_of(url, with_authority(tmp_path / "ca.pem"))
    assert (refused.setting, "authority that is not trusted" in str(refused)) == ("ledger_ca_pem", True)


async def test_the_system_s_authorities_are_not_believed_beside_that_of_the_settings(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_certificate(tmp_path, "localhost")
    places = SimpleNamespace(openssl_cafile=str(postgres.ca_file), openssl_capath=str(tmp_path / "none"))
    monkeypatch.setattr("ssl.get_default_verify_paths", lambda: places)
    url = postgres.url(postgres.new_role(), "", "localhost")
    await (await PostgresLedger.open(url, "a", PostgresSettings(), FakeClock())).close()
    refused = await refusal_of(url, with_authority(tmp_path / "ca.pem"))
    assert (refused.setting, "authority that is not trusted" in str(refused)) == ("ledger_ca_pem", True)


async def test_an_authority_and_no_tls_is_refused(postgres: PostgresServer) -> None:
    settings, role = with_authority(postgres.ca_file), postgres.new_role()
    plain = await refusal_of(postgres.url(role), settings)
    two = await refusal_of(postgres.url(role, "?sslrootcert={postgres.ca_file}"), settings)
    assert (plain.setting, "sslmode=disable" in str(plain)) == ("ledger_ca_pem", True)
    assert (two.setting, "take one of them out" in str(two)) == ("ledger_ca_pem", True)


@pytest.mark.parametrize("query", ["", "?sslmode=verify-full", "?sslmode=require"])
async def test_an_authority_and_a_socket_is_refused_whatever_the_url_says_of_tls(
    postgres: PostgresServer, query: str
) -> None:
    folder = str(postgres.directory).replace("/", "%2f")
    url = f"postgresql://{postgres.new_role()}@{folder}/{DATABASE}{query}"
    refused = await refusal_of(url, with_authority(postgres.ca_file))
    assert (refused.setting, "a Unix socket" in str(refused)) == ("ledger_ca_pem", True)


async def test_each_fault_of_a_server_that_answers_has_its_own_words(postgres: PostgresServer) -> None:
    role, shut_out, locked_out = (postgres.new_role() for _ in range(3))
    postgres.sql(f"ALTER ROLE {locked_out} NOLOGIN")
    private = f"shut_{shut_out}"
    postgres.sql(f"CREATE DATABASE {private}")
    postgres.sql(f"REVOKE CONNECT ON DATABASE {private} FROM PUBLIC")
    trusted = f"?sslrootcert={postgres.ca_file}"
    said = {
        postgres.url(role).replace(PASSWORD, "another"): "refuses the password",
        postgres.url("nobody_at_all"): "refuses the password",
        postgres.url(locked_out): "does not admit the role",
        postgres.url(role).replace(f"/{DATABASE}?", "/elsewhere?"): "has no such database",
        postgres.url(shut_out).replace(f"/{DATABASE}", f"/{private}"): "GRANT CONNECT",
        postgres.url(role, "", "localhost"): "authority that is not trusted",
        postgres.url(role, trusted, "127.0.0.1"): "for another name",
    }
    for url, words in said.items():
        refused = await refusal_of(url)
        assert words in str(refused)
        assert refused.setting == ("ledger_ca_pem" if "authority" in words else "ledger_url")
    refused = await refusal_of(postgres.url(role, "?sslrootcert=/etc/ssl/certs/ca-certificates.crt", "localhost"))
    assert (refused.setting, "the file of sslrootcert" in str(refused)) == ("ledger_url", True)


async def test_a_server_that_admits_tls_alone_is_told_apart(fragile_world: PostgresWorld) -> None:
    server = fragile_world.server
    rules = server.directory / "data" / "pg_hba.conf"
    rules.write_text("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)
    assert "TLS or none" in str(await refusal_of(fragile_world.url))
    url = server.url(fragile_world.role, f"?sslrootcert={server.ca_file}&sslmode=verify-ca")
    await (await PostgresLedger.open(url, "a", PostgresSettings(), FakeClock())).close()


@contextlib.asynccontextmanager
async def stranger(answer: bytes | None) -> AsyncIterator[int]:
    """The port of something that is no PostgreSQL: it answers so, or never."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        if answer is not None:
            writer.write(answer)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def test_each_fault_of_a_server_that_does_not_serve_has_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.database.postgres_connections.CONNECT_TIMEOUT_S", 1.0)

    async def said(host: str, port: int) -> str:
        refused = await refusal_of(f"postgresql://me:{PASSWORD}@{host}:{port}/credits")
        assert refused.setting == "ledger_url"
        return str(refused)

    async with stranger(b"N") as port:
        assert "has no TLS" in await said("127.0.0.1", port)
    async with stranger(None) as port:
        assert "does not answer in time" in await said("127.0.0.1", port)
    assert "nothing listens there" in await said("127.0.0.1", free_port())
    for error, words in (
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "name that is not found"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "the routes to it"),
    ):
        connect = AsyncMock(side_effect=error)
        monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", connect)
        assert words in await said("database.example", 5432)


@pytest.mark.exhaustive
async def test_a_server_that_is_starting_is_waited_for(fragile_world: PostgresWorld) -> None:
    """A full server as well: both pass without help."""
    server = fragile_world.server
    server.sql(f"ALTER ROLE {fragile_world.role} CONNECTION LIMIT 0")
    opening = asyncio.create_task(fragile_world.node("a"))
    done, _ = await asyncio.wait([opening], timeout=1.2)
    assert not done
    server.sql(f"ALTER ROLE {fragile_world.role} CONNECTION LIMIT -1")
    await opening


async def test_a_server_that_stays_full_is_said_to_be(world: PostgresWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.database.postgres.START_PATIENCE_S", 0.6)
    world.server.sql(f"ALTER ROLE {world.role} CONNECTION LIMIT 0")
    assert "starting, stopping or full" in str(await refusal_of(world.url))
