"""Rows of Idempotency-Keys in the database, which nodes may share: claims and sealed answers, found by a MAC.

Ids, MACs and sealed answers are stored as text, times as unix microseconds. `life` and `beat` in the tables are an
instance of a node, that is one process of it, and its heartbeat.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from node.database.port import Database, Statement, Value
from node.database.port import Row as Values
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

COMPONENT: Final = "idempotency"

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
)
"""idempotency: `claim` is the token of the last claim, '' when it was released; `holder` is the instance that made it;
`claims` counts them. `finished_us` is set with the final answer. `begun` is the cause of a run's charge, from before the run
begins on: it is never begun again.
`owner` is a MAC of the account, or of the client address of a caller without a key, whose share the row counts against.
`size_bytes` is the row's part of that share: from the claim on the largest answer the request may get, from the end on
what is stored, 0 when the row is about to be dropped. `counted_bytes` is the part of it that its owner's `bytes` hold:
equal to `size_bytes` after each transaction.
idempotency_owner: sums of the rows of an owner, kept so that a claim need not add them up. `claims` changes in order to
lock the row.
idempotency_life: running instances; each increments its own `beat`.
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
_COUNT_ONE: Final = f"""
    UPDATE idempotency_owner SET
        bytes = bytes + (SELECT size_bytes - counted_bytes FROM idempotency WHERE id = ?),
        answers = answers + (SELECT {_ANSWERS} FROM idempotency WHERE id = ?)
    WHERE owner = (SELECT owner FROM idempotency WHERE id = ?)
"""  # noqa: S608 - constants
_DROP_ONE: Final = "DELETE FROM idempotency WHERE id = ? AND size_bytes = 0"
_COUNTED_ONE: Final = "UPDATE idempotency SET counted_bytes = size_bytes WHERE id = ? AND size_bytes <> counted_bytes"
_COUNT_ALL: Final = f"""
    UPDATE idempotency_owner SET
        bytes = bytes + (
            SELECT sum(size_bytes - counted_bytes) FROM idempotency AS changed
            WHERE changed.owner = idempotency_owner.owner AND size_bytes <> counted_bytes
        ),
        answers = answers + (
            SELECT sum({_ANSWERS}) FROM idempotency AS changed
            WHERE changed.owner = idempotency_owner.owner AND size_bytes <> counted_bytes
        )
    WHERE owner IN (SELECT owner FROM idempotency WHERE size_bytes <> counted_bytes)
"""  # noqa: S608 - constants
"""Counts changes of many rows: rows whose size differs from what is counted are this transaction's own."""
_DROP_ALL: Final = "DELETE FROM idempotency WHERE size_bytes = 0"
_COUNTED_ALL: Final = "UPDATE idempotency SET counted_bytes = size_bytes WHERE size_bytes <> counted_bytes"
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
_RELEASE: Final = f"UPDATE idempotency SET {_GIVEN_UP} WHERE id = ? AND claim = ? AND finished_us IS NULL"  # noqa: S608 - constants
_RELEASE_UNBEGUN: Final = f"""
    UPDATE idempotency SET {_GIVEN_UP}, begun = '' WHERE id = ? AND claim = ? AND finished_us IS NULL
"""  # noqa: S608 - constants
_COMMIT: Final = "UPDATE idempotency SET begun = ? WHERE id = ? AND claim = ? AND finished_us IS NULL RETURNING id"
_FORGET: Final = "UPDATE idempotency SET size_bytes = 0 WHERE id = ? AND claim = ? AND finished_us IS NULL"
_LOCK_OWNERS_OF_HOLDER: Final = """
    UPDATE idempotency_owner SET claims = claims + 1
    WHERE owner IN (SELECT owner FROM idempotency WHERE holder = ? AND finished_us IS NULL)
"""
_HEARTBEAT: Final = """
    INSERT INTO idempotency_life (life, beat) VALUES (?, 0)
    ON CONFLICT (life) DO UPDATE SET beat = idempotency_life.beat + 1
"""
_INSTANCES: Final = """
    SELECT life, beat FROM idempotency_life UNION ALL
    SELECT DISTINCT holder, -1 FROM idempotency
    WHERE finished_us IS NULL AND claim <> '' AND holder NOT IN (SELECT life FROM idempotency_life)
"""
"""Known instances, and instances that hold a claim without being known, with a heartbeat of -1."""
_CLAIMED_BY: Final = "SELECT id, claim FROM idempotency WHERE holder = ? AND finished_us IS NULL AND claim <> ''"
_TAKE_FROM: Final = f"""
    UPDATE idempotency SET {_GIVEN_UP} WHERE holder = ? AND finished_us IS NULL
    AND coalesce((SELECT beat FROM idempotency_life WHERE life = ?), -1) = ?
"""  # noqa: S608 - constants
_FORGET_INSTANCE: Final = "DELETE FROM idempotency_life WHERE life = ? AND beat = ?"
_END: Final = f"UPDATE idempotency SET {_GIVEN_UP} WHERE holder = ? AND finished_us IS NULL"  # noqa: S608 - constants
_END_INSTANCE: Final = "DELETE FROM idempotency_life WHERE life = ?"
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


