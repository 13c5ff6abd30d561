"""The web's interfaces as WebIDL has them: their members, iterators, conversions and dictionaries."""

from pathlib import Path
from typing import Final

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.language.twin import differences, in_action, in_node

pytestmark = pytest.mark.asyncio(loop_scope="module")

CODE: Final = (Path(__file__).parent / "interfaces.js").read_text(encoding="utf-8")

PHASES: Final = ("NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE")
OTHERWISE: Final = {
    # Members that Node lacks.
    *(("Event", name) for name in PHASES),
    ("CustomEvent", "initCustomEvent"),
    ("File", "webkitRelativePath"),
    # Members that Node has with other attributes than WebIDL's.
    *(("AbortSignal", name) for name in ("abort", "any", "timeout", "reason", "throwIfAborted")),
    *(("Event", name) for name in ("isTrusted", "returnValue")),
    # Constructors that no script can use.
    *((name, "constructor") for name in ("CryptoKey", "SubtleCrypto")),
}
"""(interface, member) that are compared to nothing."""


async def test_each_member_is_as_in_node(engine: ProcessEngine) -> None:
    ours, theirs = await in_action(engine, CODE), in_node(CODE)
    assert isinstance(ours, dict)
    assert isinstance(theirs, dict)
    assert ours.keys() == theirs.keys()
    wrong = []
    for interface, here in ours.items():
        there = theirs[interface]
        assert isinstance(here, dict)
        assert isinstance(there, dict)
        for part, about in here.items():
            other = there[part]
            if not isinstance(about, dict) or not isinstance(other, dict):
                if about != other and (interface, part) not in {("CryptoKey", "length"), ("SubtleCrypto", "length")}:
                    wrong.append((interface, part, about, other))
                continue
            for name, shape in about.items():
                if (interface, name) not in OTHERWISE and shape != other.get(name):
                    wrong.append((interface, name, shape, other.get(name)))
    assert wrong == []


ITERATION: Final = """function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push(e.name); } };
  const both = [() => new URLSearchParams('b=2&a=1&c=3'), () => new Headers([['b', '2'], ['a', '1'], ['c', '3']])];
  for (const make of both) {
    for (const change of [(o) => o.append('b2', '9'), (o) => o.delete('a'), (o) => o.delete('b'), (o) => o.set('a', '7'), (o) => o.append('a', '8')]) {
      note(() => { const o = make(), heard = []; let once = true; for (const pair of o) { heard.push([...pair]); if (once) { once = false; change(o); } } return heard; });
      note(() => { const o = make(), heard = []; let once = true; o.forEach((value, name) => { heard.push(name + value); if (once) { once = false; change(o); } }); return heard; });
    }
    note(() => { const it = make().keys(); const all = [...it]; return [all, it.next(), [...it]]; });
    note(() => { const o = make(), it = o.values(); [...it]; o.append('d', '4'); return it.next(); });
    note(() => make()[Symbol.iterator]().next().value.constructor === Array);
    note(() => make().entries === make()[Symbol.iterator]);
    note(() => make().entries().next.call(make().keys()).value); note(() => make().entries().next.call({})); note(() => make().keys.call({}));
    note(() => make().keys().map((key) => key + key).toArray?.().join() ?? 'bb,aa,cc');
    for (const bad of [undefined, null, 1, {}]) note(() => make().forEach(bad));
    note(() => { const o = make(); let self; o.forEach(function (value, name, given) { self = [this.x, given === o]; }, { x: 1 }); return self; });
  }
  note(() => new URLSearchParams().keys().next.call(new Headers().keys()));
  note(() => { const h = new Headers([['set-cookie', 'a'], ['x', '1'], ['Set-Cookie', 'b'], ['X', '2']]); return [...h, ...h.keys()]; });
  return seen;
}"""

CONVERSIONS: Final = """function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push(e.name); } };
  const of = (init) => [...new URLSearchParams(init)].map((pair) => pair.map((text) => [...text].map((c) => c.codePointAt(0).toString(16)).join(' ')));
  for (const init of [{ '\\ud800': '1', b: '2', '\\udc00': '3', '\\ufffd': '4' }, { '\\ud800': '1' }, { '\\ud83d\\ude00': 'x', '\\ud83d': 'y', '\\ude00': 'z' }]) note(() => of(init));
  note(() => of([['\\ud800', '1'], ['\\udc00', '2']])); note(() => of({ [Symbol('a')]: 1 })); note(() => of(null)); note(() => of(undefined)); note(() => of(() => 1));
  note(() => new Headers(null)); note(() => new Headers(1)); note(() => [...new Headers({ A: '1', a: '2' })]);
  for (const options of [null, undefined, {}, () => 1, 1, 'a', Symbol('a')]) {
    note(() => new Request('http://a/', options).method); note(() => new Response('a', options).status); if (options !== null) note(() => Response.json(1, options).status);
    if (typeof options !== 'function') { note(() => new Event('a', options).type); note(() => new CustomEvent('a', options).detail); }
    note(() => new TextDecoder('utf-8', options).encoding);
    note(() => structuredClone(1, options));
  }
  return seen;
}"""


FUNCTIONS: Final = """async function main() {
  const nameOf = (make) => { try { return typeof make(); } catch (e) { return [e.name, e instanceof TypeError]; } };
  const functions = { atob, btoa, queueMicrotask, setTimeout, setInterval, setImmediate, clearTimeout, structuredClone };
  const seen = Object.entries(functions).map(([name, f]) => [name, f.name, nameOf(() => f())]);
  for (const given of [[], [5], [null], [{}], [new Float32Array(1)], [new DataView(new ArrayBuffer(1))], [new Uint8Array(1)]])
    seen.push(nameOf(() => crypto.getRandomValues(...given)));
  seen.push(await fetch().catch((e) => e.name), fetch.name, crypto.getRandomValues.name, crypto.randomUUID.name);
  for (const text of ['YQ==', 5, null, undefined, '*']) seen.push(nameOf(() => atob(text)), nameOf(() => btoa(text)));
  return seen;
}"""


@pytest.mark.parametrize("code", [ITERATION, CONVERSIONS, FUNCTIONS], ids=["iteration", "conversions", "functions"])
async def test_as_in_node(engine: ProcessEngine, code: str) -> None:
    assert await differences(engine, code) == []
