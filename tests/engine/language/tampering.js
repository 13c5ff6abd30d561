// Replaces members of the language and of the web one after the other, and uses all that the prelude
// offers while each is replaced. What the operations need themselves is captured before.
const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty, getPrototypeOf } = Reflect;
const { stringify } = JSON;
const { iterator } = Symbol;
const { isError } = Error;
const {
  URL, URLSearchParams, Headers, Request, Response, AbortController, AbortSignal, Event, EventTarget, TextEncoder, TextDecoder,
  Promise, Uint8Array, ArrayBuffer, Blob, File, FormData, Date, Map, Set, TypeError, RegExp, structuredClone, setTimeout, queueMicrotask, atob, btoa, fetch,
} = globalThis;
const TypedArray = getPrototypeOf(Uint8Array);
const { subtle, getRandomValues, randomUUID } = crypto;
const { log } = console;
const { signMessage } = Svc.Actions;

/** A member of a prototype as a function of its receiver; `set` is that of an accessor. */
const member = (prototype, name, kind = 'value') => {
  const found = getOwnPropertyDescriptor(prototype, name) ?? getOwnPropertyDescriptor(getPrototypeOf(prototype), name);
  return (self, ...args) => apply(found[kind], self, args);
};
const P = (made) => made.prototype;
const href = member(P(URL), 'href', 'get'), origin = member(P(URL), 'origin', 'get'), searchParams = member(P(URL), 'searchParams', 'get');
const setPort = member(P(URL), 'port', 'set'), setPathname = member(P(URL), 'pathname', 'set');
const appendParam = member(P(URLSearchParams), 'append'), paramsText = member(P(URLSearchParams), 'toString'), sortParams = member(P(URLSearchParams), 'sort');
const encode = member(P(TextEncoder), 'encode'), decode = member(P(TextDecoder), 'decode');
const appendHeader = member(P(Headers), 'append'), setHeader = member(P(Headers), 'set'), getHeader = member(P(Headers), 'get');
const eachHeader = member(P(Headers), 'forEach'), deleteHeader = member(P(Headers), 'delete');
const json = member(P(Response), 'json'), text = member(P(Response), 'text'), bytes = member(P(Response), 'bytes'), cloneResponse = member(P(Response), 'clone');
const status = member(P(Response), 'status', 'get'), responseHeaders = member(P(Response), 'headers', 'get');
const method = member(P(Request), 'method', 'get'), requestUrl = member(P(Request), 'url', 'get'), requestText = member(P(Request), 'text');
const signal = member(P(AbortController), 'signal', 'get'), abort = member(P(AbortController), 'abort');
const reason = member(P(AbortSignal), 'reason', 'get'), any = AbortSignal.any, onabort = member(P(AbortSignal), 'onabort', 'set');
const addEventListener = member(P(EventTarget), 'addEventListener'), dispatchEvent = member(P(EventTarget), 'dispatchEvent');
const type = member(P(Event), 'type', 'get');
const getTime = member(P(Date), 'getTime'), getItem = member(P(Map), 'get'), hasItem = member(P(Set), 'has');
const isGlobal = member(P(RegExp), 'global', 'get'), source = member(P(RegExp), 'source', 'get');
const length = member(P(TypedArray), 'length', 'get'), buffer = member(P(TypedArray), 'buffer', 'get'), maxByteLength = member(P(ArrayBuffer), 'maxByteLength', 'get');
const digest = member(P(SubtleCrypto), 'digest'), importKey = member(P(SubtleCrypto), 'importKey'), exportKey = member(P(SubtleCrypto), 'exportKey');
const sign = member(P(SubtleCrypto), 'sign'), verify = member(P(SubtleCrypto), 'verify'), encrypt = member(P(SubtleCrypto), 'encrypt');
const generateKey = member(P(SubtleCrypto), 'generateKey'), deriveBits = member(P(SubtleCrypto), 'deriveBits');

const appendEntry = member(P(FormData), 'append'), eachEntry = member(P(FormData), 'forEach'), formData = member(P(Response), 'formData');
const blobText = member(P(Blob), 'text'), slice = member(P(Blob), 'slice'), size = member(P(Blob), 'size', 'get'), fileName = member(P(File), 'name', 'get');

