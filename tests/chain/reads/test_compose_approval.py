"""Whether the app's contract still allows the running compose hash, as the node reads it."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from node.chain.errors import too_few_answer
from node.chain.foreign_contracts import COMPOSE_APPROVAL_INTERVAL_S, AppIdentity, ComposeApproval
from node.chain.port import Head
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Answer, Returned, Reverted, ViewCall
from node.runtime.clock import Clock

APP = AppIdentity(b"\x12" * 20, b"\x34" * 32)
YES, NO = (1).to_bytes(32), bytes(32)
HEAD = Head(7, "0x07", "0x06", 1_700_000_000)


class Quorum:
    """Returns the given bytes, a revert for None, or raises the given error."""

    def __init__(self, *said: bytes | Exception | None) -> None:
        self._said = list(said)
        self.calls: list[ViewCall] = []

    async def read(self, calls: Sequence[ViewCall], *, of_strangers: bool = False) -> tuple[Head, Sequence[Answer]]:
        assert of_strangers, "no provider is blamed for what an operator's contract returns"
        (call,) = calls
        self.calls.append(call)
        said = self._said.pop(0)
        if isinstance(said, Exception):
            raise said
        return HEAD, [Reverted(b"\x01") if said is None else Returned(said, call.decode(said))]


class Platform:
    """Returns this identity; None: the guest agent does not respond."""

    def __init__(self, identity: AppIdentity | None = APP) -> None:
        self.identity = identity

    async def __call__(self) -> AppIdentity | None:
        return self.identity


def approval_of(quorum: Quorum, platform: Platform | None = None, clock: Clock | None = None) -> ComposeApproval:
    return ComposeApproval(cast("QuorumReader", quorum), platform or Platform(), clock)


@pytest.mark.parametrize(
    ("said", "allowed"), [(YES, True), (NO, False), (b"", None), (None, None), (YES + NO, None), (b"\x02" * 32, None)]
)
async def test_only_a_plain_no_is_a_no(said: bytes | None, allowed: bool | None) -> None:
    approval = approval_of(quorum := Quorum(said))
    assert (approval.allowed, approval.problem) == (None, None)
    await approval.check()
    assert approval.allowed is allowed
    assert (approval.problem is not None) is (allowed is False)
    assert quorum.calls[0].data == bytes.fromhex("2f6622e5") + APP.compose_hash
    assert quorum.calls[0].to == "0x" + APP.app_id.hex()


async def test_a_read_that_fails_keeps_what_was_known() -> None:
    approval = approval_of(Quorum(NO, too_few_answer(), YES))
    await approval.check()
    await approval.check()
    assert approval.allowed is False
    await approval.check()
    assert (approval.allowed, approval.problem) == (True, None)


async def test_nobody_is_asked_before_the_platform_said_who_this_is_and_all_are_while_it_is_silent_later() -> None:
    quorum, platform = Quorum(YES, NO), Platform(None)
    approval = approval_of(quorum, platform)
    await approval.check()
    assert not quorum.calls
    platform.identity = APP
    await approval.check()
    platform.identity = None
    await approval.check()
    assert approval.allowed is False


async def test_it_is_read_again_and_again_until_the_context_ends() -> None:
    pauses: list[float] = []
    checked = asyncio.Event()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            checked.set()
            await asyncio.Event().wait()

    approval = approval_of(quorum := Quorum(YES, YES, NO), clock=Clock(sleep=sleep))
    async with approval.checking():
        await checked.wait()
    assert approval.allowed is False
    assert len(quorum.calls) == 3
    assert pauses == [COMPOSE_APPROVAL_INTERVAL_S] * 3
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
