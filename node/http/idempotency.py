"""Idempotency-Key: a repeated POST gets the first final answer, and the work is done once.

The request may be repeated at any node that shares the database. In one process a repetition waits for the lock of the
first; across nodes it polls the row that the other has claimed, up to a limit.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol
from weakref import WeakValueDictionary

from aiohttp import web
from pydantic import JsonValue

from node.api.calls import json_bytes
from node.api.errors import NODE_FAULTS, ErrorCode, NodeError, as_node_error
from node.chain.port import WriteRecall, WriteResult
from node.errors import DomainError
from node.http.answers import NO_STORE, Answer
from node.http.idempotency_store import ADDRESS, MICROSECONDS, Finish, IdempotencyStore, Row, Share
from node.keyring.port import Keyring
from node.runtime.clock import Clock
from node.runtime.limits import Gate
from node.runtime.tasks import in_thread
from node.settings.http import HttpSettings

FIRST_PAUSE_S: Final = 0.02
LONGEST_PAUSE_S: Final = 1.0
"""Between two looks at a row that another node has claimed; each pause is half as long again as the one before."""
RELEASE_WAIT_S: Final = 0.5
"""Longest wait of an answer for the release of its claim, which takes milliseconds unless the database is out."""
WAIT_S: Final = 60.0
"""A repetition waits so long for the first request, under way at another node; then it is 409."""
TWINS_MAX: Final = 16
"""Requests with one Idempotency-Key that are in work at a time. All but the first cost their sender nothing, and each has a
place of the node."""
IN_PROGRESS_RETRY_AFTER_S: Final = 5
SEALED_BESIDE_BODY_BYTES: Final = 8 * 1024
"""Sealed beside an answer's body: headers, the addresses of up to a hundred wallets, nonce and tag."""
UNDECIDED: Final = frozenset({401, 402, 403, 429})
"""Statuses of refusals before any work, which may turn out otherwise next time: not kept, the row is dropped."""
_KEY: Final = re.compile(r"[ -~]{22,255}")
SECRET_KEY: Final = re.compile(r"[A-Za-z0-9_-]{32,255}")
"""Of a key that is itself a secret: room for 192 random bits, in the alphabet of url-safe base64."""
_ANONYMOUS: Final = b"anonymous"
_INLINE_BYTES: Final = 64 * 1024


def idempotency_key_of(request: web.Request, *, is_secret: bool = False) -> str | None:
    """Returns the request's Idempotency-Key, if any, in the form of a secret one if it `is_secret`.

    Raises NodeError `bad_request` when it is malformed.
    """
    keys = request.headers.getall("Idempotency-Key", [])
    if not keys:
        return None
    if is_secret and (len(keys) > 1 or not SECRET_KEY.fullmatch(keys[0])):
        raise NodeError(
            ErrorCode.BAD_REQUEST,
            "The Idempotency-Key header must be given once and have 32 to 255 characters of A-Z, a-z, 0-9, _ and -.",
            fix="Use fresh random bytes in url-safe base64 for each thing to be done, and keep them secret.",
        )
    if len(keys) > 1 or not _KEY.fullmatch(keys[0]):
        raise NodeError(
            ErrorCode.BAD_REQUEST,
            "The Idempotency-Key header must be given once and have 22 to 255 printable characters.",
            fix="Use a fresh UUID for each thing to be done.",
        )
    return keys[0]


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """Identity of a request: caller (key hash, None for anonymous), method, path, Idempotency-Key and body.

    `one_time_secret`, `from_write`, `largest_answer_bytes` and `key_is_secret` are the endpoint's. The stored answer counts against the
    share of `owner`: the account, or the client address of a caller without a key.
    """

    key_hash: int | None
    method: str
    path: str
    idempotency_key: str
    body: bytes
    one_time_secret: bool
    from_write: Callable[[WriteResult], Mapping[str, JsonValue]]
    owner: bytes
    largest_answer_bytes: int
    key_is_secret: bool = False

    def identity(self) -> bytes:
        """Returns unambiguous bytes of everything but the body."""
        who = _ANONYMOUS if self.key_hash is None else self.key_hash.to_bytes(32)
        parts = (b"row", who, self.method.encode(), self.path.encode(), self.idempotency_key.encode())
        # Length prefixes: two different requests never give the same bytes.
        return b"".join(len(part).to_bytes(4) + part for part in parts)


