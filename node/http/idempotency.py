"""Idempotency-Key: a repeated POST gets the first final response, and the work is done once.

The repetition may go to any node that shares the database. Within a process it waits for the lock
of the first request. Across nodes it polls the row that the other node claimed, up to a limit.
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
"""Pauses between two reads of a row that another node claimed; each is 1.5 times the previous."""
RELEASE_WAIT_S: Final = 0.5
"""Longest time a response waits for the release of its claim, which usually takes milliseconds."""
WAIT_S: Final = 60.0
"""Longest time a repetition waits for the first request at another node; then it gets 409."""
TWINS_MAX: Final = 16
"""Most requests with one Idempotency-Key in work together. All but the first are free for their
sender, and each takes one of the node's places for requests."""
IN_PROGRESS_RETRY_AFTER_S: Final = 5
SEALED_BESIDE_BODY_BYTES: Final = 8 * 1024
"""Most bytes sealed beside a body: headers, up to a hundred wallet addresses, nonce and tag."""
UNDECIDED: Final = frozenset({401, 402, 403, 429})
"""Statuses of refusals before any work. A retry may succeed, so the row is dropped."""
_KEY: Final = re.compile(r"[ -~]{22,255}")
SECRET_KEY: Final = re.compile(r"[A-Za-z0-9_-]{32,255}")
"""Form of a key that is itself a secret: 192 random bits or more in url-safe base64."""
_ANONYMOUS: Final = b"anonymous"
_INLINE_BYTES: Final = 64 * 1024


def idempotency_key_of(request: web.Request, *, is_secret: bool = False) -> str | None:
    """Returns the request's Idempotency-Key, if any. `is_secret` requires the form of a secret.

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
    """Identity of a request: caller, method, path, Idempotency-Key and body.

    `key_hash` is None for an anonymous caller. `owner`, the account or else the client address, is
    charged for the stored response. `account` pays for a run. The fields not named here are
    attributes of the endpoint.
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
    account: int | None
    key_is_secret: bool = False

    def identity(self) -> bytes:
        """Returns unambiguous bytes of every part except the body."""
        who = _ANONYMOUS if self.key_hash is None else self.key_hash.to_bytes(32)
        parts = (b"row", who, self.method.encode(), self.path.encode(), self.idempotency_key.encode())
        # Lengths as prefixes, so that two different requests never give the same bytes.
        return b"".join(len(part).to_bytes(4) + part for part in parts)


class RunRecall(Protocol):
    """Charges of runs that began at some node and whose response is lost."""

    async def charged_cents(self, cause: str, account: int | None) -> int:
        """End a run's reservation; it may still execute. Returns the cents that were charged."""
        ...


class KeyedAttempt:
    """Implements `Attempt`; `detach` lets the work outlive the client's connection."""

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
    """Detach nothing, since this work does not depend on its client's connection."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A keyed request, its row, and the functions of `Idempotency.answer`."""

    request: KeyedRequest
    row_id: bytes
    body_mac: bytes
    share: Share
    produce: Callable[[KeyedAttempt], Awaitable[Answer]]
    refuse: Callable[[DomainError], Answer]
    authorise: Callable[[Answer | None], Awaitable[None]]


