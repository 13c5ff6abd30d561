"""Orders of runs: who asks for what, which program it is, and whether its parameters may be so large."""

import asyncio
import json
import sys
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from pydantic import JsonValue

from node.chain.port import MayReread
from node.engine.cid import cid_of_source
from node.engine.frames import require_plain
from node.execution.models import SvcActionRequest
from node.http.endpoint import Note, not_noted
from node.http.errors import ErrorCode, NodeError
from node.permissions.grants import Caller
from node.runtime.processor_time import ClientTime
from node.settings.execution import ActionSettings
from node.values import hash_of_text

PARAMS_DEPTH_MAX: Final = 100
"""Nesting of arrays and objects in `js_params`: some JSON readers fail beyond it."""
INLINE_CID_CHARACTERS: Final = 256 * 1024
"""Sources above this size are hashed in a thread: a megabyte takes milliseconds."""
_INLINE_PARAMS: Final = 4096
"""Values and characters of `js_params` that are checked on the event loop, in well under a millisecond; more in a thread."""
_INLINE_PARAMS_BYTES: Final = 128 * _INLINE_PARAMS
"""More than so many values and characters take as JSON: a number has at most 101 bytes, a character 6, each a comma."""
_CHARACTER_BYTES: Final = 6
"""More than one character takes as JSON; also more than what stands around a name and its text."""
_SIZED: Final = (str, list, dict)

_MAX_REMEMBERED: Final = 1024
_MAX_REMEMBERED_BYTES: Final = 16 * 1024 * 1024
"""Sources kept in memory so that those seen before are not hashed again; one takes at most `INLINE_CID_CHARACTERS`."""


class Order(NamedTuple):
    """Request to run an action. The action finds `headers` in `SvcHeaders`.

    `may_reread` takes one of the client's re-reads of cached denials. `note` adds fields to the log line of the request.
    """

    caller: Caller
    request: SvcActionRequest
    headers: Mapping[str, str]
    may_reread: MayReread
    note: Note = not_noted


class Program(NamedTuple):
    """The CIDv0 of a source, and the hash of that CID."""

    cid: str
    action_hash: int


class Programs:
    """Names sources; the one used longest ago is forgotten first."""

    def __init__(self, settings: ActionSettings) -> None:
        self._code_bytes_max = settings.action_code_bytes
        self._known: OrderedDict[str, Program] = OrderedDict()
        self._known_bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, source: str) -> bool:
        return source in self._known

    async def of(self, source: str) -> Program:
        """Return the CID of this source and its hash. Raises NodeError 400 and `payload_too_large`."""
        self._check_size(len(source))
        if len(source) > INLINE_CID_CHARACTERS:  # not looked for: to hash the text for a dictionary takes long too
            cid, size = await asyncio.to_thread(_cid_and_size, source)
            self._check_size(size)
            return Program(cid, hash_of_text(cid))
        known = self._known.get(source)
        if known is not None:
            self._known.move_to_end(source)
            return known
        cid = cid_of_source(source)
        self._check_size(len(source.encode()))
        program = Program(cid, hash_of_text(cid))
        self._remember(source, program)
        return program

    def _check_size(self, size: int) -> None:
        if size > self._code_bytes_max:
            raise too_large("The code", self._code_bytes_max)

    def _remember(self, source: str, program: Program) -> None:
        self._known[source] = program
        self._known_bytes += sys.getsizeof(source)
        while len(self._known) > _MAX_REMEMBERED or self._known_bytes > _MAX_REMEMBERED_BYTES:
            forgotten, _ = self._known.popitem(last=False)
            self._known_bytes -= sys.getsizeof(forgotten)


def _cid_and_size(source: str) -> tuple[str, int]:
    cid = cid_of_source(source)
    return cid, len(source.encode())


def too_large(what: str, bytes_max: int) -> NodeError:
    """Return the error 413 for a part of a request."""
    return NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"{what} may have at most {bytes_max} bytes.")


def check_max_seconds(max_seconds: int | None, settings: ActionSettings) -> None:
    """Check a request's own bound on its run. Raises NodeError 400 for one beyond the node's."""
    if max_seconds is None or max_seconds <= settings.action_timeout_s:
        return
    limit = f"is more than the limit of {settings.action_timeout_s:g} seconds (action_timeout_s)"
    raise NodeError(
        ErrorCode.BAD_REQUEST,
        f"max_seconds {limit}.",
        fix="Send a smaller number, or leave max_seconds out: the node's own limit holds then.",
        details={"fields": {"max_seconds": limit}},
    )


def params_are_flat(params: dict[str, JsonValue] | None, settings: ActionSettings) -> bool:
    """Return whether they are a few short texts and nothing else, and so within every limit that an operator may set."""
    if params is None:
        return True
    left = min(settings.action_params_bytes // _CHARACTER_BYTES, _INLINE_PARAMS) - _CHARACTER_BYTES * len(params)
    for name, value in params.items():
        if type(value) is not str:
            return False
        left -= len(name) + len(value)
    return left >= 0


async def check_params(params: dict[str, JsonValue] | None, settings: ActionSettings, client: ClientTime) -> None:
    """Check depth and size: of few values here, else in a thread, a hundred milliseconds for the largest.

    Raises NodeError 400 for params that are nested too deeply or hold what is no JSON, 413 for too many bytes.
    """
    if not _are_few(params):
        await client.turn()
        await client.in_thread(partial(_check, params, settings))
    elif settings.action_params_bytes < _INLINE_PARAMS_BYTES:
        _check(params, settings)
    else:  # so few never take so many bytes
        _check_shape(params)


def _are_few(params: dict[str, JsonValue] | None) -> bool:
    """Return whether few values, of few characters, would be looked at; so many are looked at here, and no more."""
    left = _INLINE_PARAMS
    waiting: list[JsonValue] = [params]
    while waiting and left > 0:
        value = waiting.pop()
        left -= 1 + (len(value) if isinstance(value, _SIZED) else 0)
        if isinstance(value, dict) and left > 0:
            left -= sum(map(len, value))
            waiting += value.values()
        elif isinstance(value, list) and left > 0:
            waiting += value
    return left > 0


def _check_shape(params: dict[str, JsonValue] | None) -> None:
    try:
        require_plain(params, PARAMS_DEPTH_MAX)
    except ValueError as error:
        message = f"js_params {error}"
        raise NodeError(
            ErrorCode.BAD_REQUEST,
            f"{message}.",
            fix="Send js_params as plain JSON; what is nested deeper can be sent as a JSON text.",
            details={"fields": {"js_params": str(error)}},
        ) from None


def _check(params: dict[str, JsonValue] | None, settings: ActionSettings) -> None:
    _check_shape(params)
    written = json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    if len(written) > settings.action_params_bytes:
        raise too_large("js_params", settings.action_params_bytes)
