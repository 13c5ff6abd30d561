"""What an action does to the language it shares with the prelude breaks nothing but the action itself."""

from typing import Final

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import EchoHost, run
from tests.engine.language.test_fetch import ANSWER, ScriptedWeb
from tests.engine.language.twin import in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYTHING_REPLACED: Final = """
const bad = () => { throw new Error('polluted'); };
const define = Object.defineProperty, freeze = Object.freeze;
for (const key of ['call', 'body', 'url', 'status', 'headers', 'resolve', 'reject', 'value', 'get', 'set', 'id', 'name', 'message']) {
  define(Object.prototype, key, { __proto__: null, configurable: true, get() { return undefined; },
    set(value) { define(this, key, { __proto__: null, value, writable: true, configurable: true, enumerable: true }); } });
}
const owners = [String, RegExp, Map, Set, Promise, Function, Uint8Array, ArrayBuffer, Headers, Request, Response, AbortSignal, EventTarget, URL, URLSearchParams, TextDecoder, Array];
const { ownKeys, getOwnPropertyDescriptor } = Reflect;
const keep = { json: Response.prototype.json, text: Response.prototype.text };
for (let i = 0; i < owners.length; i += 1) {
  const { prototype } = owners[i];
  const keys = ownKeys(prototype);
  for (let k = 0; k < keys.length; k += 1) {
    const old = getOwnPropertyDescriptor(prototype, keys[k]);
    if (keys[k] !== 'constructor' && typeof old.value === 'function' && old.writable) prototype[keys[k]] = bad;
  }
}
JSON.parse = JSON.stringify = Object.keys = Reflect.apply = Promise.resolve = Promise.reject = bad;
globalThis.URL = globalThis.Headers = globalThis.Request = globalThis.Response = globalThis.Promise = globalThis.AbortSignal = undefined;
"""


async def test_fetch_works_over_a_broken_language(engine: ProcessEngine) -> None:
    web = ScriptedWeb(ANSWER)
    code = (
        EVERYTHING_REPLACED
        + "async function main() { const r = await fetch('http://h/é', { method: 'POST', body: 'x' }); r.text = keep.text; return [r.status, await r.text()]; }"
    )
    assert await in_action(engine, code, host=web) == [200, '{"price": "é✓"}']
    headers = [["content-type", "text/plain;charset=UTF-8"]]
    assert web.asked == [
        {
            "url": "http://h/%C3%A9",
            "method": "POST",
            "headers": headers,
            "body": "eA==",
            "redirect": "follow",
            "call": 1,
        }
    ]


async def test_calls_and_errors_are_whole_over_a_broken_language(engine: ProcessEngine) -> None:
    host = EchoHost()
    code = EVERYTHING_REPLACED + (
        "async function main() { await Svc.Actions.signMessage({ message: 'm' });\n console.log('logged');\n throw new RangeError('own'); }"
    )
    outcome = await run(engine, code, host=host)
    assert host.calls == [("signMessage", [{"message": {"text": "m"}}])]
    assert outcome.logs == "logged"
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("RangeError", "own")
    assert f"action.js:{code[: code.index('throw new RangeError')].count(chr(10)) + 1}:" in outcome.error.stack


async def test_a_hook_on_the_way_sees_no_answer_of_another_call(engine: ProcessEngine) -> None:
    """Setters on Object.prototype are how a page would listen to a library's records."""
    code = """const heard = [];
    for (const key of ['resolve', 'reject', 'error', 'callback', 'due', 'base64', 'pairs']) {
      Object.defineProperty(Object.prototype, key, { configurable: true, get() { return undefined; }, set(value) { heard.push(key); } });
    }
    async function main() {
      await Svc.Actions.getPrivateKey({ pkpId: '0x1' });
      await new Promise((done) => setTimeout(done, 1));
      return heard;
    }"""
    assert await in_action(engine, code) == []
