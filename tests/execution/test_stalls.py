"""Nothing that an action sends to the node holds the event loop: every host call, with the shapes that cost a reader most.

The calls are those that the node knows, and their fields those that they say they take: a new one is covered without a word here.
"""

import asyncio
import contextlib
import functools
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import pytest
from pydantic import JsonValue

from node.chain.port import Authorisations, MayReread, WalletRecord, WalletUse
from node.engine.calls import Calls
from node.engine.egress.egress import Egress, FetchCalls
from node.engine.egress.targets import AddressPolicy
from node.engine.frames import (
    FrameError,
    LongLogError,
    ManyValuesError,
    ResponseError,
    parse_error,
    parse_log,
    parse_response,
)
from node.engine.port import HostCallError, StopReason
from node.engine.protocol import FRAME_BYTES_MAX, RESPONSE_VALUES_MAX
from node.engine.worker_process import Worker
from node.execution.host_calls import ActionCalls, Derivation, WalletKeys
from node.permissions.grants import Caller
from node.runtime.processor_time import ClientTime, ProcessorShares
from node.settings.execution import ActionSettings, EgressSettings
from tests.execution.test_derivation import Hashes
from tests.support.hostile_values import hostile_texts, hostile_values
from tests.support.keyring_vectors import CID, OWNER, PATH, keyring
from tests.support.loop_meter import STALL_MAX_S, LoopMeter, metered_loop, young_heap

CALL_BYTES = 1024 * 1024
LONG_CALL_BYTES = 4 * 1024 * 1024
LONG = {"fetch", "Encrypt", "Decrypt"}
FETCH_FIELDS = ("url", "method", "headers", "body", "redirect")
NAMES = (*ActionCalls._FUNCTIONS, "fetch", "fetchAbort", "a call of no name")
ACCOUNT = 7


class OneWallet:
    """Allows the one wallet there is."""

    def __init__(self) -> None:
        self._wallet = WalletRecord(1, keyring().wallet(OWNER, PATH).address, PATH, "", "")

    async def wallet_use(
        self, caller: Caller, action: int, wallet: str | int, min_block: int, may_reread: MayReread
    ) -> WalletUse:
        del caller, action, wallet, min_block, may_reread
        return WalletUse(self._wallet, True)


class Answers:
    """Stands for a worker: takes answers, and has read them all."""

    def __init__(self) -> None:
        self.taken: asyncio.Queue[str] = asyncio.Queue()

    def answer(self, fiber: int, text: str) -> None:
        assert fiber == 1
        self.taken.put_nowait(text)

    async def few_unsent(self, bytes_max: int) -> None:
        assert bytes_max > 0


class Run:
    """The host's side of one action."""

    def __init__(self, calls: ActionCalls, fetches: FetchCalls) -> None:
        self._calls, self._fetches = calls, fetches
        self._worker = Answers()
        # Time passes between two looks: an account that used its share up waits for no answer here.
        shares = ProcessorShares(itertools.count(step=1_000).__next__)
        self._taking = Calls(cast("Worker", self._worker), 1, fetches, 1 << 30, ClientTime(shares, ACCOUNT))
        self._made = 0

    async def ask(self, name: str, arguments: bytes) -> str:
        """What the action is answered, or that its worker is not believed any more."""
        self._calls.key_operations = self._fetches.requests = 0
        self._made += 1
        try:
            self._taking.take(b'[%d,"%s",%s]' % (self._made, name.encode(), arguments))
        except FrameError as error:
            return str(error)
        return await self._worker.taken.get()

    async def fields(self, name: str) -> Sequence[str]:
        """The fields that a function takes, as it says when it is given another one."""
        if name not in ActionCalls._FUNCTIONS:
            return FETCH_FIELDS
        with pytest.raises(HostCallError) as refused:
            await self._calls.call(name, [{"no field": 1}])
        _, _, named = refused.value.message.removesuffix(".").partition("takes ")
        return [] if named == "no fields" else named.split(", ")


@asynccontextmanager
async def running() -> AsyncIterator[Run]:
    keys = keyring()
    stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
    caller = Caller(OWNER, OWNER, managed=True, grants=None)
    wallets = WalletKeys(cast("Authorisations", OneWallet()), Derivation(keys, Hashes()), caller, 1, 0, lambda: False)
    egress = Egress(EgressSettings(egress_timeout_s=5.0), AddressPolicy(allow_loopback=True))
    calls = ActionCalls(wallets, keys, CID, 1 << 30, stop)
    async with FetchCalls(calls, egress, ACCOUNT, stop) as fetches:
        yield Run(calls, fetches)


VALID: dict[str, JsonValue] = {
    "pkpId": 1,
    "ipfsId": CID,
    "message": {"text": "m"},
    "ciphertext": "0x",
    "domain": {"name": "x"},
    "types": {"Data": [{"name": "field", "type": "string"}]},
    "value": {"field": "x"},
    "transaction": {"nonce": 0, "gas": 21000, "to": "0x" + "11" * 20, "chainId": 1, "gasPrice": 1},
    "url": "http://127.0.0.1:1/",
    "method": "POST",
    "headers": [],
    "body": None,
    "redirect": "follow",
}


