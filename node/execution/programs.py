"""What names an action: the CID of its source, and the hash under which the contract knows it."""

import asyncio
import sys
from collections import OrderedDict
from typing import Final, NamedTuple

from node.engine.cid import cid_of_source
from node.errors import ErrorCode, NodeError
from node.settings.execution import ActionSettings
from node.values import hash_of_text

INLINE_CID_CHARACTERS: Final = 256 * 1024
"""Sources above this size are hashed in a thread: a megabyte takes milliseconds."""
_MAX_REMEMBERED: Final = 1024
_MAX_REMEMBERED_BYTES: Final = 16 * 1024 * 1024
"""Sources kept in memory so that those seen before are not hashed again; one takes at most `INLINE_CID_CHARACTERS`."""


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
        """What names this source. Raises NodeError 400 and `payload_too_large`."""
        known = self._known.get(source)
        if known is not None:
            self._known.move_to_end(source)
            return known
        self._check_size(len(source))
        if len(source) > INLINE_CID_CHARACTERS:
            cid = await asyncio.to_thread(cid_of_source, source)
            self._check_size(len(source.encode()))
            return Program(cid, hash_of_text(cid))
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


def too_large(what: str, bytes_max: int) -> NodeError:
    """The 413 of a part of a request."""
    return NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"{what} may have at most {bytes_max} bytes.")
