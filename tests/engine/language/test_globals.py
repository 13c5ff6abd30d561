"""Names that packages look for in the global scope, and what a script does to them."""

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.twin import differences, in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES = ["self", "global"]
DETECTIONS = {
    "lodash": "const free = typeof global == 'object' && global && global.Object === Object && global;"
    " const own = typeof self == 'object' && self && self.Object === Object && self; const found = free || own || Function('return this')();",
    "ethers": "const found = (() => { if (typeof self !== 'undefined') return self; if (typeof window !== 'undefined') return window;"
    " if (typeof global !== 'undefined') return global; throw new Error('unable to locate global object'); })();",
    "tweetnacl": "const own = typeof self !== 'undefined' ? (self.crypto || self.msCrypto) : null;"
    " if (!own || !own.getRandomValues) throw new Error('no PRNG'); const found = self;",
    "starknet": "const found = global;",
    "a bundle for browsers": "const found = (function (root, factory) { return factory(root); })(typeof self !== 'undefined' ? self : this, (root) => root);",
}


@pytest.mark.parametrize("name", DETECTIONS)
async def test_a_package_finds_the_global_object(engine: ProcessEngine, name: str) -> None:
    assert await in_action(engine, f"{DETECTIONS[name]}\nconst main = () => found === globalThis;") is True


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "top", ["const {name} = 1;", "let {name} = 1;", "var {name} = 1;", "{name} = 1;", "'use strict'; {name} = 1;"]
)
async def test_a_script_may_take_the_name(engine: ProcessEngine, name: str, top: str) -> None:
    assert await in_action(engine, f"{top.format(name=name)}\nconst main = () => {name};") == 1


@pytest.mark.parametrize("name", NAMES)
async def test_it_is_a_global_like_those_of_the_language(engine: ProcessEngine, name: str) -> None:
    code = f"""function main() {{
      const {{ value, ...about }} = Object.getOwnPropertyDescriptor(globalThis, '{name}');
      return [value === globalThis, about, delete globalThis.{name}, typeof {name}];
    }}"""
    about = {"writable": True, "enumerable": False, "configurable": True}
    assert await in_action(engine, code) == [True, about, True, "undefined"]


EVENTS = """async function main() {
  const seen = [];
  const note = (make) => { try { seen.push(make()); } catch (e) { seen.push(e.name); } };
  note(() => { const e = new CustomEvent('a'); return [e.type, e.detail, e instanceof Event, e.cancelable, Object.prototype.toString.call(e)]; });
  for (const detail of [0, '', false, null, undefined, NaN]) note(() => String(new CustomEvent('a', { detail }).detail));
  note(() => { const detail = { deep: [1] }; return new CustomEvent('a', { detail, cancelable: true }).detail === detail; });
  note(() => new CustomEvent('a', null).detail); note(() => new CustomEvent(5).type);
  note(() => new CustomEvent()); note(() => CustomEvent('a')); note(() => new CustomEvent(Symbol('x')));
  note(() => { const t = new EventTarget(); let heard; t.addEventListener('a', (e) => { heard = e.detail; e.preventDefault(); }); return [t.dispatchEvent(new CustomEvent('a', { detail: 7, cancelable: true })), heard]; });
  return seen;
}"""


async def test_custom_events_are_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, EVENTS) == []


async def test_a_package_may_put_functions_of_its_own_into_the_console(engine: ProcessEngine) -> None:
    code = """'use strict';
    function main() {
      const heard = [], log = console.log;
      console.log = (...values) => { heard.push(...values); log('heard', ...values); };
      console.log('one'); console.mine = log; console.mine('two');
      console.clear(); console.dirxml({ a: 1 }, 'b');
      console = { log: () => {} }; console.log('never');
      return heard;
    }"""
    outcome = await run(engine, code)
    assert (outcome.error, outcome.response) == (None, ["one"])
    assert outcome.logs.split("\n") == ["heard one", "two", '{"a":1} b']


AT_ONCE = "[2 ** 31, 2 ** 32, -(2 ** 31), 2 ** 53, Infinity, -Infinity, NaN, -1, 0.9, '', 'x', null, undefined, {}, []]"