class RunRecall(Protocol):
    """Charges of runs that some node began and nobody has an answer of."""

    async def charged_cents(self, cause: str) -> int:
        """End what pays for it, whose node may still run it. Returns the cents that are charged, for good."""
        ...


class KeyedAttempt:
    """Implements `Attempt`; `detach` keeps the work from ending with the client's connection."""

    def __init__(self, idempotency_id: str, commit: Callable[[str], Awaitable[bool]]) -> None:
        self.idempotency_id = idempotency_id
        self.detach: Callable[[], None] = _nothing
        self.has_begun = False
        self.claim_lost = False
        self._commit = commit

    async def commit(self, cause: str) -> None:
        """See `Attempt.commit`."""
        if not await self._commit(cause):
            self.claim_lost = True
            raise _in_progress()

    def begin(self) -> None:
        """See `Attempt.begin`."""
        self.has_begun = True
        self.detach()


def _nothing() -> None:
    """Detach nothing: the work does not end with its client's connection anyway."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A keyed request, its row and how it is answered (see `Idempotency.answer`)."""

    request: KeyedRequest
    row_id: bytes
    body_mac: bytes
    share: Share
    produce: Callable[[KeyedAttempt], Awaitable[Answer]]
    refuse: Callable[[DomainError], Answer]
    authorise: Callable[[Answer | None], Awaitable[None]]


