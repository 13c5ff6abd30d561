"""Idempotency-Key: a repeated POST gets the first final answer, and the work is done once (decisions.md section 2)."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from aiohttp import web
from pydantic import JsonValue

from node.chain.port import WriteRecall, WriteResult
from node.errors import ErrorCode, NodeError
from node.http.answers import NO_STORE, Answer, json_bytes
from node.http.idempotency_store import IdempotencyStore, Row
from node.keyring.port import Keyring

_KEY: Final = re.compile(r"[ -~]{22,255}")
_INLINE_BYTES: Final = 64 * 1024
_ANONYMOUS: Final = b"anonymous"
_UNDECIDED: Final = frozenset({401, 402, 403, 429})
"""Refusals that came before any work and may turn out otherwise next time: not kept, the row is dropped."""


def idempotency_key_of(request: web.Request) -> str | None:
    """The request's Idempotency-Key, if any. Raises NodeError `bad_request` when it is malformed."""
    keys = request.headers.getall("Idempotency-Key", [])
    if not keys:
        return None
    if len(keys) > 1 or not _KEY.fullmatch(keys[0]):
        raise NodeError(
            ErrorCode.BAD_REQUEST,
            "The Idempotency-Key header must be given once and have 22 to 255 printable characters.",
            fix="Use a fresh UUID for each thing to be done.",
        )
    return keys[0]


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """What makes two requests the same one: who (key hash, None for anonymous), where, Idempotency-Key and body.

    `one_time_secret` and `from_write` are the endpoint's.
    """

    key_hash: int | None
    method: str
    path: str
    idempotency_key: str
    body: bytes
    one_time_secret: bool
    from_write: Callable[[WriteResult], Mapping[str, JsonValue]]

    def identity(self) -> bytes:
        """Unambiguous bytes of everything but the body."""
        who = _ANONYMOUS if self.key_hash is None else self.key_hash.to_bytes(32)
        parts = (b"row", who, self.method.encode(), self.path.encode(), self.idempotency_key.encode())
        return b"".join(len(part).to_bytes(4) + part for part in parts)


class Idempotency:
    """Answers keyed requests once. `clock` is in unix seconds."""

    def __init__(
        self,
        store: IdempotencyStore,
        keyring: Keyring,
        writes: WriteRecall,
        clock: Callable[[], float],
        secret_replay_s: float,
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._sealer = keyring.idempotency_sealer()
        self._writes = writes
        self._clock = clock
        self._secret_replay_s = secret_replay_s
        self._turns: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def answer(
        self,
        request: KeyedRequest,
        produce: Callable[[str], Awaitable[Answer]],
        refuse: Callable[[NodeError], Answer],
    ) -> Answer:
        """The kept answer, or what `produce` makes of the request, given the id by which its writes are known.

        `refuse` makes the answer of an error, as `produce` does of its own. A concurrent twin waits for the first. Raises NodeError `conflict` for the same key with another body,
        and for a one-time secret whose time is over.
        """
        row_id = self._keyring.idempotency_mac(request.identity())
        body_mac = await self._body_mac(request.body)
        with self._turn(row_id) as turn:
            async with turn:
                row = await self._store.claim(row_id, body_mac, self._clock())
                if row.body_mac != body_mac:
                    raise NodeError(
                        ErrorCode.CONFLICT,
                        "This Idempotency-Key was used for a request with another body.",
                        fix="Use a fresh Idempotency-Key for each thing to be done.",
                    )
                if row.finished_at is not None:
                    return self._replay(row_id, row, row.finished_at)
                return await self._resolve(request, row_id, row, produce, refuse)

    async def _body_mac(self, body: bytes) -> bytes:
        """A keyed digest, off the event loop where it takes milliseconds."""
        if len(body) <= _INLINE_BYTES:
            return self._keyring.idempotency_mac(b"body" + body)
        return await asyncio.to_thread(self._keyring.idempotency_mac, b"body" + body)

    async def purge(self) -> None:
        """Drop what is kept no longer."""
        await self._store.purge(self._clock())

    @contextmanager
    def _turn(self, row_id: bytes) -> Iterator[asyncio.Lock]:
        """The lock of this id; it lives as long as somebody holds it or waits for it."""
        yield self._turns.setdefault(row_id, asyncio.Lock())

    async def _resolve(
        self,
        request: KeyedRequest,
        row_id: bytes,
        row: Row,
        produce: Callable[[str], Awaitable[Answer]],
        refuse: Callable[[NodeError], Answer],
    ) -> Answer:
        """Finish an unfinished row: by the journal when an earlier try got that far, else by doing the work."""
        idempotency_id = f"{row_id.hex()}.{row.created_at:.6f}"
        recalled = None if row.fresh else await self._recall(request, idempotency_id, refuse)
        answer = recalled or await produce(idempotency_id)
        if _is_final(answer.status):
            shows_secret = request.one_time_secret and answer.status < 300
            sealed = self._sealer.seal(_packed(answer), row_id)
            refused = answer.status >= 400
            await self._store.finish(row_id, sealed, self._clock(), shows_secret=shows_secret, refused=refused)
        elif answer.status in _UNDECIDED:
            await self._store.forget(row_id)
        return answer if recalled is None else _replayed(answer)

    async def _recall(
        self, request: KeyedRequest, idempotency_id: str, refuse: Callable[[NodeError], Answer]
    ) -> Answer | None:
        """What became of the write of an earlier try; None when there was none, or only one that never was sent."""
        write = await self._writes.recall(idempotency_id)
        if write is None:
            return None
        if write.result is not None:
            return _answer_of({**write.answer, **request.from_write(write.result)}, write.result)
        if write.failure is None or write.failure.status >= 500:
            return None
        return refuse(write.failure)

    def _replay(self, row_id: bytes, row: Row, finished_at: float) -> Answer:
        if row.sealed is None or (row.shows_secret and self._clock() - finished_at >= self._secret_replay_s):
            raise NodeError(
                ErrorCode.CONFLICT,
                "This request was answered with a secret that cannot be shown again.",
                fix="If the answer was lost, make a new one with a fresh Idempotency-Key and remove the lost one.",
            )
        return _replayed(_unpacked(self._sealer.open(row.sealed, row_id)))


def _is_final(status: int) -> bool:
    return status < 500 and status not in _UNDECIDED


def _answer_of(answer: Mapping[str, JsonValue], result: WriteResult) -> Answer:
    """What the client would have been told, had the node got to it."""
    body: dict[str, JsonValue] = {
        "success": True,
        **answer,
        "transaction_hash": result.transaction_hash,
        "block_number": result.block_number,
    }
    return Answer(200, json_bytes(body), NO_STORE)


def _replayed(answer: Answer) -> Answer:
    return Answer(answer.status, answer.body, {**answer.headers, "Idempotency-Replayed": "true"})


def _packed(answer: Answer) -> bytes:
    return json_bytes({"status": answer.status, "headers": dict(answer.headers)}) + b"\n" + answer.body


def _unpacked(packed: bytes) -> Answer:
    head, _, body = packed.partition(b"\n")
    fields = json.loads(head)
    return Answer(fields["status"], body, fields["headers"])