async def test_a_delay_that_does_not_fit_is_none_as_in_node(engine: ProcessEngine) -> None:
    code = f"""async function main() {{
      const seen = [];
      for (const delay of {AT_ONCE}) {{
        seen.push(await new Promise((resolve) => setTimeout(resolve, delay, String(delay))));
        await new Promise((resolve) => {{ const timer = setInterval(() => {{ clearInterval(timer); resolve(); }}, delay); }});
      }}
      for (const bad of [1n, Symbol('x')]) try {{ setTimeout(() => {{}}, bad); seen.push('taken'); }} catch (e) {{ seen.push(e.name); }}
      const order = [];
      for (const delay of ['40', {{ valueOf: () => 2 }}, 20.9]) setTimeout(() => order.push(Number(delay)), delay);
      await new Promise((resolve) => setTimeout(resolve, 80));
      return [...seen, order];
    }}"""
    assert await differences(engine, code) == []


async def test_a_signal_waits_longer_than_a_timer_can(engine: ProcessEngine) -> None:
    code = """async function main() {
      const signals = [2 ** 31, 2 ** 32, 2 ** 53 - 1].map((wait) => AbortSignal.timeout(wait));
      await new Promise((resolve) => setTimeout(resolve, 5));
      return signals.some((signal) => signal.aborted);
    }"""
    assert await in_action(engine, code) is False


@pytest.mark.parametrize("clear", ["clearTimeout", "clearInterval"])
async def test_a_timer_is_cleared_by_its_number_in_any_form(engine: ProcessEngine, clear: str) -> None:
    code = f"""async function main() {{
      const fired = [];
      const made = (name) => setTimeout(() => fired.push(name), 1);
      for (const form of [(id) => id, (id) => +id, (id) => String(+id)]) {clear}(form(made(String(form))));
      for (const none of [undefined, null, '', 'x', -1, 1e9, NaN, {{}}, [], Symbol('x'), 1n, () => 1]) {clear}(none);
      made('kept');
      await new Promise((resolve) => setTimeout(resolve, 20));
      return fired;
    }}"""
    assert await differences(engine, code) == []
    assert await in_action(engine, code) == ["kept"]


POLLUTIONS = {
    "an index that cannot be written": "Object.defineProperty(Object.prototype, '0', { value: 1 });",
    "an index without a setter": "Object.defineProperty(Object.prototype, 0, { get() { return 1; } });",
    "an index that throws": "Object.defineProperty(Object.prototype, '0', { get() { return 1; }, set() { throw new Error('set'); } });",
    "indexes of arrays": "for (const key of '0123') Object.defineProperty(Array.prototype, key, { value: key });",
    "nothing that can be written": "Object.prototype[0] = 1; Object.freeze(Object.prototype); Object.freeze(Array.prototype);",
    "toJSON": "Object.prototype.toJSON = String.prototype.toJSON = () => { throw new Error('toJSON'); };",
}
FAILURES: dict[str, tuple[str, str]] = {
    "const main = () => { throw new RangeError('own \\u2028\\ud800\"\\n'); };": ("RangeError", 'own \u2028\ufffd"\n'),
    "const main = async () => { await null; null.x; };": ("TypeError", "cannot read property 'x' of null"),
    "const main = () => { throw 'text'; };": ("Uncaught", "text"),
    "const main = () => new Promise(() => setTimeout(() => { throw new Error('late'); }));": ("Error", "late"),
    "const main = () => new Promise(() => {});": ("NeverSettled", ""),
    "const other = 1;": ("MissingMain", ""),
    "const main = () => 1n;": ("NotJson", ""),
    "const main = () => Svc.Actions.Decrypt({ message: 'm' });": ("", ""),
    "const main = () => [[1], { a: [2] }];": ("", ""),
}
"""Code, with the error that it ends with; where it is empty, any that is the action's own."""


@pytest.mark.parametrize("name", POLLUTIONS)
async def test_a_failure_is_told_whatever_became_of_indexes(engine: ProcessEngine, name: str) -> None:
    for code, (error, message) in FAILURES.items():
        outcome = await run(engine, f"{POLLUTIONS[name]}\n{code}")
        assert outcome.error is None or outcome.error.name != "ActionCrashed", code
        told: JsonValue = "" if outcome.error is None else outcome.error.name
        assert told == error or not error, (code, outcome)
        assert outcome.error is None or message in outcome.error.message, (code, outcome)