@functools.cache
def shapes(length: int) -> dict[str, JsonValue]:
    return {**hostile_texts(length), **hostile_values(length)}


def inside(field: str, shape: JsonValue) -> Iterator[JsonValue]:
    """The shape as the field, and within what the field is."""
    yield shape
    match VALID[field]:
        case {"text": str()}:
            yield {"text": shape}
            yield {"bytes": shape}
        case dict() as whole:
            for name, part in whole.items():
                yield {**whole, name: shape}
                if isinstance(part, list):
                    yield {**whole, name: [shape]}
                    yield {**whole, name: [{"name": shape, "type": shape}]}
                    yield {**whole, name: [{"name": "field", "type": shape}] * 2}
        case list():
            yield [[shape, shape]]
            yield [["X-Name", shape]]
        case _:
            return


def requests(name: str, fields: Sequence[str]) -> Iterator[tuple[str, JsonValue]]:
    """What a call is given, by what is hostile in it."""
    length = (LONG_CALL_BYTES if name in LONG else CALL_BYTES) - 2_000
    valid: dict[str, JsonValue] = {field: VALID[field] for field in fields}
    if name.startswith("fetch"):
        valid["call"] = 1
    for shape, value in shapes(length).items():
        yield f"{shape} for all", value
        yield f"{shape} as a field", {**valid, "more": value}
    for field in fields:
        for size in (8_000, length):
            for shape, value in shapes(size).items():
                for number, within in enumerate(inside(field, value)):
                    yield f"{field}: {shape} of {size}, {number}", {**valid, field: within}


LIMITS = ActionSettings()
READERS: dict[str, tuple[Callable[[bytes], object], int]] = {
    "a line of the logs": (lambda body: parse_log(body, LIMITS.action_log_bytes), FRAME_BYTES_MAX - 16),
    "an error": (parse_error, FRAME_BYTES_MAX - 16),
    "a response": (lambda body: parse_response(body, 100, RESPONSE_VALUES_MAX), LIMITS.action_response_bytes),
}
"""What reads it, and how long it may be before it is looked at."""


def messages(length: int) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """What a worker may say of its action, by its shape."""
    for shape, value in shapes(length).items():
        for form in (
            value,
            [value],
            {"name": "n", "message": value, "stack": value},
            {"name": value, "message": "", "stack": ""},
        ):
            for is_ascii in (True, False):
                yield shape, functools.partial(_text, form, is_ascii, length)
                yield f"{shape}, cut", functools.partial(_text, form, is_ascii, length // 2)
    for unit in (
        b"[",
        b'{"a":',
        b"1",
        b"-",
        b"1e9",
        b"[1.",
        b'"\\ud800',
        b"[[],",
        b'"\\\\',
        b"{}",
        b" ",
        b"\xff",
        b"nul",
    ):
        yield f"{unit!r} again and again", functools.partial(bytes.__mul__, unit, length // len(unit))


def _text(form: object, is_ascii: bool, length: int) -> bytes:
    return json.dumps(form, ensure_ascii=is_ascii).encode()[:length]


def slow_to_read(reader: str, every: int) -> list[str]:
    """What of a worker's messages takes long to read."""
    read, length = READERS[reader]
    slow = []
    for number, (shape, make) in enumerate(messages(length)):
        if number % every:
            continue
        body = make()
        began = time.thread_time()
        with contextlib.suppress(FrameError, LongLogError, ManyValuesError, ResponseError):
            read(body)
        took_s = time.thread_time() - began
        if took_s > STALL_MAX_S:
            slow.append(f"{shape}: {took_s * 1000:.0f} ms")
    return slow


@pytest.mark.parametrize("reader", READERS)
def test_nothing_that_a_worker_says_of_its_action_takes_long_to_read(reader: str) -> None:
    with young_heap():
        assert slow_to_read(reader, 37) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("reader", READERS)
def test_nothing_that_a_worker_says_of_its_action_takes_long_to_read_all(reader: str) -> None:
    with young_heap():
        assert slow_to_read(reader, 1) == []


async def longest(
    run: Run, meter: LoopMeter, name: str, cases: Iterator[tuple[str, JsonValue]], every: int
) -> list[str]:
    """What of a call held the loop too long."""
    held = []
    for number, (shape, request) in enumerate(cases):
        if number % every:
            continue
        arguments = json.dumps([request], ensure_ascii=False).encode()
        # A longer one never arrives: the worker's frame would be too long.
        if len(arguments) > FRAME_BYTES_MAX - 100:
            continue
        # What made the case is no work of the node's.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        meter.restart()
        await run.ask(name, arguments)
        if meter.longest_s > STALL_MAX_S:
            held.append(f"{shape}: {meter.longest_s * 1000:.0f} ms")
    return held


@pytest.mark.parametrize("name", NAMES)
async def test_no_argument_of_a_host_call_holds_the_loop(name: str) -> None:
    async with running() as run, metered_loop() as meter:
        assert await longest(run, meter, name, requests(name, await run.fields(name)), 23) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
async def test_no_argument_of_a_host_call_holds_the_loop_all(name: str) -> None:
    async with running() as run, metered_loop() as meter:
        assert await longest(run, meter, name, requests(name, await run.fields(name)), 1) == []
