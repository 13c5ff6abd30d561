"""fetch and its companions: the frames they send, what they make of an answer, and Node's behaviour elsewhere."""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from typing import Final

import pytest
from pydantic import JsonValue

from node.engine.port import HostCallError
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS, run
from tests.engine.language.twin import differences, in_action
from tests.support.settings import changed

pytestmark = pytest.mark.asyncio(loop_scope="module")

ANSWER: Final[Mapping[str, JsonValue]] = {
    "url": "https://api.example/x",
    "status": 200,
    "statusText": "OK",
    "headers": [
        ["Content-Type", "application/json"],
        ["set-cookie", "a=1"],
        ["Set-Cookie", "b=2"],
        ["x", "1"],
        ["X", "2"],
    ],
    "body": base64.b64encode('\ufeff{"price": "é✓"}'.encode()).decode(),
    "redirected": False,
}


class ScriptedWeb:
    """Answers each `fetch` with the next of its answers; an answer of None never comes."""

    def __init__(self, *answers: Mapping[str, JsonValue] | HostCallError | None) -> None:
        self.answers = list(answers)
        self.asked: list[Mapping[str, JsonValue]] = []
        self.aborted: list[JsonValue] = []

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        [request] = arguments
        assert isinstance(request, dict)
        if name == "fetchAbort":
            self.aborted.append(request["call"])
            return None
        assert name == "fetch"
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, HostCallError):
            raise answer
        if answer is None:
            await asyncio.Event().wait()
        return dict(answer or {})


async def test_the_request_that_is_sent(engine: ProcessEngine) -> None:
    web = ScriptedWeb(*[ANSWER] * 6)
    code = """async function main() {
      await fetch('HTTPS://API.example:443/a b?q=é#secret');
      await fetch(new URL('http://h/'), { method: 'post', body: 'é', headers: { 'X-A': ' 1 ', b: 2 }, redirect: 'manual' });
      await fetch('http://h/', { method: 'PUT', body: new URLSearchParams({ a: 'b c' }), headers: [['content-type', 'own']] });
      await fetch(new Request('http://h/', { method: 'patch', body: new Uint16Array([1, 2]).subarray(1) }), { redirect: 'error' });
      await fetch('http://h/', { method: 'DELETE', body: { toString: () => 'obj' }, headers: new Headers({ A: 'x' }) });
      await fetch('http://h/', { method: 'POST', body: new URLSearchParams('a=é') });
    }"""
    await in_action(engine, code, host=web)
    plain: dict[str, JsonValue] = {"method": "GET", "headers": [], "body": None, "redirect": "follow"}
    url = "http://h/"
    form = "application/x-www-form-urlencoded;charset=UTF-8"
    text = ["content-type", "text/plain;charset=UTF-8"]
    assert web.asked == [
        {**plain, "url": "https://api.example/a%20b?q=%C3%A9", "call": 1},
        {
            "url": url,
            "method": "POST",
            "headers": [["x-a", "1"], ["b", "2"], text],
            "body": "w6k=",
            "redirect": "manual",
            "call": 2,
        },
        {**plain, "url": url, "method": "PUT", "headers": [["content-type", "own"]], "body": "YT1iK2M=", "call": 3},
        {**plain, "url": url, "method": "patch", "body": "AgA=", "redirect": "error", "call": 4},
        {**plain, "url": url, "method": "DELETE", "headers": [["a", "x"], text], "body": "b2Jq", "call": 5},
        {**plain, "url": url, "method": "POST", "headers": [["content-type", form]], "body": "YT0lQzMlQTk=", "call": 6},
    ]


async def test_the_response(engine: ProcessEngine) -> None:
    code = """async function main() {
      const r = await fetch('https://api.example/x');
      const copy = r.clone();
      const bytes = await r.clone().bytes();
      const buffer = await r.clone().arrayBuffer();
      const before = r.bodyUsed;
      const json = await r.json();
      const again = await r.text().then(() => 'read twice', (e) => e.name);
      let immutable; try { r.headers.set('a', 'b'); } catch (e) { immutable = e.name; }
      return [r.ok, r.status, r.statusText, r.url, r.redirected, r.type, [...r.headers], r.headers.get('X'), r.headers.getSetCookie(),
        before, r.bodyUsed, json, again, immutable, (await copy.text()).length, bytes.length, buffer instanceof ArrayBuffer, buffer.byteLength];
    }"""
    headers = [["content-type", "application/json"], ["set-cookie", "a=1"], ["set-cookie", "b=2"], ["x", "1, 2"]]
    seen = await in_action(engine, code, host=ScriptedWeb(ANSWER))
    assert seen == [
        *(True, 200, "OK", "https://api.example/x", False, "basic", headers, "1, 2", ["a=1", "b=2"]),
        *(False, True, {"price": "é✓"}, "TypeError", "TypeError", 15, 21, True, 21),
    ]


