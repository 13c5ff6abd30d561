"""What an action does to the language it shares with the prelude breaks nothing but the action itself."""

import base64
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
const owners = [String, RegExp, Map, Set, Promise, Function, Uint8Array, Object.getPrototypeOf(Uint8Array), ArrayBuffer, Headers, Request, Response, AbortSignal, EventTarget, URL, URLSearchParams, TextDecoder, Blob, File, FormData,
  ReadableStream, ReadableStreamDefaultReader, TransformStream, Array];
const { ownKeys, getOwnPropertyDescriptor } = Reflect;
const body = Response.prototype;
const keep = { json: Response.prototype.json, text: body.text, formData: body.formData, blob: body.blob, arrayBuffer: Blob.prototype.arrayBuffer, append: FormData.prototype.append, getAll: FormData.prototype.getAll };
const Kept = { Blob, File, FormData, Response };
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


async def test_blobs_and_forms_work_over_a_broken_language(engine: ProcessEngine) -> None:
    """Also one whose typed arrays lie about their length, and whose iterators are gone."""
    web = ScriptedWeb(ANSWER, ANSWER)
    code = (
        "const made = new Blob(['é', new Uint8Array([0, 255])], { type: 'a/b' }), parts = ['c'];\n"
        + EVERYTHING_REPLACED
        + """
    const typed = Object.getPrototypeOf(Uint8Array.prototype), call = (method, self, a, b) => { self.own = method; return self.own(a, b); };
    async function main() {
      const form = new Kept.FormData();
      call(keep.append, form, 'text', 'a"\\nb');
      call(keep.append, form, 'file', made);
      await fetch('http://h/', { method: 'POST', body: form });
      await fetch('http://h/', { method: 'POST', body: made });
      define(typed, 'length', { __proto__: null, get: () => 0 }); define(typed, 'byteLength', { __proto__: null, get: () => 0 });
      const read = await call(keep.formData, new Kept.Response(form));
      const file = call(keep.getAll, read, 'file')[0];
      const whole = await call(keep.arrayBuffer, await call(keep.blob, new Kept.Response(made)));
      return [call(keep.getAll, read, 'text')[0], file.name, file.size, whole instanceof ArrayBuffer];
    }"""
    )
    assert await in_action(engine, code, host=web) == ['a"\r\nb', "blob", 4, True]
    sent = [base64.b64decode(str(request["body"])) for request in web.asked]
    boundary = sent[0].partition(b"\r\n")[0]
    assert sent[0].split(boundary)[1:] == [
        b'\r\nContent-Disposition: form-data; name="text"\r\n\r\na"\r\nb\r\n',
        b'\r\nContent-Disposition: form-data; name="file"; filename="blob"\r\nContent-Type: a/b\r\n\r\n\xc3\xa9\0\xff\r\n',
        b"--\r\n",
    ]
    assert sent[1] == b"\xc3\xa9\0\xff"


async def test_a_stream_over_a_broken_language_harms_the_action_alone(engine: ProcessEngine) -> None:
    """The bundled package asks the language of the action: what fails is an error inside the action."""
    code = (
        EVERYTHING_REPLACED
        + "async function main() { try { const r = new Kept.Response('x').body.getReader(); await r.read(); } catch (e) { return e instanceof Error; } }"
    )
    assert await in_action(engine, code, host=ScriptedWeb()) is True


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