class ShareFullError(Exception):
    """Nothing was claimed: the stored answers of the owner, or of all, have reached the setting `limit`."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class LeaseSnapshot:
    """Heartbeats of every instance that is known or holds a claim, and this one's claims: (row id, token)."""

    heartbeats: Mapping[str, int]
    held: Sequence[tuple[bytes, str]]


class IdempotencyStore:
    """Claims, finishes and forgets rows for one `instance` of a node; every change is durable when its call returns.

    A claim is named by its token. A row is changed under its own claim alone: another claim needs a release before it,
    or a takeover from an instance that is gone. Every method raises DatabaseUnavailableError when the database is out.
    """

    def __init__(self, books: Database, instance: str, settings: HttpSettings) -> None:
        self._books = books
        self._instance = instance
        self._settings = settings
        self._kept_us = _microseconds(settings.http_idempotency_kept_s)
        self._secret_replay_us = _microseconds(settings.http_secret_replay_s)
        self._stored_by_accounts = self._stored_by_addresses = 0

    async def open(self) -> None:
        """Create missing tables, and end the claims of an earlier process with the same instance name."""
        await self._books.migrate(COMPONENT, STEPS)
        # A process that was killed could not end its claims, and no request of it works any more.
        await self._change_all(Statement(_LOCK_OWNERS_OF_HOLDER, (self._instance,)), Statement(_END, (self._instance,)))

    async def claim(self, row_id: bytes, body_mac: bytes, token: str, share: Share, now: float) -> Row:
        """Returns the row of this id, claimed under `token` when it is free or claimed by this very instance.

        A missing or expired row is made. A row that is finished, has another body or is claimed by another instance stays
        as it is: then `Row.claim` is another token. A claim reserves the largest answer in its owner's share, or the whole
        share if that is less. Raises ShareFullError. A row is made only while its owner holds less than its part of what
        is left (FAIR_PART).
        """
        key, mac, now_us, owner = row_id.hex(), body_mac.hex(), _microseconds(now), share.owner
        bytes_max, fair_bytes = self._settings.http_idempotency_account_max_bytes, self._fair_bytes(owner)
        answers_max = self._settings.http_idempotency_account_max_answers
        # The largest answer is reserved before the work: an answer that did not fit afterwards could not be repeated.
        reserved = min(_stored_bytes(share.largest_sealed_bytes), bytes_max)
        row_made = (key, mac, now_us, self._instance, token, owner, reserved)
        bounds = (owner, reserved, bytes_max, fair_bytes, answers_max)
        taken_up = (token, self._instance, reserved, key, mac, token, self._instance, reserved, bytes_max)
        while True:
            # Order: lock, expire, make, take up, read. An expired row is dropped first, since its id may be used again.
            # One transaction under the owner's lock: parallel claims at two nodes cannot exceed the share together.
            *_, found, ((held_bytes, answers),) = await self._books.execute(
                Statement(_LOCK_OWNER, (owner,)),
                Statement(_EXPIRE, (key, now_us - self._kept_us)),
                *_counting(key),
                Statement(_MAKE, (*row_made, *bounds)),
                Statement(_TAKE_UP, taken_up),
                *_counting(key),
                Statement(_SELECT, (key,)),
                Statement(_HELD, (key, owner)),
            )
            row = _row(found[0]) if found else None
            if row is not None and (row.claim or row.finished_at is not None or row.body_mac != body_mac):
                return row
            # The cause is found afterwards: the statement that makes the row checks all bounds at once.
            if row is None and _whole(held_bytes) >= fair_bytes:
                raise ShareFullError("http_idempotency_max_bytes")
            if row is None and _whole(answers) >= answers_max:
                raise ShareFullError("http_idempotency_account_max_answers")
            if _whole(held_bytes) - (ROW_BYTES if row else 0) + reserved > bytes_max:
                raise ShareFullError("http_idempotency_account_max_bytes")
            # Another node released and dropped the row between the statements: claim again.

    def _fair_bytes(self, owner: str) -> int:
        """Returns the bytes this owner may hold when it claims, by the last count of what is stored."""
        of_addresses = self._settings.http_idempotency_max_bytes // ADDRESSES_PART
        if owner.startswith(ADDRESS):
            return max(0, of_addresses - self._stored_by_addresses) // FAIR_PART
        return max(0, self._settings.http_idempotency_max_bytes - of_addresses - self._stored_by_accounts) // FAIR_PART

    async def finish(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """Store the final answer unless another claim is valid or has finished. Idempotent.

        Returns the row as it is then, None if there is none.
        """
        # Text, not bytes: the statements are the same for SQLite and PostgreSQL.
        sealed = base64.b64encode(finish.sealed).decode()
        finished = (
            token,
            sealed,
            _stored_bytes(len(finish.sealed)),
            _microseconds(finish.at),
            int(finish.shows_secret),
        )
        # Only under the own claim, or a released one: after a takeover the other node's answer is the one that counts.
        found = await self._change_one(row_id, Statement(_FINISH, (*finished, row_id.hex(), token)))
        return _row(found[0]) if found else None

    async def commit(self, row_id: bytes, token: str, cause: str) -> bool:
        """Note that a run, charged under `cause`, is about to begin. Returns False, with nothing noted, if the claim is lost."""
        # Its size stays, so its owner's count does, and the owner's row need not be locked.
        (changed,) = await self._books.execute(Statement(_COMMIT, (cause, row_id.hex(), token)))
        return bool(changed)

    async def release(self, row_id: bytes, token: str, *, has_not_begun: bool = False) -> None:
        """End the claim without an answer: the next request with this key goes on.

        What may have begun stays noted, unless the caller knows that it has not.
        """
        released = _RELEASE_UNBEGUN if has_not_begun else _RELEASE
        await self._change_one(row_id, Statement(released, (row_id.hex(), token)))

    async def forget(self, row_id: bytes, token: str) -> None:
        """Drop the row: its request was refused before any work."""
        await self._change_one(row_id, Statement(_FORGET, (row_id.hex(), token)))

    async def heartbeat(self) -> LeaseSnapshot:
        """Increment this instance's heartbeat. Returns the heartbeats of all, and this instance's claims."""
        _, heartbeats, held = await self._books.execute(
            Statement(_HEARTBEAT, (self._instance,)), Statement(_INSTANCES), Statement(_CLAIMED_BY, (self._instance,))
        )
        return LeaseSnapshot(
            {str(instance): _whole(count) for instance, count in heartbeats},
            [(bytes.fromhex(str(key)), str(token)) for key, token in held],
        )

    async def take_from(self, instance: str, heartbeat: int) -> None:
        """End every claim of an instance that is gone, unless its heartbeat has changed."""
        taken = Statement(_TAKE_FROM, (instance, instance, heartbeat))
        forgotten = Statement(_FORGET_INSTANCE, (instance, heartbeat))
        await self._change_all(Statement(_LOCK_OWNERS_OF_HOLDER, (instance,)), taken, forgotten)

    async def end(self) -> None:
        """End every claim of this instance, which stops."""
        ended = Statement(_END, (self._instance,)), Statement(_END_INSTANCE, (self._instance,))
        await self._change_all(Statement(_LOCK_OWNERS_OF_HOLDER, (self._instance,)), *ended)

    async def purge(self, now: float) -> None:
        """Erase secrets that may not be shown any more, drop expired rows, and count what is left.

        The bound on all owners together uses this count: counting at each claim would read every row.
        """
        now_us = _microseconds(now)
        over = now_us - self._kept_us
        # Secrets first: they must be gone in time even if the rest takes long.
        await self._until_done(Statement(_ERASE, (now_us - self._secret_replay_us,)))
        await self._until_done(Statement(_DROP, (over, over)))
        ((total, of_addresses),) = (await self._books.read(Statement(_TOTAL)))[0]
        self._stored_by_addresses = _whole(of_addresses)
        self._stored_by_accounts = _whole(total) - self._stored_by_addresses
        await self._books.execute(Statement(_FORGET_OWNERS))

    async def _until_done(self, statement: Statement) -> None:
        changed = MOST_AT_ONCE
        while changed == MOST_AT_ONCE:
            changed = len((await self._change_all(statement))[0])

    async def _change_one(self, row_id: bytes, change: Statement) -> Sequence[Values]:
        """Change a row and its owner's count in one transaction. Returns the changed row, if any."""
        key = row_id.hex()
        # The owner's row is locked before its rows (see _LOCK_OWNER_OF).
        lock, shown = Statement(_LOCK_OWNER_OF, (key,)), Statement(_SELECT, (key,))
        *_, found = await self._books.execute(lock, change, *_counting(key), shown)
        return found

    async def _change_all(self, *changes: Statement) -> Sequence[Sequence[Values]]:
        """Change many rows and their owners' counts in one transaction. Returns the rows each statement returned."""
        counting = Statement(_COUNT_ALL), Statement(_DROP_ALL), Statement(_COUNTED_ALL)
        return await self._books.execute(*changes, *counting)


def _counting(key: str) -> Sequence[Statement]:
    """Returns statements that count a row's size in its owner's share, and drop the row if its size is 0."""
    return Statement(_COUNT_ONE, (key, key, key)), Statement(_DROP_ONE, (key,)), Statement(_COUNTED_ONE, (key,))


def _stored_bytes(sealed_bytes: int) -> int:
    """Return the bytes a row takes with an answer of so many bytes, which is stored in base64."""
    return ROW_BYTES + (sealed_bytes + 2) // 3 * 4


def _row(values: Values) -> Row:
    body_mac, created_us, claim, claims, finished_us, shows_secret, sealed, owner, begun = values
    return Row(
        bytes.fromhex(str(body_mac)),
        _whole(created_us),
        str(claim),
        _whole(claims) == 1,
        None if finished_us is None else _whole(finished_us) / MICROSECONDS,
        bool(shows_secret),
        None if sealed is None else base64.b64decode(str(sealed)),
        str(owner),
        str(begun),
    )


def _whole(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError("A whole number was stored there.")
    return value


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS)
