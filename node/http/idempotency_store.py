"""The rows behind Idempotency-Key, in the ledger's database, which nodes may share: sealed answers, found by a MAC."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from node.http.idempotency_schema import COMPONENT, ROW_BYTES, STEPS
from node.ledger.books import Books, Statement, Value
from node.ledger.books import Row as Values

MICROSECONDS: Final = 1_000_000
MOST_AT_ONCE: Final = 10_000
"""Rows that one transaction of a purge drops."""

_COLUMNS: Final = "body_mac, created_us, claim, claims, finished_us, shows_secret, sealed"
_SELECT: Final = f"SELECT {_COLUMNS} FROM idempotency WHERE id = ?"  # noqa: S608 - constants
_EXPIRE: Final = "DELETE FROM idempotency WHERE id = ? AND coalesce(finished_us, created_us) <= ?"
_MAKE: Final = """
    INSERT INTO idempotency (id, body_mac, created_us, holder, claim) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""
_TAKE_UP: Final = """
    UPDATE idempotency SET claim = ?, holder = ?, claims = claims + 1
    WHERE id = ? AND body_mac = ? AND finished_us IS NULL AND claim <> ? AND (claim = '' OR holder = ?)
"""
_FINISH: Final = """
    UPDATE idempotency SET claim = ?, sealed = ?, size_bytes = ?, finished_us = ?, shows_secret = ?, refused = ?
    WHERE id = ? AND finished_us IS NULL AND claim IN (?, '')
"""
_RELEASE: Final = "UPDATE idempotency SET claim = '' WHERE id = ? AND claim = ? AND finished_us IS NULL"
_FORGET: Final = "DELETE FROM idempotency WHERE id = ? AND claim = ? AND finished_us IS NULL"
_BEAT: Final = """
    INSERT INTO idempotency_life (life, beat) VALUES (?, 0)
    ON CONFLICT (life) DO UPDATE SET beat = idempotency_life.beat + 1
"""
_LIVES: Final = """
    SELECT life, beat FROM idempotency_life UNION ALL
    SELECT DISTINCT holder, -1 FROM idempotency
    WHERE finished_us IS NULL AND claim <> '' AND holder NOT IN (SELECT life FROM idempotency_life)
"""
"""Who is known, and who holds a claim without being known, as if its beat were -1."""
_HELD: Final = "SELECT id, claim FROM idempotency WHERE holder = ? AND finished_us IS NULL AND claim <> ''"
_TAKE_FROM: Final = """
    UPDATE idempotency SET claim = '' WHERE holder = ? AND finished_us IS NULL
    AND coalesce((SELECT beat FROM idempotency_life WHERE life = ?), -1) = ?
"""
_FORGET_LIFE: Final = "DELETE FROM idempotency_life WHERE life = ? AND beat = ?"
_END: Final = "UPDATE idempotency SET claim = '' WHERE holder = ? AND finished_us IS NULL"
_END_LIFE: Final = "DELETE FROM idempotency_life WHERE life = ?"
_ERASE: Final = f"""
    UPDATE idempotency SET sealed = NULL, size_bytes = {ROW_BYTES} WHERE id IN (
        SELECT id FROM idempotency WHERE shows_secret = 1 AND sealed IS NOT NULL AND finished_us <= ? LIMIT {MOST_AT_ONCE}
    ) RETURNING id
"""  # noqa: S608 - constants
_DROP: Final = f"""
    DELETE FROM idempotency WHERE id IN (
        SELECT id FROM idempotency WHERE created_us <= ? AND coalesce(finished_us, created_us) <= ? LIMIT {MOST_AT_ONCE}
    ) RETURNING id
"""  # noqa: S608 - constants
_TOTAL: Final = "SELECT coalesce(sum(size_bytes), 0) FROM idempotency"
_EXCESS: Final = f"""
    DELETE FROM idempotency WHERE id IN (
        SELECT id FROM (
            SELECT id, size_bytes, sum(size_bytes) OVER (
                ORDER BY refused DESC, created_us, id ROWS UNBOUNDED PRECEDING
            ) AS freed
            FROM (
                SELECT id, size_bytes, refused, created_us FROM idempotency WHERE finished_us IS NOT NULL
                ORDER BY refused DESC, created_us, id LIMIT {MOST_AT_ONCE}
            ) AS first_to_go
        ) AS going WHERE freed - size_bytes < (SELECT coalesce(sum(size_bytes), 0) FROM idempotency) - ?
    ) RETURNING id
"""  # noqa: S608 - constants
"""Finished rows, refusals first and then by age, until no more is kept than that; two nodes that do so at once drop the same."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one Idempotency-Key. `finished_at` (unix seconds) is None until there is a final answer.

    `claim` is the token of whoever works on it, or did; `fresh` says that nobody did before. `sealed` is None before
    the end, and again once an answer that shows a secret may not be shown any more.
    """

    body_mac: bytes
    created_us: int
    claim: str
    fresh: bool
    finished_at: float | None
    shows_secret: bool
    sealed: bytes | None


