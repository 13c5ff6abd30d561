"""Streams, and bodies that are streams: Node's behaviour, what is sent of them, and their bounds."""

import base64
from typing import Final

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.test_fetch import ANSWER, ScriptedWeb
from tests.engine.language.test_forms import NOTE
from tests.engine.language.twin import differences, in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

STREAMS: Final = (
    NOTE
    + """async function main() {
  const of = (...chunks) => new ReadableStream({ start(c) { for (const chunk of chunks) c.enqueue(chunk); c.close(); } });
  const all = async (stream) => { const out = []; for await (const chunk of stream) out.push(chunk instanceof Uint8Array ? [...chunk] : chunk); return out; };
  const text = (s) => new TextEncoder().encode(s);
  await note(() => all(of(1, 'a', null)));
  await note(async () => { const [a, b] = of(1, 2).tee(); return [await all(a), await all(b)]; });
  await note(async () => { const s = of(1); const r = s.getReader(); const locked = s.locked; r.releaseLock(); return [locked, s.locked]; });
  await note(async () => { let why; const s = new ReadableStream({ cancel(reason) { why = reason; } }); await s.cancel('w'); return why; });
  await note(() => all(new ReadableStream({ pull() { throw new RangeError('x'); } })));
  await note(() => all(ReadableStream.from([1, Promise.resolve(2)])));
  await note(async () => all(ReadableStream.from((async function* () { yield 1; yield 2; })())));
  await note(() => all(of(1, 2).pipeThrough(new TransformStream({ transform(c, k) { k.enqueue(c * 2); }, flush(k) { k.enqueue('end'); } }))));
  await note(async () => { const got = []; await of('a', 'b').pipeTo(new WritableStream({ write(c) { got.push(c); }, close() { got.push('closed'); } })); return got; });
  await note(async () => { const controller = new AbortController(); const got = new ReadableStream().pipeTo(new WritableStream({ abort(why) { seen.push(String(why)); } }), { signal: controller.signal }); controller.abort('stop'); return got.catch((e) => e); });
  await note(async () => { const w = new WritableStream({}, new CountQueuingStrategy({ highWaterMark: 2 })).getWriter(); const before = w.desiredSize; w.write(1); return [before, w.desiredSize]; });
  await note(async () => { const s = new ReadableStream({ type: 'bytes', pull(c) { c.byobRequest.view[0] = 7; c.byobRequest.respond(1); } }); const r = s.getReader({ mode: 'byob' }); const { value, done } = await r.read(new Uint8Array(4)); return [[...value], value.buffer.byteLength, done]; });
  await note(() => of(1).getReader({ mode: 'byob' }));
  for (const chunks of [['a', 'é'], ['\\ud83d', '\\ude00'], ['\\ud83d', 'x'], ['\\ud83d'], ['', '\\ude00'], [5, null]]) await note(() => all(of(...chunks).pipeThrough(new TextEncoderStream())));
  for (const chunks of [[text('é')], [[0xf0, 0x9f], [0x98, 0x80]], [[0xf0, 0x9f]], [[0xef, 0xbb, 0xbf, 65]], [[0xff]]]) await note(async () => (await all(of(...chunks.map((c) => new Uint8Array(c))).pipeThrough(new TextDecoderStream()))).join(''));
  await note(() => all(of(new Uint8Array([0xff])).pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))));
  await note(() => all(of('text').pipeThrough(new TextDecoderStream())));
  await note(() => { const d = new TextDecoderStream('utf-16le', { fatal: true, ignoreBOM: true }); return [d.encoding, d.fatal, d.ignoreBOM, kind(d.readable), new TextEncoderStream().encoding]; });
  await note(() => new TextDecoderStream('nope'));
  for (const make of [() => new ReadableStream(), () => new WritableStream(), () => new TransformStream(), () => new Response('x').body, () => ({ deep: [of(1)] })]) {
    await note(() => JSON.stringify(make())); await note(() => structuredClone(make())); await note(() => kind(make()));
  }
  for (const name of ['ReadableByteStreamController', 'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest', 'ReadableStreamDefaultController', 'ReadableStreamDefaultReader', 'TransformStreamDefaultController', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy'])
    await note(() => [typeof globalThis[name], Object.getOwnPropertyDescriptor(globalThis, name).enumerable]);
  return seen;
}"""
)

