// What an action can lay its hands on, and what becomes of text there. Before the script of a way, which calls `keep`.
const TEXT = 'globalThis.wasCode = true';
// As they were before the way changed them: nothing here may go through what it has put in their places.
const uncurried = Function.prototype.bind.bind(Function.prototype.call);
const own = {
  __proto__: null, keys: Reflect.ownKeys, get: Object.getOwnPropertyDescriptor, define: Object.defineProperty, parent: Object.getPrototypeOf, apply: Reflect.apply, construct: Reflect.construct,
  source: uncurried(Function.prototype.toString), includes: uncurried(String.prototype.includes), has: uncurried(Set.prototype.has), add: uncurried(Set.prototype.add), Set,
};
const list = () => ({ __proto__: null, length: 0 });
const put = (items, item) => { items[items.length] = item; items.length += 1; };
const isThing = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Everything that can be reached from `roots` by properties, getters and setters as functions, and prototypes. */
const reachable = (roots, known = new own.Set()) => {
  const seen = new own.Set();
  const found = list();
  const visit = (value) => { if (isThing(value) && !own.has(known, value) && !own.has(seen, value)) { own.add(seen, value); put(found, value); } };
  for (let i = 0; i < roots.length; i += 1) visit(roots[i]);
  for (let at = 0; at < found.length; at += 1) {
    const thing = found[at];
    try { visit(own.parent(thing)); } catch {}
    let keys = [];
    try { keys = own.keys(thing); } catch {}
    for (let i = 0; i < keys.length && i < 500; i += 1) {
      let about;
      try { about = own.get(thing, keys[i]); } catch {}
      if (about !== undefined) { visit(about.value); visit(about.get); visit(about.set); }
    }
  }
  return { __proto__: null, seen, found };
};

const placeOf = () => { Error.prepareStackTrace = (_, places) => places; const [place] = new Error('x').stack; Error.prepareStackTrace = undefined; return place; };
const samples = () => [
  ...Reflect.ownKeys(globalThis).map((key) => globalThis[key]), placeOf(),
  globalThis, [][Symbol.iterator](), new Map().entries(), new Set().values(), 'x'[Symbol.iterator](), 'x'.matchAll(/x/g), /x/.exec('x'), (function* () {})(), (async function* () {})(),
  (async () => {})(), () => {}, async () => {}, function* () {}, async function* () {}, class {}, Iterator.from([1]).map((x) => x), Iterator.from({ next() {} }), new Proxy({}, {}), new WeakRef({}),
  new URL('http://a.b/'), new URLSearchParams('a=b'), new URLSearchParams('a=b').entries(), new Headers({ a: 'b' }), new Headers({ a: 'b' }).entries(), new Request('http://a.b/'), new Response('x'),
  new AbortController(), AbortSignal.timeout(1e6), new Event('x'), new EventTarget(), new TextEncoder(), new TextDecoder(), crypto, crypto.subtle, performance, console, Svc, SvcHeaders, new Error('x'), new DOMException('x'),
  new Response('x').body, new Response('x').body.getReader(), (() => { try { crypto.getRandomValues(5); } catch (e) { return e; } })(), (function () { return arguments; })(),
];

/** Functions among these that are the engine's: neither written here nor known. */
const engines = (things) => {
  const found = list();
  for (let i = 0; i < things.length; i += 1) if (typeof things[i] === 'function' && own.includes(own.source(things[i]), '[native code]')) put(found, things[i]);
  return found;
};

/** Gives text to a function in every manner. */
const tryAll = (f) => {
  const attempts = [() => f(TEXT), () => f(TEXT, TEXT), () => new f(TEXT), () => own.apply(f, TEXT, [TEXT]), () => f('a', TEXT)];
  for (let i = 0; i < attempts.length; i += 1) {
    try { const made = attempts[i](); if (typeof made === 'function') made(); } catch {}
  }
};
const becameCode = () => own.get(globalThis, 'wasCode') !== undefined;

/** What a way has kept, and what became of it: the engine's functions among it and behind it, and whether text became code. */
const judged = (open) => {
  const found = engines(reachable(kept, open.seen).found);
  let named = '';
  for (let i = 0; i < found.length; i += 1) {
    // The ends of promises are the engine's, have no name, and lead nowhere.
    const name = own.get(found[i], 'name').value;
    if (name !== '') named += name + ' ';
  }
  for (let i = 0; named === '' && i < found.length; i += 1) tryAll(found[i]);
  return { __proto__: null, named, code: becameCode() };
};
const kept = list();
const keep = (...values) => { for (let i = 0; i < values.length; i += 1) if (isThing(values[i])) put(kept, values[i]); };

