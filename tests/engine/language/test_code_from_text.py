"""Text never becomes code in an action, and no function of the engine that is not public comes into its hands."""

from pathlib import Path

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.language.twin import in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

REACHING = (Path(__file__).parent / "reaching.js").read_text()
SPIED = """
const spy = (owner, key) => {
  const about = own.get(owner, key);
  if (key === 'constructor' || key === 'prototype' || !about.configurable || typeof about.value !== 'function') return;
  const real = about.value;
  const stand = function (...given) {
    keep(this); for (let i = 0; i < given.length; i += 1) keep(given[i]);
    return new.target ? own.construct(real, given, new.target) : own.apply(real, this, given);
  };
  if (real.prototype) stand.prototype = real.prototype;
  own.define(owner, key, { __proto__: null, value: stand, writable: true, configurable: true });
};
const spyAll = (owner) => { for (const key of own.keys(owner)) spy(owner, key); };
"""
WAYS = {
    "places of all stacks": "keepPlaces(); await doMuch(); new Error('x').stack;",
    "places of the script's own stack": "readPlaces(atTop);",
    "a place of captureStackTrace": "keepPlaces(); const o = {}; Error.captureStackTrace(o); Error.captureStackTrace(main); Error.captureStackTrace(o, main);",
    "a stack formatted by an engine's function": "for (const f of [Array, Object, Reflect.ownKeys, Array.of, Object.entries]) { Error.prepareStackTrace = f; try { keep(new Error('x').stack); } catch (e) { keep(e); } } await doMuch();",
    "a subclass of Error with a stack of its own": "keepPlaces(); class Own extends RangeError { static prepareStackTrace(e, s) { keep(s, ...s); } get stack() { return keep(this); } } try { throw new Own('x'); } catch (e) { keep(e, e.stack); } await doMuch();",
    "callee and caller": "const loose = Object.keys({}).constructor; const f = function () { for (const read of [() => arguments.callee, () => arguments.callee.caller, () => f.caller, () => f.arguments, () => f.caller.caller, () => main.caller]) { try { keep(read()); } catch (e) { keep(e); } } }; f(); [1].forEach(f); setTimeout(f, 0); await new Promise((r) => setTimeout(r, 1)); JSON.stringify({ toJSON: f }); console.log({ toJSON: f });",
    "species of all kinds": "for (const made of [Array, Promise, RegExp, Map, Set, ArrayBuffer, SharedArrayBuffer, Object.getPrototypeOf(Uint8Array)]) Object.defineProperty(made, Symbol.species, { get() { keep(this); return function (...given) { keep(...given); return Reflect.construct(made === Object.getPrototypeOf(Uint8Array) ? Uint8Array : made, given); }; } }); await doMuch();",
    "constructors of prototypes": "for (const made of [Array, Promise, RegExp, Uint8Array, ArrayBuffer, Error, URL, Headers, Request, Response, AbortSignal]) made.prototype.constructor = function (...given) { keep(this, ...given); return Reflect.construct(made, given); }; await doMuch();",
    "constructors of functions": "const own_ = []; for (const f of [() => 1, async () => 1, function* () {}, async function* () {}, class {}, console.log, new Proxy(() => 1, {}), (() => 1).bind()]) for (let above = f; above; above = own.parent(above)) { keep(above.constructor); tryAll(above.constructor); try { Reflect.construct(above.constructor, [TEXT], Object)(); } catch {} try { class Sub extends above.constructor {} new Sub(TEXT)(); } catch {} }",
    "setters on Object.prototype": "for (const key of ['subtle', 'operations', 'material', 'resolve', 'reject', 'emit', 'callback', 'error', 'name', 'given', 'value', 'get', 'set', 'then', 'values', 'due', 'every', 'url', 'headers', 'body', 'signal', 'encrypt', 'decrypt', 'sign', 'verify', 'deriveBits', 'importKey', 'keyLength', 'output', 'rest', 'listeners', 'reason', 'redirect', '0', '1', '2']) Object.defineProperty(Object.prototype, key, { __proto__: null, configurable: true, get() { keep(this); return undefined; }, set(value) { keep(this, value); own.define(this, key, { __proto__: null, value, writable: true, configurable: true, enumerable: true }); } }); await doMuch();",
    "setters of numbers on Array.prototype": "for (const key of ['0', '1', '2', '3']) Object.defineProperty(Array.prototype, key, { configurable: true, get() { keep(this); }, set(value) { keep(this, value); own.define(this, key, { __proto__: null, value, writable: true, configurable: true, enumerable: true }); } }); await doMuch();",
    "spies in place of methods": SPIED + "for (const made of [Function, Array, Object, Promise, Map, Set, String, RegExp, Number, Uint8Array, Object.getPrototypeOf(Uint8Array), ArrayBuffer, Date, URL, URLSearchParams, Headers, Request, Response, AbortSignal, AbortController, EventTarget, TextEncoder, TextDecoder, SubtleCrypto, Iterator]) { spyAll(made); spyAll(made.prototype); } await doMuch();",
    "spies in place of globals": SPIED + "[Math, JSON, Reflect, globalThis].forEach(spyAll); await doMuch();",
    "iterators of others": "for (const sample of [[], new Map(), new Set(), 'x', (function* () {})(), new URLSearchParams('a=b'), new Headers()]) { const proto = own.parent(sample[Symbol.iterator]()); for (const key of ['next', 'return', 'throw']) { const real = proto[key]; if (real) proto[key] = function (...given) { keep(this, given[0]); return own.apply(real, this, given); }; } } await doMuch();",
    "ends of promises": "Promise.prototype.then = function (...given) { keep(this, ...given); for (const f of given) tryAll(f); return this; }; await doMuch.call(); await { then(...given) { keep(...given); given[0](); } };",
    "text given to all there is": "const all = engines(open.found); for (let i = 0; i < all.length; i += 1) tryAll(all[i]); await null;",
    "getters and setters of globals": "for (const key of own.keys(globalThis)) { const { get, set } = own.get(globalThis, key); keep(get, set); for (const f of [get, set]) if (f) tryAll(f); }",
    "arguments that are asked": "const trap = new Proxy(function () {}, Object.fromEntries(own.keys(Reflect).filter((k) => typeof k === 'string').map((k) => [k, (...given) => { keep(...given); return Reflect[k](...given); }]))); for (const f of [fetch, structuredClone, Svc.Actions.signMessage, Svc.Actions.signTypedData, console.log, crypto.subtle.digest.bind(crypto.subtle), (x) => new Headers(x), (x) => new Request('http://a.b/', x), (x) => new URLSearchParams(x), setTimeout]) { try { keep(await f(trap)); } catch (e) { keep(e); } }",
}  # fmt: skip


def program(way: str) -> str:
    top = "Error.prepareStackTrace = (_, places) => places; const atTop = new Error('x').stack; Error.prepareStackTrace = undefined;"
    return f"{REACHING}\n{top}\nasync function main() {{\n const open = reachable(samples());\n {way}\n Error.prepareStackTrace = undefined; return judged(open); }}"


@pytest.mark.parametrize("way", WAYS)
async def test_no_way_leads_to_a_function_of_the_engine_or_from_text_to_code(engine: ProcessEngine, way: str) -> None:
    assert await in_action(engine, program(WAYS[way])) == {"named": "", "code": False}
