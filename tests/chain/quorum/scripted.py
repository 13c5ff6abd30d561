"""Providers in memory, honest ones on one chain and liars of every kind, for searching through many elections fast."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import aiohttp

from node.chain.port import Head
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.quorum.round import ViewCall
from node.chain.rpc import BlockUnknownError, JsonRpc, Provider, RpcCall, RpcOutcome, RpcRefusedError
from node.settings.chain import RpcSettings

Said: TypeAlias = Literal["truth", "yes", "other", "unknown", "revert", "bare", "refused", "garbage", "fault"]
"""What a provider says when a view is called at a block."""

WORD = 32
CONTRACT = "0x" + "12" * 20


def block(number: int, fork: int = 0) -> Head:
    """The block of that number on one of several forks; the honest chain is fork 0."""
    below = f"0x{max(0, number - 1):062x}{fork:02x}"
    return Head(number, f"0x{number:062x}{fork:02x}", below, 1_000 + 12 * number + fork)


def truth_at(head: Head) -> bytes:
    """What the view returns there: another value in every block."""
    return head.number.to_bytes(WORD)


def decode_word(data: bytes) -> tuple[object, ...]:
    """The word as a number."""
    return (int.from_bytes(data),)


VIEW = ViewCall(CONTRACT, b"\x01\x02\x03\x04", decode_word)


@dataclass(frozen=True)
class Script:
    """What a provider says: its head, whether it knows blocks above that, and its answers. The default is honest."""

    head: Head
    view: Said = "truth"
    header: Literal["truth", "own", "null", "garbage"] = "truth"
    latest: Literal["head", "null", "garbage", "fault"] = "head"
    pauses: int = 0
    """How many turns of the event loop an answer takes."""


class ScriptedEndpoint(Provider):
    """Answers by its script, with no network."""

    def __init__(self, name: str, script: Script) -> None:
        super().__init__(cast("aiohttp.ClientSession", None), f"http://{name}/")
        self.script = script
        self.exchanges = 0

    async def send(self, calls: Sequence[RpcCall], timeout_s: float) -> list[RpcOutcome]:
        assert timeout_s > 0
        self.exchanges += 1
        for _ in range(self.script.pauses):
            await asyncio.sleep(0)
        return [self._outcome(call) for call in calls]

    def _outcome(self, call: RpcCall) -> RpcOutcome:
        if call.method == "eth_getBlockByNumber":
            return self._latest() if call.params[0] == "latest" else self._header(int(str(call.params[0]), 16))
        where = cast("dict[str, object]", call.params[1])
        assert where["requireCanonical"] is True
        number, fork = int(str(where["blockHash"])[2:-2], 16), int(str(where["blockHash"])[-2:], 16)
        return self._view(block(number, fork))

    def _latest(self) -> RpcOutcome:
        if self.script.latest == "fault":
            raise self.fault("broken")
        said: dict[str, RpcOutcome] = {"head": _json(self.script.head), "null": None, "garbage": {"number": 7}}
        return said[self.script.latest]

    def _header(self, number: int) -> RpcOutcome:
        if self.script.header == "truth":
            return _json(block(number)) if number <= self.script.head.number else None
        if self.script.header == "own":
            own = self.script.head
            return _json(own if own.number == number else block(number, 1))
        return None if self.script.header == "null" else {"number": 7}

    def _view(self, at: Head) -> RpcOutcome:
        if self.script.view == "truth":
            canonical = at == block(at.number) and at.number <= self.script.head.number
            return "0x" + truth_at(at).hex() if canonical else BlockUnknownError(self.host, -32001, "unknown block")
        if self.script.view == "fault":
            raise self.fault("broken")
        said: dict[Said, RpcOutcome] = {
            "yes": "0x" + "ff" * WORD,
            "other": "0x" + truth_at(block(at.number + 1)).hex(),
            "unknown": BlockUnknownError(self.host, -32001, "unknown block"),
            "revert": RpcRefusedError(self.host, 3, "execution reverted", "0xdeadbeef"),
            "bare": RpcRefusedError(self.host, 3, "execution reverted", "0x"),
            "refused": RpcRefusedError(self.host, -32000, "no"),
            "garbage": 12,
        }
        return said[self.script.view]


def _json(head: Head) -> RpcOutcome:
    return {
        "number": hex(head.number),
        "hash": head.hash,
        "parentHash": head.parent_hash,
        "timestamp": hex(head.timestamp),
    }


def scripted_quorum(
    scripts: Sequence[Script], size: int, floor: int = 0
) -> tuple[QuorumReader, Sequence[ScriptedEndpoint]]:
    """A quorum of so many over providers with these scripts."""
    providers = tuple(ScriptedEndpoint(f"endpoint{index}.example", script) for index, script in enumerate(scripts))
    rpc = JsonRpc(cast("aiohttp.ClientSession", None), ["http://placeholder/"])
    rpc.providers = providers
    lowest = MinimumBlock()
    lowest.raise_to(floor)
    client = QuorumClient(rpc, RpcSettings(rpc_quorum=size, chain_max_head_age_s=0))
    return QuorumReader(client, lowest), providers
