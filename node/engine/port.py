"""The engine as the rest of the node sees it: one job in, one outcome out, host calls in between."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pydantic import JsonValue


class StopReason(StrEnum):
    """What ends an action from outside, limits and the node's own stop; each is the `error.name` the caller sees (decisions.md section 5)."""

    TIMEOUT = "ActionTimeout"
    OUT_OF_MEMORY = "ActionOutOfMemory"
    LOG_LIMIT = "ActionLogLimit"
    RESPONSE_LIMIT = "ActionResponseLimit"
    FETCH_LIMIT = "ActionFetchLimit"
    KEY_LIMIT = "ActionKeyLimit"
    HOST_TIME_LIMIT = "ActionHostTimeLimit"
    OUT_OF_FUNDS = "ActionOutOfFunds"
    NODE_STOPPING = "ActionNodeStopping"


@dataclass(frozen=True, slots=True)
class ActionJob:
    """What to run: the source, its `js_params`, and what `SvcHeaders` shows it; `account` is whose turn it takes.

    `cid` is the source's: runs of one account and CID may share a process, so it must be computed from the source.
    """

    code: str
    params: Mapping[str, JsonValue]
    headers: Mapping[str, str]
    account: int = 0
    cid: str = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class ActionError:
    """What the action did wrong; `stack` has the caller's own line numbers."""

    name: str
    message: str
    stack: str


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """How an action ended. `error` is None when it answered; `duration_ms` runs from dispatch until nothing is left of it."""

    response: JsonValue
    logs: str
    error: ActionError | None
    duration_ms: float


class HostCallError(Exception):
    """A host call that fails inside the action: becomes a JavaScript Error of this name and message."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message


class HostCalls(Protocol):
    """What a running action may ask of the node; every call is authorised by the implementation."""

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        """Answer one host call. Raises HostCallError for what the action did wrong.

        Any other error is the node's fault. It too becomes an error inside the action, `ChainUnavailable` or `NodeFault`:
        the action may catch it, and what it ran is charged.
        """
        ...


class Engine(Protocol):
    """Runs actions, each in an instance of its own that is gone when `run` returns."""

    async def run(
        self, job: ActionJob, host: HostCalls, stop: "asyncio.Future[StopReason]", dispatched: Callable[[], None]
    ) -> ActionOutcome:
        """Run `main` of the job. Setting `stop` ends the action with that reason; cancelling ends it too.

        `dispatched` is called once, when the job's turn has come and a worker takes it: from then on the run is billed.
        Whatever the action does wrong is an outcome. Raises NodeError `too_many_requests` when no turn comes, and
        `runner_unavailable` when the node cannot run it, or had to end it for lack of memory.
        """
        ...
