"""Hosts and runs for the engine's tests."""

import asyncio
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from node.engine.cid import cid_of_source
from node.engine.port import ActionJob, ActionOutcome, HostCallError, HostCalls, StopReason
from node.engine.process_engine import ProcessEngine
from node.settings.execution import ActionSettings

LIMITS = ActionSettings(action_timeout_s=10.0, action_spare_workers=1)


class EchoHost:
    """Answers every call with what was asked; a call of `Decrypt` fails as the action's own fault."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Sequence[JsonValue]]] = []

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        self.calls.append((name, arguments))
        if name == "Decrypt":
            raise HostCallError("DecryptionFailed", "not for you")
        return {"name": name, "arguments": list(arguments)}


def never() -> "asyncio.Future[StopReason]":
    return asyncio.get_running_loop().create_future()


def job_of(
    code: str,
    params: Mapping[str, JsonValue] | None = None,
    headers: Mapping[str, str] | None = None,
    account: int = 0,
) -> ActionJob:
    return ActionJob(code, params or {}, headers or {}, account, cid=cid_of_source(code))


async def run(
    engine: ProcessEngine,
    code: str,
    params: Mapping[str, JsonValue] | None = None,
    host: HostCalls | None = None,
    stop: "asyncio.Future[StopReason] | None" = None,
    account: int = 0,
) -> ActionOutcome:
    job = job_of(code, params, {"X-Request-Id": "the request"}, account)
    return await engine.run(job, host or EchoHost(), stop or never(), lambda: None)
