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
