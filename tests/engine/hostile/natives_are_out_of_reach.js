// expect: ok []
const caught = [];
const natives = ['emit', 'randomHex', 'domainToAscii', 'subtleDigest', 'subtleHmac', 'subtlePbkdf2', 'ecPublic', 'ecPoint', 'ecSign', 'ecVerify', 'ecAgree', 'aesWrap', 'aesUnwrap'];
const look = (value) => { if (typeof value === 'function' && !mine.has(value) && /native code/.test(source(value)) && value !== crypto) caught.push(value.name); };
const mine = new Set();
const source = Function.prototype.call.bind(Function.prototype.toString);
for (const [owner, keys] of [[Function.prototype, ['call', 'apply', 'bind']], [Array.prototype, ['push', 'forEach', 'join']], [Reflect, ['apply', 'construct']]]) {
  for (const key of keys) {
    const stand = function (...given) { look(this); for (let i = 0; i < given.length; i += 1) look(given[i]); };
    mine.add(stand);
    owner[key] = stand;
  }
}
for (const key of ['subtle', 'operations', 'material', 'resolve', 'emit', 'callback', 'error']) {
  Object.defineProperty(Object.prototype, key, { configurable: true, get() { return undefined; }, set(value) {
    look(value);
    Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true });
  } });
}
async function main() {
  for (const name of natives) if (Object.hasOwn(globalThis, name)) caught[caught.length] = `${name} is a global`;
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, new Uint8Array(1));
  await crypto.subtle.digest('SHA-256', new Uint8Array(1));
  new URL('http://h\u00e9/').searchParams.append('a', 'b');
  return caught;
}
