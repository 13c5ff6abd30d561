"""Approval of the running compose file by the app's governance contract, read regularly by the quorum.

The contract of a dstack app is at the address that is its app id, and the key service asks it at each start of a machine.
A machine that runs already keeps its keys when its compose hash is removed, so nothing but this check notices.
"""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Returned, ViewCall
from node.errors import DomainError
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet
from node.values import keccak256

COMPOSE_APPROVAL_INTERVAL_S: Final = 60.0
"""Interval of the reads. A removed hash calls for a person, who needs minutes; one read a minute costs no quota."""

_SELECTOR: Final = keccak256(b"allowedComposeHashes(bytes32)")[:4]
_TRUE: Final = (1).to_bytes(32)
_FALSE: Final = bytes(32)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """App id (20 bytes) and compose hash (32 bytes) of this machine, as the guest agent reports them."""

    app_id: bytes
    compose_hash: bytes


class ComposeApproval:
    """Last known approval of this machine's compose hash. `identity` returns None while the platform does not respond."""

    def __init__(
        self, quorum: QuorumReader, identity: Callable[[], Awaitable[AppIdentity | None]], clock: Clock | None = None
    ) -> None:
        self._quorum = quorum
        self._identity = identity
        self._sleep = (clock or Clock()).sleep
        self._own: AppIdentity | None = None
        self.allowed: bool | None = None
        """Last answer. None: not read yet, or the account contract's chain has no such contract at the app id."""

    @property
    def problem(self) -> str | None:
        """Note for /health while the hash is not allowed; None otherwise."""
        if self.allowed is not False or self._own is None:
            return None
        return (
            f"the app's contract 0x{self._own.app_id.hex()} no longer allows this node's compose hash "
            f"0x{self._own.compose_hash.hex()}: the node runs on with the keys it has, and gets none at its next start"
        )

    async def check(self) -> None:
        """Read the approval. A read that fails keeps the last value: it says nothing about the approval."""
        self._own = await self._identity() or self._own
        if self._own is None:
            return
        calldata = _SELECTOR + self._own.compose_hash
        call = ViewCall("0x" + self._own.app_id.hex(), calldata, _returned_bytes)
        try:
            # The contract is the operator's, may be none at all, and may be upgraded: no provider is blamed for it.
            _, (answer,) = await self._quorum.read([call], of_strangers=True)
        except DomainError:
            return
        before, self.allowed = self.allowed, _meaning(answer.data) if isinstance(answer, Returned) else None
        if self.allowed is not before and self.problem is not None:
            _log.error("compose_hash_not_allowed", compose_hash=self._own.compose_hash.hex())

    @contextlib.asynccontextmanager
    async def checking(self) -> AsyncIterator[None]:
        """Check at once and then every COMPOSE_APPROVAL_INTERVAL_S, in the background, until the context ends."""
        tasks = TaskSet("compose_approval")
        tasks.keep(self._check_regularly)
        try:
            yield
        finally:
            await tasks.stop()

    async def _check_regularly(self) -> None:
        while True:
            await self.check()
            await self._sleep(COMPOSE_APPROVAL_INTERVAL_S)


def _returned_bytes(data: bytes) -> tuple[object, ...]:
    # Accepts any bytes: an address without code returns none, and that is an answer as well.
    return (data,)


def _meaning(data: bytes) -> bool | None:
    return {_TRUE: True, _FALSE: False}.get(data)
