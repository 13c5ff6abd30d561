"""structuredClone, text encodings, base64, console, clocks: Node's behaviour, or what docs/actions.md says instead."""

import time

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.twin import differences, in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLONES = """async function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push([e.name, e instanceof DOMException]); } };
  const name = (v) => Object.prototype.toString.call(v);
  for (const value of [1, 'x', null, undefined, true, 5n, NaN]) note(() => Object.is(structuredClone(value), value));
  for (const value of [new Number(5), new String('ab'), new Boolean(false), Object(7n)]) note(() => { const c = structuredClone(value); return [typeof c, String(c.valueOf()), name(c), c !== value]; });
  for (const bad of [() => 1, Symbol('s'), { a: () => 1 }, [Symbol('x')], Promise.resolve(), new WeakMap(), new WeakSet(), new WeakRef({}), (function* () {})(), Object(Symbol('x')), new URL('http://h')])
    note(() => structuredClone(bad) && 'cloned');
  note(() => { const a = { list: [1, , 3], no: undefined, nested: { deep: [{}] } }; a.self = a; const b = structuredClone(a); return [b.self === b, 1 in b.list, b.list.length, 'no' in b, JSON.stringify(b.nested)]; });
  note(() => { const m = new Map([['k', { v: 1 }]]); m.set(m, m); const c = structuredClone(m); return [c.size, c.get('k').v, c.get(c) === c]; });
  note(() => { const s = new Set([1, 'a']); s.add(s); const c = structuredClone(s); return [c.size, c.has(c), [...c][1]]; });
  note(() => [structuredClone(new Date(5)).getTime(), Number.isNaN(structuredClone(new Date(NaN)).getTime())]);
  note(() => { const r = /a+/giy; r.lastIndex = 3; const c = structuredClone(r); return [c.source, c.flags, c.lastIndex]; });
  for (const error of [new Error('e'), new TypeError('t'), Object.assign(new RangeError('r'), { extra: 1 }), Object.assign(new Error('n'), { name: 'Custom' }), new DOMException('d', 'AbortError')])
    note(() => { const c = structuredClone(error); return [c.name, c.message, c.constructor.name, c instanceof Error, c.extra === undefined, Object.keys(c)]; });
  note(() => { const buffer = new Uint8Array([1, 2, 3, 4]).buffer; const a = { x: new Uint8Array(buffer, 1, 2), y: new DataView(buffer, 2), z: buffer }; const c = structuredClone(a);
    return [c.x.buffer === c.z, c.y.buffer === c.z, c.x.byteOffset, [...c.x], c.y.getUint8(0), c.z.byteLength, c.z !== buffer, name(c.x), name(c.y)]; });
  for (const View of [Int8Array, Uint8ClampedArray, Int16Array, Float32Array, Float64Array, BigInt64Array]) note(() => { const v = new View(3); const c = structuredClone(v); return [name(c), c.length]; });
  note(() => { class P { constructor() { this.a = 1; } get g() { return 2; } } const c = structuredClone(new P()); return [Object.getPrototypeOf(c) === Object.prototype, Object.keys(c)]; });
  note(() => { const c = structuredClone({ get a() { return 7; }, [Symbol('s')]: 1 }); return [Object.getOwnPropertyDescriptor(c, 'a').value, Object.getOwnPropertySymbols(c).length]; });
  note(() => { const c = structuredClone(Object.assign([1, 2], { extra: 'x' })); return [c.length, c.extra, Array.isArray(c)]; });
  note(() => { const c = structuredClone(JSON.parse('{"__proto__": 5}')); return Object.getOwnPropertyDescriptor(c, '__proto__').value; });
  note(() => structuredClone());
  note(() => Object.getPrototypeOf(structuredClone(Object.create(null))) === Object.prototype);
  return seen;
}"""