async def test_what_is_wrong_with_a_request_is_a_type_error_and_no_call(engine: ProcessEngine) -> None:
    web = ScriptedWeb()
    code = """async function main() {
      const attempts = [
        () => fetch('/relative'), () => fetch('http://u:p@h/'), () => fetch('ftp://h/'), () => fetch('file:///etc/passwd'), () => fetch('data:,x'), () => fetch(),
        () => fetch('http://h', { body: 'x' }), () => fetch('http://h', { method: 'TRACE' }), () => fetch('http://h', { method: 'a b' }),
        () => fetch('http://h', { headers: { 'a b': 'c' } }), () => fetch('http://h', { headers: { a: 'b\\r\\nc: d' } }), () => fetch('http://h', { headers: { a: '✓' } }),
        () => fetch('http://h', { headers: [['a']] }), () => fetch('http://h', { headers: 'a: b' }), () => fetch('http://h', { redirect: 'maybe' }),
        () => fetch('http://h', { signal: {} }), () => fetch('http://h', { method: 'POST', body: 'x'.repeat(5e6) }), () => fetch(Symbol('x')), () => fetch('http://h', 5),
        () => fetch('http://h', { method: 'POST', body: new Response('x').body }),
      ];
      const names = [];
      for (const attempt of attempts) names.push(await attempt().then(() => 'sent', (e) => e instanceof TypeError && e.name));
      return names;
    }"""
    assert await in_action(engine, code, host=web) == ["TypeError"] * 20
    assert web.asked == []


async def test_a_network_error_is_a_type_error_where_the_action_asked(engine: ProcessEngine) -> None:
    web = ScriptedWeb(HostCallError("TypeError", "the address is not public"))
    outcome = await run(engine, "async function main() {\n  await fetch('http://h/');\n}", host=web)
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("TypeError", "fetch failed: the address is not public")
    assert "action.js:2:" in outcome.error.stack


async def test_an_abort_rejects_at_once_and_tells_the_node(engine: ProcessEngine) -> None:
    web = ScriptedWeb(None, None, None, ANSWER)
    code = """async function main() {
      const controller = new AbortController();
      const first = fetch('http://h/', { signal: controller.signal });
      const heard = [];
      controller.signal.addEventListener('abort', (event) => heard.push(event.type, event.target === controller.signal));
      controller.signal.onabort = () => heard.push('on');
      setTimeout(() => controller.abort(), 5);
      const seen = [await first.catch((e) => [e.name, e instanceof DOMException, e === controller.signal.reason])];
      seen.push(await fetch('http://h/', { signal: AbortSignal.timeout(5) }).catch((e) => e.name));
      seen.push(await fetch(new Request('http://h/', { signal: AbortSignal.any([new AbortController().signal, AbortSignal.timeout(1)]) })).catch((e) => e.name));
      seen.push(await fetch('http://h/', { signal: AbortSignal.abort('own reason') }).catch((e) => e));
      const late = new AbortController();
      const response = await fetch('http://h/', { signal: late.signal });
      late.abort();
      return [...seen, (await response.json()).price, heard];
    }"""
    seen = await in_action(engine, code, host=web)
    assert seen == [
        ["AbortError", True, True],
        "TimeoutError",
        "TimeoutError",
        "own reason",
        "é✓",
        ["abort", True, "on"],
    ]
    assert [request["call"] for request in web.asked] == [1, 2, 3, 4]
    assert web.aborted == [1, 2, 3]


async def test_an_uncaught_abort_is_named(engine: ProcessEngine) -> None:
    outcome = await run(engine, "const main = () => {\n AbortSignal.abort().throwIfAborted(); };", host=ScriptedWeb())
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("AbortError", "This operation was aborted")


