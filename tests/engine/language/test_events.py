"""Events, their targets and signals as the DOM Standard has them, which Node follows less closely."""

from collections.abc import Mapping
from typing import Final

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.twin import differences, in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

Cases = Mapping[str, tuple[str, JsonValue]]
"""Name: the body of a function, which may await, and what it returns."""

NAME_OF: Final = "const nameOf = (make) => { try { return typeof make(); } catch (e) { return e.name; } };"

EVENTS: Final[Cases] = {
    "a new event": (
        "const e = new Event('a'); return [e.type, e.target, e.srcElement, e.currentTarget, e.eventPhase, e.bubbles, e.cancelable,"
        " e.composed, e.defaultPrevented, e.returnValue, e.cancelBubble, e.isTrusted, e.composedPath()];",
        ["a", None, None, None, 0, False, False, False, False, True, False, False, []],
    ),
    "options are read in the standard's order": (
        "const read = []; const get = (name) => ({ enumerable: true, get() { read.push(name); return 1; } });"
        "const options = Object.defineProperties({}, { detail: get('detail'), composed: get('composed'), cancelable: get('cancelable'),"
        " bubbles: get('bubbles') });"
        "const e = new CustomEvent({ toString() { read.push('type'); return 'b'; } }, options);"
        "return [read, e.type, e.bubbles, e.cancelable, e.composed, e.detail];",
        [["type", "bubbles", "cancelable", "composed", "detail"], "b", True, True, True, 1],
    ),
    "options are a dictionary": (
        "return [undefined, null, {}, () => 1, 1, 'a', true].map((options) => nameOf(() => new Event('a', options)));",
        ["object", "object", "object", "object", "TypeError", "TypeError", "TypeError"],
    ),
    "a type is needed, and no symbol": (
        "return [() => new Event(), () => new CustomEvent(), () => new Event(Symbol('a')), () => Event('a')].map(nameOf);",
        ["TypeError"] * 4,
    ),
    "phases are constants of the class and of its events": (
        "const e = new Event('a'); const about = Object.getOwnPropertyDescriptor(Event, 'AT_TARGET'); return [Event.NONE,"
        " Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE, e.BUBBLING_PHASE, about];",
        [0, 1, 2, 3, 3, {"value": 2, "writable": False, "enumerable": True, "configurable": False}],
    ),
    "isTrusted cannot be forged": (
        "const of = (e) => Object.getOwnPropertyDescriptor(e, 'isTrusted'); const e = new Event('a'); return [of(e).get === of(new Event('b')).get,"
        " of(e).configurable, nameOf(() => Object.defineProperty(e, 'isTrusted', { value: true })), nameOf(() => of(e).get.call({})), JSON.stringify(e)];",
        [True, False, "TypeError", "TypeError", '{"isTrusted":false}'],
    ),
    "times go on": (
        "const one = new Event('a'); const other = new Event('a'); return [one.timeStamp > 0, other.timeStamp >= one.timeStamp,"
        " performance.now() >= other.timeStamp];",
        [True, True, True],
    ),
    "only what is cancelable is prevented": (
        "return [{}, { cancelable: true }].flatMap((options) => [(e) => e.preventDefault(), (e) => { e.returnValue = false; },"
        " (e) => { e.returnValue = true; }].map((act) => { const e = new Event('a', options); act(e); return [e.defaultPrevented, e.returnValue]; }));",
        [[False, True], [False, True], [False, True], [True, False], [True, False], [False, True]],
    ),
    "initEvent makes an event anew": (
        "const e = new Event('a', { cancelable: true }); e.preventDefault(); e.stopPropagation(); e.initEvent('b', true);"
        "return [e.type, e.bubbles, e.cancelable, e.defaultPrevented, e.cancelBubble, nameOf(() => e.initEvent())];",
        ["b", True, False, False, False, "TypeError"],
    ),
    "initCustomEvent has a detail": (
        "const e = new CustomEvent('a', { detail: 1 }); e.initCustomEvent('b', false, true, 2); const once = [e.type, e.cancelable, e.detail];"
        "e.initCustomEvent('c'); return [once, e.type, e.detail];",
        [["b", True, 2], "c", None],
    ),
    "nothing is made anew while it is dispatched": (
        "const t = new EventTarget(), e = new CustomEvent('a', { detail: 1 }); t.addEventListener('a', () => e.initCustomEvent('b', true, true, 2));"
        "t.dispatchEvent(e); return [e.type, e.bubbles, e.detail];",
        ["a", False, 1],
    ),
    "methods ask for their receiver": (
        "const of = (name) => Object.getOwnPropertyDescriptor(Event.prototype, name); return ['type', 'target', 'timeStamp', 'composed']"
        ".map((name) => nameOf(() => of(name).get.call({}))).concat(nameOf(() => Event.prototype.preventDefault.call({})));",
        ["TypeError"] * 5,
    ),
}

