// Events, their targets and signals: each case has a name, what it does, and what it answers by the DOM Standard.
const nameOf = (make) => { try { return typeof make(); } catch (e) { return e.name; } };

const EVENTS = [
  ["a new event", async () => {
    const e = new Event('a');
    return [e.type, e.target, e.srcElement, e.currentTarget, e.eventPhase, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.returnValue, e.cancelBubble, e.isTrusted, e.composedPath()];
  }, ["a", null, null, null, 0, false, false, false, false, true, false, false, []]],
  ["options are read in the standard's order", async () => {
    const read = []; const get = (name) => ({ enumerable: true, get() { read.push(name); return 1; } });
    const options = Object.defineProperties({}, { detail: get('detail'), composed: get('composed'), cancelable: get('cancelable'), bubbles: get('bubbles') });
    const e = new CustomEvent({ toString() { read.push('type'); return 'b'; } }, options);
    return [read, e.type, e.bubbles, e.cancelable, e.composed, e.detail];
  }, [["type", "bubbles", "cancelable", "composed", "detail"], "b", true, true, true, 1]],
  ["options are a dictionary", async () => {
    return [undefined, null, {}, () => 1, 1, 'a', true].map((options) => nameOf(() => new Event('a', options)));
  }, ["object", "object", "object", "object", "TypeError", "TypeError", "TypeError"]],
  ["a type is needed, and no symbol", async () => {
    return [() => new Event(), () => new CustomEvent(), () => new Event(Symbol('a')), () => Event('a')].map(nameOf);
  }, ["TypeError", "TypeError", "TypeError", "TypeError"]],
  ["phases are constants of the class and of its events", async () => {
    const e = new Event('a'); const about = Object.getOwnPropertyDescriptor(Event, 'AT_TARGET');
    return [Event.NONE, Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE, e.BUBBLING_PHASE, about];
  }, [0, 1, 2, 3, 3, {"value": 2, "writable": false, "enumerable": true, "configurable": false}]],
  ["isTrusted cannot be forged", async () => {
    const of = (e) => Object.getOwnPropertyDescriptor(e, 'isTrusted'); const e = new Event('a');
    return [of(e).get === of(new Event('b')).get, of(e).configurable, nameOf(() => Object.defineProperty(e, 'isTrusted', { value: true })), nameOf(() => of(e).get.call({})), JSON.stringify(e)];
  }, [true, false, "TypeError", "TypeError", "{\"isTrusted\":false}"]],
  ["times go on", async () => {
    const one = new Event('a'); const other = new Event('a');
    return [one.timeStamp > 0, other.timeStamp >= one.timeStamp, performance.now() >= other.timeStamp];
  }, [true, true, true]],
  ["only what is cancelable is prevented", async () => {
    return [{}, { cancelable: true }].flatMap((options) => [(e) => e.preventDefault(), (e) => { e.returnValue = false; }, (e) => { e.returnValue = true; }].map((act) => { const e = new Event('a', options); act(e); return [e.defaultPrevented, e.returnValue]; }));
  }, [[false, true], [false, true], [false, true], [true, false], [true, false], [false, true]]],
  ["initEvent makes an event anew", async () => {
    const e = new Event('a', { cancelable: true }); e.preventDefault(); e.stopPropagation();
    e.initEvent('b', true);
    return [e.type, e.bubbles, e.cancelable, e.defaultPrevented, e.cancelBubble, nameOf(() => e.initEvent())];
  }, ["b", true, false, false, false, "TypeError"]],
  ["initCustomEvent has a detail", async () => {
    const e = new CustomEvent('a', { detail: 1 }); e.initCustomEvent('b', false, true, 2);
    const once = [e.type, e.cancelable, e.detail]; e.initCustomEvent('c'); return [once, e.type, e.detail];
  }, [["b", true, 2], "c", null]],
  ["nothing is made anew while it is dispatched", async () => {
    const t = new EventTarget(), e = new CustomEvent('a', { detail: 1 });
    t.addEventListener('a', () => e.initCustomEvent('b', true, true, 2)); t.dispatchEvent(e);
    return [e.type, e.bubbles, e.detail];
  }, ["a", false, 1]],
  ["methods ask for their receiver", async () => {
    const of = (name) => Object.getOwnPropertyDescriptor(Event.prototype, name);
    return ['type', 'target', 'timeStamp', 'composed'].map((name) => nameOf(() => of(name).get.call({}))).concat(nameOf(() => Event.prototype.preventDefault.call({})));
  }, ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError"]],
];

const TARGETS = [
  ["what a listener sees", async () => {
    const t = new EventTarget(), e = new Event('a'); let seen;
    t.addEventListener('a', function (given) { seen = [this === t, given === e, e.target === t, e.srcElement === t, e.currentTarget === t, e.eventPhase, e.composedPath().length, e.composedPath()[0] === t]; });
    const answer = t.dispatchEvent(e);
    return [answer, seen, e.target === t, e.currentTarget, e.eventPhase, e.composedPath()];
  }, [true, [true, true, true, true, true, 2, 1, true], true, null, 0, []]],
  ["capturing listeners come first, each kind in its order", async () => {
    const t = new EventTarget(); let heard = '';
    for (const [name, options] of [['1'], ['2', true], ['3', { capture: true }], ['4', false], ['5', {}]]) t.addEventListener('a', () => { heard += name; }, options);
    t.dispatchEvent(new Event('a')); return heard;
  }, "23145"],
  ["capture belongs to what a listener is", async () => {
    const t = new EventTarget(); let heard = 0; const listener = () => { heard += 1; };
    for (const options of [undefined, true, false, { capture: true, once: true }, { passive: true }, null, 1, 'x']) t.addEventListener('a', listener, options);
    t.dispatchEvent(new Event('a')); t.removeEventListener('a', listener); t.dispatchEvent(new Event('a'));
    t.removeEventListener('a', listener, { capture: true }); t.dispatchEvent(new Event('a')); return heard;
  }, 3],
  ["a passive listener prevents nothing", async () => {
    return [{ passive: true }, { passive: false }, {}].map((options) => { const t = new EventTarget(); t.addEventListener('a', (e) => { e.preventDefault(); e.returnValue = false; }, options); return t.dispatchEvent(new Event('a', { cancelable: true })); });
  }, [true, false, false]],
  ["after a passive listener the next one prevents", async () => {
    const t = new EventTarget(); t.addEventListener('a', () => {}, { passive: true });
    t.addEventListener('a', (e) => e.preventDefault());
    return t.dispatchEvent(new Event('a', { cancelable: true }));
  }, false],
  ["once is over before it is called", async () => {
    const t = new EventTarget(); let heard = 0;
    t.addEventListener('a', () => { heard += 1; if (heard < 3) t.dispatchEvent(new Event('a')); }, { once: true });
    t.dispatchEvent(new Event('a')); t.dispatchEvent(new Event('a')); return heard;
  }, 1],
  ["a listener that is removed meanwhile is not called", async () => {
    const t = new EventTarget(); let heard = ''; const last = () => { heard += '3'; };
    t.addEventListener('a', () => { heard += '1'; t.removeEventListener('a', last); });
    t.addEventListener('a', () => { heard += '2'; }); t.addEventListener('a', last);
    t.dispatchEvent(new Event('a')); return heard;
  }, "12"],
  ["a listener that is removed and added again waits for the next event", async () => {
    const t = new EventTarget(); let heard = ''; const last = () => { heard += '2'; };
    t.addEventListener('a', () => { heard += '1'; t.removeEventListener('a', last); t.addEventListener('a', last); });
    t.addEventListener('a', last); t.dispatchEvent(new Event('a')); return heard;
  }, "1"],
  ["a listener that is added meanwhile waits for the next event", async () => {
    const t = new EventTarget(); let heard = '';
    t.addEventListener('a', () => { heard += '1'; t.addEventListener('a', () => { heard += '2'; }, { once: true }); });
    t.dispatchEvent(new Event('a')); heard += '|'; t.dispatchEvent(new Event('a')); return heard;
  }, "1|12"],
  ["but not one of the later pass", async () => {
    const t = new EventTarget(); let heard = '';
    t.addEventListener('a', () => { heard += '1'; t.addEventListener('a', () => { heard += '2'; }); }, true);
    t.dispatchEvent(new Event('a')); return heard;
  }, "12"],
  ["stopping ends the pass or the dispatch", async () => {
    return ['stopPropagation', 'stopImmediatePropagation', 'cancelBubble'].map((how) => { const t = new EventTarget(), e = new Event('a'); let heard = '';t.addEventListener('a', () => { heard += '1'; if (how === 'cancelBubble') e.cancelBubble = true; else e[how](); }, true);t.addEventListener('a', () => { heard += '2'; }, true); t.addEventListener('a', () => { heard += '3'; });t.dispatchEvent(e); return [heard, e.cancelBubble]; });
  }, [["12", false], ["1", false], ["12", false]]],
  ["an event that was stopped before is heard by no listener, then again", async () => {
    const t = new EventTarget(), e = new Event('a'); let heard = 0;
    t.addEventListener('a', () => { heard += 1; }); e.stopPropagation(); t.dispatchEvent(e); t.dispatchEvent(e);
    return heard;
  }, 1],
  ["an event in dispatch is not dispatched", async () => {
    const t = new EventTarget(), e = new Event('a'); let seen;
    t.addEventListener('a', () => { seen = nameOf(() => t.dispatchEvent(e)); }); t.dispatchEvent(e);
    return [seen, nameOf(() => t.dispatchEvent(e))];
  }, ["InvalidStateError", "boolean"]],
  ["handleEvent is read at every event", async () => {
    const t = new EventTarget(), seen = [];
    const listener = { get handleEvent() { seen.push('read'); return function (e) { seen.push(this === listener, e.type); }; } };
    t.addEventListener('a', listener); t.dispatchEvent(new Event('a')); t.dispatchEvent(new Event('a'));
    return seen;
  }, ["read", true, "a", "read", true, "a"]],
  ["a function's handleEvent is not read", async () => {
    const t = new EventTarget(); let heard = 0; const f = () => { heard += 1; };
    f.handleEvent = () => { heard += 10; }; t.addEventListener('a', f); t.dispatchEvent(new Event('a'));
    return heard;
  }, 1],
  ["what is no listener", async () => {
    const t = new EventTarget();
    return [null, undefined, {}, 1, 'a', true, Symbol('a')].map((given) => nameOf(() => t.addEventListener('b', given)));
  }, ["undefined", "undefined", "undefined", "TypeError", "TypeError", "TypeError", "TypeError"]],
  ["arguments are counted", async () => {
    const t = new EventTarget();
    return [() => t.addEventListener('a'), () => t.removeEventListener('a'), () => t.dispatchEvent(), () => t.dispatchEvent(null), () => t.dispatchEvent({ type: 'a' }), () => EventTarget(), () => EventTarget.prototype.addEventListener.call({}, 'a', () => {})].map(nameOf);
  }, ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError"]],
  ["a subclass is a target", async () => {
    class Own extends EventTarget { fire(detail) { return this.dispatchEvent(new CustomEvent('own', { detail })); } } const t = new Own();
    let heard; t.addEventListener('own', (e) => { heard = e.detail; }); t.fire(7); return heard;
  }, 7],
];

const SIGNALS = [
  ["a signal removes its listeners", async () => {
    const t = new EventTarget(), c = new AbortController(); let heard = '';
    for (const [name, capture] of [['1', false], ['2', true]]) t.addEventListener('a', () => { heard += name; }, { signal: c.signal, capture });
    t.dispatchEvent(new Event('a')); c.abort(); t.dispatchEvent(new Event('a')); return heard;
  }, "21"],
  ["also while they are called", async () => {
    const t = new EventTarget(), c = new AbortController(); let heard = '';
    t.addEventListener('a', () => { heard += '1'; c.abort(); });
    t.addEventListener('a', () => { heard += '2'; }, { signal: c.signal }); t.dispatchEvent(new Event('a'));
    return heard;
  }, "1"],
  ["it leaves one that was added again without it", async () => {
    const t = new EventTarget(), c = new AbortController(); let heard = 0; const listener = () => { heard += 1; };
    t.addEventListener('a', listener, { signal: c.signal }); t.removeEventListener('a', listener);
    t.addEventListener('a', listener); c.abort(); t.dispatchEvent(new Event('a')); return heard;
  }, 1],
  ["an aborted one adds none", async () => {
    const t = new EventTarget(); let heard = 0;
    t.addEventListener('a', () => { heard += 1; }, { signal: AbortSignal.abort() });
    t.dispatchEvent(new Event('a')); return heard;
  }, 0],
  ["what is no signal", async () => {
    const t = new EventTarget();
    return [undefined, null, {}, 1, new AbortController(), new EventTarget()].map((signal) => nameOf(() => t.addEventListener('a', null, { signal })));
  }, ["undefined", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError"]],
  ["the event of a signal", async () => {
    const c = new AbortController(); let seen;
    c.signal.onabort = function (e) { seen = [this === c.signal, e.type, e.isTrusted, e.bubbles, e.cancelable, e.target === c.signal, e instanceof Event]; };
    c.abort(); return seen;
  }, [true, "abort", true, false, false, true, true]],
  ["an event that an action dispatches again is its own", async () => {
    const c = new AbortController(), seen = []; let kept;
    c.signal.onabort = (e) => { kept = e; seen.push(e.isTrusted); }; c.abort(); c.signal.dispatchEvent(kept);
    return seen;
  }, [true, false]],
  ["onabort has the place of its first setting", async () => {
    const c = new AbortController(); let heard = '';
    const add = (name) => c.signal.addEventListener('abort', () => { heard += name; }); add('1');
    c.signal.onabort = () => { heard += 'x'; }; add('2'); c.signal.onabort = () => { heard += 'y'; }; c.abort();
    return heard;
  }, "1y2"],
  ["onabort that was removed comes last", async () => {
    const c = new AbortController(); let heard = ''; c.signal.onabort = () => { heard += 'x'; };
    c.signal.addEventListener('abort', () => { heard += '1'; }); c.signal.onabort = null;
    c.signal.onabort = () => { heard += 'y'; }; c.abort(); return heard;
  }, "1y"],
  ["onabort is a function, an object that does nothing, or null", async () => {
    const c = new AbortController();
    const seen = [null, 1, 'a', undefined].map((value) => { c.signal.onabort = value; return c.signal.onabort; });
    const idle = { handleEvent() { throw 1; } }; c.signal.onabort = idle; c.abort();
    return [seen, c.signal.onabort === idle];
  }, [[null, null, null, null], true]],
  ["onabort is a member of the class", async () => {
    const s = new AbortController().signal; return ['onabort' in AbortSignal.prototype, Object.keys(s)];
  }, [true, []]],
  ["signals that follow one are all aborted before a listener hears", async () => {
    const c = new AbortController(), one = AbortSignal.any([c.signal]), two = AbortSignal.any([one]), seen = [];
    c.signal.onabort = () => seen.push(c.signal.aborted, one.aborted, two.aborted, AbortSignal.any([two]).aborted);
    c.abort(); return seen;
  }, [true, true, true, true]],
  ["events of following signals come in the order of their making", async () => {
    const c = new AbortController(), all = [c.signal];
    for (const source of [0, 0, 1, 0, 3]) all.push(AbortSignal.any([all[source]])); let heard = '';
    for (const i of [5, 4, 3, 2, 1, 0]) all[i].addEventListener('abort', () => { heard += i; }); c.abort();
    return heard;
  }, "012345"],
  ["an abort within an abort", async () => {
    const c = new AbortController(), d = new AbortController(), s = AbortSignal.any([c.signal, d.signal]);
    let heard = 0; c.signal.onabort = () => d.abort('second'); s.onabort = () => { heard += 1; };
    c.abort('first'); return [heard, s.reason, d.signal.reason];
  }, [1, "first", "second"]],
  ["the first of several that are aborted gives the reason", async () => {
    const of = (...reasons) => AbortSignal.any(reasons.map((reason) => reason === '' ? new AbortController().signal : AbortSignal.abort(reason)));
    return [of('', 'a', 'b').reason, of('b', 'a').reason, of('', '').aborted, of().aborted];
  }, ["a", "b", false, false]],
  ["one reason for all that follow", async () => {
    const c = new AbortController(), s = AbortSignal.any([c.signal]); c.abort();
    const late = AbortSignal.any([s]);
    return [s.reason === c.signal.reason, late.reason === s.reason, s.reason.name, s.reason instanceof DOMException];
  }, [true, true, "AbortError", true]],
  ["a signal may be named twice", async () => {
    const c = new AbortController(), s = AbortSignal.any([c.signal, c.signal]); let heard = 0;
    s.onabort = () => { heard += 1; }; c.abort(); return heard;
  }, 1],
  ["what any takes", async () => {
    return [() => AbortSignal.any(), () => AbortSignal.any(1), () => AbortSignal.any('ab'), () => AbortSignal.any({}), () => AbortSignal.any([1]), () => AbortSignal.any([null]), () => new AbortSignal(), () => AbortSignal(), () => AbortController(), () => AbortSignal.any(new Set())].map(nameOf);
  }, ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "object"]],
  ["times of timeout", async () => {
    return [undefined, -1, NaN, Infinity, 2 ** 53, 'x', -0.5, 0.9, '5', null].map((wait) => nameOf(() => AbortSignal.timeout(wait)));
  }, ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "object", "object", "object", "object"]],
  ["a timeout passes on its reason", async () => {
    const s = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(1)]);
    await new Promise((done) => { s.onabort = done; }); return [s.reason.name, s.reason.code];
  }, ["TimeoutError", 23]],
  ["throwIfAborted throws the reason itself", async () => {
    const reason = {}; let thrown;
    try { AbortSignal.abort(reason).throwIfAborted(); } catch (e) { thrown = e; } return thrown === reason;
  }, true],
  ["reasons", async () => {
    return [undefined, null, 0, ''].map((reason) => { const c = new AbortController(); c.abort(reason); return c.signal.reason?.name ?? c.signal.reason; });
  }, ["AbortError", null, 0, ""]],
];

/** [name, answer, what it should be] of each case that answers otherwise. */
async function main({ group }) {
  const wrong = [];
  for (const [name, act, expected] of { EVENTS, TARGETS, SIGNALS }[group]) {
    const answer = await act();
    if (JSON.stringify(answer) !== JSON.stringify(expected)) wrong.push([name, answer, expected]);
  }
  return wrong;
}
