// What a script can see of the web's interfaces: their members, and what they do with few arguments.
const INTERFACES = [
  'Event', 'CustomEvent', 'EventTarget', 'AbortController', 'AbortSignal', 'URL', 'URLSearchParams', 'Headers', 'Request', 'Response',
  'TextEncoder', 'TextDecoder', 'CryptoKey', 'SubtleCrypto', 'DOMException', 'Blob', 'File', 'FormData',
];
const SAMPLES = {
  Event: () => new Event('a'), CustomEvent: () => new CustomEvent('a'), EventTarget: () => new EventTarget(), AbortController: () => new AbortController(),
  AbortSignal: () => new AbortController().signal, URL: () => new URL('http://a/'), URLSearchParams: () => new URLSearchParams('a=1'),
  Headers: () => new Headers({ a: '1' }), FormData: () => new FormData(), TextEncoder: () => new TextEncoder(), TextDecoder: () => new TextDecoder(),
};

const shape = (found) => {
  const value = typeof found.value === 'function' ? ['method', found.value.name, found.value.length] : ['value', String(found.value)];
  const accessor = [found.get?.name, found.set?.name, found.set?.length];
  return [...(found.get ? accessor : value), found.enumerable, found.configurable, found.writable];
};

/** Whether calls with 0, 1 … arguments are refused, while there are fewer than `length`. */
const refusals = (call, length) => Array.from({ length }, (_, given) => {
  try { call(Array(given).fill('a')); return 'taken'; } catch (e) { return e.name; }
});

const members = (holder, sample) => {
  const seen = {};
  for (const key of Reflect.ownKeys(holder)) {
    if (typeof key === 'symbol' && ![Symbol.iterator, Symbol.toStringTag].includes(key)) continue;
    if (typeof holder === 'function' && ['length', 'name', 'prototype'].includes(key)) continue;
    const found = Object.getOwnPropertyDescriptor(holder, key);
    seen[String(key)] = shape(found);
    if (typeof found.value !== 'function' || key === 'constructor') continue;
    if (sample) seen[String(key)].push(refusals((given) => found.value.apply(sample(), given), found.value.length));
    try { const odd = found.value.apply({}, ['a', 'b', 'c']); odd?.catch?.(() => {}); } catch (e) { seen[String(key)].push(e.name); }
  }
  return seen;
};

function main() {
  const seen = {};
  for (const name of INTERFACES) {
    const made = globalThis[name];
    seen[name] = {
      length: made.length, tag: Object.prototype.toString.call(made.prototype), above: Object.getPrototypeOf(made.prototype).constructor.name,
      enumerable: Object.getOwnPropertyDescriptor(globalThis, name).enumerable, members: members(made.prototype, SAMPLES[name]), statics: members(made, () => made),
    };
  }
  for (const made of [new URLSearchParams('a=1'), new Headers({ a: '1' }), new FormData()]) {
    for (const kind of ['entries', 'keys', 'values']) {
      const iterator = made[kind](), prototype = Object.getPrototypeOf(iterator);
      seen[`${kind} of ${made.constructor.name}`] = {
        tag: Object.prototype.toString.call(iterator), above: Object.getPrototypeOf(prototype) === Object.getPrototypeOf(Object.getPrototypeOf([].values())),
        members: members(prototype, () => made[kind]()), own: Reflect.ownKeys(iterator).filter((key) => typeof key === 'string'), self: iterator[Symbol.iterator]() === iterator,
      };
    }
  }
  return seen;
}
