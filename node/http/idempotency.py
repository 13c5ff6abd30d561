"""Idempotency-Key: a repeated POST gets the first final answer, and the work is done once (decisions.md section 2).

It may be repeated at any of the nodes that share the database. In one process a twin waits for the first one's turn; across
nodes it waits for the other's claim on the row, looking again and again, up to a limit.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from node.chain.port import WriteRecall
from node.http.answers import Answer
from node.http.errors import DomainError, ErrorCode, NodeError, as_node_error
from node.http.idempotency_answers import UNDECIDED, answer_of_write, is_final, packed, replayed, unpacked
from node.http.idempotency_claims import Claims
from node.http.idempotency_request import KeyedRequest
from node.http.idempotency_store import ADDRESS, MICROSECONDS, Finish, IdempotencyStore, Row, Share, ShareFullError
from node.http.limits import HttpLimits
from node.keyring.port import Keyring

FIRST_PAUSE_S: Final = 0.02
LONGEST_PAUSE_S: Final = 1.0
"""Between two looks at a row that another node has claimed; each pause is half as long again as the one before."""
IN_PROGRESS_RETRY_AFTER_S: Final = 5
SHARE_FULL_RETRY_AFTER_S: Final = 60
"""Reservations of requests under way end within minutes; what is stored stays for a day."""
SEALED_BESIDE_BODY_BYTES: Final = 8 * 1024
"""What is sealed of an answer besides its body: headers, the addresses of up to a hundred wallets, nonce and tag."""
_INLINE_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Clocks:
    """Unix time and monotonic time, in seconds, and how to let some pass."""

    unix: Callable[[], float]
    monotonic: Callable[[], float]
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class _Work:
    """A keyed request, where its row is, and how it is answered (see `Idempotency.answer`)."""

    request: KeyedRequest
    row_id: bytes
    body_mac: bytes
    share: Share
    produce: Callable[[str], Awaitable[Answer]]
    refuse: Callable[[DomainError], Answer]
    authorise: Callable[[Answer | None], Awaitable[None]]


class Idempotency:
    """Answers keyed requests once."""

    def __init__(
        self,
        store: IdempotencyStore,
        claims: Claims,
        keyring: Keyring,
        writes: WriteRecall,
        limits: HttpLimits,
        clocks: Clocks,
    ) -> None:
        self._store = store
        self._claims = claims
        self._keyring = keyring
        self._sealer = keyring.idempotency_sealer()
        self._writes = writes
        self._limits = limits
        self._clocks = clocks
        self._turns: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def answer(
        self,
        request: KeyedRequest,
        produce: Callable[[str], Awaitable[Answer]],
        refuse: Callable[[DomainError], Answer],
        authorise: Callable[[Answer | None], Awaitable[None]],
    ) -> Answer:
        """The kept answer, or what `produce` makes of the request, given the id by which its writes are known.

        `refuse` makes the answer of an error, as `produce` does of its own. `authorise` is called before anything is
        shown again, with the stored answer, or None where it comes from the journal or is erased; it raises NodeError
        when a fresh call of this caller would be refused. A concurrent twin waits for the first.
        Raises NodeError `conflict` for the same key with another body, for a one-time secret whose time is over, and
        when the first, at another node, is under way for too long; before any work `too_many_requests` when the
        share of the stored answers is used up, and `billing_unavailable` when the database is out.
        """
        row_id = self._keyring.idempotency_mac(request.identity())
        owner = self._keyring.idempotency_mac(b"owner" + request.owner).hex()
        if request.key_hash is None:
            owner = ADDRESS + owner
        share = Share(owner, request.largest_answer_bytes + SEALED_BESIDE_BODY_BYTES)
        work = _Work(request, row_id, await self._body_mac(request.body), share, produce, refuse, authorise)
        give_up = self._give_up_at()
        with self._turn(row_id) as turn:
            async with turn:
                await self._claims.store_earlier(row_id)
                with self._claims.working() as token:
                    return await self._answered(work, token, give_up)

    async def _body_mac(self, body: bytes) -> bytes:
        """A keyed digest, off the event loop where it takes milliseconds."""
        if len(body) <= _INLINE_BYTES:
            return self._keyring.idempotency_mac(b"body" + body)
        return await asyncio.to_thread(self._keyring.idempotency_mac, b"body" + body)

    @contextlib.contextmanager
    def _turn(self, row_id: bytes) -> Iterator[asyncio.Lock]:
        """The lock of this id; it lives as long as somebody holds it or waits for it."""
        yield self._turns.setdefault(row_id, asyncio.Lock())

    async def _answered(self, work: _Work, token: str, give_up: float) -> Answer:
        row = await self._claimed(work, token, give_up)
        if row.finished_at is not None:
            return await self._replay(work, row, row.finished_at)
        try:
            return await self._resolve(work, row, token)
        except BaseException:
            self._claims.give_up(work.row_id, token)
            raise

    async def _claimed(self, work: _Work, token: str, give_up: float) -> Row:
        """The row, once it is finished or claimed under this token. Raises NodeError `conflict` as `answer` says."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                row = await self._store.claim(work.row_id, work.body_mac, token, work.share, self._clocks.unix())
            except ShareFullError as error:
                raise _share_full(error.limit) from None
            if row.body_mac != work.body_mac:
                raise _another_body()
            if row.finished_at is not None or row.claim == token:
                return row
            left_s = give_up - self._clocks.monotonic()
            if left_s <= 0:
                raise _in_progress()
            await self._clocks.pause(min(pause_s, left_s))
            pause_s = min(1.5 * pause_s, LONGEST_PAUSE_S)

    async def _resolve(self, work: _Work, row: Row, token: str) -> Answer:
        """Finish an unfinished row: by the journal when an earlier try got that far, else by doing the work."""
        idempotency_id = f"{work.row_id.hex()}.{row.created_us // MICROSECONDS}.{row.created_us % MICROSECONDS:06d}"
        recalled = None if row.fresh else await self._recall(work, idempotency_id)
        if recalled is not None:
            await work.authorise(None)
        answer = recalled or await work.produce(idempotency_id)
        if is_final(answer.status):
            return await self._kept(work, token, answer, was_recalled=recalled is not None)
        with contextlib.suppress(DomainError):  # the claim is then given up a little later
            if answer.status in UNDECIDED:
                await self._store.forget(work.row_id, token)
            else:
                await self._store.release(work.row_id, token)
        return answer

    async def _kept(self, work: _Work, token: str, answer: Answer, *, was_recalled: bool) -> Answer:
        """This answer, stored, or the one that was stored by whoever took the claim from a node that was silent."""
        sealed = self._sealer.seal(packed(answer), work.row_id)
        shows_secret = work.request.one_time_secret and answer.status < 300
        finish = Finish(sealed, self._clocks.unix(), shows_secret, work.share.owner)
        while True:
            row = await self._stored(work.row_id, token, finish)
            if row is None or row.claim == token:
                return replayed(answer) if was_recalled else answer
            if row.finished_at is None:
                row = await self._claimed(work, token, self._give_up_at())
            if row.finished_at is not None:
                return await self._replay(work, row, row.finished_at)

    async def _stored(self, row_id: bytes, token: str, finish: Finish) -> Row | None:
        """The row after that; None as well when the database is out, and it is stored later: the work is done."""
        try:
            return await self._claims.store(row_id, token, finish)
        except DomainError:
            return None

    async def _recall(self, work: _Work, idempotency_id: str) -> Answer | None:
        """What became of the write of an earlier try; None when there was none, or only one that never was sent."""
        write = await self._writes.recall(idempotency_id)
        if write is None:
            return None
        if write.result is not None:
            return answer_of_write({**write.answer, **work.request.from_write(write.result)}, write.result)
        if write.failure is None or as_node_error(write.failure).status >= 500:
            return None
        return work.refuse(write.failure)

    async def _replay(self, work: _Work, row: Row, finished_at: float) -> Answer:
        stored = None if row.sealed is None else unpacked(self._sealer.open(row.sealed, work.row_id))
        await work.authorise(stored)
        age_s = self._clocks.unix() - finished_at
        if stored is None or (row.shows_secret and age_s >= self._limits.secret_replay_s):
            raise NodeError(
                ErrorCode.CONFLICT,
                "This request was answered with a secret that cannot be shown again.",
                fix="If the answer was lost, make a new one with a fresh Idempotency-Key and remove the lost one.",
            )
        return replayed(stored)

    def _give_up_at(self) -> float:
        return self._clocks.monotonic() + self._limits.idempotency_wait_s


def _another_body() -> NodeError:
    return NodeError(
        ErrorCode.CONFLICT,
        "This Idempotency-Key was used for a request with another body.",
        fix="Use a fresh Idempotency-Key for each thing to be done.",
    )


def _share_full(limit: str) -> NodeError:
    return NodeError(
        ErrorCode.TOO_MANY_REQUESTS,
        "As many answers as may be are stored for Idempotency-Keys; nothing was done.",
        fix="Wait until answers under way have ended or stored ones are a day old, or send the request without the header.",
        details={"limit": limit},
        retry_after_s=SHARE_FULL_RETRY_AFTER_S,
    )


def _in_progress() -> NodeError:
    return NodeError(
        ErrorCode.CONFLICT,
        "The first request with this Idempotency-Key is still under way at another node.",
        fix="Repeat the request with the same Idempotency-Key to get its answer.",
        details={"in_progress": True},
        retry_after_s=IN_PROGRESS_RETRY_AFTER_S,
    )
