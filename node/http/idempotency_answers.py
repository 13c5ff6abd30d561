"""Answers as they are kept for an Idempotency-Key: which are, how they are written down, what a replay looks like. Pure."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from node.chain.port import WriteResult
from node.http.answers import NO_STORE, Answer, json_bytes

UNDECIDED: Final = frozenset({401, 402, 403, 429})
"""Refusals that came before any work and may turn out otherwise next time: not kept, the row is dropped."""


def is_final(status: int) -> bool:
    """Whether an answer of this status is kept."""
    return status < 500 and status not in UNDECIDED


def answer_of_write(answer: Mapping[str, JsonValue], result: WriteResult) -> Answer:
    """What the client would have been told, had the node got to it."""
    body: dict[str, JsonValue] = {
        "success": True,
        **answer,
        "transaction_hash": result.transaction_hash,
        "block_number": result.block_number,
    }
    return Answer(200, json_bytes(body), NO_STORE)


def replayed(answer: Answer) -> Answer:
    """The answer, with what says that it was given before."""
    return replace(answer, headers={**answer.headers, "Idempotency-Replayed": "true"})


def packed(answer: Answer) -> bytes:
    """As it is sealed."""
    head: dict[str, JsonValue] = {
        "status": answer.status,
        "headers": dict(answer.headers),
        "wallets": list(answer.wallets),
    }
    return json_bytes(head) + b"\n" + answer.body


def unpacked(written: bytes) -> Answer:
    """The answer that `packed` wrote."""
    head, _, body = written.partition(b"\n")
    fields = json.loads(head)
    return Answer(fields["status"], body, fields["headers"], tuple(fields["wallets"]))