TEXTS = """async function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push([e.name, e instanceof DOMException]); } };
  const bytes = (...b) => Uint8Array.from(b);
  const codes = (s) => Array.from({ length: s.length }, (_, i) => s.charCodeAt(i));
  for (const text of ['', 'abc', 'é✓🚀', '\\ud800', 'a\\udc00b', '\\ud83d', '\\0', 'x'.repeat(5000) + 'é']) { note(() => [...new TextEncoder().encode(text)].slice(-9)); }
  note(() => [...new TextEncoder().encode()]); note(() => [...new TextEncoder().encode(undefined)]); note(() => [...new TextEncoder().encode(null)]); note(() => [...new TextEncoder().encode(5)]); note(() => new TextEncoder().encode(Symbol('x')));
  for (const [text, room] of [['abc', 5], ['aé', 2], ['a🚀b', 4], ['a🚀b', 5], ['🚀', 3], ['', 3], ['\\ud800x', 3], ['abc', 0]]) note(() => { const d = new Uint8Array(room); return [new TextEncoder().encodeInto(text, d), [...d]]; });
  for (const label of ['utf-8', 'UTF8', ' utf-8\\n', 'utf-16le', 'utf-16', 'latin1', 'ascii', 'iso-8859-1', 'windows-1252', 'nonsense', '', undefined]) note(() => new TextDecoder(label).encoding);
  const inputs = [[0xef, 0xbb, 0xbf, 65], [0xff, 0xfe, 65, 0], [0xc3], [0xe2, 0x82], [0xe2, 0x82, 0x41], [0xf0, 0x9f, 0x9a, 0x80], [0xf0, 0x9f, 0x41], [0xf5, 0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
    [0x80, 0x81, 0x9f, 0xff], [0, 0xd8, 0, 0xdc], [0, 0xd8, 65, 0], [0, 0xdc], [65], [65, 0, 66], [0xe1, 0x80, 0xe1, 0x80, 0x80], [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], []];
  for (const label of ['utf-8', 'utf-16le', 'latin1']) for (const fatal of [false, true]) for (const ignoreBOM of [false, true]) for (const input of inputs)
    note(() => codes(new TextDecoder(label, { fatal, ignoreBOM }).decode(bytes(...input))));
  for (const label of ['utf-8', 'utf-16le']) for (const cut of [1, 2, 3, 4, 5, 7]) note(() => {
    const all = label === 'utf-8' ? [...new TextEncoder().encode('\\ufeffaé✓🚀z')] : [0xff, 0xfe, 65, 0, 0x3d, 0xd8, 0x80, 0xde, 0x42, 0];
    const d = new TextDecoder(label); let out = '';
    for (let i = 0; i < all.length; i += cut) out += d.decode(bytes(...all.slice(i, i + cut)), { stream: true }) + '|';
    return codes(out + d.decode());
  });
  note(() => { const d = new TextDecoder('utf-8', { fatal: true }); d.decode(bytes(0xe2, 0x82), { stream: true }); return d.decode(bytes(0xac)); });
  note(() => { const d = new TextDecoder(); return [d.decode(bytes(0xf0, 0x9f), { stream: true }), d.decode(bytes(0x41), { stream: true }), d.decode()]; });
  note(() => new TextDecoder().decode('text')); note(() => new TextDecoder().decode(new ArrayBuffer(2)).length); note(() => new TextDecoder().decode(new DataView(new ArrayBuffer(4), 1, 2)).length); note(() => new TextDecoder().decode());
  for (const text of ['', 'a', 'ab', 'abc', '\\xff\\0', 'é', '✓', 5, null, undefined, '\\ud800']) note(() => btoa(text));
  for (const text of ['', 'YQ==', 'YQ', 'YWI=', ' Y W J j\\n', 'YQ=', 'Y', 'YQ===', '*', 'YWJj=', null, 5, '/+A=', '-_A=']) note(() => atob(text));
  return seen;
}"""

