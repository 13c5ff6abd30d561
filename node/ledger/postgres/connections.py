"""Connections to the server: few, kept, replaced when anything went wrong on them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final, TypeAlias

import asyncpg
from asyncpg.connect_utils import SessionAttribute

from node.ledger.postgres.address import PostgresAddress
from node.ledger.postgres.limits import PostgresLimits

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

APPLICATION_NAME: Final = "svc-node"
ANSWER_GRACE_S: Final = 1.0
"""What the server's answer may take longer than its own timeout: then the way to it is gone."""


class Connections:
    """At most `most` connections. Whatever fails on one ends it, and those that lie idle, which likely failed as well."""

    def __init__(self, address: PostgresAddress, limits: PostgresLimits, most: int) -> None:
        self._address = address
        self._limits = limits
        self._free = asyncio.Semaphore(most)
        self._idle: list[Connection] = []
        self.closed = False

    @contextlib.asynccontextmanager
    async def lend(self, wait_s: float) -> AsyncIterator[Connection]:
        """One connection, for this caller alone, waited for until others give theirs back.

        Raises what asyncpg raises, OSError, and TimeoutError when none is free in time.
        """
        async with asyncio.timeout(wait_s):
            await self._free.acquire()
        try:
            connection = await self._connected()
            try:
                yield connection
            except BaseException:
                connection.terminate()
                self._end_idle()
                raise
            self._idle.append(connection)
        finally:
            self._free.release()

    async def close(self) -> None:
        """End those that lie idle; no more are lent after that, by whoever asks `closed` first."""
        self.closed = True
        for connection in self._idle:
            with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=ANSWER_GRACE_S)
        self._idle.clear()

    async def _connected(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return await self._connect()

    async def _connect(self) -> Connection:
        """Everything is said, so that nothing is taken from the environment or a home directory."""
        address, limits = self._address, self._limits
        return await asyncpg.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password,
            database=address.database,
            ssl=address.tls or False,
            target_session_attrs=SessionAttribute.any,
            timeout=limits.connect_timeout_s,
            command_timeout=limits.statement_timeout_s + ANSWER_GRACE_S,
            server_settings={
                "application_name": APPLICATION_NAME,
                "statement_timeout": _milliseconds(limits.statement_timeout_s),
                "lock_timeout": _milliseconds(limits.lock_timeout_s),
                "idle_in_transaction_session_timeout": _milliseconds(limits.idle_in_transaction_timeout_s),
                "default_transaction_isolation": "read committed",
                "synchronous_commit": "on",
            },
        )

    def _end_idle(self) -> None:
        for connection in self._idle:
            connection.terminate()
        self._idle.clear()


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))
