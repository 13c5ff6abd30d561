"""Rows of Idempotency-Keys in the database, which nodes may share.

A row holds a claim and then the sealed response, under a MAC as its id. Ids, MACs and sealed
responses are stored as text, times as unix microseconds. A claim excludes all other processes, so
it must end with its work. `IdempotencyStore.maintain` releases the claims of this process that no
request works on, and those of processes that have ended (node.database.lease).
"""

import asyncio
import base64
import contextlib
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from node.database import lease
from node.database.port import Database, Statement, whole
from node.database.port import Row as Values
from node.errors import DomainError
from node.http.answers import Logger
from node.runtime.limits import LimitReachedError
from node.runtime.tasks import TaskSet
from node.settings.http import HttpSettings

MICROSECONDS: Final = 1_000_000
MOST_AT_ONCE: Final = 10_000
"""Rows that one transaction of a purge drops; it blocks other transactions for under a second."""
ADDRESS: Final = "address:"
"""Prefix of an owner that is a client address instead of an account."""
ADDRESSES_PART: Final = 4
"""Client addresses cost nothing, so all of them together get a quarter of the store."""
FAIR_PART: Final = 16
"""An owner may claim while it holds less than a sixteenth of the free rest of its part. The first
owner gets a seventeenth, later ones less. Sixteen greedy owners leave a third to the others."""
UNSTORED_MAX_BYTES: Final = 64 * 1024 * 1024
"""Most bytes of responses kept in memory while the database is out."""
COMPONENT: Final = "idempotency"
"""Component of the tables, and scope of the leases. A lease's name is the `holder` of claims."""
SHARE_FULL_RETRY_AFTER_S: Final = 60
"""Reservations of requests in work end within minutes; stored responses stay for a day."""
ROW_BYTES: Final = 400
"""Approximate size of a row without its response."""

STEPS: Final = (
    f"""CREATE TABLE idempotency (
        id TEXT PRIMARY KEY,
        body_mac TEXT NOT NULL,
        created_us BIGINT NOT NULL,
        holder TEXT NOT NULL,
        claim TEXT NOT NULL,
        claims BIGINT NOT NULL DEFAULT 1,
        finished_us BIGINT,
        shows_secret BIGINT NOT NULL DEFAULT 0,
        refused BIGINT NOT NULL DEFAULT 0,
        size_bytes BIGINT NOT NULL DEFAULT {ROW_BYTES},
        sealed TEXT
    )""",
    "CREATE INDEX idempotency_by_age ON idempotency (created_us)",
    """CREATE INDEX idempotency_secrets ON idempotency (finished_us)
        WHERE shows_secret = 1 AND sealed IS NOT NULL""",
    "CREATE INDEX idempotency_open ON idempotency (holder) WHERE finished_us IS NULL",
    "CREATE TABLE idempotency_life (life TEXT PRIMARY KEY, beat BIGINT NOT NULL)",
    "ALTER TABLE idempotency DROP COLUMN refused",
    "ALTER TABLE idempotency ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE idempotency ADD COLUMN counted_bytes BIGINT NOT NULL DEFAULT 0",
    "CREATE INDEX idempotency_uncounted ON idempotency (owner) WHERE size_bytes <> counted_bytes",
    """CREATE TABLE idempotency_owner (
        owner TEXT PRIMARY KEY,
        claims BIGINT NOT NULL,
        bytes BIGINT NOT NULL DEFAULT 0,
        answers BIGINT NOT NULL DEFAULT 0
    )""",
    "ALTER TABLE idempotency ADD COLUMN begun TEXT NOT NULL DEFAULT ''",
    # Processes have leases instead of heartbeats now.
    "DROP TABLE idempotency_life",
)
"""Table idempotency: `claim` is the token of the last claim, '' after its release. `holder` is the
process that made it. `claims` counts claims. `finished_us` is set with the final response. `begun`
is the cause of a run's charge, set before the run begins; the run never begins again. `owner` is a
MAC of the account, or of the client address of a caller without a key; it is charged for the row.
`size_bytes` is the row's part of the owner's share: the largest possible response from the claim
on, the stored size after the end, 0 for a row that is about to be dropped. `counted_bytes` is the
part included in the owner's `bytes`. After each transaction it equals `size_bytes`.
Table idempotency_owner: sums over an owner's rows, so that a claim need not add them up. Changing
`claims` locks the row.
"""