CLOCKS = """async function main() {
  const seen = [];
  const order = [];
  setTimeout(() => order.push('t0'), 0); Promise.resolve().then(() => order.push('micro')); queueMicrotask(() => order.push('queued')); (async () => { await null; order.push('await'); })();
  await new Promise((resolve) => setTimeout(resolve, 5));
  seen.push(order);
  const id = setTimeout(() => order.push('cleared'), 1); clearTimeout(id); clearTimeout(undefined); clearTimeout(12345); clearInterval(null);
  for (const bad of ['text', undefined, null, 5]) { try { queueMicrotask(bad); seen.push('taken'); } catch (e) { seen.push(e.name); } try { setTimeout(bad, 0); seen.push('taken'); } catch (e) { seen.push(e.name); } }
  const a = performance.now(); await new Promise((resolve) => setTimeout(resolve, 3)); const early = Date.now(); const b = performance.now(); const late = Date.now();
  seen.push(b > a, typeof performance.timeOrigin, early - 100 < performance.timeOrigin + b && performance.timeOrigin + b < late + 100, Object.prototype.toString.call(performance));
  seen.push(typeof globalThis, globalThis === globalThis.globalThis);
  return seen;
}"""


RESIZABLE = """function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push([e.name, e instanceof DOMException]); } };
  const about = (b) => [b.byteLength, b.resizable, b.maxByteLength, [...new Uint8Array(b)]];
  const made = (length, most) => { const b = new ArrayBuffer(length, { maxByteLength: most }); new Uint8Array(b).set(Array.from({ length }, (_, i) => i + 1)); return b; };
  for (const [length, most] of [[0, 0], [0, 8], [3, 8], [8, 8]]) note(() => about(structuredClone(made(length, most))));
  note(() => { const b = new ArrayBuffer(4); b.constructor = { [Symbol.species]: Array }; return about(structuredClone(b)); });
  const views = [[Uint8Array], [Uint8Array, 2], [Uint8Array, 0, 8], [Uint8Array, 2, 6], [Uint8Array, 2, 1], [Uint16Array, 2], [Uint16Array, 2, 3], [Uint8Array, 8], [Uint8Array, 0, 0],
    [DataView], [DataView, 3], [DataView, 3, 5], [DataView, 0, 0], [BigInt64Array], [BigInt64Array, 0, 1]];
  for (const [length, most] of [[8, 16], [8, 8]]) for (const [View, ...where] of views) note(() => {
    const source = made(length, most), view = new View(source, ...where), copy = structuredClone(view);
    const kept = about(source);
    copy.buffer.resize(most); const grown = copy.byteLength;
    copy.buffer.resize(where[0] ?? 0);
    let shrunk; try { shrunk = copy.byteLength; } catch (e) { shrunk = e.name; }
    return [kept, copy.constructor === View, grown, shrunk, view.byteLength, copy.buffer.maxByteLength];
  });
  note(() => { const source = made(4, 8), c = structuredClone([new Uint8Array(source), source, new DataView(source, 1)]); c[1].resize(6); return [c[0].length, c[2].byteLength, c[0].buffer === c[1]]; });
  note(() => { const source = made(4, 8), view = new Uint8Array(source, 2, 2); source.resize(3); return structuredClone(view).length; });
  return seen;
}"""

SECOND_ARGUMENTS = """function main() {
  const seen = [];
  for (const options of [undefined, null, {}, () => 1, { transfer: [] }, { transfer: new Set() }, { transfer: undefined }, 1, 'a', true, Symbol('a'), 1n, { transfer: null }, { transfer: 1 }, { transfer: 'ab' }, { transfer: {} }])
    try { seen.push(structuredClone(5, options)); } catch (e) { seen.push(e instanceof TypeError); }
  try { structuredClone(); } catch (e) { seen.push(e.name); }
  return seen;
}"""

UTF_16 = """function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push(e.name); } };
  for (const label of ['utf-16be', 'UTF-16BE', ' unicodefffe\\n', 'utf-16', 'unicodefeff', 'utf-16le']) {
    note(() => new TextDecoder(label).encoding);
    for (const bytes of [[], [0x4e, 0x2d], [0xd8, 0x3d, 0xde, 0x00], [0x3d, 0xd8, 0x00, 0xde], [0xd8, 0x3d, 0, 0x41], [0xfe, 0xff, 0, 0x41], [0xff, 0xfe, 0x41, 0], [0, 0x41, 0]]) {
      const input = new Uint8Array(bytes);
      for (const fatal of [false, true]) for (const ignoreBOM of [false, true]) note(() => new TextDecoder(label, { fatal, ignoreBOM }).decode(input));
      note(() => { const d = new TextDecoder(label), parts = []; for (const byte of bytes) parts.push(d.decode(new Uint8Array([byte]), { stream: true })); parts.push(d.decode()); return parts; });
    }
  }
  for (const options of [null, undefined, {}, () => 1, 1, 'a']) { note(() => new TextDecoder('utf-8', options).fatal); note(() => new TextDecoder().decode(new Uint8Array(1), options)); }
  note(() => new TextDecoder().decode(null)); note(() => new TextEncoder().encodeInto('a')); note(() => new TextDecoder(null));
  return seen;
}"""