/** An iterable that needs nothing of an array's iterator. */
const each = (...items) => ({ [iterator]: () => { let at = 0; return { next: () => (at < items.length ? { value: items[at++], done: false } : { value: undefined, done: true }) }; } });

// The constructors would use what is replaced.
const MAP = new Map([[1, 2]]), SET = new Set([3]), BOXED = Object(1);

const OPERATIONS = {
  url() {
    const url = new URL('../b?x=1&y=2#z', 'https://u:p@example.test:8080/a/c/d');
    appendParam(searchParams(url), 'q', 'ä b'); setPort(url, '9'); setPathname(url, '/k/ü');
    const params = new URLSearchParams({ b: 1, a: '2 3' }); sortParams(params);
    return [href(url), origin(url), paramsText(params), URL.name];
  },
  text() { return [decode(new TextDecoder(), encode(new TextEncoder(), 'aä€𝌆')), decode(new TextDecoder('utf-16le'), new Uint8Array(2)), decode(new TextDecoder('utf-16be'), new Uint8Array(2)), decode(new TextDecoder('latin1'), new Uint8Array(1))]; },
  base64() { return btoa(atob('YWI=')); },
  headers() {
    const headers = new Headers({ B: '1', a: '2' }); appendHeader(headers, 'a', '3'); deleteHeader(headers, 'b'); setHeader(headers, 'c', '4');
    let seen = ''; eachHeader(headers, (value, name) => { seen += name + value; }); return seen;
  },
  async response() {
    const made = new Response('{"a":1}', { headers: { x: 'y' } }), copy = cloneResponse(made);
    return [(await json(made)).a, await text(copy), getHeader(responseHeaders(made), 'x'), length(await bytes(new Response('ä')))];
  },
  async blob() { const made = new Blob(each('aä', new Uint8Array(1))); return [size(made), await blobText(slice(made, 1, 3))]; },
  async form() {
    const form = new FormData(); appendEntry(form, 'a', '1'); appendEntry(form, 'b', new File(each('x'), 'n.txt'));
    let seen = ''; eachEntry(await formData(new Response(form)), (value, name) => { seen += name + (typeof value === 'string' ? value : fileName(value)); }); return seen;
  },
  async request() { const made = new Request('http://a.test/c', { method: 'POST', body: 'x' }); return [method(made), requestUrl(made), await requestText(made)]; },
  clone() {
    const view = new Uint8Array(new ArrayBuffer(2, { maxByteLength: 4 }));
    const copy = structuredClone({ d: new Date(5), m: MAP, s: SET, r: /x/g, a: [1, , 2], b: view, e: new TypeError('t'), n: BOXED });
    return [getTime(copy.d), getItem(copy.m, 1), hasItem(copy.s, 3), isGlobal(copy.r), source(copy.r), copy.a.length, length(copy.b), maxByteLength(buffer(copy.b)), copy.e.message];
  },
  abort() {
    const controller = new AbortController(), following = any(each(signal(controller))); let heard = '';
    onabort(following, (event) => { heard += type(event); }); addEventListener(signal(controller), 'abort', () => { heard += '1'; }, { once: true });
    abort(controller, 'z'); return [heard, reason(following)];
  },
  event() { const target = new EventTarget(); let heard = 0; addEventListener(target, 'a', () => { heard += 1; }); dispatchEvent(target, new Event('a')); return heard; },
  timer() { return new Promise((done) => setTimeout(done, 0, 't')); },
  microtask() { return new Promise((done) => queueMicrotask(() => done('m'))); },
  async digest() { return new Uint8Array(await digest(subtle, 'SHA-256', new Uint8Array(1)))[0]; },
  async hmac() {
    const key = await importKey(subtle, 'raw', new Uint8Array(16), { name: 'HMAC', hash: 'SHA-256' }, true, each('sign'));
    return [new Uint8Array(await sign(subtle, 'HMAC', key, new Uint8Array(1)))[0], (await exportKey(subtle, 'jwk', key)).k];
  },
  async derivation() {
    const key = await importKey(subtle, 'raw', new Uint8Array(16), 'HKDF', false, each('deriveBits'));
    return new Uint8Array(await deriveBits(subtle, { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(1), info: new Uint8Array(1) }, key, 64))[0];
  },
  async aes() {
    const key = await importKey(subtle, 'raw', new Uint8Array(16), 'AES-GCM', true, each('encrypt'));
    return new Uint8Array(await encrypt(subtle, { name: 'AES-GCM', iv: new Uint8Array(12) }, key, new Uint8Array(3)))[0];
  },
  async curve() {
    const pair = await generateKey(subtle, { name: 'ECDSA', namedCurve: 'P-256' }, true, each('sign', 'verify')), ecdsa = { name: 'ECDSA', hash: 'SHA-256' };
    const made = await sign(subtle, ecdsa, pair.privateKey, new Uint8Array(1));
    return [await verify(subtle, ecdsa, pair.publicKey, made, new Uint8Array(1)), typeof (await exportKey(subtle, 'jwk', pair.publicKey)).x];
  },
  random() { return [length(getRandomValues(new Uint8Array(3))), randomUUID().length]; },
  log() { log('a', { b: 1 }, [1], 1n); return 1; },
  async call() { return await signMessage({ message: 'x' }); },
  async fetch() { const answer = await fetch('http://h.test/', { method: 'POST', body: new Uint8Array(2), headers: { a: 'b' } }); return [status(answer), await text(answer)]; },
};
const names = Object.keys(OPERATIONS);