class Idempotency:
    """Answers each keyed request once. `writes` and `runs` know the work of earlier tries."""

    def __init__(
        self,
        store: IdempotencyStore,
        keyring: Keyring,
        writes: WriteRecall,
        runs: RunRecall,
        settings: HttpSettings,
        clock: Clock,
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._sealer = keyring.idempotency_sealer()
        self._writes = writes
        self._runs = runs
        self._settings = settings
        self._clock = clock
        self._twins = Gate("Too many requests with this Idempotency-Key wait for the first.", most_of_one=TWINS_MAX)
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def answer(
        self,
        request: KeyedRequest,
        produce: Callable[[KeyedAttempt], Awaitable[Answer]],
        refuse: Callable[[DomainError], Answer],
        authorise: Callable[[Answer | None], Awaitable[None]],
    ) -> Answer:
        """Returns the stored answer, or the answer of `produce`, called with the id under which writes are journaled and with
        what a run tells before it begins. A run that began once, and was not answered, is answered that its outcome is unknown.

        `refuse` makes the answer of an error, as `produce` does of its own. `authorise` is called before anything is
        shown again, with the stored answer, or None if the answer comes from the journal or is erased; it raises when a
        fresh call of this caller would be refused. A concurrent repetition waits for the first request.
        Raises NodeError `conflict` for the same key with another body, or, if the key is secret, of another owner, for a
        one-time secret whose time is over, and when the first request, at another node, takes too long; before any work LimitReachedError when the share of
        the stored answers is used up or TWINS_MAX requests of the key are in work, and DatabaseUnavailableError when the database is out.
        """
        # A MAC, not a hash: who reads the database cannot test guesses of keys. The key is derived in the TEE, the same at
        # every node of the app, so that each finds the others' rows.
        row_id = self._keyring.idempotency_mac(request.identity())
        owner = self._keyring.idempotency_mac(b"owner" + request.owner).hex()
        if request.key_hash is None:
            owner = ADDRESS + owner
        share = Share(owner, request.largest_answer_bytes + SEALED_BESIDE_BODY_BYTES)
        work = _Work(request, row_id, await self._body_mac(request.body), share, produce, refuse, authorise)
        give_up = self._clock.monotonic() + WAIT_S
        # The lock exists while a request holds it or waits for it. One request of an id at a time in this process; the
        # claim does the same between nodes.
        with self._twins.place(row_id):
            lock = self._locks.setdefault(row_id, asyncio.Lock())
            async with lock:
                # An answer that waits for the database is stored first: otherwise the work would be done again.
                await self._store.keep_earlier(row_id)
                with self._store.working() as token:
                    return await self._answered(work, token, give_up)

    async def _body_mac(self, body: bytes) -> bytes:
        """Returns a keyed digest, computed off the event loop if it takes milliseconds."""
        if len(body) <= _INLINE_BYTES:
            return self._keyring.idempotency_mac(b"body" + body)
        return await in_thread(lambda: self._keyring.idempotency_mac(b"body" + body))

    async def _answered(self, work: _Work, token: str, give_up: float) -> Answer:
        row = await self._claimed(work, token, give_up)
        if row.finished_at is not None:
            return await self._replay(work, row, row.finished_at)
        # With the row's time: after the row has expired the same key names another piece of work.
        idempotency_id = f"{work.row_id.hex()}.{row.created_us // MICROSECONDS}.{row.created_us % MICROSECONDS:06d}"
        attempt = KeyedAttempt(idempotency_id, partial(self._store.commit, work.row_id, token))
        try:
            answer = await self._resolve(work, row, token, attempt)
        # Cancellation too: the claim would keep every repetition waiting until the lease ends.
        except BaseException:
            # What an earlier try began, or this one, stays noted: it is never begun again.
            self._store.give_up(work.row_id, token, has_not_begun=not row.begun and not attempt.has_begun)
            raise
        return await self._answered(work, token, give_up) if answer is None else answer

    async def _claimed(self, work: _Work, token: str, give_up: float) -> Row:
        """Returns the row, once it is finished or claimed under this token. Raises NodeError `conflict` as `answer` says."""
        pause_s = FIRST_PAUSE_S
        while True:
            row = await self._store.claim(work.row_id, work.body_mac, token, work.share, self._clock.unix())
            if work.request.key_is_secret and row.owner != work.share.owner:
                # Taken up perhaps, where the first try ended without an answer: its own client goes on with it.
                if row.claim == token:
                    self._store.give_up(work.row_id, token, has_not_begun=not row.begun)
                # The key alone authenticates here: another reader of it, in a log say, would be
                # shown the secret.
                fix = "Repeat it from the address of the first request. If that is lost, use a fresh key."
                raise _conflict("This Idempotency-Key was used from another address.", fix, reason="other_address")
            # Before the claim is looked at: another body must not wait for an answer that is not its own.
            if row.body_mac != work.body_mac:
                fix = "Use a fresh Idempotency-Key for each thing to be done."
                raise _conflict("This Idempotency-Key was used for a request with another body.", fix)
            if row.finished_at is not None or row.claim == token:
                return row
            # A poll, and no notification: SQLite has none, and the other node may have been killed.
            left_s = give_up - self._clock.monotonic()
            if left_s <= 0:
                raise _in_progress()
            await self._clock.sleep(min(pause_s, left_s))
            pause_s = min(1.5 * pause_s, LONGEST_PAUSE_S)

    async def _resolve(self, work: _Work, row: Row, token: str, attempt: KeyedAttempt) -> Answer | None:
        """Finish an unfinished row: by what an earlier try got to, else by doing the work.

        Returns None, with nothing begun, when another node has the row meanwhile.
        """
        # A fresh row cannot have an earlier try; an older one may have that of a process that was killed.
        earlier = None if row.fresh else await self._recall(work, row, attempt.idempotency_id)
        if earlier is not None:
            return await self._kept(work, token, earlier, was_recalled=True)
        # Crash order: claim, work (which journals writes under its id, and commits a run before it begins), answer. A
        # process killed in between leaves a claim without an answer, and the next try finds what was done.
        answer = await work.produce(attempt)
        if attempt.claim_lost:
            return None
        # Of a run that has begun every answer is final, and none says when to try again: it is not begun again.
        if attempt.has_begun:
            answer = replace(answer, headers={k: v for k, v in answer.headers.items() if k != "Retry-After"})
        if attempt.has_begun or (answer.status < 500 and answer.status not in UNDECIDED):
            return await self._kept(work, token, answer, was_recalled=False)
        # `IdempotencyStore.maintain` releases the claim a little later. Bounded, since the answer may be
        # that the database is out; a transaction that was begun goes on.
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(RELEASE_WAIT_S):
                if answer.status in UNDECIDED:
                    await self._store.forget(work.row_id, token)
                else:
                    await self._store.release(work.row_id, token, has_not_begun=True)
        return answer

    async def _kept(self, work: _Work, token: str, answer: Answer, *, was_recalled: bool) -> Answer:
        """Returns this answer, stored, or the answer stored by another node that took the claim over from this one."""
        # Bound to the row: the database's operator cannot show one client the answer of another.
        sealed = self._sealer.seal(packed(answer), work.row_id)
        shows_secret = work.request.one_time_secret and answer.status < 300
        finish = Finish(sealed, self._clock.unix(), shows_secret, work.share.owner)
        while True:
            try:
                row = await self._store.keep(work.row_id, token, finish)
            # The work is done; the store keeps its answer until the database is back.
            except DomainError:
                row = None
            if row is None or row.claim == token:
                return replayed(answer) if was_recalled else answer
            if row.finished_at is None:
                try:
                    row = await self._claimed(work, token, self._clock.monotonic() + WAIT_S)
                # The work is done, and charged: its client is told so, whatever the other node will tell others.
                except DomainError:
                    return answer
            if row.finished_at is not None:
                return await self._replay(work, row, row.finished_at)

    async def _recall(self, work: _Work, row: Row, idempotency_id: str) -> Answer | None:
        """Returns the answer of an earlier try's run or write; None if there was none, or only a write that was never sent."""
        if row.begun:
            await work.authorise(None)
            return work.refuse(_outcome_unknown(await self._runs.charged_cents(row.begun)))
        write = await self._writes.recall(idempotency_id)
        if write is None:
            return None
        if write.result is not None:
            answer = answer_of_write({**write.answer, **work.request.from_write(write.result)}, write.result)
        # A failure of the node is no final answer: the work may be tried again.
        elif write.failure is None or as_node_error(write.failure).code in NODE_FAULTS:
            return None
        else:
            answer = work.refuse(write.failure)
        await work.authorise(None)
        return answer

    async def _replay(self, work: _Work, row: Row, finished_at: float) -> Answer:
        stored = None if row.sealed is None else unpacked(self._sealer.open(row.sealed, work.row_id))
        # Before anything is revealed, also that the secret is gone: permissions may have been revoked since.
        await work.authorise(stored)
        age_s = self._clock.unix() - finished_at
        if stored is None or (row.shows_secret and age_s >= self._settings.http_secret_replay_s):
            raise _conflict(
                "This request was answered with a secret that cannot be shown again.",
                "If the answer was lost, make a new one with a fresh Idempotency-Key and remove the lost one.",
            )
        return replayed(stored)


def _conflict(message: str, fix: str, retry_after_s: int | None = None, **details: JsonValue) -> NodeError:
    return NodeError(ErrorCode.CONFLICT, message, fix=fix, details=details, retry_after_s=retry_after_s)


def _in_progress() -> NodeError:
    message = "The first request with this Idempotency-Key is still under way at another node."
    fix = "Repeat the request with the same Idempotency-Key to get its answer."
    return _conflict(message, fix, IN_PROGRESS_RETRY_AFTER_S, in_progress=True)


def _outcome_unknown(charged_cents: int) -> NodeError:
    charged = f"{charged_cents} cent{'s' * (charged_cents > 1)} charged" if charged_cents else "nothing is charged"
    message = "The run of this Idempotency-Key began, and its node ended before it answered: what the action did is not known."
    fix = (
        f"Find out what the action did before you run it again, with a fresh Idempotency-Key. For this run: {charged}."
    )
    return _conflict(message, fix, reason="outcome_unknown", charged_cents=charged_cents)


def answer_of_write(answer: Mapping[str, JsonValue], result: WriteResult) -> Answer:
    """Returns the answer of a write that is done, as its first request would have been answered."""
    body: dict[str, JsonValue] = {
        "success": True,
        **answer,
        "transaction_hash": result.transaction_hash,
        "block_number": result.block_number,
    }
    return Answer(200, json_bytes(body), NO_STORE)


def replayed(answer: Answer) -> Answer:
    """Returns the answer with the header that marks a repetition."""
    return replace(answer, headers={**answer.headers, "Idempotency-Replayed": "true"})


def packed(answer: Answer) -> bytes:
    """Returns the bytes of an answer that are sealed."""
    head: dict[str, JsonValue] = {
        "status": answer.status,
        "headers": dict(answer.headers),
        "wallets": list(answer.wallets),
    }
    return json_bytes(head) + b"\n" + answer.body


def unpacked(written: bytes) -> Answer:
    """Returns the answer that `packed` wrote."""
    head, _, body = written.partition(b"\n")
    fields = json.loads(head)
    return Answer(fields["status"], body, fields["headers"], tuple(fields["wallets"]))