TWINS = {
    "clones": CLONES,
    "resizable": RESIZABLE,
    "second arguments": SECOND_ARGUMENTS,
    "texts": TEXTS,
    "utf-16": UTF_16,
    "clocks": CLOCKS,
}


@pytest.mark.parametrize("code", TWINS.values(), ids=TWINS)
async def test_as_in_node(engine: ProcessEngine, code: str) -> None:
    assert await differences(engine, code) == []


async def test_a_buffer_that_is_gone_cannot_be_cloned(engine: ProcessEngine) -> None:
    code = """function main() {
      const buffer = new ArrayBuffer(4), view = new Uint8Array(buffer), other = new DataView(buffer);
      buffer.transfer();
      return [buffer, view, other].map((gone) => { try { return structuredClone(gone); } catch (e) { return e.name; } });
    }"""
    assert await in_action(engine, code) == ["DataCloneError"] * 3


async def test_performance_counts_from_the_start_of_the_action(engine: ProcessEngine) -> None:
    began = time.monotonic()
    first = await in_action(engine, "const main = () => performance.now();")
    assert isinstance(first, (int, float))
    assert 0 <= first <= (time.monotonic() - began) * 1000


async def test_every_way_to_log_is_a_line(engine: ProcessEngine) -> None:
    code = """function main() {
      console.dir({ a: 1 }); console.table([{ a: 1 }]); console.group('g'); console.groupEnd();
      console.assert(true, 'never'); console.assert(false, 'shown', 1); console.assert(0);
      console.count(); console.count('x'); console.count(); console.countReset(); console.count();
      console.time('t'); console.timeLog('t', 'so far'); console.timeEnd('t'); console.timeEnd('t');
      console.trace('here', 5);
    }"""
    lines = (await run(engine, code)).logs.split("\n")
    assert lines[:9] == [
        *('{"a":1}', '[{"a":1}]', "g", "Assertion failed: shown 1", "Assertion failed"),
        *("default: 1", "x: 1", "default: 2", "default: 1"),
    ]
    assert lines[9].startswith("t: ")
    assert lines[9].endswith("ms so far")
    assert lines[10].endswith("ms")
    assert lines[11:] == ["Trace: here", "    at main (action.js:6:15) 5"]


async def test_a_place_inside_a_json_text_is_not_taken_for_code(engine: ProcessEngine) -> None:
    outcome = await run(engine, "\n\nfunction main() {\n  JSON.parse('{bad');\n}")
    assert outcome.error is not None
    assert outcome.error.name == "SyntaxError"
    assert "action.js:4:" in outcome.error.stack
    assert "action.js:1:" not in outcome.error.stack


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("(1234567.891).toLocaleString('de-DE')", "1234567.891"),
        ("(10n ** 20n).toLocaleString()", "100000000000000000000"),
        ("new Date(0).toLocaleString('de-DE', { timeZone: 'Europe/Berlin' })", "01/01/1970, 12:00:00 AM"),
        ("new Date(0).toLocaleDateString()", "01/01/1970"),
        ("new Date(0).toLocaleTimeString()", "12:00:00 AM"),
        ("new Date(0).getTimezoneOffset()", 0),
        ("typeof Intl", "undefined"),
    ],
)
async def test_there_is_one_locale_and_no_zone_but_utc(engine: ProcessEngine, shown: str, text: JsonValue) -> None:
    assert await in_action(engine, f"const main = () => {shown};") == text