TARGETS: Final[Cases] = {
    "what a listener sees": (
        "const t = new EventTarget(), e = new Event('a'); let seen; t.addEventListener('a', function (given) { seen = [this === t, given === e,"
        " e.target === t, e.srcElement === t, e.currentTarget === t, e.eventPhase, e.composedPath().length, e.composedPath()[0] === t]; });"
        "const answer = t.dispatchEvent(e); return [answer, seen, e.target === t, e.currentTarget, e.eventPhase, e.composedPath()];",
        [True, [True, True, True, True, True, 2, 1, True], True, None, 0, []],
    ),
    "capturing listeners come first, each kind in its order": (
        "const t = new EventTarget(); let heard = ''; for (const [name, options] of [['1'], ['2', true], ['3', { capture: true }], ['4', false], ['5', {}]])"
        " t.addEventListener('a', () => { heard += name; }, options); t.dispatchEvent(new Event('a')); return heard;",
        "23145",
    ),
    "capture belongs to what a listener is": (
        "const t = new EventTarget(); let heard = 0; const listener = () => { heard += 1; };"
        "for (const options of [undefined, true, false, { capture: true, once: true }, { passive: true }, null, 1, 'x']) t.addEventListener('a', listener, options);"
        "t.dispatchEvent(new Event('a')); t.removeEventListener('a', listener); t.dispatchEvent(new Event('a'));"
        "t.removeEventListener('a', listener, { capture: true }); t.dispatchEvent(new Event('a')); return heard;",
        3,
    ),
    "a passive listener prevents nothing": (
        "return [{ passive: true }, { passive: false }, {}].map((options) => { const t = new EventTarget(); t.addEventListener('a', (e) => {"
        " e.preventDefault(); e.returnValue = false; }, options); return t.dispatchEvent(new Event('a', { cancelable: true })); });",
        [True, False, False],
    ),
    "after a passive listener the next one prevents": (
        "const t = new EventTarget(); t.addEventListener('a', () => {}, { passive: true }); t.addEventListener('a', (e) => e.preventDefault());"
        "return t.dispatchEvent(new Event('a', { cancelable: true }));",
        False,
    ),
    "once is over before it is called": (
        "const t = new EventTarget(); let heard = 0; t.addEventListener('a', () => { heard += 1; if (heard < 3) t.dispatchEvent(new Event('a')); }, { once: true });"
        "t.dispatchEvent(new Event('a')); t.dispatchEvent(new Event('a')); return heard;",
        1,
    ),
    "a listener that is removed meanwhile is not called": (
        "const t = new EventTarget(); let heard = ''; const last = () => { heard += '3'; };"
        "t.addEventListener('a', () => { heard += '1'; t.removeEventListener('a', last); }); t.addEventListener('a', () => { heard += '2'; });"
        "t.addEventListener('a', last); t.dispatchEvent(new Event('a')); return heard;",
        "12",
    ),
    "a listener that is removed and added again waits for the next event": (
        "const t = new EventTarget(); let heard = ''; const last = () => { heard += '2'; };"
        "t.addEventListener('a', () => { heard += '1'; t.removeEventListener('a', last); t.addEventListener('a', last); });"
        "t.addEventListener('a', last); t.dispatchEvent(new Event('a')); return heard;",
        "1",
    ),
    "a listener that is added meanwhile waits for the next event": (
        "const t = new EventTarget(); let heard = ''; t.addEventListener('a', () => { heard += '1'; t.addEventListener('a', () => { heard += '2'; },"
        " { once: true }); }); t.dispatchEvent(new Event('a')); heard += '|'; t.dispatchEvent(new Event('a')); return heard;",
        "1|12",
    ),
    "but not one of the later pass": (
        "const t = new EventTarget(); let heard = ''; t.addEventListener('a', () => { heard += '1'; t.addEventListener('a', () => { heard += '2'; }); }, true);"
        "t.dispatchEvent(new Event('a')); return heard;",
        "12",
    ),
    "stopping ends the pass or the dispatch": (
        "return ['stopPropagation', 'stopImmediatePropagation', 'cancelBubble'].map((how) => { const t = new EventTarget(), e = new Event('a'); let heard = '';"
        "t.addEventListener('a', () => { heard += '1'; if (how === 'cancelBubble') e.cancelBubble = true; else e[how](); }, true);"
        "t.addEventListener('a', () => { heard += '2'; }, true); t.addEventListener('a', () => { heard += '3'; });"
        "t.dispatchEvent(e); return [heard, e.cancelBubble]; });",
        [["12", False], ["1", False], ["12", False]],
    ),
    "an event that was stopped before is heard by no listener, then again": (
        "const t = new EventTarget(), e = new Event('a'); let heard = 0; t.addEventListener('a', () => { heard += 1; }); e.stopPropagation();"
        "t.dispatchEvent(e); t.dispatchEvent(e); return heard;",
        1,
    ),
    "an event in dispatch is not dispatched": (
        "const t = new EventTarget(), e = new Event('a'); let seen; t.addEventListener('a', () => { seen = nameOf(() => t.dispatchEvent(e)); });"
        "t.dispatchEvent(e); return [seen, nameOf(() => t.dispatchEvent(e))];",
        ["InvalidStateError", "boolean"],
    ),
    "handleEvent is read at every event": (
        "const t = new EventTarget(), seen = []; const listener = { get handleEvent() { seen.push('read'); return function (e) { seen.push(this === listener, e.type); }; } };"
        "t.addEventListener('a', listener); t.dispatchEvent(new Event('a')); t.dispatchEvent(new Event('a')); return seen;",
        ["read", True, "a", "read", True, "a"],
    ),
    "a function's handleEvent is not read": (
        "const t = new EventTarget(); let heard = 0; const f = () => { heard += 1; }; f.handleEvent = () => { heard += 10; };"
        "t.addEventListener('a', f); t.dispatchEvent(new Event('a')); return heard;",
        1,
    ),
    "what is no listener": (
        "const t = new EventTarget(); return [null, undefined, {}, 1, 'a', true, Symbol('a')].map((given) => nameOf(() => t.addEventListener('b', given)));",
        ["undefined", "undefined", "undefined", "TypeError", "TypeError", "TypeError", "TypeError"],
    ),
    "arguments are counted": (
        "const t = new EventTarget(); return [() => t.addEventListener('a'), () => t.removeEventListener('a'), () => t.dispatchEvent(),"
        " () => t.dispatchEvent(null), () => t.dispatchEvent({ type: 'a' }), () => EventTarget(), () => EventTarget.prototype.addEventListener.call({}, 'a', () => {})].map(nameOf);",
        ["TypeError"] * 7,
    ),
    "a subclass is a target": (
        "class Own extends EventTarget { fire(detail) { return this.dispatchEvent(new CustomEvent('own', { detail })); } } const t = new Own(); let heard;"
        "t.addEventListener('own', (e) => { heard = e.detail; }); t.fire(7); return heard;",
        7,
    ),
}