const ROOTS = {
  TypedArray, globalThis, Generator: getPrototypeOf(function* () {}), AsyncGenerator: getPrototypeOf(async function* () {}),
  ArrayIterator: { prototype: getPrototypeOf([][iterator]()) }, MapIterator: { prototype: getPrototypeOf(new Map().keys()) },
};
for (const name of [
  'Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Promise',
  'Date', 'RegExp', 'Error', 'TypeError', 'RangeError', 'ArrayBuffer', 'DataView', 'Uint8Array', 'Int32Array', 'JSON', 'Math', 'Reflect', 'Proxy',
  'Iterator', 'DOMException', 'URL', 'URLSearchParams', 'Headers', 'Request', 'Response', 'TextEncoder', 'TextDecoder', 'AbortController',
  'AbortSignal', 'Event', 'EventTarget', 'CryptoKey', 'SubtleCrypto', 'Blob', 'File', 'FormData',
]) ROOTS[name] = globalThis[name];

/** [name, holder, key] of each function and accessor that an action can replace. */
const MEMBERS = [];
for (const [name, root] of Object.entries(ROOTS)) {
  for (const [place, holder] of [[name, root], [`${name}.prototype`, root.prototype]]) {
    for (const key of holder ? ownKeys(holder) : []) {
      const found = getOwnPropertyDescriptor(holder, key);
      const isCode = typeof found.value === 'function' || found.get !== undefined;
      if (key !== 'constructor' && found.configurable && isCode) MEMBERS.push([`${place}.${String(key)}`, holder, key]);
    }
  }
}

const use = async () => {
  const seen = { __proto__: null };
  for (let i = 0; i < names.length; i += 1) {
    let answer;
    try { answer = await OPERATIONS[names[i]](); } catch (e) { answer = e; }
    seen[names[i]] = answer;
  }
  return seen;
};

/** The operations that answer otherwise while a member is replaced: [member, operation, answer, what it was]. */
async function main({ from, to }) {
  const clean = { __proto__: null };
  const first = await use();
  for (const each of names) clean[each] = isError(first[each]) ? String(first[each]) : stringify(first[each]);
  const different = [];
  for (const [name, holder, key] of MEMBERS.slice(from, to)) {
    const found = getOwnPropertyDescriptor(holder, key);
    const bad = () => { throw new RangeError('replaced'); };
    defineProperty(holder, key, found.get ? { __proto__: null, get: bad, configurable: true } : { __proto__: null, value: bad, writable: true, configurable: true });
    const seen = await use();
    defineProperty(holder, key, found);
    for (const each of names) {
      const answer = isError(seen[each]) ? String(seen[each]) : stringify(seen[each]);
      if (answer !== clean[each]) different.push([name, each, answer, clean[each]]);
    }
  }
  return { count: MEMBERS.length, errors: names.filter((each) => isError(first[each])), different };
}