async def test_a_large_response_is_read_within_the_memory_of_an_action() -> None:
    size = 10 << 20
    answer = {**ANSWER, "body": base64.b64encode(b"x" * size).decode()}
    code = "async function main() { const r = await fetch('http://h/'); return [(await r.clone().text()).length, (await r.bytes()).length]; }"
    # Seconds of work, which take many where other programs run too.
    async with ProcessEngine(changed(LIMITS, action_timeout_s=60.0)) as engine:
        assert await in_action(engine, code, host=ScriptedWeb(answer)) == [size, size]


COMPANIONS = """async function main() {
  const seen = [];
  const note = async (make) => { try { seen.push(await make()); } catch (e) { seen.push(e.name); } };
  const name = (v) => Object.prototype.toString.call(v);
  for (const init of [undefined, {}, { B: 1, a: ' x\\t' }, [['a', 'b'], ['A', 'c']], new Map([['k', 'v']]), new Headers({ z: '1' }), null, 5, 'x', [['a']], { 'a:': 'b' }, { a: 'b\\n' },
    { a: 'b\\nc' }, { '': 'x' }, { é: 'x' }, { a: 'é' }, { a: '✓' }, { a: '\\0' }, [['set-cookie', 'a'], ['b', 'c'], ['Set-Cookie', 'd']], { [Symbol('s')]: 'x' }])
    await note(() => [[...new Headers(init)], name(new Headers(init))]);
  await note(() => { const h = new Headers({ a: '1', b: '2' }); h.append('A', '2'); h.set('B', '3'); h.delete('c'); return [h.get('a'), h.has('B'), h.get('zz'), [...h.keys()], [...h.values()]]; });
  await note(() => { const out = []; new Headers({ b: '1', a: '2' }).forEach((v, k) => out.push(k, v)); return out; });
  await note(() => new Headers().get());
  await note(() => new Headers().set('a'));
  for (const [body, init] of [[], [null], ['text'], [new URLSearchParams('a=b')], [new Uint8Array([1, 2])], ['', { status: 201, statusText: 'Made' }], ['x', { status: 204 }], [null, { status: 204 }],
    ['x', { status: 199 }], ['x', { status: 600 }], ['x', { status: 'abc' }], ['x', { headers: { 'content-type': 'own' } }], ['x', { statusText: '\\n' }], [5], [{}], [undefined, { status: 304 }]])
    await note(async () => { const r = new Response(body, init); return [r.status, r.ok, r.statusText, r.type, r.url, r.redirected, [...r.headers], r.bodyUsed, r.body === null, await r.text(), r.bodyUsed, name(r)]; });
  await note(async () => { const r = Response.json({ a: 1 }, { status: 201 }); return [r.status, [...r.headers], await r.json()]; });
  await note(() => Response.json(undefined));
  await note(() => { const r = Response.error(); return [r.type, r.status, r.ok]; });
  await note(() => { const r = Response.redirect('http://h/x', 301); return [r.status, r.headers.get('location')]; });
  await note(() => Response.redirect('http://h/x', 200));
  await note(async () => { const r = new Response('x'); await r.text(); return r.clone(); });
  await note(async () => { const r = new Response('x'); await r.text(); return r.text(); });
  await note(async () => { const r = new Response('x'); const c = r.clone(); c.headers.set('a', 'b'); return [await r.text(), await c.text(), r.headers.get('a')]; });
  await note(async () => { const r = new Response(null); return [await r.text(), r.bodyUsed, (await r.arrayBuffer()).byteLength]; });
  await note(() => new Response('{').json());
  await note(() => new Response('\\ufeff{"a":1}').json());
  await note(() => new Response(new Uint8Array([0xff, 65])).text());
  for (const [input, init] of [['http://h'], ['http://h', { method: 'post', body: 'x' }], ['http://h', { method: 'get' }], ['http://h', { method: 'patch', body: '' }], ['http://h', { body: '' }],
    ['http://h', { method: 'HEAD', body: 'x' }], ['nope'], ['http://u@h'], ['http://h', { method: 'CONNECT' }], ['http://h', { headers: { a: 'b' }, redirect: 'error' }], ['http://h', { redirect: 'x' }], [5], [],
    ['http://h', null], ['http://h', { signal: 5 }], ['http://h', { signal: null }], ['http://h/#f', { method: 'x-y' }]])
    await note(async () => { const r = input === undefined ? new Request() : new Request(input, init); return [r.url, r.method, [...r.headers], r.redirect, r.bodyUsed, await r.text(), r.signal instanceof AbortSignal, name(r)]; });
  await note(async () => { const a = new Request('http://h', { method: 'POST', body: 'x', headers: { k: 'v' } }); const b = new Request(a, { headers: { m: 'n' } }); return [a.bodyUsed, b.method, [...b.headers], await b.text()]; });
  await note(async () => { const a = new Request('http://h', { method: 'POST', body: 'x' }); const b = a.clone(); return [await a.text(), await b.text(), b.method]; });
  await note(async () => { const a = new Request('http://h', { method: 'POST', body: 'x' }); await a.text(); return new Request(a); });
  await note(() => new AbortSignal());
  await note(async () => { const out = []; for await (const chunk of new Response('abc').body) out.push([...chunk]); return out; });
  await note(async () => { const r = new Response('abc'); const reader = r.body.getReader(); const one = await reader.read(); const two = await reader.read(); return [new TextDecoder().decode(one.value), one.done, two.done, r.bodyUsed, r.body.locked, name(r.body)]; });
  await note(async () => { const r = new Response('abc'); await r.text(); for await (const chunk of r.body) return 'read twice'; });
  await note(async () => { const r = new Response('abc'); r.body.getReader(); return r.body.getReader(); });
  for (const use of [(r) => r.text(), (r) => r.arrayBuffer(), (r) => r.clone().text()]) {
    await note(async () => { const r = new Response('abc'); r.body.getReader(); return use(r); });
    await note(async () => { const r = new Response('abc'); const reader = r.body.getReader(); reader.releaseLock(); const read = await use(r); return read instanceof ArrayBuffer ? read.byteLength : read; });
  }
  await note(async () => { const r = new Request('http://h', { method: 'POST', body: 'x' }); r.body.getReader(); return new Request(r).url; });
  await note(async () => { const r = new Response('abc'); r.bytes = () => 'mine'; r.arrayBuffer = r.bytes; let text = ''; for await (const c of r.body) text += new TextDecoder().decode(c); return text; });
  for (const end of [(r) => r.body.cancel(), (r) => r.body.cancel('why'), async (r) => { const reader = r.body.getReader(); const ended = await reader.cancel(); const { done } = await reader.read(); reader.releaseLock(); return [ended === undefined, done]; }]) {
    await note(async () => { const r = new Response('abc'); const ended = await end(r); return [ended === undefined || ended, r.bodyUsed, r.body.locked, (await r.body.getReader().read()).done]; });
    for (const use of [(r) => r.text(), (r) => r.clone(), (r) => end(r)]) await note(async () => { const r = new Response('abc'); await end(r); return String(await use(r)); });
  }
  await note(async () => { const r = new Response('abc'); r.body.getReader(); return r.body.cancel(); });
  await note(async () => { const r = new Response('abc'); const c = r.clone(); c.body.cancel(); return [await r.text(), c.bodyUsed]; });
  await note(async () => { const r = new Response('abc'); for await (const chunk of r.body) {} return (await r.body.getReader().read()).done; });
  for (const init of [5, 'x', true]) await note(() => new Response('x', init).status);
  await note(() => AbortSignal.any([1]));
  await note(() => { const c = new AbortController(); const any = AbortSignal.any([c.signal]); c.abort(7); c.abort(8); return [any.aborted, any.reason, c.signal.reason, name(c), name(any)]; });
  await note(() => { const t = new EventTarget(); const out = []; const f = (e) => out.push(e.type); t.addEventListener('a', f); t.addEventListener('a', f); t.addEventListener('a', { handleEvent: (e) => { out.push('h'); e.preventDefault(); } }, { once: true });
    const first = t.dispatchEvent(new Event('a', { cancelable: true })); t.removeEventListener('a', f); const second = t.dispatchEvent(new Event('a')); t.dispatchEvent(new Event('b')); return [out, first, second]; });
  await note(() => { const t = new EventTarget(); const out = []; t.addEventListener('a', (e) => { out.push(1); e.stopImmediatePropagation(); }); t.addEventListener('a', () => out.push(2)); t.dispatchEvent(new Event('a')); return out; });
  await note(() => { const s = AbortSignal.abort(); return [s.reason.name, s.reason.code, s.reason instanceof Error, name(s.reason)]; });
  return seen;
}"""


async def test_headers_requests_and_responses_are_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, COMPANIONS) == []


@pytest.mark.parametrize("name", ["CompressionStream", "DecompressionStream", "WebSocket"])
async def test_what_is_not_there_is_not_there(engine: ProcessEngine, name: str) -> None:
    assert await in_action(engine, f"const main = () => typeof {name};") == "undefined"