_COLUMNS: Final = "body_mac, created_us, claim, claims, finished_us, shows_secret, sealed, owner, begun"
_SELECT: Final = f"SELECT {_COLUMNS} FROM idempotency WHERE id = ?"  # noqa: S608 - constants
_LOCK_OWNER: Final = """
    INSERT INTO idempotency_owner (owner, claims) VALUES (?, 1)
    ON CONFLICT (owner) DO UPDATE SET claims = idempotency_owner.claims + 1
"""
"""Serialises one owner's claims across nodes: each claim sees the reservations before it."""
_LOCK_OWNER_OF: Final = """
    UPDATE idempotency_owner SET claims = claims + 1 WHERE owner = (SELECT owner FROM idempotency WHERE id = ?)
"""
"""Locks an owner's row before any row of that owner, so that transactions cannot deadlock."""
_ANSWERS: Final = """
    CASE WHEN size_bytes = counted_bytes THEN 0 WHEN counted_bytes = 0 THEN 1 WHEN size_bytes = 0 THEN -1 ELSE 0 END
"""


def _counting(rows: str) -> Sequence[str]:
    """Returns SQL that counts these rows in their owners' shares and drops those of size 0."""
    changed = f"FROM idempotency AS changed WHERE changed.owner = idempotency_owner.owner AND {rows}"
    return (
        f"""
        UPDATE idempotency_owner SET bytes = bytes + (SELECT sum(size_bytes - counted_bytes) {changed}),
            answers = answers + (SELECT sum({_ANSWERS}) {changed})
        WHERE owner IN (SELECT owner FROM idempotency WHERE {rows})
        """,  # noqa: S608 - constants
        f"DELETE FROM idempotency WHERE size_bytes = 0 AND {rows}",  # noqa: S608 - constants
        f"UPDATE idempotency SET counted_bytes = size_bytes WHERE size_bytes <> counted_bytes AND {rows}",  # noqa: S608 - constants
    )


