"""An action that replaces a member of the language or of the web reaches the prelude by none of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.test_fetch import ANSWER
from tests.engine.language.twin import in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLASSES: Final = (
    *("Object", "Function", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Map", "Set", "WeakMap", "WeakSet", "WeakRef"),
    *("Promise", "Date", "RegExp", "Error", "TypeError", "RangeError", "ArrayBuffer", "DataView", "Uint8Array", "Int32Array", "JSON"),
    *("Math", "Reflect", "Proxy", "Iterator", "DOMException", "URL", "URLSearchParams", "Headers", "Request", "Response", "TextEncoder"),
    *("TextDecoder", "AbortController", "AbortSignal", "Event", "EventTarget", "SubtleCrypto"),
)
ROOTS: Final = (
    *("globalThis", "TypedArray", "TypedArray.prototype", "Generator.prototype", "AsyncGenerator.prototype"),
    *("ArrayIterator.prototype", "MapIterator.prototype"),
    *CLASSES,
    *(f"{name}.prototype" for name in CLASSES if name not in {"JSON", "Math", "Reflect", "Proxy"}),
)
CODE: Final = f"const CLASSES = {list(CLASSES)};\n{(Path(__file__).parent / 'tampering.js').read_text(encoding='utf-8')}"
AT_ONCE: Final = 20
"""Members that one action replaces, so that it stays within the bounds of its calls."""


class Answering:
    """Answers `fetch`, and every other call with a text."""

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        return dict(ANSWER) if name == "fetch" else "answered"


@pytest.mark.parametrize("root", ROOTS)
async def test_what_the_prelude_offers_works_as_before(engine: ProcessEngine, root: str) -> None:
    count, start = 1, 0
    while start < count:
        outcome = await run(engine, CODE, {"root": root, "from": start, "to": start + AT_ONCE}, Answering())
        assert outcome.error is None, outcome
        response = outcome.response
        assert isinstance(response, dict)
        assert response["different"] == {}
        counted = response["count"]
        assert isinstance(counted, int)
        lines = outcome.logs.split("\n")
        assert lines == ['a {"b":1} [1] 1n'] * (1 + min(AT_ONCE, counted - start))
        count, start = counted, start + AT_ONCE


async def test_the_lengths_of_bytes_cannot_be_replaced(engine: ProcessEngine) -> None:
    code = """function main() {
      const seen = [];
      for (const made of [Object.getPrototypeOf(Uint8Array), ArrayBuffer, DataView]) {
        for (const name of ['buffer', 'byteLength', 'byteOffset', 'length']) {
          if (!(name in made.prototype)) continue;
          try { Object.defineProperty(made.prototype, name, { get: () => 1 }); seen.push(name); } catch (e) { seen.push(e.name); }
        }
      }
      return [seen, new Uint8Array(3).length];
    }"""
    assert await in_action(engine, code) == [["TypeError"] * 8, 3]
