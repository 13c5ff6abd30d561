"""Rows of Idempotency-Keys in the database, which nodes may share: claims and sealed answers, found by a MAC.

Ids, MACs and sealed answers are stored as text, times as unix microseconds. A claim keeps all other
processes from a request, so it must not outlive the work: it ends with the stored answer, or is
released. `IdempotencyStore.maintain` releases claims of this process that no request works on, and
those of processes that are gone (node.database.lease).
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
"""Rows that one transaction of a purge drops: it locks others out for less than a second."""
ADDRESS: Final = "address:"
"""Prefix of an owner that is a client address and no account."""
ADDRESSES_PART: Final = 4
"""All addresses together may store a quarter of the whole, since they cost nothing; accounts the rest."""
FAIR_PART: Final = 16
"""An owner may claim while it holds less than a sixteenth of what is left of its part. One alone gets a seventeenth, and
each further one that takes all it can a little less: sixteen leave more than a third of it to others."""
UNSTORED_MAX_BYTES: Final = 64 * 1024 * 1024
"""Answers kept in memory until a database that is out can take them."""
COMPONENT: Final = "idempotency"
"""Component of the tables, and scope of the leases whose names are the `holder` of claims."""
SHARE_FULL_RETRY_AFTER_S: Final = 60
"""Reservations of requests under way end within minutes; stored answers stay for a day."""
ROW_BYTES: Final = 400
"""Approximate size of a row without its answer."""

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
    # Processes have leases instead of heartbeats; those that beat are gone.
    "DROP TABLE idempotency_life",
)
"""idempotency: `claim` is the token of the last claim, '' when it was released; `holder` is the process that made it;
`claims` counts them. `finished_us` is set with the final answer. `begun` is the cause of a run's charge, from before the run
begins on: it is never begun again.
`owner` is a MAC of the account, or of the client address of a caller without a key, whose share the row counts against.
`size_bytes` is the row's part of that share: from the claim on the largest answer the request may get, from the end on
what is stored, 0 when the row is about to be dropped. `counted_bytes` is the part of it that its owner's `bytes` hold:
equal to `size_bytes` after each transaction.
idempotency_owner: sums of the rows of an owner, kept so that a claim need not add them up. `claims` changes in order to
lock the row.
"""

_COLUMNS: Final = "body_mac, created_us, claim, claims, finished_us, shows_secret, sealed, owner, begun"
_SELECT: Final = f"SELECT {_COLUMNS} FROM idempotency WHERE id = ?"  # noqa: S608 - constants
_LOCK_OWNER: Final = """
    INSERT INTO idempotency_owner (owner, claims) VALUES (?, 1)
    ON CONFLICT (owner) DO UPDATE SET claims = idempotency_owner.claims + 1
"""
"""Serialises the claims of one owner across nodes: each claim sees what the one before reserved."""
_LOCK_OWNER_OF: Final = """
    UPDATE idempotency_owner SET claims = claims + 1 WHERE owner = (SELECT owner FROM idempotency WHERE id = ?)
"""
"""Lock order: the owner's row comes before any row of that owner. Otherwise two transactions could deadlock."""
_ANSWERS: Final = """
    CASE WHEN size_bytes = counted_bytes THEN 0 WHEN counted_bytes = 0 THEN 1 WHEN size_bytes = 0 THEN -1 ELSE 0 END
"""