/** Has places of stacks kept, and all that their methods answer. */
const keepPlaces = () => {
  Error.stackTraceLimit = 100;
  Error.prepareStackTrace = (_, places) => { readPlaces(places); return ''; };
};
const readPlaces = (places) => {
  for (const place of places) {
    for (let above = place; above !== null; above = own.parent(above)) for (const key of own.keys(above)) {
      const { value, get } = own.get(above, key);
      for (const read of [value, get]) { try { keep(read.call(place)); } catch {} }
    }
  }
};
/** Does much of what an action can do. */
const doMuch = async () => {
  const attempts = [
    () => fetch('http://127.0.0.1/', { headers: [['a', 'b']], method: 'POST', body: new URLSearchParams([['a', 'b']]), signal: new AbortController().signal }),
    () => new Request(new Request('http://a.b/', { body: 'x', method: 'PUT' })).text(), () => new Response('{"a":1}').json(), () => new Response(new Uint8Array(3)).bytes(),
    () => { const all = []; for (const pair of new Headers([['a', 'b'], ['c', 'd']])) all.push(pair); return all; }, () => [...new URLSearchParams('?a=b&c=d')],
    () => new URL('../x?y#z', 'http://b\u00fccher.example/a/b'), () => new TextDecoder('latin1').decode(new TextEncoder().encode('\u00e9\ud800')),
    () => structuredClone({ a: [new Date(), /x/g, new Map([[1, new Set([2])]]), new Uint8Array(2), new Error('x')] }), () => structuredClone(() => {}),
    () => { const c = new AbortController(); c.signal.addEventListener('abort', () => new Error('x')); c.abort(); AbortSignal.any([c.signal]).throwIfAborted(); },
    () => { const t = new EventTarget(); t.addEventListener('x', { handleEvent() { new Error('x'); } }); t.dispatchEvent(new Event('x')); },
    async () => {
      const s = crypto.subtle, pair = await s.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
      await s.verify({ name: 'ECDSA', hash: 'SHA-256' }, pair.publicKey, await s.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, new Uint8Array(1)), new Uint8Array(1));
      const key = await s.importKey('jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'AES-GCM', true, new Set(['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']));
      const a = { name: 'AES-GCM', iv: new Uint8Array(12) }, sealed = await s.wrapKey('jwk', key, key, a);
      return s.unwrapKey('jwk', sealed, key, a, 'AES-GCM', true, ['encrypt']);
    },
    async () => crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(1), info: new Uint8Array(1) }, await crypto.subtle.importKey('raw', new Uint8Array(3), 'HKDF', false, ['deriveBits']), 256),
    () => crypto.subtle.digest('MD5', new Uint8Array(1)), () => crypto.getRandomValues(5), () => crypto.randomUUID(), () => new CryptoKey(),
    () => console.log({ get a() { new Error('x'); return 1; }, toJSON() { new Error('x'); return {}; } }, new Error('x'), Symbol('x'), 1n), () => console.trace({}), () => console.table([1]),
    () => Svc.Actions.setResponse({ response: { toJSON() { new Error('x'); return 1; } } }), () => Svc.Actions.signMessage({ message: new Uint8Array(2), get pkpId() { new Error('x'); return 1; } }),
    () => new Promise((r) => setTimeout(() => { new Error('x'); r(); }, 0)), () => new Promise((r) => queueMicrotask(() => { new Error('x'); r(); })), () => setTimeout('x'),
    () => [3, 1, 2].sort(() => { new Error('x'); return 0; }), () => 'x'.replace(/x/, () => new Error('x')), () => JSON.parse('{', () => 1), () => JSON.parse('[1]', () => new Error('x')),
    () => { const deep = () => deep(); deep(); }, () => null.x, () => new Proxy({}, { get() { return new Error('x'); } }).y, () => eval('1'), () => Function('1'), () => Reflect.construct(Function, ['1'], class {}),
    () => import('x'), () => { class Own extends Error { constructor() { super('x'); keep(this, new.target); } } return new Own(); }, () => new AggregateError([new Error('x')]), () => new DOMException('x'),
  ];
  for (const attempt of attempts) { try { keep(await attempt()); } catch (error) { keep(error); } }
};
