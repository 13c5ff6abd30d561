"""`Idempotency-Key`, whose first response is repeated for a day.

Source: https://docs.stripe.com/api/idempotent_requests and https://docs.stripe.com/error-low-level.
"""

import hashlib
import json
from collections.abc import Callable
from typing import Final

from devkit.processor.errors import IDEMPOTENCY, ApiError
from devkit.processor.forms import Tree
from devkit.processor.objects import KeptResponse
from devkit.processor.store import Store

MAX_KEY_CHARACTERS: Final = 255


def fingerprint(caller: str, path: str, tree: Tree) -> str:
    """Returns a value that is equal for equal requests; `caller` is the kind of key."""
    return hashlib.sha256(json.dumps([caller, path, tree], sort_keys=True).encode()).hexdigest()


class IdempotencyKeys:
    """The keys in use and the kept responses; `clock` is unix time in seconds."""

    def __init__(self, store: Store, clock: Callable[[], float], lifetime_s: float) -> None:
        self._store = store
        self._clock = clock
        self._lifetime_s = lifetime_s
        self._running: set[str] = set()

    def begin(self, key: str, asked: str) -> KeptResponse | None:
        """Returns the kept response, or None, after which the caller works and calls `end`.

        Raises ApiError 409 while the key is in use, 400 after use for another request.
        """
        if len(key) > MAX_KEY_CHARACTERS:
            raise ApiError(400, f"Idempotency keys have at most {MAX_KEY_CHARACTERS} characters.", kind=IDEMPOTENCY)
        self._forget_old()
        if key in self._running:
            raise _in_use(key)
        kept = self._store.answers.find(key)
        # The kept response is to another request, so the caller used a key twice by mistake.
        if kept is not None and kept.asked != asked:
            raise _used_for_another(key)
        if kept is None:
            self._running.add(key)
        return kept

    def end(self, key: str, answer: KeptResponse | None) -> None:
        """Free the key; `answer`, if any, is repeated from now on."""
        self._running.discard(key)
        if answer is not None:
            self._store.answers.put(answer)

    def _forget_old(self) -> None:
        limit = self._clock() - self._lifetime_s
        old = []
        for kept in self._store.answers.oldest_first():
            # In the order of time, so all that follow are younger.
            if kept.created > limit:
                break
            old.append(kept.id)
        for key in old:
            self._store.answers.drop(key)


def _in_use(key: str) -> ApiError:
    return ApiError(
        409,
        f"There is currently another in-progress request using this Idempotent Key: {key}. Please try again later.",
        kind=IDEMPOTENCY,
        code="idempotency_key_in_use",
    )


def _used_for_another(key: str) -> ApiError:
    return ApiError(
        400,
        "Keys for idempotent requests can only be used with the same parameters they were first used with. "
        f"Try using a key other than '{key}' if you meant to execute a different request.",
        kind=IDEMPOTENCY,
    )
