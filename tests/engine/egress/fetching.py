"""Fetches as the action's side asks for them, through the calls of one run."""

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import pytest
from pydantic import JsonValue

from node.engine.egress.egress import Egress, FetchCalls
from node.engine.egress.targets import AddressPolicy
from node.engine.port import HostCallError, StopReason
from node.settings.execution import EgressSettings
from node.values import IpAddress
from tests.engine.hosts import EchoHost
from tests.support.settings import changed

ACCOUNT = 7
LIMITS = EgressSettings(egress_timeout_s=10.0)
LOOPBACK = AddressPolicy(allow_loopback=True)


@dataclass
class Names:
    """A resolver of the test's own: each name answers its lists of addresses one after the other, the last for ever."""

    answers: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        assert account == ACCOUNT
        self.asked.append(host)
        await asyncio.sleep(0)
        answers = self.answers.get(host, [[]])
        now = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ip_address(address) for address in now]


@dataclass
class Fetching:
    """One run's calls."""

    calls: FetchCalls
    host: EchoHost
    names: Names
    stop: "asyncio.Future[StopReason]"
    made: int = 0

    async def fetch(
        self,
        url: str,
        method: str = "GET",
        headers: Sequence[tuple[str, str]] = (),
        body: bytes | None = None,
        redirect: str = "follow",
        call: int | None = None,
    ) -> dict[str, Any]:
        """The answer, its body decoded. Raises HostCallError."""
        self.made += 1
        message: dict[str, JsonValue] = {
            "url": url,
            "method": method,
            "headers": [[name, value] for name, value in headers],
            "body": None if body is None else base64.b64encode(body).decode(),
            "redirect": redirect,
            "call": self.made if call is None else call,
        }
        answered = await asyncio.create_task(self.calls.call("fetch", [message]))
        assert isinstance(answered, dict)
        return answered | {"body": base64.b64decode(str(answered["body"]), validate=True)}

    async def failure(self, url: str, **request: Any) -> str:
        """The reason of a fetch that fails as the action's own fault."""
        with pytest.raises(HostCallError) as failed:
            await self.fetch(url, **request)
        assert failed.value.name == "TypeError", failed.value
        return failed.value.message


@contextlib.asynccontextmanager
async def fetching(
    policy: AddressPolicy = LOOPBACK,
    limits: EgressSettings = LIMITS,
    names: Names | None = None,
    tls: ssl.SSLContext | None = None,
    **changes: Any,
) -> AsyncIterator[Fetching]:
    """A run; `changes` are of its limits."""
    lookup = names or Names()
    egress = Egress(changed(limits, **changes), policy, resolver=lookup, tls=tls)
    host = EchoHost()
    stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
    async with FetchCalls(host, egress, ACCOUNT, stop) as calls:
        yield Fetching(calls, host, lookup, stop)