SIGNALS: Final[Cases] = {
    "a signal removes its listeners": (
        "const t = new EventTarget(), c = new AbortController(); let heard = ''; for (const [name, capture] of [['1', false], ['2', true]])"
        " t.addEventListener('a', () => { heard += name; }, { signal: c.signal, capture }); t.dispatchEvent(new Event('a')); c.abort();"
        "t.dispatchEvent(new Event('a')); return heard;",
        "21",
    ),
    "also while they are called": (
        "const t = new EventTarget(), c = new AbortController(); let heard = ''; t.addEventListener('a', () => { heard += '1'; c.abort(); });"
        "t.addEventListener('a', () => { heard += '2'; }, { signal: c.signal }); t.dispatchEvent(new Event('a')); return heard;",
        "1",
    ),
    "it leaves one that was added again without it": (
        "const t = new EventTarget(), c = new AbortController(); let heard = 0; const listener = () => { heard += 1; };"
        "t.addEventListener('a', listener, { signal: c.signal }); t.removeEventListener('a', listener); t.addEventListener('a', listener);"
        "c.abort(); t.dispatchEvent(new Event('a')); return heard;",
        1,
    ),
    "an aborted one adds none": (
        "const t = new EventTarget(); let heard = 0; t.addEventListener('a', () => { heard += 1; }, { signal: AbortSignal.abort() });"
        "t.dispatchEvent(new Event('a')); return heard;",
        0,
    ),
    "what is no signal": (
        "const t = new EventTarget(); return [undefined, null, {}, 1, new AbortController(), new EventTarget()].map((signal) =>"
        " nameOf(() => t.addEventListener('a', null, { signal })));",
        ["undefined", *["TypeError"] * 5],
    ),
    "the event of a signal": (
        "const c = new AbortController(); let seen; c.signal.onabort = function (e) { seen = [this === c.signal, e.type, e.isTrusted, e.bubbles,"
        " e.cancelable, e.target === c.signal, e instanceof Event]; }; c.abort(); return seen;",
        [True, "abort", True, False, False, True, True],
    ),
    "an event that an action dispatches again is its own": (
        "const c = new AbortController(), seen = []; let kept; c.signal.onabort = (e) => { kept = e; seen.push(e.isTrusted); }; c.abort();"
        "c.signal.dispatchEvent(kept); return seen;",
        [True, False],
    ),
    "onabort has the place of its first setting": (
        "const c = new AbortController(); let heard = ''; const add = (name) => c.signal.addEventListener('abort', () => { heard += name; });"
        "add('1'); c.signal.onabort = () => { heard += 'x'; }; add('2'); c.signal.onabort = () => { heard += 'y'; }; c.abort(); return heard;",
        "1y2",
    ),
    "onabort that was removed comes last": (
        "const c = new AbortController(); let heard = ''; c.signal.onabort = () => { heard += 'x'; }; c.signal.addEventListener('abort', () => { heard += '1'; });"
        "c.signal.onabort = null; c.signal.onabort = () => { heard += 'y'; }; c.abort(); return heard;",
        "1y",
    ),
    "onabort is a function, an object that does nothing, or null": (
        "const c = new AbortController(); const seen = [null, 1, 'a', undefined].map((value) => { c.signal.onabort = value; return c.signal.onabort; });"
        "const idle = { handleEvent() { throw 1; } }; c.signal.onabort = idle; c.abort(); return [seen, c.signal.onabort === idle];",
        [[None, None, None, None], True],
    ),
    "onabort is a member of the class": (
        "const s = new AbortController().signal; return ['onabort' in AbortSignal.prototype, Object.keys(s)];",
        [True, []],
    ),
    "signals that follow one are all aborted before a listener hears": (
        "const c = new AbortController(), one = AbortSignal.any([c.signal]), two = AbortSignal.any([one]), seen = [];"
        "c.signal.onabort = () => seen.push(c.signal.aborted, one.aborted, two.aborted, AbortSignal.any([two]).aborted); c.abort(); return seen;",
        [True, True, True, True],
    ),
    "events of following signals come in the order of their making": (
        "const c = new AbortController(), all = [c.signal]; for (const source of [0, 0, 1, 0, 3]) all.push(AbortSignal.any([all[source]]));"
        "let heard = ''; for (const i of [5, 4, 3, 2, 1, 0]) all[i].addEventListener('abort', () => { heard += i; }); c.abort(); return heard;",
        "012345",
    ),
    "an abort within an abort": (
        "const c = new AbortController(), d = new AbortController(), s = AbortSignal.any([c.signal, d.signal]); let heard = 0;"
        "c.signal.onabort = () => d.abort('second'); s.onabort = () => { heard += 1; }; c.abort('first'); return [heard, s.reason, d.signal.reason];",
        [1, "first", "second"],
    ),
    "the first of several that are aborted gives the reason": (
        "const of = (...reasons) => AbortSignal.any(reasons.map((reason) => reason === '' ? new AbortController().signal : AbortSignal.abort(reason)));"
        "return [of('', 'a', 'b').reason, of('b', 'a').reason, of('', '').aborted, of().aborted];",
        ["a", "b", False, False],
    ),
    "one reason for all that follow": (
        "const c = new AbortController(), s = AbortSignal.any([c.signal]); c.abort(); const late = AbortSignal.any([s]);"
        "return [s.reason === c.signal.reason, late.reason === s.reason, s.reason.name, s.reason instanceof DOMException];",
        [True, True, "AbortError", True],
    ),
    "a signal may be named twice": (
        "const c = new AbortController(), s = AbortSignal.any([c.signal, c.signal]); let heard = 0; s.onabort = () => { heard += 1; }; c.abort(); return heard;",
        1,
    ),
    "what any takes": (
        "return [() => AbortSignal.any(), () => AbortSignal.any(1), () => AbortSignal.any('ab'), () => AbortSignal.any({}), () => AbortSignal.any([1]),"
        " () => AbortSignal.any([null]), () => new AbortSignal(), () => AbortSignal(), () => AbortController(), () => AbortSignal.any(new Set())].map(nameOf);",
        [*["TypeError"] * 9, "object"],
    ),
    "times of timeout": (
        "return [undefined, -1, NaN, Infinity, 2 ** 53, 'x', -0.5, 0.9, '5', null].map((wait) => nameOf(() => AbortSignal.timeout(wait)));",
        [*["TypeError"] * 6, *["object"] * 4],
    ),
    "a timeout passes on its reason": (
        "const s = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(1)]); await new Promise((done) => { s.onabort = done; });"
        "return [s.reason.name, s.reason.code];",
        ["TimeoutError", 23],
    ),
    "throwIfAborted throws the reason itself": (
        "const reason = {}; let thrown; try { AbortSignal.abort(reason).throwIfAborted(); } catch (e) { thrown = e; } return thrown === reason;",
        True,
    ),
    "reasons": (
        "return [undefined, null, 0, ''].map((reason) => { const c = new AbortController(); c.abort(reason); return c.signal.reason?.name ?? c.signal.reason; });",
        ["AbortError", None, 0, ""],
    ),
}


async def _answers(engine: ProcessEngine, cases: Cases) -> JsonValue:
    made = ",".join(f"async () => {{ {body} }}" for body, _ in cases.values())
    code = f"{NAME_OF} async function main() {{ const seen = []; for (const each of [{made}]) seen.push(await each()); return seen; }}"
    answers = await in_action(engine, code)
    assert isinstance(answers, list)
    return dict(zip(cases, answers, strict=True))


@pytest.mark.parametrize("cases", [EVENTS, TARGETS, SIGNALS], ids=["events", "targets", "signals"])
async def test_they_are_as_in_the_standard(engine: ProcessEngine, cases: Cases) -> None:
    assert await _answers(engine, cases) == {name: expected for name, (_, expected) in cases.items()}


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
    for thrower in ("() => { throw new RangeError('own'); }", "{ handleEvent() { throw new RangeError('own'); } }", "{}"):
        code = f"function main() {{ const t = new EventTarget(); t.addEventListener('a', {thrower}); t.dispatchEvent(new Event('a')); return 1; }}"
        outcome = await run(engine, code)
        assert outcome.error is not None
        assert outcome.error.name == ("TypeError" if thrower == "{}" else "RangeError")