class Idempotency:
    """Answers each keyed request once. `writes` and `runs` know the work of earlier attempts."""

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
        """Returns the stored response, or that of `produce`, which is called with the attempt.

        If a run began earlier and its response is lost, the response says that its outcome is
        unknown. `refuse` makes the response of an error. `authorise` runs before a repeated
        response is shown, with the stored one or None, and raises if the caller has lost the right.
        Raises NodeError `conflict` for the same key with another body, for a secret key of another
        owner, for an expired one-time secret, and if the first request takes too long elsewhere.
        Raises LimitReachedError before any work if the share is full or TWINS_MAX is reached, and
        DatabaseUnavailableError when the database is out.
        """
        # A MAC instead of a hash, so that a reader of the database cannot test guessed keys. All
        # nodes of the app derive the same MAC key in the TEE, so they find each other's rows.
        row_id = self._keyring.idempotency_mac(request.identity())
        owner = self._keyring.idempotency_mac(b"owner" + request.owner).hex()
        if request.key_hash is None:
            owner = ADDRESS + owner
        share = Share(owner, request.largest_answer_bytes + SEALED_BESIDE_BODY_BYTES)
        work = _Work(request, row_id, await self._body_mac(request.body), share, produce, refuse, authorise)
        give_up = self._clock.monotonic() + WAIT_S
        # One request of an id at a time: in this process by the lock, between nodes by the claim.
        # The lock exists while a request holds it or waits for it.
        with self._twins.place(row_id):
            lock = self._locks.setdefault(row_id, asyncio.Lock())
            async with lock:
                # A response that waits for the database is stored first, or the work would repeat.
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
        # Contains the row's time, since the key names other work after the row has expired.
        idempotency_id = f"{work.row_id.hex()}.{row.created_us // MICROSECONDS}.{row.created_us % MICROSECONDS:06d}"
        attempt = KeyedAttempt(idempotency_id, partial(self._store.commit, work.row_id, token))
        try:
            answer = await self._resolve(work, row, token, attempt)
        # Also on cancellation, or repetitions would wait until the lease ends.
        except BaseException:
            # A run that has begun, now or earlier, stays noted, since it must not begin again.
            self._store.give_up(work.row_id, token, has_not_begun=not row.begun and not attempt.has_begun)
            raise
        return await self._answered(work, token, give_up) if answer is None else answer

    async def _claimed(self, work: _Work, token: str, give_up: float) -> Row:
        """Returns the row when it is finished or claimed under this token; raises like `answer`."""
        pause_s = FIRST_PAUSE_S
        while True:
            row = await self._store.claim(work.row_id, work.body_mac, token, work.share, self._clock.unix())
            if work.request.key_is_secret and row.owner != work.share.owner:
                # Releases a claim made just now, so that the first client can continue.
                if row.claim == token:
                    self._store.give_up(work.row_id, token, has_not_begun=not row.begun)
                # The key alone authenticates here, so another reader of it (for example in a log)
                # would be shown the secret.
                fix = "Repeat it from the address of the first request. If that is lost, use a fresh key."
                raise _conflict("This Idempotency-Key was used from another address.", fix, reason="other_address")
            # Checked before the claim: another body must not wait for a response not its own.
            if row.body_mac != work.body_mac:
                fix = "Use a fresh Idempotency-Key for each thing to be done."
                raise _conflict("This Idempotency-Key was used for a request with another body.", fix)
            if row.finished_at is not None or row.claim == token:
                return row
            # Polls, since SQLite has no notifications and the other node may have been killed.
            left_s = give_up - self._clock.monotonic()
            if left_s <= 0:
                raise _in_progress()
            await self._clock.sleep(min(pause_s, left_s))
            pause_s = min(1.5 * pause_s, LONGEST_PAUSE_S)

    async def _resolve(self, work: _Work, row: Row, token: str, attempt: KeyedAttempt) -> Answer | None:
        """Finish an unfinished row with the result of an earlier attempt, or by doing the work.

        Returns None, with nothing begun, if another node has taken the row over.
        """
        # A fresh row has no earlier attempt; an older one may have that of a killed process.
        earlier = None if row.fresh else await self._recall(work, row, attempt.idempotency_id)
        if earlier is not None:
            return await self._kept(work, token, earlier, was_recalled=True)
        # Crash order: claim, work, response. The work journals writes under its id and commits a
        # run before it begins. After a crash in between, the next attempt finds what was done.
        answer = await work.produce(attempt)
        if attempt.claim_lost:
            return None
        # A run that has begun must not begin again: its response is final, without Retry-After.
        if attempt.has_begun:
            answer = replace(answer, headers={k: v for k, v in answer.headers.items() if k != "Retry-After"})
        if attempt.has_begun or (answer.status < 500 and answer.status not in UNDECIDED):
            return await self._kept(work, token, answer, was_recalled=False)
        # The wait is bounded, since the database may be out. `IdempotencyStore.maintain` releases
        # the claim later; a transaction that has begun continues.
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(RELEASE_WAIT_S):
                if answer.status in UNDECIDED:
                    await self._store.forget(work.row_id, token)
                else:
                    await self._store.release(work.row_id, token, has_not_begun=True)
        return answer

    async def _kept(self, work: _Work, token: str, answer: Answer, *, was_recalled: bool) -> Answer:
        """Returns this response, stored, or that of a node that took the claim over."""
        # Bound to the row, so that the database's operator cannot swap responses of clients.
        sealed = self._sealer.seal(packed(answer), work.row_id)
        shows_secret = work.request.one_time_secret and answer.status < 300
        finish = Finish(sealed, self._clock.unix(), shows_secret, work.share.owner)
        while True:
            try:
                row = await self._store.keep(work.row_id, token, finish)
            # The work is done; the store keeps its response until the database is back.
            except DomainError:
                row = None
            if row is None or row.claim == token:
                return replayed(answer) if was_recalled else answer
            if row.finished_at is None:
                try:
                    row = await self._claimed(work, token, self._clock.monotonic() + WAIT_S)
                # The work is done and charged, so its client gets this response in any case.
                except DomainError:
                    return answer
            if row.finished_at is not None:
                return await self._replay(work, row, row.finished_at)

    async def _recall(self, work: _Work, row: Row, idempotency_id: str) -> Answer | None:
        """Returns the response of an earlier attempt's run or sent write; None if there is none."""
        if row.begun:
            await work.authorise(None)
            return work.refuse(_outcome_unknown(await self._runs.charged_cents(row.begun, work.request.account)))
        write = await self._writes.recall(idempotency_id)
        if write is None:
            return None
        if write.result is not None:
            answer = answer_of_write({**write.answer, **work.request.from_write(write.result)}, write.result)
        # A failure of the node is no final response, so the work may be tried again.
        elif write.failure is None or as_node_error(write.failure).code in NODE_FAULTS:
            return None
        else:
            answer = work.refuse(write.failure)
        await work.authorise(None)
        return answer

    async def _replay(self, work: _Work, row: Row, finished_at: float) -> Answer:
        stored = None if row.sealed is None else unpacked(self._sealer.open(row.sealed, work.row_id))
        # Before anything is revealed, since permissions may have been revoked in the meantime.
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
    """Returns the response of a finished write, equal to that of its first request."""
    body: dict[str, JsonValue] = {
        "success": True,
        **answer,
        "transaction_hash": result.transaction_hash,
        "block_number": result.block_number,
    }
    return Answer(200, json_bytes(body), NO_STORE)


def replayed(answer: Answer) -> Answer:
    """Returns the response with the header that marks a repetition."""
    return replace(answer, headers={**answer.headers, "Idempotency-Replayed": "true"})


def packed(answer: Answer) -> bytes:
    """Returns the bytes of a response as they are sealed."""
    head: dict[str, JsonValue] = {
        "status": answer.status,
        "headers": dict(answer.headers),
        "wallets": list(answer.wallets),
    }
    return json_bytes(head) + b"\n" + answer.body


def unpacked(written: bytes) -> Answer:
    """Returns the response that `packed` wrote."""
    head, _, body = written.partition(b"\n")
    fields = json.loads(head)
    return Answer(fields["status"], body, fields["headers"], tuple(fields["wallets"]))