BODIES: Final = (
    NOTE
    + """async function main() {
  const of = (...chunks) => new ReadableStream({ start(c) { for (const chunk of chunks) c.enqueue(chunk); c.close(); } });
  const text = (s) => new TextEncoder().encode(s);
  const post = (body, more) => new Request('http://h', { method: 'POST', body, duplex: 'half', ...more });
  for (const make of [(s) => new Response(s), (s) => post(s)]) {
    for (const use of ['text', 'json', 'bytes', 'arrayBuffer', 'blob']) await note(async () => { const r = make(of(text('{"a"'), text(':1}'))); const v = await r[use](); return [v.size ?? v.byteLength ?? v, r.bodyUsed, [...r.headers].length]; });
    await note(() => make(of('no bytes')).text());
    await note(() => make(of()).text());
    await note(async () => { const s = of(text('a')); const r = make(s); return [r.body === s, r.bodyUsed, await r.text(), s.locked]; });
    await note(async () => { const s = of(text('a')); s.getReader(); return make(s).text(); });
    await note(async () => { const s = of(text('a')); await s.cancel(); return make(s).text(); });
    await note(async () => { const r = make(of(text('a'))); const c = r.clone(); return [await r.text(), await c.text(), r.bodyUsed]; });
    await note(async () => { const r = make(of(text('a'))); await r.body.cancel(); return r.text(); });
    await note(() => make(new ReadableStream({ pull(c) { c.error(new RangeError('own')); } })).text());
    await note(async () => make((async function* () { yield 'a'; yield text('b'); yield new Uint8Array(0); })()).text());
    await note(async () => make({ async* [Symbol.asyncIterator]() { throw new RangeError('own'); } }).text());
    for (const body of ['x', 'é'.repeat(50000), new Uint8Array(65536), new Uint8Array(65537), new Blob(['xyz']), new URLSearchParams('a=b')]) await note(async () => {
      const r = make(body); const whole = await new Response(body).bytes(); const parts = []; for await (const part of r.body) for (const byte of part) parts.push(byte);
      return [parts.length === whole.length && parts.every((b, i) => b === whole[i]), r.bodyUsed, r.body.locked]; });
    await note(async () => { const r = make('abc'); const [a, b] = r.body.tee(); return [await new Response(a).text(), await new Response(b).text(), r.bodyUsed, r.body.locked]; });
    await note(async () => new Response(make('abc').body.pipeThrough(new TransformStream())).text());
    await note(async () => { const r = make('abc'); const reader = r.body.getReader({ mode: 'byob' }); const out = []; for (;;) { const { value, done } = await reader.read(new Uint8Array(2)); if (done) return out; out.push([...value]); } });
    await note(async () => { const r = make('abc'); await r.text(); return [r.bodyUsed, r.body.locked, r.body === r.body]; });
    await note(async () => { const r = make('abc'); const { body } = r; await r.text(); return [r.body === body, body.locked]; });
  }
  for (const init of [{}, { duplex: undefined }, { duplex: 'half' }, { duplex: 'full' }, { duplex: 5 }]) {
    await note(() => new Request('http://h', { method: 'POST', body: of(text('x')), ...init }).duplex);
    await note(() => new Request('http://h', { method: 'POST', body: 'x', ...init }).duplex);
  }
  await note(() => new Request('http://h', { body: of(), duplex: 'half' }));
  await note(async () => { const a = post(of(text('a'))); const b = new Request(a); return [a.bodyUsed, b.bodyUsed, await b.text(), await a.text().catch((e) => e.name)]; });
  await note(async () => { const a = post('a'); const b = new Request(a, { method: 'PUT' }); return [a.bodyUsed, a.body.locked, b.method, await b.text()]; });
  await note(async () => { const a = post('a'); const b = new Request(a, { body: 'own' }); return [a.bodyUsed, await b.text(), await a.text()]; });
  await note(async () => { const a = post('a', { headers: { k: 'v' } }); const c = a.clone(); return [c.headers.get('k'), c.headers.get('content-type'), await c.text(), a.bodyUsed]; });
  for (const [type, body] of [['text/plain; Charset=UTF-8', 'x'], ['nonsense', 'x'], ['A/B;c="d e";c=f', 'x'], ['a/b;x y=1;c=d', 'x'], [undefined, new Uint8Array(1)]]) await note(async () => (await new Response(body, { headers: type ? { 'content-type': type } : {} }).blob()).type);
  return seen;
}"""
)


async def test_streams_are_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, STREAMS) == []


async def test_bodies_are_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, BODIES) == []


async def test_a_whole_body_comes_in_pieces_of_64_kib(engine: ProcessEngine) -> None:
    body = bytes(range(256)) * 700
    code = """async function main() {
      const r = await fetch('http://h/');
      const sizes = []; const whole = [];
      for await (const piece of r.clone().body) { sizes.push(piece.length, piece.buffer.byteLength); for (const byte of piece) whole.push(byte); }
      return [sizes, whole.every((byte, at) => byte === at % 256)];
    }"""
    web = ScriptedWeb({**ANSWER, "body": base64.b64encode(body).decode()})
    assert await in_action(engine, code, host=web) == [[65536] * 4 + [48128] * 2, True]