@dataclass(frozen=True, slots=True)
class Finish:
    """A final answer to be kept, at a unix time in seconds; `refused` says that it is no success."""

    sealed: bytes
    at: float
    shows_secret: bool
    refused: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Beats by life, of every node that is known or holds a claim, and what this one holds: (row id, token)."""

    beats: Mapping[str, int]
    held: Sequence[tuple[bytes, str]]


class IdempotencyStore:
    """Claims, finishes and forgets rows for one `life` of a node; every change is durable when its call returns.

    A claim is named by its token, and nobody changes a row whose claim is another's: it has to be given up before,
    or taken from a life that is gone. Every method raises NodeError `billing_unavailable` when the database is out.
    """

    def __init__(self, books: Books, life: str, kept_s: float, secret_replay_s: float, max_bytes: int) -> None:
        self._books = books
        self._life = life
        self._kept_us = _microseconds(kept_s)
        self._secret_replay_us = _microseconds(secret_replay_s)
        self._max_bytes = max_bytes

    async def open(self) -> None:
        """Create the tables where there are none."""
        await self._books.migrate(COMPONENT, STEPS)

    async def claim(self, row_id: bytes, body_mac: bytes, token: str, now: float) -> Row:
        """The row of this id: claimed under `token` when nobody has it, or only an earlier claim of this very life.

        A row is made when there is none, or only one whose time is over. One that is finished, has another body or
        is claimed by another life stays as it is: then `Row.claim` is another token.
        """
        found: Sequence[Values] = []
        while not found:  # given up and dropped between the statements, if ever
            key, mac, now_us = row_id.hex(), body_mac.hex(), _microseconds(now)
            *_, found = await self._books.execute(
                Statement(_EXPIRE, (key, now_us - self._kept_us)),
                Statement(_MAKE, (key, mac, now_us, self._life, token)),
                Statement(_TAKE_UP, (token, self._life, key, mac, token, self._life)),
                Statement(_SELECT, (key,)),
            )
        return _row(found[0])

    async def finish(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """Keep the final answer unless another claim stands or has finished; the row as it is then, None without one.

        Doing so again changes nothing.
        """
        sealed = base64.b64encode(finish.sealed).decode()
        values: Sequence[Value] = (
            token,
            sealed,
            ROW_BYTES + len(sealed),
            _microseconds(finish.at),
            int(finish.shows_secret),
            int(finish.refused),
            row_id.hex(),
            token,
        )
        _, found = await self._books.execute(Statement(_FINISH, values), Statement(_SELECT, (row_id.hex(),)))
        return _row(found[0]) if found else None

    async def release(self, row_id: bytes, token: str) -> None:
        """Give the claim up: the next request with this key goes on."""
        await self._books.execute(Statement(_RELEASE, (row_id.hex(), token)))

    async def forget(self, row_id: bytes, token: str) -> None:
        """Drop a row whose request came to nothing that would have to be kept."""
        await self._books.execute(Statement(_FORGET, (row_id.hex(), token)))

    async def beat(self) -> Standing:
        """Say that this life lasts, and tell who else's does."""
        _, beats, held = await self._books.execute(
            Statement(_BEAT, (self._life,)), Statement(_LIVES), Statement(_HELD, (self._life,))
        )
        return Standing(
            {str(life): _whole(count) for life, count in beats},
            [(bytes.fromhex(str(key)), str(token)) for key, token in held],
        )

    async def take_from(self, life: str, beat: int) -> None:
        """Give up every claim of a life that is gone, unless it has beaten again."""
        await self._books.execute(
            Statement(_TAKE_FROM, (life, life, beat)),
            Statement(_FORGET_LIFE, (life, beat)),
        )

    async def end(self) -> None:
        """Give up every claim of this life, which ends."""
        await self._books.execute(Statement(_END, (self._life,)), Statement(_END_LIFE, (self._life,)))

    async def purge(self, now: float) -> None:
        """Erase secrets that may not be shown any more, drop rows whose time is over, and what is more than may be kept."""
        now_us = _microseconds(now)
        over = now_us - self._kept_us
        await self._until_done(Statement(_ERASE, (now_us - self._secret_replay_us,)))
        await self._until_done(Statement(_DROP, (over, over)))
        ((total,),) = (await self._books.read(Statement(_TOTAL)))[0]
        if _whole(total) > self._max_bytes:
            await self._until_done(Statement(_EXCESS, (self._max_bytes,)))

    async def _until_done(self, statement: Statement) -> None:
        changed = MOST_AT_ONCE
        while changed == MOST_AT_ONCE:
            changed = len((await self._books.execute(statement))[0])


def _row(values: Values) -> Row:
    body_mac, created_us, claim, claims, finished_us, shows_secret, sealed = values
    return Row(
        bytes.fromhex(str(body_mac)),
        _whole(created_us),
        str(claim),
        _whole(claims) == 1,
        None if finished_us is None else _whole(finished_us) / MICROSECONDS,
        bool(shows_secret),
        None if sealed is None else base64.b64decode(str(sealed)),
    )


def _whole(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError("A whole number was stored there.")
    return value


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS)
