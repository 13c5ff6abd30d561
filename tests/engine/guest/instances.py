"""The guest in this process, as a worker runs it: for code that is ours, and short."""

import json
import os
import time
from typing import NamedTuple

from node.engine.guest.running import Guest


class Frame(NamedTuple):
    kind: str
    text: str


class Instance(Guest):
    """A guest that may look at the clock and draw randomness."""

    def clock(self, number: int) -> int:
        return time.monotonic_ns() if number else time.time_ns()

    def random(self, at: int, length: int) -> None:
        self._memory.write(self._store, os.urandom(length), at)

    def run(self, code: str) -> list[Frame]:
        """The frames of an action's first turn."""
        job = {"code": code, "longestFrame": 1 << 20, "longestLine": 1 << 17, "params": {}, "headers": {}}
        text = json.dumps(job).encode()
        self._emitted.clear()
        self._memory.write(self._store, text, self._exchange)
        used = self._call("run", 0, self._exchange, len(text), time.time_ns(), time.monotonic_ns()) >> 32
        return frames(bytes(self._emitted) + self._read(self._out, used))


def frames(stream: bytes) -> list[Frame]:
    """Kind, length of four bytes, body: one after the other."""
    found = []
    while stream:
        end = 5 + int.from_bytes(stream[1:5])
        found.append(Frame(chr(stream[0]), stream[5:end].decode()))
        stream = stream[end:]
    return found