async def test_a_stream_is_read_whole_before_it_is_sent(engine: ProcessEngine) -> None:
    web = ScriptedWeb(ANSWER, ANSWER, ANSWER)
    code = """async function main() {
      let n = 0;
      const slow = new ReadableStream({ async pull(c) { await new Promise((done) => setTimeout(done, 1)); n += 1; if (n > 3) c.close(); else c.enqueue(new Uint8Array([64 + n])); } });
      await fetch('http://h/', { method: 'POST', body: slow, duplex: 'half' });
      await fetch('http://h/', { method: 'POST', body: (async function* () { yield 'a'; yield new Uint8Array([66]); })(), duplex: 'half' });
      await fetch(new Request('http://h/', { method: 'POST', body: new Blob(['AB']).stream(), duplex: 'half', headers: { 'content-type': 'own' } }));
    }"""
    await in_action(engine, code, host=web)
    assert [base64.b64decode(str(request["body"])) for request in web.asked] == [b"ABC", b"aB", b"AB"]
    assert [request["headers"] for request in web.asked] == [[], [], [["content-type", "own"]]]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1 << 16)); }, cancel() { cancelled = true; } })",
            "more than",
        ),
        ("new ReadableStream({ pull(c) { c.enqueue('text'); }, cancel() { cancelled = true; } })", "no Uint8Array"),
        ("new ReadableStream({ pull(c) { cancelled = true; c.error('own'); } })", "own"),
        ("new ReadableStream({ pull(c) { cancelled = true; c.error(undefined); } })", ""),
        ("(async function* () { cancelled = true; yield {}; })()", "yields"),
    ],
)
async def test_a_stream_that_cannot_be_sent_fails_and_is_cancelled(engine: ProcessEngine, body: str, why: str) -> None:
    web = ScriptedWeb()
    code = f"""async function main() {{
      let cancelled = false;
      const failed = await fetch('http://h/', {{ method: 'POST', body: {body}, duplex: 'half' }}).catch((e) => [e.name, e.message]);
      await null;
      return [...failed, cancelled];
    }}"""
    answered = await in_action(engine, code, host=web)
    assert isinstance(answered, list)
    name, message, cancelled = answered
    assert (name, cancelled) == ("TypeError", True)
    assert str(message).startswith("fetch failed: ")
    assert why in str(message)
    assert web.asked == []


async def test_an_abort_while_a_stream_is_read_sends_nothing(engine: ProcessEngine) -> None:
    web = ScriptedWeb()
    code = """async function main() {
      let why;
      const controller = new AbortController();
      const sent = fetch('http://h/', { method: 'POST', body: new ReadableStream({ cancel(reason) { why = reason; } }), duplex: 'half', signal: controller.signal });
      setTimeout(() => controller.abort('enough'), 1);
      return [await sent.catch((e) => e), why];
    }"""
    assert await in_action(engine, code, host=web) == ["enough", "enough"]
    assert web.asked == web.aborted == []


async def test_the_answer_to_head_has_no_body(engine: ProcessEngine) -> None:
    web = ScriptedWeb({**ANSWER, "body": ""}, {**ANSWER, "body": ""})
    code = """async function main() {
      const head = await fetch('http://h/', { method: 'HEAD' }), got = await fetch('http://h/');
      return [head.body, await head.text(), head.bodyUsed, got.body === null, await got.text()];
    }"""
    assert await in_action(engine, code, host=web) == [None, "", False, False, ""]


async def test_a_stream_is_shown_as_an_empty_object(engine: ProcessEngine) -> None:
    code = "const main = () => console.log(new ReadableStream(), [new Response('x').body], new WritableStream().getWriter());"
    assert (await run(engine, code)).logs == "{} [{}] {}"


@pytest.mark.parametrize(("transform", "count"), [("{}", 80), ("{ transform(chunk, c) { c.enqueue(chunk); } }", 50)])
async def test_a_chain_of_transforms_as_long_as_documented(engine: ProcessEngine, transform: str, count: int) -> None:
    code = f"""async function main() {{
      let {{ body }} = new Response('through');
      for (let i = 0; i < {count}; i += 1) body = body.pipeThrough(new TransformStream({transform}));
      return new Response(body).text();
    }}"""
    assert await in_action(engine, code) == "through"


async def test_a_chain_that_is_too_long_fails_inside_the_action(engine: ProcessEngine) -> None:
    code = """async function main() {
      let { body } = new Response('through');
      for (let i = 0; i < 200; i += 1) body = body.pipeThrough(new TransformStream());
      return new Response(body).text().catch((e) => [e.name, e.message]);
    }"""
    assert await in_action(engine, code) == ["RangeError", "Maximum call stack size exceeded"]
