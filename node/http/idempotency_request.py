"""What makes two requests the same one: the Idempotency-Key, and what it is taken together with (decisions.md section 2)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from aiohttp import web
from pydantic import JsonValue

from node.chain.port import WriteResult
from node.http.errors import ErrorCode, NodeError

_KEY: Final = re.compile(r"[ -~]{22,255}")
_ANONYMOUS: Final = b"anonymous"


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

    `one_time_secret`, `from_write` and `largest_answer_bytes` are the endpoint's. `owner` is whose share of the stored
    answers it counts against: the account, or the client address of a caller without a key.
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

    def identity(self) -> bytes:
        """Unambiguous bytes of everything but the body."""
        who = _ANONYMOUS if self.key_hash is None else self.key_hash.to_bytes(32)
        parts = (b"row", who, self.method.encode(), self.path.encode(), self.idempotency_key.encode())
        return b"".join(len(part).to_bytes(4) + part for part in parts)
