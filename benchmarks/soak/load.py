"""The mixed load of honest and hostile actions, each with its required response."""

import asyncio
import contextlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.origin import PRICE
from benchmarks.tenants import Tenant
from benchmarks.wire import Answer, Connection

SIGNATURE_CHARACTERS = 132
HANG_UP_WITHIN_S = 0.05
ANSWER_WITHIN_S = 60.0
SHOWN_CHARACTERS = 600
SHOWN_ANSWERS = 20


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of action. It must end with `error`, or if that is None with an accepted response.

    Each of `workers` pauses `pause_s` between two; with `hangs_up` it does not await the response.
    """

    name: str
    code: str
    error: str | None = None
    accepts: Callable[[Any], bool] = lambda response: response == "done"
    workers: int = 1
    pause_s: float = 0.05
    hangs_up: bool = False


def _signature(response: object) -> bool:
    return isinstance(response, str) and len(response) == SIGNATURE_CHARACTERS


KINDS = (
    Kind("trivial", "function main() { return 'done'; }", workers=3, pause_s=0.01),
    Kind(
        "host-signed",
        "async function main({ wallet }) { return Svc.Actions.signMessage({ pkpId: wallet, message: 'soak' }); }",
        accepts=_signature,
        workers=2,
    ),
    Kind(
        "ethers-signed",
        "async function main({ wallet }) {\n"
        "  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet })).signMessage('soak');\n}",
        accepts=_signature,
    ),
    Kind(
        "encrypt and decrypt",
        "async function main({ wallet }) {\n"
        "  const ciphertext = await Svc.Actions.Encrypt({ pkpId: wallet, message: 'done' });\n"
        "  return Svc.Actions.Decrypt({ pkpId: wallet, ciphertext });\n}",
    ),
    Kind(
        "fetch",
        "async function main({ url }) { return (await (await fetch(url)).json()).price; }",
        accepts=lambda response: response == PRICE,
        workers=2,
    ),
    Kind("throws", "function main() { throw new Error('no'); }", "Error"),
    Kind("does not parse", "function main( {", "SyntaxError", pause_s=0.2),
    Kind("loops", "function main() { for (;;); }", "ActionTimeout", pause_s=10.0),
    Kind("waits for ever", "function main() { return new Promise(r => setTimeout(r, 1e9)); }", "ActionTimeout"),
    Kind(
        "out of memory",
        "function main() { const kept = []; for (;;) kept.push(new Uint8Array(1 << 20).fill(1)); }",
        "ActionOutOfMemory",
        pause_s=3.0,
    ),
    Kind(
        "logs without end", "function main() { for (;;) console.log('x'.repeat(4000)); }", "ActionLogLimit", pause_s=0.5
    ),
    Kind("hung up on at once", "function main() { return 'done'; }", workers=2, hangs_up=True),
    Kind(
        "hung up on while it sleeps", "function main() { return new Promise(r => setTimeout(r, 1e6)); }", hangs_up=True
    ),
)


@dataclass
class Tally:
    """Responses by kind, and the first unexpected ones in order."""

    answered: Counter[str] = field(default_factory=Counter)
    unexpected: int = 0
    shown: list[str] = field(default_factory=list)

    def note(self, kind: Kind, answer: Answer) -> None:
        """Counts one response."""
        self.answered[kind.name] += 1
        if not as_expected(kind, answer):
            self.refuse(f"{kind.name}: {answer.status} {answer.body[:SHOWN_CHARACTERS]!r}")

    def refuse(self, text: str) -> None:
        """Counts one unexpected response."""
        self.unexpected += 1
        if len(self.shown) < SHOWN_ANSWERS:
            self.shown.append(text)


def as_expected(kind: Kind, answer: Answer) -> bool:
    """Whether the response is the one that this kind requires."""
    if answer.status != 200:
        return False
    told = json.loads(answer.body)
    if kind.error is not None:
        return bool(told["has_error"] and told["error"]["name"] == kind.error)
    return bool(not told["has_error"] and kind.accepts(told["response"]))


async def run_load(tenants: Sequence[Tenant], url: str, tally: Tally, seconds: float) -> None:
    """Runs all workers of all kinds for `seconds`; each ends with the response it waits for."""
    end = asyncio.get_running_loop().time() + seconds
    workers: list[asyncio.Task[None]] = []
    async with asyncio.TaskGroup() as group:
        for kind in KINDS:
            for _ in range(kind.workers):
                tenant = tenants[len(workers) % len(tenants)]
                workers.append(group.create_task(_work(kind, tenant, url, tally, end)))


async def _work(kind: Kind, tenant: Tenant, url: str, tally: Tally, end: float) -> None:
    request = tenant.action(kind.code, {"url": url})
    loop = asyncio.get_running_loop()
    connection: Connection | None = None
    while loop.time() < end:
        connection = connection or await Connection.open(tenant.api)
        # After a lost response the connection would give it to the next caller.
        if not await _once(kind, connection, request, tally):
            connection.close()
            connection = None
        await asyncio.sleep(kind.pause_s)
    if connection is not None:
        connection.close()


async def _once(kind: Kind, connection: Connection, request: bytes, tally: Tally) -> bool:
    """Runs an action. Returns whether the connection can be used again."""
    if kind.hangs_up:
        await _hang_up(connection, request)
        tally.answered[kind.name] += 1
        return False
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            tally.note(kind, await connection.ask(request))
    except OSError as error:
        tally.refuse(f"{kind.name}: {error!r}")
        return False
    return True


async def _hang_up(connection: Connection, request: bytes) -> None:
    """Sends, then hangs up before, while or after the action runs."""
    with contextlib.suppress(TimeoutError):
        # Random, so that over ten minutes the caller is lost at every step of a request.
        async with asyncio.timeout(random.uniform(0, HANG_UP_WITHIN_S)):
            await connection.ask(request)