_COUNT_ONE: Final = _counting("id = ?")
_COUNT_ALL: Final = _counting("size_bytes <> counted_bytes")
"""Counts many changed rows. A size that differs from its count was changed by this transaction."""
_EXPIRE: Final = "UPDATE idempotency SET size_bytes = 0 WHERE id = ? AND coalesce(finished_us, created_us) <= ?"
_MAKE: Final = """
    INSERT INTO idempotency (id, body_mac, created_us, holder, claim, owner, size_bytes)
    SELECT ?, ?, ?, ?, ?, ?, ? FROM idempotency_owner AS held
    WHERE held.owner = ? AND held.bytes + ? <= ? AND held.bytes < ? AND held.answers < ? ON CONFLICT (id) DO NOTHING
"""
_TAKE_UP: Final = """
    UPDATE idempotency SET claim = ?, holder = ?, claims = claims + 1, size_bytes = ?
    WHERE id = ? AND body_mac = ? AND finished_us IS NULL AND claim <> ? AND (claim = '' OR holder = ?)
    AND ? - size_bytes + coalesce(
        (SELECT held.bytes FROM idempotency_owner AS held WHERE held.owner = idempotency.owner), 0
    ) <= ?
"""
_HELD: Final = """
    SELECT coalesce(max(bytes), 0), coalesce(max(answers), 0) FROM idempotency_owner
    WHERE owner = coalesce((SELECT owner FROM idempotency WHERE id = ?), ?)
"""
_FINISH: Final = """
    UPDATE idempotency SET claim = ?, sealed = ?, size_bytes = ?, finished_us = ?, shows_secret = ?
    WHERE id = ? AND finished_us IS NULL AND claim IN (?, '')
"""
_GIVEN_UP: Final = f"claim = '', size_bytes = {ROW_BYTES}"
"""Ends a claim without a response, and frees its reservation."""
_RELEASE: Final = f"""
    UPDATE idempotency SET {_GIVEN_UP}, begun = CASE WHEN ? = 1 THEN '' ELSE begun END
    WHERE id = ? AND claim = ? AND finished_us IS NULL
"""  # noqa: S608 - constants
_COMMIT: Final = "UPDATE idempotency SET begun = ? WHERE id = ? AND claim = ? AND finished_us IS NULL RETURNING id"
_FORGET: Final = "UPDATE idempotency SET size_bytes = 0 WHERE id = ? AND claim = ? AND finished_us IS NULL"
_CLAIMED_BY: Final = "SELECT id, claim FROM idempotency WHERE holder = ? AND finished_us IS NULL AND claim <> ''"
_OF_GONE: Final = f"finished_us IS NULL AND claim <> '' AND holder NOT IN ({lease.held_names(COMPONENT)})"
_LOCK_OWNERS_OF_GONE: Final = f"""
    UPDATE idempotency_owner SET claims = claims + 1 WHERE owner IN (SELECT owner FROM idempotency WHERE {_OF_GONE})
"""  # noqa: S608 - constants
_RELEASE_GONE: Final = f"UPDATE idempotency SET {_GIVEN_UP} WHERE {_OF_GONE} RETURNING id"  # noqa: S608 - constants
_ERASE: Final = f"""
    UPDATE idempotency SET sealed = NULL, size_bytes = {ROW_BYTES} WHERE id IN (
        SELECT id FROM idempotency WHERE shows_secret = 1 AND sealed IS NOT NULL AND finished_us <= ? LIMIT {MOST_AT_ONCE}
    ) RETURNING id
"""  # noqa: S608 - constants
_DROP: Final = f"""
    UPDATE idempotency SET size_bytes = 0 WHERE id IN (
        SELECT id FROM idempotency WHERE created_us <= ? AND coalesce(finished_us, created_us) <= ? LIMIT {MOST_AT_ONCE}
    ) RETURNING id
"""  # noqa: S608 - constants
_TOTAL: Final = f"""
    SELECT coalesce(sum(bytes), 0), coalesce(sum(CASE WHEN substr(owner, 1, {len(ADDRESS)}) = '{ADDRESS}' THEN bytes ELSE 0 END), 0)
    FROM idempotency_owner
"""  # noqa: S608 - constants
_FORGET_OWNERS: Final = "DELETE FROM idempotency_owner WHERE answers = 0"


@dataclass(frozen=True, slots=True)
class Row:
    """Row of one Idempotency-Key. `finished_at` (unix seconds) is None before the final response.

    `claim` is the token of the last claim; `fresh` says that it is the first one. `sealed` is None
    before the end, and again after its secret was erased. `owner` is charged for the row. `begun`
    is the cause of the charge of a run that has begun, perhaps at a node that ended; else ''.
    """

    body_mac: bytes
    created_us: int
    claim: str
    fresh: bool
    finished_at: float | None
    shows_secret: bool
    sealed: bytes | None
    owner: str
    begun: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Final response to be stored, at a unix time in seconds. It counts against `owner`'s share."""

    sealed: bytes
    at: float
    shows_secret: bool
    owner: str


@dataclass(frozen=True, slots=True)
class Share:
    """Part of the store that a request needs: its owner, and its largest response after sealing."""

    owner: str
    largest_sealed_bytes: int


