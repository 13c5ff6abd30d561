// expect: ok ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",true,true]
const { iterator } = Symbol; const each = (...items) => ({ [iterator]: () => { let at = 0; return { next: () => (at < items.length ? { value: items[at++], done: false } : { value: undefined, done: true }) }; } });
const hexOf = Uint8Array.prototype.toHex; const apply = Reflect.apply; const Bytes = Uint8Array;
const define = Object.defineProperty;
for (const key of ['name', 'value', 'hash', 'length', 'then', 'host', 'path', 'method', 'headers', 'status', 'get', 'set', 'enumerable']) {
  define(Object.prototype, key, { __proto__: null, configurable: true, set(value) { define(this, key, { __proto__: null, value, writable: true, configurable: true, enumerable: true }); }, get() { return undefined; } });
}
const bad = () => { throw new Error('polluted'); };
const owners = [String, RegExp, Map, Set, Promise, Function, Number, Uint8Array, Uint32Array, Object.getPrototypeOf(Uint8Array), ArrayBuffer, DataView, Symbol, Array];
const { ownKeys, getOwnPropertyDescriptor } = Reflect;
for (let i = 0; i < owners.length; i += 1) {
  const { prototype } = owners[i];
  const keys = ownKeys(prototype);
  for (let k = 0; k < keys.length; k += 1) {
    const old = getOwnPropertyDescriptor(prototype, keys[k]);
    if (keys[k] !== 'constructor' && typeof old.value === 'function' && old.writable) prototype[keys[k]] = bad;
  }
}
JSON.parse = JSON.stringify = Object.keys = Object.defineProperty = Reflect.apply = Math.min = Uint8Array.fromHex = Uint8Array.fromBase64 = bad;
Number = String = Symbol = Uint8Array = Uint32Array = Map = DOMException = undefined;
async function main() {
  const data = new TextEncoder().encode('abc');
  const digest = new Bytes(await crypto.subtle.digest('SHA-256', data));
  const key = await crypto.subtle.importKey('raw', digest, 'AES-GCM', false, each('encrypt', 'decrypt'));
  const algorithm = { name: 'AES-GCM', iv: new Bytes(12) };
  const back = new Bytes(await crypto.subtle.decrypt(algorithm, key, await crypto.subtle.encrypt(algorithm, key, data)));
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, each('sign', 'verify'));
  const ecdsa = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(ecdsa, pair.privateKey, data);
  return [apply(hexOf, digest, []), back[0] === 97 && back.byteLength === 3, await crypto.subtle.verify(ecdsa, pair.publicKey, signature, data)];
}