def _counting(rows: str) -> Sequence[str]:
    """Returns SQL that counts these rows in their owners' shares, and drops those of size 0."""
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
"""Counts changes of many rows: rows whose size differs from what is counted are this transaction's own."""
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
"""Ends a claim without an answer, and returns what was reserved for it."""
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
    """Row of one Idempotency-Key. `finished_at` (unix seconds) is None until there is a final answer.

    `claim` is the token of the last claim; `fresh` says that it is the first one. `sealed` is None before the end, and
    again once an answer that shows a secret may not be shown any more. `owner` is whose share it counts against. `begun` is
    the cause of the charge of a run that has begun, perhaps at a node that is gone; '' otherwise.
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
    """A final answer to be stored, at a unix time in seconds; it counts against the share of `owner`."""

    sealed: bytes
    at: float
    shows_secret: bool
    owner: str


@dataclass(frozen=True, slots=True)
class Share:
    """Share that a request takes of the store: its owner, and the size of its largest answer once sealed."""

    owner: str
    largest_sealed_bytes: int


class IdempotencyStore:
    """Claims, finishes and forgets rows; every change is durable when its call returns.

    `own_lease` is this process's; None if the database is its alone. A claim is named by its token. A row is
    changed under its own claim alone: another claim needs a release before it. Answers that could not be
    stored yet take UNSTORED_MAX_BYTES of memory at most: beyond it the oldest of the owner that has most are
    dropped. Every method raises DatabaseUnavailableError when the database is out.
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
        """Create missing tables, take the lease, and end the claims of processes that are gone."""
        await self._books.migrate(lease.COMPONENT, lease.STEPS)
        await self._books.migrate(COMPONENT, STEPS)
        if self.own_lease is not None:
            await self.own_lease.take()
        # A process that was killed could not end its claims, and no request of it works any more.
        await self.release_gone()

    async def claim(self, row_id: bytes, body_mac: bytes, token: str, share: Share, now: float) -> Row:
        """Returns the row of this id, claimed under `token` when it is free or claimed by this very process.

        A missing or expired row is made. A row that is finished, has another body or is claimed by another
        process stays as it is: then `Row.claim` is another token. A claim reserves the largest answer in its
        owner's share, or the whole share if that is less. Raises LimitReachedError
        when a bound is reached. A row is made only while its
        owner holds less than its part of what is left (FAIR_PART).
        """
        key, mac, now_us, owner = row_id.hex(), body_mac.hex(), _microseconds(now), share.owner
        bytes_max, fair_bytes = self._settings.http_idempotency_account_max_bytes, self._fair_bytes(owner)
        answers_max = self._settings.http_idempotency_account_max_answers
        # The largest answer is reserved before the work: an answer that did not fit afterwards could not be repeated.
        reserved = min(_stored_bytes(share.largest_sealed_bytes), bytes_max)
        bounds = (owner, reserved, bytes_max, fair_bytes, answers_max)
        made = (key, mac, now_us, self._holder, token, owner, reserved, *bounds)
        taken_up = (token, self._holder, reserved, key, mac, token, self._holder, reserved, bytes_max)
        while True:
            # Order: lock, expire, make, take up, read. An expired row is dropped first, since its id may be used again.
            # One transaction under the owner's lock: parallel claims at two nodes cannot exceed the share together.
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
            # The cause is found afterwards: the statement that makes the row checks all bounds at once.
            if row is None and whole(held_bytes) >= fair_bytes:
                raise _share_full("http_idempotency_max_bytes")
            if row is None and whole(answers) >= answers_max:
                raise _share_full("http_idempotency_account_max_answers")
            if whole(held_bytes) - (ROW_BYTES if row else 0) + reserved > bytes_max:
                raise _share_full("http_idempotency_account_max_bytes")
            # Another node released and dropped the row between the statements: claim again.

    def _fair_bytes(self, owner: str) -> int:
        """Returns the bytes this owner may hold when it claims, by the last count of what is stored."""
        of_addresses = self._settings.http_idempotency_max_bytes // ADDRESSES_PART
        if owner.startswith(ADDRESS):
            return max(0, of_addresses - self._stored_by_addresses) // FAIR_PART
        return max(0, self._settings.http_idempotency_max_bytes - of_addresses - self._stored_by_accounts) // FAIR_PART

    async def finish(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """Store the final answer unless another claim is valid or has finished. Returns the row then."""
        # Text, not bytes: the statements are the same for SQLite and PostgreSQL.
        sealed = base64.b64encode(finish.sealed).decode()
        size, at = _stored_bytes(len(finish.sealed)), _microseconds(finish.at)
        finished = (token, sealed, size, at, int(finish.shows_secret))
        # Only under the own claim, or a released one: after a takeover the other node's answer is the one that counts.
        found = await self._change_one(row_id, Statement(_FINISH, (*finished, row_id.hex(), token)))
        return _row(found[0]) if found else None

    async def commit(self, row_id: bytes, token: str, cause: str) -> bool:
        """Note that a run, charged under `cause`, is about to begin. Returns False, with nothing noted, if the claim is lost."""
        # Its size stays, so its owner's count does, and the owner's row need not be locked.
        (changed,) = await self._books.execute(Statement(_COMMIT, (cause, row_id.hex(), token)))
        return bool(changed)

    async def release(self, row_id: bytes, token: str, *, has_not_begun: bool = False) -> None:
        """End the claim without an answer. What has begun stays noted, unless it surely has not."""
        await self._change_one(row_id, Statement(_RELEASE, (int(has_not_begun), row_id.hex(), token)))

    async def forget(self, row_id: bytes, token: str) -> None:
        """Drop the row: its request was refused before any work."""
        await self._change_one(row_id, Statement(_FORGET, (row_id.hex(), token)))

    async def release_gone(self) -> int:
        """End the claims of processes that are gone; without a lease, of all. Returns their number."""
        _, released, *_ = await self._change_all(Statement(_LOCK_OWNERS_OF_GONE), Statement(_RELEASE_GONE))
        return len(released)

    async def end(self) -> None:
        """End every claim of this process, which stops."""
        if self.own_lease is not None:
            await self.own_lease.end()
        await self.release_gone()

    async def purge(self, now: float) -> None:
        """Erase secrets that may not be shown any more, drop expired rows, and count what is left.

        The bound on all owners together uses this count: counting at each claim would read every row.
        """
        now_us = _microseconds(now)
        over = now_us - self._kept_us
        # Secrets first: they must be gone in time even if the rest takes long.
        for change in (Statement(_ERASE, (now_us - self._secret_replay_us,)), Statement(_DROP, (over, over))):
            while len((await self._change_all(change))[0]) == MOST_AT_ONCE:
                continue
        ((total, of_addresses),) = (await self._books.read(Statement(_TOTAL)))[0]
        self._stored_by_addresses = whole(of_addresses)
        self._stored_by_accounts = whole(total) - self._stored_by_addresses
        await self._books.execute(Statement(_FORGET_OWNERS))

    @contextlib.contextmanager
    def working(self) -> Iterator[str]:
        """Yields the token of a new claim, which is valid inside the context and while an answer under it is not stored."""
        token = secrets.token_hex(16)
        # Registered before the claim reaches the database: `maintain` would otherwise release it.
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
        # Before the await: a cancelled caller, or an outage, leaves the answer to `maintain`.
        self._unstored[row_id] = (token, finish)
        self._bound_unstored()
        row = await self.finish(row_id, token, finish)
        self._unstored.pop(row_id, None)
        return row

    async def keep_earlier(self, row_id: bytes) -> None:
        """Store the answer of this id that could not be stored before, if any."""
        if row_id in self._unstored:
            await self.keep(row_id, *self._unstored[row_id])

    def give_up(self, row_id: bytes, token: str, *, has_not_begun: bool) -> None:
        """Release the claim in the background, whatever happens to the caller, unless an answer is to be stored."""

        async def releasing() -> None:
            with contextlib.suppress(DomainError):  # `maintain` releases it later
                await self.release(row_id, token, has_not_begun=has_not_begun)

        if row_id not in self._unstored:
            self._releases.start(releasing())

    async def maintain(self) -> None:
        """Renew the lease, store what is pending, release claims without work and those of the gone.

        Called RENEWALS_PER_LEASE times in a lease.
        """
        if self.own_lease is None:
            await self._store_some()
            return
        # First: the lease must not end while many answers are stored.
        await self.own_lease.renew()
        await self._store_some()
        (claimed,) = await self._books.execute(Statement(_CLAIMED_BY, (self._holder,)))
        # After that: a claim made in between would otherwise be among the claimed and not the kept ones.
        kept = self._active | {token for token, _ in self._unstored.values()}
        for key, token in claimed:
            if token not in kept:
                await self.release(bytes.fromhex(str(key)), str(token))
        if await self.release_gone():
            self._logger.info("idempotency_claims_taken_over")

    async def close(self, wait_s: float) -> None:
        """Store what could not be stored, and release every claim, as far as the database allows.

        Waits so long for the work under way, some of which has no connection any more that others would wait for.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._idle.wait()
        # Before the end of the lease: a release after it would find no claim of its own.
        await self._releases.drain()
        with contextlib.suppress(DomainError):
            for row_id in list(self._unstored):
                await self.keep_earlier(row_id)
            await self.end()

    async def _store_some(self) -> None:
        """Store pending answers for a third of a lease at most, so that the next renewal is in time."""
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
            # One owner with large answers cannot push out those of others.
            owner = max(held, key=lambda each: held[each])
            row_id, size = next((row, len(f.sealed)) for row, (_, f) in self._unstored.items() if f.owner == owner)
            del self._unstored[row_id]
            held[owner] -= size
            self._logger.error("idempotency_answer_lost")

    async def _change_one(self, row_id: bytes, change: Statement) -> Sequence[Values]:
        """Change a row and its owner's count in one transaction. Returns the changed row, if any."""
        key = row_id.hex()
        # The owner's row is locked before its rows (see _LOCK_OWNER_OF).
        lock, shown = Statement(_LOCK_OWNER_OF, (key,)), Statement(_SELECT, (key,))
        *_, found = await self._books.execute(lock, change, *_counted(key), shown)
        return found

    async def _change_all(self, *changes: Statement) -> Sequence[Sequence[Values]]:
        """Change many rows and their owners' counts in one transaction. Returns the rows each statement returned."""
        return await self._books.execute(*changes, *map(Statement, _COUNT_ALL))


def _counted(key: str) -> Sequence[Statement]:
    """Returns statements that count a row's size in its owner's share, and drop the row if its size is 0."""
    return [Statement(sql, (key,) * sql.count("?")) for sql in _COUNT_ONE]


def _share_full(limit: str) -> LimitReachedError:
    return LimitReachedError(
        "As many answers as may be are stored for Idempotency-Keys; nothing was done.",
        fix="Wait until answers under way have ended or stored ones are a day old, or send the request without the header.",
        limit=limit,
        retry_after_s=SHARE_FULL_RETRY_AFTER_S,
    )


def _stored_bytes(sealed_bytes: int) -> int:
    """Return the bytes a row takes with an answer of so many bytes, which is stored in base64."""
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