class IdempotencyStore:
    """Claims, finishes and forgets rows; every change is durable when its call returns.

    `own_lease` is this process's lease; None if no other process uses the database. A token names a
    claim. Only the current claim may change a row, and must be released before the next one. Until
    they are stored, responses take at most UNSTORED_MAX_BYTES of memory; then the owner with the
    most loses its oldest. Methods raise DatabaseUnavailableError when the database is out.
    """

    def __init__(
        self,
        books: Database,
        settings: HttpSettings,
        own_lease: lease.ProcessLease | None,
        logger: Logger,
        monotonic: Callable[[], float],
    ) -> None:
        self.own_lease: Final = own_lease
        self._books = books
        self._holder = "alone" if own_lease is None else own_lease.name
        self._settings = settings
        self._kept_us = _microseconds(settings.http_idempotency_kept_s)
        self._secret_replay_us = _microseconds(settings.http_secret_replay_s)
        self._stored_by_accounts = self._stored_by_addresses = 0
        self._logger = logger
        self._monotonic = monotonic
        self._active: set[str] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._unstored: dict[bytes, tuple[str, Finish]] = {}
        self._releases = TaskSet("idempotency")

    async def open(self) -> None:
        """Create missing tables, take the lease, and end the claims of ended processes."""
        await self._books.migrate(lease.COMPONENT, lease.STEPS)
        await self._books.migrate(COMPONENT, STEPS)
        if self.own_lease is not None:
            await self.own_lease.take()
        # A killed process could not end its claims, and its requests ended with it.
        await self.release_gone()

    async def claim(self, row_id: bytes, body_mac: bytes, token: str, share: Share, now: float) -> Row:
        """Returns the row of this id, claimed under `token` if it is free or this process has it.

        A missing or expired row is created, if its owner holds less than its part of the free rest
        (FAIR_PART). A row stays unchanged if it is finished, has another body or is claimed by
        another process; then `Row.claim` is another token. A claim reserves the largest response
        in its owner's share, at most the whole share. Raises LimitReachedError when a bound is
        reached.
        """
        key, mac, now_us, owner = row_id.hex(), body_mac.hex(), _microseconds(now), share.owner
        bytes_max, fair_bytes = self._settings.http_idempotency_account_max_bytes, self._fair_bytes(owner)
        answers_max = self._settings.http_idempotency_account_max_answers
        # Reserved before the work, since a response that does not fit could not be repeated.
        reserved = min(_stored_bytes(share.largest_sealed_bytes), bytes_max)
        bounds = (owner, reserved, bytes_max, fair_bytes, answers_max)
        made = (key, mac, now_us, self._holder, token, owner, reserved, *bounds)
        taken_up = (token, self._holder, reserved, key, mac, token, self._holder, reserved, bytes_max)
        while True:
            # Lock, expire, make, take up, read. Expire comes first, since it frees the id.
            # One transaction under the owner's lock, so parallel claims cannot exceed the share.
            *_, found, ((held_bytes, answers),) = await self._books.execute(
                Statement(_LOCK_OWNER, (owner,)),
                *([] if self.own_lease is None else [self.own_lease.keep()]),
                Statement(_EXPIRE, (key, now_us - self._kept_us)),
                *_counted(key),
                Statement(_MAKE, made),
                Statement(_TAKE_UP, taken_up),
                *_counted(key),
                Statement(_SELECT, (key,)),
                Statement(_HELD, (key, owner)),
            )
            row = _row(found[0]) if found else None
            if row is not None and (row.claim or row.finished_at is not None or row.body_mac != body_mac):
                return row
            # The INSERT checks all bounds together, so the exceeded one is found here.
            if row is None and whole(held_bytes) >= fair_bytes:
                raise _share_full("http_idempotency_max_bytes")
            if row is None and whole(answers) >= answers_max:
                raise _share_full("http_idempotency_account_max_answers")
            if whole(held_bytes) - (ROW_BYTES if row else 0) + reserved > bytes_max:
                raise _share_full("http_idempotency_account_max_bytes")
            # Another node released and dropped the row between the statements, so claim again.

    def _fair_bytes(self, owner: str) -> int:
        """Returns the bytes this owner may hold when it claims, by the last count of `purge`."""
        of_addresses = self._settings.http_idempotency_max_bytes // ADDRESSES_PART
        if owner.startswith(ADDRESS):
            return max(0, of_addresses - self._stored_by_addresses) // FAIR_PART
        return max(0, self._settings.http_idempotency_max_bytes - of_addresses - self._stored_by_accounts) // FAIR_PART

    async def finish(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """Store the final response unless another claim is valid or finished. Returns the row."""
        # Text instead of bytes, so that SQLite and PostgreSQL take the same statements.
        sealed = base64.b64encode(finish.sealed).decode()
        size, at = _stored_bytes(len(finish.sealed)), _microseconds(finish.at)
        finished = (token, sealed, size, at, int(finish.shows_secret))
        # Only under its own or a released claim: after a takeover the other response is final.
        found = await self._change_one(row_id, Statement(_FINISH, (*finished, row_id.hex(), token)))
        return _row(found[0]) if found else None

    async def commit(self, row_id: bytes, token: str, cause: str) -> bool:
        """Note that a run, charged under `cause`, will begin. Returns False for a lost claim."""
        # The row's size stays the same, so the owner's row need not be locked.
        (changed,) = await self._books.execute(Statement(_COMMIT, (cause, row_id.hex(), token)))
        return bool(changed)

    async def release(self, row_id: bytes, token: str, *, has_not_begun: bool = False) -> None:
        """End the claim without a response. `has_not_begun` clears the note of `commit`."""
        await self._change_one(row_id, Statement(_RELEASE, (int(has_not_begun), row_id.hex(), token)))

    async def forget(self, row_id: bytes, token: str) -> None:
        """Drop the row of a request that was refused before any work."""
        await self._change_one(row_id, Statement(_FORGET, (row_id.hex(), token)))

    async def release_gone(self) -> int:
        """End the claims of ended processes; without a lease, all. Returns their number."""
        _, released, *_ = await self._change_all(Statement(_LOCK_OWNERS_OF_GONE), Statement(_RELEASE_GONE))
        return len(released)

    async def end(self) -> None:
        """End every claim of this process when it stops."""
        if self.own_lease is not None:
            await self.own_lease.end()
        await self.release_gone()

    async def purge(self, now: float) -> None:
        """Erase secrets whose time is over, drop expired rows, and count the remaining bytes.

        `claim` uses this count for the bound on all owners, since it cannot read every row.
        """
        now_us = _microseconds(now)
        over = now_us - self._kept_us
        # Secrets first, since they must be erased in time even if the rest takes long.
        for change in (Statement(_ERASE, (now_us - self._secret_replay_us,)), Statement(_DROP, (over, over))):
            while len((await self._change_all(change))[0]) == MOST_AT_ONCE:
                continue
        ((total, of_addresses),) = (await self._books.read(Statement(_TOTAL)))[0]
        self._stored_by_addresses = whole(of_addresses)
        self._stored_by_accounts = whole(total) - self._stored_by_addresses
        await self._books.execute(Statement(_FORGET_OWNERS))

    @contextlib.contextmanager
    def working(self) -> Iterator[str]:
        """Yields the token of a new claim, valid in the context and until its response is kept."""
        token = secrets.token_hex(16)
        # Registered before the claim reaches the database, or `maintain` would release it.
        self._active.add(token)
        self._idle.clear()
        try:
            yield token
        finally:
            self._active.discard(token)
            if not self._active:
                self._idle.set()

    async def keep(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """Finish the row. If that fails, or the caller is cancelled, `maintain` repeats it."""
        # Before the await, so that after a cancellation or an outage `maintain` stores it.
        self._unstored[row_id] = (token, finish)
        self._bound_unstored()
        row = await self.finish(row_id, token, finish)
        self._unstored.pop(row_id, None)
        return row

    async def keep_earlier(self, row_id: bytes) -> None:
        """Store the response of this id that could not be stored before, if any."""
        if row_id in self._unstored:
            await self.keep(row_id, *self._unstored[row_id])

    def give_up(self, row_id: bytes, token: str, *, has_not_begun: bool) -> None:
        """Release the claim in a task of its own, unless a response waits to be stored."""

        async def releasing() -> None:
            with contextlib.suppress(DomainError):  # `maintain` releases it later
                await self.release(row_id, token, has_not_begun=has_not_begun)

        if row_id not in self._unstored:
            self._releases.start(releasing())

    async def maintain(self) -> None:
        """Renew the lease, store pending responses, and release idle or orphaned claims.

        Called RENEWALS_PER_LEASE times per lease.
        """
        if self.own_lease is None:
            await self._store_some()
            return
        # First, since the lease must not end while many responses are stored.
        await self.own_lease.renew()
        await self._store_some()
        (claimed,) = await self._books.execute(Statement(_CLAIMED_BY, (self._holder,)))
        # Read after the claims: an earlier set would lack a claim made during the query.
        kept = self._active | {token for token, _ in self._unstored.values()}
        for key, token in claimed:
            if token not in kept:
                await self.release(bytes.fromhex(str(key)), str(token))
        if await self.release_gone():
            self._logger.info("idempotency_claims_taken_over")

    async def close(self, wait_s: float) -> None:
        """Store pending responses and release every claim, as far as the database allows.

        First waits up to `wait_s` for the work in progress, which may have lost its connection.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._idle.wait()
        # Before the lease ends, or the releases would find their claims gone.
        await self._releases.drain()
        with contextlib.suppress(DomainError):
            for row_id in list(self._unstored):
                await self.keep_earlier(row_id)
            await self.end()

    async def _store_some(self) -> None:
        """Store pending responses for at most a third of a lease, to renew the lease in time."""
        until = self._monotonic() + (math.inf if self.own_lease is None else self.own_lease.renewal_interval_s)
        for row_id in list(self._unstored):
            if self._monotonic() >= until:
                return
            await self.keep_earlier(row_id)

    def _bound_unstored(self) -> None:
        held: Counter[str] = Counter()
        for _, finish in self._unstored.values():
            held[finish.owner] += len(finish.sealed)
        while held.total() > UNSTORED_MAX_BYTES and len(self._unstored) > 1:
            # An owner with large responses must not push out those of others.
            owner = max(held, key=lambda each: held[each])
            row_id, size = next((row, len(f.sealed)) for row, (_, f) in self._unstored.items() if f.owner == owner)
            del self._unstored[row_id]
            held[owner] -= size
            self._logger.error("idempotency_answer_lost")

    async def _change_one(self, row_id: bytes, change: Statement) -> Sequence[Values]:
        """Change a row and its owner's count in one transaction. Returns the row if it exists."""
        key = row_id.hex()
        # The owner's row is locked before its rows (see _LOCK_OWNER_OF).
        lock, shown = Statement(_LOCK_OWNER_OF, (key,)), Statement(_SELECT, (key,))
        *_, found = await self._books.execute(lock, change, *_counted(key), shown)
        return found

    async def _change_all(self, *changes: Statement) -> Sequence[Sequence[Values]]:
        """Change many rows and their owners' counts in one transaction. Returns each one's rows."""
        return await self._books.execute(*changes, *map(Statement, _COUNT_ALL))


def _counted(key: str) -> Sequence[Statement]:
    """Returns SQL that counts a row's size in its owner's share and drops it if the size is 0."""
    return [Statement(sql, (key,) * sql.count("?")) for sql in _COUNT_ONE]


def _share_full(limit: str) -> LimitReachedError:
    return LimitReachedError(
        "As many answers as may be are stored for Idempotency-Keys; nothing was done.",
        fix="Wait until answers under way have ended or stored ones are a day old, or send the request without the header.",
        limit=limit,
        retry_after_s=SHARE_FULL_RETRY_AFTER_S,
    )


def _stored_bytes(sealed_bytes: int) -> int:
    """Return the bytes of a row with a sealed response of this size, stored in base64."""
    return ROW_BYTES + (sealed_bytes + 2) // 3 * 4


def _row(values: Values) -> Row:
    body_mac, created_us, claim, claims, finished_us, shows_secret, sealed, owner, begun = values
    return Row(
        bytes.fromhex(str(body_mac)),
        whole(created_us),
        str(claim),
        whole(claims) == 1,
        None if finished_us is None else whole(finished_us) / MICROSECONDS,
        bool(shows_secret),
        None if sealed is None else base64.b64decode(str(sealed)),
        str(owner),
        str(begun),
    )


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS)
