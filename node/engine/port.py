"""Interface of the engine: a job goes in, host calls come out, and an outcome returns."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pydantic import JsonValue


class StopReason(StrEnum):
    """Reason to end an action from outside. Its value is the `error.name` that callers see."""

    TIMEOUT = "ActionTimeout"
    OUT_OF_MEMORY = "ActionOutOfMemory"
    LOG_LIMIT = "ActionLogLimit"
    RESPONSE_LIMIT = "ActionResponseLimit"
    FETCH_LIMIT = "ActionFetchLimit"
    KEY_LIMIT = "ActionKeyLimit"
    HOST_TIME_LIMIT = "ActionHostTimeLimit"
    OUT_OF_FUNDS = "ActionOutOfFunds"
    NOT_AUTHORISED = "ActionNotAuthorised"
    NODE_STOPPING = "ActionNodeStopping"


@dataclass(frozen=True, slots=True)
class ActionJob:
    """Action to run with its source, `js_params`, `SvcHeaders` and account.

    `cid` must be computed from the source, since runs of one account and CID may share a process.
    `max_seconds` limits its wall time below the engine's own limit.
    """

    code: str
    params: Mapping[str, JsonValue]
    headers: Mapping[str, str]
    account: int = 0
    cid: str = field(kw_only=True)
    max_seconds: int | None = field(kw_only=True, default=None)


@dataclass(frozen=True, slots=True)
class ActionError:
    """Error of the action itself; `stack` has the caller's own line numbers."""

    name: str
    message: str
    stack: str


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """Outcome of an action; `error` is None on success. `duration_ms` ends when it is gone."""

    response: JsonValue
    logs: str
    error: ActionError | None
    duration_ms: float


class HostCallError(Exception):
    """Failure of a host call, which becomes an Error of this name and message in the action."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message


class HostCalls(Protocol):
    """Calls that a running action may make to the node. The implementation authorises each."""

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        """Runs one host call. Raises HostCallError for an error of the action.

        Any other error is the node's fault. In the action it is the error `NodeFault`, which the
        action may catch; its run is charged.
        """
        ...


class Engine(Protocol):
    """Runs each action in its own instance, which is gone when `run` returns."""

    async def run(
        self,
        job: ActionJob,
        host: HostCalls,
        stop: "asyncio.Future[StopReason]",
        dispatched: Callable[[], None],
        commit: Callable[[], Awaitable[None]] | None = None,
    ) -> ActionOutcome:
        """Runs `main` of the job.

        Setting `stop` ends a dispatched action and returns its outcome with that reason and its
        logs. Cancelling ends it without an outcome. `dispatched` is called once, when a worker
        takes the job and billing begins. `commit` is awaited before, once the job is admitted; if
        it raises, the job ends. Errors of the action are outcomes. Raises LimitReachedError if the
        job is not admitted, EngineUnavailableError if the node cannot run it or lacks memory.
        """
        ...
