// expect: ok ["http://xn--mnchen-3ya.de/b?q=%C3%A9","1.2.3.4","a=1&b=2",true]
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
JSON.parse = JSON.stringify = Object.keys = Object.defineProperty = Reflect.apply = String.fromCharCode = Math.min = bad;
Number = String = Symbol = Uint8Array = Map = undefined;
function main() {
  const params = new URL('http://h/?a=1').searchParams;
  params.append('b', '2');
  return [new URL('/a/../b?q=é', 'http://münchen.de').href, new URL('http://0x1020304').hostname, params.toString(), URL.canParse('x:')];
}
