"""Events, their targets and signals as the DOM Standard has them, which Node follows less closely."""

from pathlib import Path
from typing import Final

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.twin import differences, in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

CODE: Final = (Path(__file__).parent / "events.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("group", ["EVENTS", "TARGETS", "SIGNALS"])
async def test_they_are_as_in_the_standard(engine: ProcessEngine, group: str) -> None:
    assert await in_action(engine, CODE, {"group": group}) == []


ABORTED_FETCHES: Final = """async function main() {
  const seen = [];
  const named = async (make) => { try { await make(); seen.push('none'); } catch (e) { seen.push(e?.name ?? e); } };
  const request = (signal) => new Request('http://127.0.0.1:1/', { signal });
  await named(() => fetch('http://127.0.0.1:1/', { signal: AbortSignal.abort() }));
  await named(() => fetch(request(AbortSignal.abort('own'))));
  await named(() => fetch(request(AbortSignal.any([AbortSignal.abort('first')])).clone()));
  await named(() => { const c = new AbortController(); const made = request(c.signal); c.abort('later'); return fetch(made); });
  for (const signal of [1, {}, 'x']) await named(() => request(signal));
  for (const signal of [null, undefined]) seen.push(request(signal).signal.aborted);
  const c = new AbortController(), made = request(c.signal), copy = made.clone(); const heard = [];
  for (const [name, signal] of [['copy', copy.signal], ['made', made.signal], ['own', c.signal]]) signal.onabort = () => heard.push(name);
  c.abort('all');
  seen.push(heard.sort(), made.signal.reason, copy.signal.reason, made.signal === c.signal);
  return seen;
}"""


async def test_signals_of_requests_follow_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, ABORTED_FETCHES) == []


DEEP: Final = {
    "a listener that dispatches": "const t = new EventTarget(); t.addEventListener('a', () => t.dispatchEvent(new Event('a'))); t.dispatchEvent(new Event('a'));",
    "an abort in an abort": "const f = () => { const c = new AbortController(); c.signal.onabort = f; c.abort(); }; f();",
    "an abort in a timer": "const f = () => { const c = new AbortController(); c.signal.onabort = f; c.abort(); };"
    " return new Promise(() => setTimeout(f));",
    "every listener on the way up throws too": "const t = new EventTarget(); t.addEventListener('a', () => { try { t.dispatchEvent(new Event('a')); }"
    " finally { t.addEventListener('b', () => null.x); t.dispatchEvent(new Event('b')); } }); t.dispatchEvent(new Event('a'));",
}


@pytest.mark.parametrize("name", DEEP)
async def test_a_listener_without_room_on_the_stack_ends_the_action_as_any_other(
    engine: ProcessEngine, name: str
) -> None:
    outcome = await run(engine, f"function main() {{ {DEEP[name]} return 1; }}")
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("RangeError", "Maximum call stack size exceeded")


async def test_an_exception_in_a_listener_ends_the_action(engine: ProcessEngine) -> None:
    for thrower in (
        "() => { throw new RangeError('own'); }",
        "{ handleEvent() { throw new RangeError('own'); } }",
        "{}",
    ):
        code = f"function main() {{ const t = new EventTarget(); t.addEventListener('a', {thrower}); t.dispatchEvent(new Event('a')); return 1; }}"
        outcome = await run(engine, code)
        assert outcome.error is not None
        assert outcome.error.name == ("TypeError" if thrower == "{}" else "RangeError")
