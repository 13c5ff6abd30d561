"""What an action throws that is no error, and what nobody catches: the caller can tell it from a lack of memory."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS, run
from tests.engine.language.twin import differences
from tests.support.settings import changed

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def small() -> AsyncIterator[ProcessEngine]:
    async with ProcessEngine(changed(LIMITS, action_memory_bytes=64 * 1024 * 1024)) as running:
        yield running


@pytest.mark.parametrize(
    "code",
    [
        "function main() { throw null; }",
        "async function main() { await null; throw null; }",
        "const main = () => Promise.reject(null);",
        "const main = () => new Promise(() => setTimeout(() => { throw null; }));",
        "throw null; function main() {}",
        "function main() { const held = new Uint8Array(30_000_000); throw null; }",
    ],
)
async def test_null_that_is_thrown_is_no_lack_of_memory(engine: ProcessEngine, code: str) -> None:
    outcome = await run(engine, code)
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("Uncaught", "null")


@pytest.mark.parametrize(
    "fill",
    [
        "const all = []; for (;;) all.push({ a: 1 });",
        "const all = []; for (;;) all.push(new Array(100).fill(1));",
        "const held = new Uint8Array(40 * 2 ** 20), all = []; for (;;) all.push(new Array(10).fill(held));",
        "const all = []; for (;;) all.push(new Uint8Array(2 ** 20));",
        "const all = []; for (;;) all.push([all.length, 'x'].join('').repeat(50));",
    ],
)
@pytest.mark.parametrize("before", ["", "await null;"])
async def test_a_lack_of_memory_is_one_whatever_is_thrown_for_it(small: ProcessEngine, fill: str, before: str) -> None:
    outcome = await run(small, f"async function main() {{ {before} {fill} }}")
    assert outcome.error is not None
    assert outcome.error.name == "ActionOutOfMemory"


HOLD = "const held = new Uint8Array(48 * 2 ** 20);"
"""So that little work is enough to lack memory."""
BUILT_IN = {
    "normalize": "'\\ufdfa'.repeat(2e5).normalize('NFKD')",
    "normalize, in a promise": "Promise.resolve().then(() => '\\ufdfa'.repeat(2e5).normalize('NFKC'))",
    "a regular expression that runs": "/(?:a|(a))*b/.test('a'.repeat(2e6))",
    "a regular expression that is compiled": "new RegExp('(?:ab|c)'.repeat(4e5))",
    "a comparison": "'\\ufdfa'.repeat(2e6).localeCompare('x')",
    "an encryption": "(async () => crypto.subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']), new Uint8Array(6e6)))()",
}


@pytest.mark.parametrize("code", BUILT_IN.values(), ids=BUILT_IN)
async def test_a_lack_of_memory_within_a_function_of_the_language_is_one(small: ProcessEngine, code: str) -> None:
    caught = f"async function main() {{ {HOLD} try {{ await ({code}); }} catch (error) {{ return [typeof error, String(error).slice(-80)]; }} }}"
    outcome = await run(small, f"async function main() {{ {HOLD} await ({code}); }}")
    # An action that catches it has an error of the language, and goes on.
    held = await run(small, caught)
    assert outcome.error is not None
    assert outcome.error.name == "ActionOutOfMemory"
    assert held.error is None
    assert isinstance(held.response, list)
    kind, shown = held.response
    assert kind == "object"
    assert "out of memory" in str(shown)


async def test_normalize_is_that_of_the_language(engine: ProcessEngine) -> None:
    code = """function main() {
      const seen = [], normalize = String.prototype.normalize;
      const note = (make) => { try { seen.push(make()); } catch (error) { seen.push(error.name); } };
      for (const text of ['', 'a\\u0301', '\\u1e9b\\u0323', '\\ufb01', '\\uac00', '\\ud800']) {
        note(() => text.normalize());
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD', undefined, 'nfc', 'NF', '', null, 'NFCX', Symbol('x'), { toString: () => 'NFD' }]) note(() => text.normalize(form));
      }
      for (const self of [undefined, null, Symbol('x'), 5, {}, ['a\\u0301']]) note(() => normalize.call(self));
      note(() => new normalize());
      const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(String.prototype, 'normalize');
      seen.push(normalize.name, normalize.length, writable, enumerable, configurable, Object.hasOwn(normalize, 'prototype'));
      return seen.map((each) => typeof each === 'string' ? escape(each) : each);
    }"""
    assert await differences(engine, code) == []


@pytest.mark.exhaustive
async def test_a_lack_of_memory_for_the_text_of_an_error_is_one() -> None:
    """Which block is the last one follows from the program's length; some leave room for the error but not for its text."""
    async with ProcessEngine(changed(LIMITS, action_memory_bytes=48 * 1024 * 1024)) as engine:
        for length in range(8):
            comment = f"/*{'x' * 37 * length}*/"
            fill = "const again = () => Promise.resolve().then(again); return again();"
            outcome = await run(engine, f"{comment} async function main() {{ {fill} }}")
            assert outcome.error is not None
            assert outcome.error.name == "ActionOutOfMemory"


async def test_a_rejection_nobody_waits_for_leaves_the_answer_as_it_is(engine: ProcessEngine) -> None:
    code = "async function main() { Promise.reject(new Error('lost')); (async () => { throw 1; })(); await null; return 'done'; }"
    outcome = await run(engine, code)
    assert (outcome.response, outcome.error) == ("done", None)
