"""crypto.subtle is Node's, over what is deterministic; what is not is checked by the other side."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from node.engine.worker import natives
from node.engine.worker.openssl import AesStream
from tests.engine.language.twin import differences, in_action, in_node
from tests.engine.natives import at_once

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELPERS = """
const hex = (b) => Array.from(new Uint8Array(b), (x) => x.toString(16).padStart(2, '0')).join('');
const bytes = (h) => Uint8Array.from(h.match(/../g) ?? [], (x) => parseInt(x, 16));
const made = (n, seed) => Uint8Array.from({ length: n }, (_, i) => (i * 7 + seed * 13 + (i >> 3)) & 255);
const S = crypto.subtle;
const seen = [];
const note = async (make) => { try { seen.push(await make()); } catch (e) { seen.push(e.name); } };
"""

EQUAL = (
    HELPERS
    + """
async function main() {
  for (const hash of ['SHA-1', 'sha-256', { name: 'SHA-384' }, 'SHA-512', 'MD5', 'SHA-3', 5, undefined, {}])
    for (const n of [0, 1, 55, 64, 111, 112, 1000]) await note(async () => hex(await S.digest(hash, made(n, 1))));
  await note(() => S.digest('SHA-256'));
  await note(() => S.digest('SHA-256', 'text'));
  await note(async () => hex(await S.digest('SHA-256', made(10, 1).buffer)) === hex(await S.digest('SHA-256', new DataView(made(10, 1).buffer))));
  for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) for (const n of [1, 20, 64, 65, 128, 129, 200]) await note(async () => {
    const key = await S.importKey('raw', made(n, 2), { name: 'HMAC', hash }, true, ['verify', 'sign']);
    const mac = await S.sign('HMAC', key, made(n * 3, 3));
    const wrong = new Uint8Array(mac.slice(0)); wrong[3] ^= 1;
    return [hex(mac), await S.verify('hmac', key, mac, made(n * 3, 3)), await S.verify('HMAC', key, wrong, made(n * 3, 3)), await S.verify('HMAC', key, mac.slice(1), made(n * 3, 3)),
      key.type, key.extractable, key.algorithm, key.usages, hex(await S.exportKey('raw', key)), await S.exportKey('jwk', key)];
  });
  for (const mode of ['AES-GCM', 'AES-CBC', 'AES-CTR']) for (const k of [16, 24, 32]) for (const n of [0, 1, 15, 16, 17, 32, 100]) await note(async () => {
    const key = await S.importKey('raw', made(k, n), mode, true, ['encrypt', 'decrypt']);
    const algorithm = { 'AES-GCM': { name: mode, iv: made(12, 4), additionalData: made(n, 5) }, 'AES-CBC': { name: mode, iv: made(16, 6) }, 'AES-CTR': { name: mode, counter: new Uint8Array(16).fill(255), length: 64 } }[mode];
    const c = await S.encrypt(algorithm, key, made(n, 8));
    return [hex(c), hex(await S.decrypt(algorithm, key, c)), key.algorithm, await S.exportKey('jwk', key)];
  });
  const gcm = await S.importKey('raw', made(32, 9), 'AES-GCM', false, ['encrypt', 'decrypt']);
  for (const iv of [12, 13, 16, 60, 0]) for (const tagLength of [32, 64, 96, 104, 112, 120, 128, undefined, 0, 33, 136]) await note(async () =>
    hex(await S.encrypt({ name: 'AES-GCM', iv: made(iv, 1), tagLength }, gcm, made(20, 2))));
  for (const spoil of [(c) => { c[0] ^= 1; return c; }, (c) => { c[c.length - 1] ^= 1; return c; }, (c) => c.slice(0, 15), (c) => c.slice(0, 0), (c) => c])
    await note(async () => hex(await S.decrypt({ name: 'AES-GCM', iv: made(12, 1) }, gcm, spoil(new Uint8Array(await S.encrypt({ name: 'AES-GCM', iv: made(12, 1) }, gcm, made(20, 2)))))));
  await note(async () => hex(await S.decrypt({ name: 'AES-GCM', iv: made(12, 1), additionalData: made(1, 1) }, gcm, await S.encrypt({ name: 'AES-GCM', iv: made(12, 1) }, gcm, made(20, 2)))));
  const cbc = await S.importKey('raw', made(16, 9), 'AES-CBC', false, ['encrypt', 'decrypt']);
  for (const data of [made(16, 1), made(15, 1), made(0, 1), made(32, 2)]) await note(() => S.decrypt({ name: 'AES-CBC', iv: made(16, 1) }, cbc, data));
  await note(() => S.encrypt({ name: 'AES-CBC', iv: made(15, 1) }, cbc, data));
  const ctr = await S.importKey('raw', made(16, 9), 'AES-CTR', false, ['encrypt', 'decrypt']);
  for (const length of [1, 3, 8, 12, 33, 128, 0, 129]) await note(async () => hex(await S.encrypt({ name: 'AES-CTR', counter: new Uint8Array(16).fill(254), length }, ctr, made(32, 2))));
  await note(() => S.encrypt({ name: 'AES-CTR', counter: made(16, 1), length: 1 }, ctr, made(48, 2)));
  await note(() => S.encrypt({ name: 'AES-CTR', counter: made(15, 1), length: 64 }, ctr, made(48, 2)));
  for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) for (const bits of [8, 256, 264, 1000, 4096]) {
    await note(async () => hex(await S.deriveBits({ name: 'HKDF', hash, salt: made(bits % 70, 1), info: made(bits % 9, 2) }, await S.importKey('raw', made(22, 1), 'HKDF', false, ['deriveBits']), bits)));
    await note(async () => hex(await S.deriveBits({ name: 'PBKDF2', hash, salt: made(bits % 70, 1), iterations: 1 + bits % 7 }, await S.importKey('raw', made(bits % 23, 1), 'PBKDF2', false, ['deriveBits']), bits)));
  }
  const hkdf = await S.importKey('raw', made(22, 1), 'HKDF', false, ['deriveBits', 'deriveKey']);
  const password = await S.importKey('raw', made(22, 1), 'PBKDF2', false, ['deriveBits', 'deriveKey']);
  const H = { name: 'HKDF', hash: 'SHA-256', salt: made(0, 1), info: made(0, 2) };
  for (const bits of [null, 7, 255 * 256, 255 * 256 + 8]) await note(async () => hex(await S.deriveBits(H, hkdf, bits)));
  await note(() => S.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: made(1, 1), iterations: 0 }, password, 256));
  await note(() => S.deriveBits({ ...H, salt: undefined }, hkdf, 256));
  await note(() => S.deriveBits({ ...H, hash: undefined }, hkdf, 256));
  for (const wanted of [{ name: 'AES-GCM', length: 256 }, { name: 'HMAC', hash: 'SHA-256' }, { name: 'HMAC', hash: 'SHA-512', length: 128 }, { name: 'AES-CBC', length: 100 }, { name: 'AES-GCM' }])
    await note(async () => S.exportKey('jwk', await S.deriveKey(H, hkdf, wanted, true, wanted.name === 'HMAC' ? ['sign'] : ['decrypt', 'encrypt'])));
  const AES = { name: 'AES-GCM', length: 128 };
  for (const usage of ['deriveBits', 'deriveKey']) {
    const one = await S.importKey('raw', made(22, 1), 'HKDF', false, [usage]);
    await note(async () => hex(await S.deriveBits(H, one, 128)));
    await note(async () => S.exportKey('jwk', await S.deriveKey(H, one, AES, true, ['encrypt'])));
  }
  return seen;
}"""
)

MISUSE = (
    HELPERS
    + """
async function main() {
  const raw = (n, algorithm, usages, extractable = true) => S.importKey('raw', made(n, 1), algorithm, extractable, usages);
  for (const [n, algorithm, usages] of [[15, 'AES-GCM', ['encrypt']], [16, 'AES-GCM', []], [16, 'AES-GCM', ['sign']], [16, 'AES-GCM', ['nonsense']], [16, 'AES-XYZ', ['encrypt']], [16, 'HMAC', ['sign']],
    [16, { name: 'HMAC', hash: 'MD5' }, ['sign']], [0, { name: 'HMAC', hash: 'SHA-256' }, ['sign']], [16, 'HKDF', ['deriveBits']], [16, 'HKDF', ['sign']], [16, 'PBKDF2', []], [16, {}, ['sign']]])
    await note(async () => (await raw(n, algorithm, usages, false)).algorithm);
  await note(() => raw(16, 'HKDF', ['deriveBits'], true));
  await note(async () => { const k = await raw(16, 'AES-GCM', ['encrypt'], false); return S.exportKey('raw', k); });
  await note(async () => { const k = await raw(16, 'AES-GCM', ['encrypt']); return S.decrypt({ name: 'AES-GCM', iv: made(12, 1) }, k, made(20, 1)); });
  await note(async () => { const k = await raw(16, 'AES-GCM', ['encrypt']); return S.encrypt({ name: 'AES-CBC', iv: made(16, 1) }, k, made(20, 1)); });
  await note(async () => { const k = await raw(16, 'AES-GCM', ['encrypt']); return S.encrypt({ name: 'AES-GCM' }, k, made(20, 1)); });
  await note(async () => { const k = await raw(16, 'AES-GCM', ['encrypt']); return S.sign('HMAC', k, made(20, 1)); });
  await note(() => S.sign('HMAC', {}, made(1, 1)));
  await note(() => S.importKey('raw', 'text', 'AES-GCM', true, ['encrypt']));
  for (const jwk of [{}, { kty: 'EC' }, { kty: 'oct' }, { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA' }, { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A128GCM', ext: true, use: 'enc', key_ops: ['encrypt'] },
    { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A256GCM' }, { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', use: 'sig' }, { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', ext: false },
    { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', key_ops: ['decrypt'] }, { kty: 'oct', k: 'AAAA' }])
    await note(async () => hex(await S.exportKey('raw', await S.importKey('jwk', jwk, 'AES-GCM', true, ['encrypt']))));
  for (const [algorithm, usages] of [[{ name: 'AES-GCM', length: 128 }, ['encrypt']], [{ name: 'AES-GCM', length: 192 }, ['wrapKey', 'decrypt']], [{ name: 'AES-GCM', length: 100 }, ['encrypt']], [{ name: 'AES-GCM' }, ['encrypt']],
    [{ name: 'AES-GCM', length: 128 }, []], [{ name: 'HMAC', hash: 'SHA-1' }, ['sign', 'verify']], [{ name: 'HMAC', hash: 'SHA-384', length: 256 }, ['sign']], [{ name: 'HMAC', hash: 'SHA-256', length: 0 }, ['sign']], ['HKDF', ['deriveBits']]])
    await note(async () => { const k = await S.generateKey(algorithm, false, usages); return [k.algorithm, k.usages, k.type, k.extractable]; });
  for (const [algorithm, usages] of [[{ name: 'ECDSA', namedCurve: 'P-256' }, ['sign', 'verify']], [{ name: 'ECDSA', namedCurve: 'P-256' }, ['verify']], [{ name: 'ECDSA', namedCurve: 'P-256' }, ['encrypt']],
    [{ name: 'ECDSA', namedCurve: 'nope' }, ['sign']], ['ECDSA', ['sign']], [{ name: 'ECDH', namedCurve: 'P-256' }, ['deriveBits']]])
    await note(async () => { const { privateKey: a, publicKey: b } = await S.generateKey(algorithm, false, usages); return [a.type, a.usages, a.extractable, a.algorithm, b.type, b.usages, b.extractable, b.algorithm]; });
  const P = { name: 'ECDSA', namedCurve: 'P-256' };
  const g = '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';
  for (const point of [g, '03' + g.slice(2, 66), '02' + g.slice(2, 66), g.slice(0, -2), g.slice(0, -2) + 'f6', '00', '', '04' + '00'.repeat(64), '04' + 'ff'.repeat(64)])
    await note(async () => hex(await S.exportKey('spki', await S.importKey('raw', bytes(point), P, true, ['verify']))));
  for (const d of ['00'.repeat(32), 'ff'.repeat(32), '00'.repeat(31) + '01', 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550'])
    await note(async () => S.exportKey('jwk', await S.importKey('pkcs8', bytes('308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420' + d + 'a144034200' + (d.endsWith('01') && d.startsWith('0') ? g : g)), P, true, ['sign'])).then((j) => (j.d ? [j.x, j.crv] : j)));
  await note(async () => S.exportKey('raw', await S.importKey('jwk', { kty: 'EC', crv: 'P-384', x: 'AA', y: 'AA' }, P, true, ['verify'])));
  await note(async () => { const k = await S.importKey('raw', bytes(g), P, true, ['verify']); return S.exportKey('nonsense', k); });
  await note(async () => { const k = await S.importKey('raw', bytes(g), P, true, ['sign']); return S.exportKey('pkcs8', k); });
  await note(async () => { const k = await S.importKey('raw', bytes(g), P, false, ['verify']); return [k.extractable, Object.prototype.toString.call(k), Object.prototype.toString.call(S), Object.prototype.toString.call(crypto)]; });
  await note(() => new CryptoKey());
  await note(async () => { const k = await S.importKey('raw', bytes(g), P, true, ['verify']); return S.verify({ name: 'ECDSA', hash: 'SHA-256' }, k, made(64, 1), made(1, 1)); });
  await note(async () => { const k = await S.importKey('raw', bytes(g), P, true, ['verify']); return S.verify({ name: 'ECDSA', hash: 'SHA-256' }, k, made(10, 1), made(1, 1)); });
  await note(async () => { const k = await S.importKey('raw', bytes(g), P, true, ['verify']); return S.verify('ECDSA', k, made(64, 1), made(1, 1)); });
  await note(async () => { const outer = await raw(32, 'AES-GCM', ['wrapKey', 'unwrapKey']); const inner = await raw(16, { name: 'HMAC', hash: 'SHA-256' }, ['sign']); const a = { name: 'AES-GCM', iv: made(12, 1) };
    const w = await S.wrapKey('raw', inner, outer, a); return [hex(w), await S.exportKey('jwk', await S.unwrapKey('raw', w, outer, a, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']))]; });
  for (const usages of [['unwrapKey'], ['encrypt'], ['wrapKey']])
    await note(async () => { const outer = await raw(32, 'AES-GCM', usages); const inner = await raw(16, { name: 'HMAC', hash: 'SHA-256' }, ['sign']);
      return hex(await S.wrapKey('raw', inner, outer, { name: 'AES-GCM', iv: made(12, 1) })); });
  await note(() => crypto.getRandomValues(new Float32Array(2)));
  await note(() => crypto.getRandomValues(new Uint8Array(65537)));
  await note(() => crypto.getRandomValues(new BigUint64Array(3)).length);
  return seen;
}"""
)


@pytest.mark.parametrize("code", [EQUAL, MISUSE], ids=["results", "misuse"])
async def test_as_in_node(engine: ProcessEngine, code: str) -> None:
    assert await differences(engine, code) == []


async def test_where_node_departs_from_the_standard(engine: ProcessEngine) -> None:
    code = (
        HELPERS
        + """async function main({ iv }) {
      const P = { name: 'ECDSA', namedCurve: 'P-256' };
      const pair = await S.generateKey(P, true, ['sign', 'verify']);
      await note(() => S.importKey('jwk', made(16, 1), 'AES-GCM', true, ['encrypt']));
      await note(() => S.exportKey('pkcs8', pair.publicKey));
      const key = await S.importKey('raw', made(16, 1), 'AES-GCM', true, ['encrypt']);
      await note(async () => hex(await S.encrypt({ name: 'AES-GCM', iv: bytes(iv) }, key, made(30, 1))));
      return [...seen, hex(made(16, 1)), hex(made(30, 1))];
    }"""
    )
    iv = "0102030405060708"
    answer = await _list(engine, code, {"iv": iv})
    key, data = (bytes.fromhex(str(text)) for text in answer[3:])
    short_iv = AESGCM(key).encrypt(bytes.fromhex(iv), data, None).hex()
    assert answer[:3] == ["TypeError", "InvalidAccessError", short_iv]


SIGN_AND_SHOW = (
    HELPERS
    + """
async function main({ curve, messages, hash }) {
  const { privateKey, publicKey } = await S.generateKey({ name: 'ECDSA', namedCurve: curve }, true, ['sign', 'verify']);
  const signatures = [];
  for (const m of messages) signatures.push(hex(await S.sign({ name: 'ECDSA', hash }, privateKey, bytes(m))));
  const dh = await S.generateKey({ name: 'ECDH', namedCurve: curve }, true, ['deriveBits']);
  return { curve, hash, messages, signatures, pkcs8: hex(await S.exportKey('pkcs8', privateKey)), jwk: await S.exportKey('jwk', privateKey),
    spki: hex(await S.exportKey('spki', publicKey)), raw: hex(await S.exportKey('raw', publicKey)),
    dh: [hex(await S.exportKey('pkcs8', dh.privateKey)), hex(await S.exportKey('raw', dh.publicKey))] };
}"""
)
CHECK = (
    HELPERS
    + """
async function main({ curve, hash, messages, signatures, pkcs8, jwk, spki, raw, dh }) {
  const P = { name: 'ECDSA', namedCurve: curve };
  const keys = [await S.importKey('spki', bytes(spki), P, true, ['verify']), await S.importKey('raw', bytes(raw), P, true, ['verify'])];
  const all = [];
  for (const [i, m] of messages.entries()) for (const key of keys) {
    all.push(await S.verify({ name: 'ECDSA', hash }, key, bytes(signatures[i]), bytes(m)));
    all.push(!await S.verify({ name: 'ECDSA', hash }, key, bytes(signatures[i]), bytes(m + '00')));
  }
  const again = await S.importKey('pkcs8', bytes(pkcs8), P, true, ['sign']);
  const { x, y, d } = await S.exportKey('jwk', again);
  all.push(x === jwk.x && y === jwk.y && d === jwk.d);
  const own = await S.importKey('jwk', jwk, P, true, ['sign']);
  all.push(await S.verify({ name: 'ECDSA', hash }, keys[0], await S.sign({ name: 'ECDSA', hash }, own, made(9, 9)), made(9, 9)));
  const D = { name: 'ECDH', namedCurve: curve };
  const theirs = await S.importKey('raw', bytes(dh[1]), D, true, []);
  const mine = await S.generateKey(D, true, ['deriveBits']);
  const one = await S.deriveBits({ name: 'ECDH', public: theirs }, mine.privateKey, null);
  const two = await S.deriveBits({ name: 'ECDH', public: mine.publicKey }, await S.importKey('pkcs8', bytes(dh[0]), D, true, ['deriveBits']), null);
  all.push(hex(one) === hex(two));
  return all;
}"""
)


@pytest.mark.parametrize("curve", ["P-256", "P-384"])
@pytest.mark.parametrize("digest", ["SHA-1", "SHA-256", "SHA-384", "SHA-512"])
async def test_signatures_and_keys_cross_over(engine: ProcessEngine, digest: str, curve: str) -> None:
    pick = random.Random(digest)
    messages: list[JsonValue] = [pick.randbytes(pick.randint(0, 200)).hex() for _ in range(8)]
    params: dict[str, JsonValue] = {"curve": curve, "messages": messages, "hash": digest}
    ours, theirs = await in_action(engine, SIGN_AND_SHOW, params), in_node(SIGN_AND_SHOW, params)
    assert isinstance(ours, dict)
    assert isinstance(theirs, dict)
    assert in_node(CHECK, ours) == [True] * 35
    assert await in_action(engine, CHECK, theirs) == [True] * 35


async def test_a_key_is_not_read_through_its_object(engine: ProcessEngine) -> None:
    code = """async function main() {
      const key = await crypto.subtle.importKey('raw', new Uint8Array(16).fill(65), 'AES-GCM', false, ['encrypt']);
      return [JSON.stringify(key), Object.keys(key), Reflect.ownKeys(key), await crypto.subtle.exportKey('raw', key).catch((e) => e.name)];
    }"""
    assert await in_action(engine, code) == ["{}", [], [], "InvalidAccessError"]


async def test_what_is_generated_is_fresh(engine: ProcessEngine) -> None:
    code = """async function main() {
      const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']);
      const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
      return [(await crypto.subtle.exportKey('jwk', key)).k, (await crypto.subtle.exportKey('jwk', pair.privateKey)).d];
    }"""
    seen = [str(value) for _ in range(3) for value in await _list(engine, code)]
    assert len(set(seen)) == 6


JWK = (
    HELPERS
    + """
async function main() {
  const k = 'AAAAAAAAAAAAAAAAAAAAAA';
  for (const [algorithm, usages, jwk] of [
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, alg: 'HS256' }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, alg: 'HS512' }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, alg: 'none' }],
    [{ name: 'HMAC', hash: 'SHA-256', length: 128 }, ['sign'], { kty: 'oct', k }],
    [{ name: 'HMAC', hash: 'SHA-256', length: 120 }, ['sign'], { kty: 'oct', k }],
    [{ name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign'], { kty: 'oct', k }],
    [{ name: 'HMAC', hash: 'SHA-256', length: 0 }, ['sign'], { kty: 'oct', k }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k: '' }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, key_ops: ['sign', 'sign'] }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, key_ops: ['sign', 'sing'] }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, key_ops: ['verify'] }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, key_ops: [] }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, key_ops: 5 }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, use: 'enc' }],
    [{ name: 'HMAC', hash: 'SHA-256' }, ['sign'], { kty: 'oct', k, ext: 0 }],
    [{ name: 'HMAC', hash: 'MD5' }, ['encrypt'], { kty: 'oct', k }],
    [{ name: 'HMAC' }, ['encrypt'], { kty: 'oct', k }],
    ['AES-KW', ['wrapKey'], { kty: 'oct', k, alg: 'A128KW' }],
    ['AES-KW', ['wrapKey'], { kty: 'oct', k, alg: 'A128GCM' }],
    ['AES-KW', ['encrypt'], { kty: 'oct', k }],
    ['AES-CBC', ['encrypt'], { kty: 'oct', k, alg: 'A128CBC' }],
    ['AES-CBC', ['encrypt'], { kty: 'oct', k, alg: 'A256CBC' }],
  ]) await note(async () => { const key = await S.importKey('jwk', jwk, algorithm, true, usages); return [key.algorithm, await S.exportKey('jwk', key)]; });
  for (const [name, usages] of [['ECDSA', ['verify']], ['ECDH', []]]) for (const namedCurve of ['P-256', 'P-384']) {
    const jwk = { 'P-256': { kty: 'EC', crv: 'P-256', x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY', y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU' },
      'P-384': { kty: 'EC', crv: 'P-384', x: 'qofKIr6LBTeOscce8yCtdG4dO2KLp5uYWfdB4IJUKjhVAvJdv1UpbDpUXjhydgq3', y: 'NhfeSpYmLG9dnpi_kpLcKfj0Hb0omhR86doxE7XwuMAKYLHOHX6BnXpDHXyQ6g5f' } }[namedCurve];
    for (const change of [{}, { alg: 'ES256' }, { alg: 'ES384' }, { alg: 'ES224' }, { crv: 'P-521' }, { x: undefined }, { x: jwk.x.slice(0, -4) }, { x: jwk.x + 'AAAA' }, { y: 'AA' }, { use: 'sig' }, { use: 'enc' },
      { kty: 'OKP' }, { key_ops: usages }, { key_ops: [] }, { key_ops: ['deriveBits', 'deriveBits'] }, { ext: false }, { d: 'AA' }, { d: 5 }, { x: jwk.y, y: jwk.x }])
      await note(async () => S.exportKey('raw', await S.importKey('jwk', { ...jwk, ...change }, { name, namedCurve }, true, usages)).then(hex));
    await note(async () => { const key = await S.importKey('jwk', jwk, { name, namedCurve }, true, usages); return [await S.exportKey('jwk', key), hex(await S.exportKey('spki', key))]; });
  }
  return seen;
}"""
)


async def test_json_web_keys_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, JWK) == []


WRAPPING = (
    HELPERS
    + """
async function main() {
  const outer = await S.importKey('raw', made(32, 1), 'AES-KW', true, ['wrapKey', 'unwrapKey']);
  const H = { name: 'HMAC', hash: 'SHA-256' };
  for (const n of [1, 8, 16, 17, 24, 64, 4096, 8184, 8192]) await note(async () => {
    const wrapped = await S.wrapKey('raw', await S.importKey('raw', made(n, 2), H, true, ['sign']), outer, 'AES-KW');
    const spoiled = new Uint8Array(wrapped.slice(0)); spoiled[3] ^= 1;
    await note(() => S.unwrapKey('raw', spoiled, outer, 'AES-KW', H, true, ['sign']));
    return [hex(wrapped), hex(await S.exportKey('raw', await S.unwrapKey('raw', wrapped, outer, 'AES-KW', H, true, ['sign'])))];
  });
  for (const n of [1, 3, 16, 31]) await note(async () => {
    const wrapped = await S.wrapKey('jwk', await S.importKey('raw', made(n, 2), H, true, ['sign']), outer, 'AES-KW');
    return [wrapped.byteLength, await S.exportKey('jwk', await S.unwrapKey('jwk', wrapped, outer, 'AES-KW', H, true, ['sign']))];
  });
  await note(() => S.unwrapKey('raw', made(16, 1), outer, 'AES-KW', H, true, ['sign']));
  await note(() => S.encrypt('AES-KW', outer, made(16, 1)));
  await note(async () => (await S.generateKey({ name: 'AES-KW', length: 192 }, false, ['wrapKey'])).algorithm);
  const gcm = await S.importKey('raw', made(16, 1), 'AES-GCM', true, ['encrypt', 'unwrapKey']);
  const a = { name: 'AES-GCM', iv: made(12, 1) };
  for (const text of ['{', '5', 'null', '{"kty":"oct"}']) await note(async () => S.unwrapKey('jwk', await S.encrypt(a, gcm, new TextEncoder().encode(text)), gcm, a, H, true, ['sign']));
  return seen;
}"""
)


async def test_wrapped_keys_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, WRAPPING) == []


async def test_a_key_keeps_its_hash(engine: ProcessEngine) -> None:
    code = """async function main() {
      const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      try { key.algorithm.hash.name = 'SHA-1'; } catch {}
      return [(await crypto.subtle.sign('HMAC', key, new Uint8Array(1))).byteLength, key.algorithm.hash.name];
    }"""
    assert await in_action(engine, code) == [32, "SHA-256"]


async def test_derived_bits_that_are_no_whole_bytes(engine: ProcessEngine) -> None:
    code = (
        HELPERS
        + """async function main() {
      for (const namedCurve of ['P-256', 'P-384']) {
        const D = { name: 'ECDH', namedCurve };
        const [mine, theirs] = [await S.generateKey(D, false, ['deriveBits']), await S.generateKey(D, false, ['deriveBits'])];
        const derive = (length) => S.deriveBits({ name: 'ECDH', public: theirs.publicKey }, mine.privateKey, length);
        const whole = new Uint8Array(await derive(null)), some = new Uint8Array(await derive(10));
        await note(() => [some.length, some[0] === whole[0], some[1] === (whole[1] & 0xc0), whole.length]);
        await note(async () => [(await derive(0)).byteLength, (await derive(8 * whole.length)).byteLength]);
        await note(() => derive(8 * whole.length + 1));
      }
      const [a, b] = await Promise.all(['P-256', 'P-384'].map((namedCurve) => S.generateKey({ name: 'ECDH', namedCurve }, false, ['deriveBits'])));
      await note(() => S.deriveBits({ name: 'ECDH', public: a.publicKey }, b.privateKey, 8));
      return seen;
    }"""
    )
    assert await _list(engine, code) == [
        *([2, True, True, 32], [0, 32], "OperationError", [2, True, True, 48], [0, 48], "OperationError"),
        "InvalidAccessError",
    ]


async def test_methods_check_their_receiver_and_a_key_has_one_array_of_usages(engine: ProcessEngine) -> None:
    code = (
        HELPERS
        + """async function main() {
      for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype).filter((name) => name !== 'constructor'))
        for (const receiver of [undefined, {}, SubtleCrypto.prototype]) await note(() => S[name].call(receiver, 1, 2, 3, 4, 5, 6, 7));
      const key = await S.importKey('raw', made(16, 1), 'AES-GCM', true, ['encrypt']);
      key.usages.push('decrypt');
      await note(() => [key.usages === key.usages, key.algorithm === key.algorithm]);
      await note(() => S.decrypt({ name: 'AES-GCM', iv: made(12, 1) }, key, made(20, 1)));
      await note(async () => (await S.exportKey('jwk', key)).key_ops);
      return seen;
    }"""
    )
    assert await _list(engine, code) == ["TypeError"] * 36 + [[True, True], "InvalidAccessError", ["encrypt"]]


async def _list(engine: ProcessEngine, code: str, params: dict[str, JsonValue] | None = None) -> list[JsonValue]:
    answer = await in_action(engine, code, params)
    assert isinstance(answer, list)
    return answer


async def test_published_vectors(engine: ProcessEngine) -> None:
    """RFC 5869 A.1; test cases 4 and 6 of the GCM specification (McGrew and Viega), which NIST took over."""
    code = (
        HELPERS
        + """async function main({ key, plain, additional, ivs }) {
      const secret = await S.importKey('raw', new Uint8Array(22).fill(11), 'HKDF', false, ['deriveBits']);
      const salt = Uint8Array.from({ length: 13 }, (_, i) => i), info = Uint8Array.from({ length: 10 }, (_, i) => 0xf0 + i);
      seen.push(hex(await S.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, secret, 42 * 8)));
      const gcm = await S.importKey('raw', bytes(key), 'AES-GCM', false, ['encrypt']);
      for (const iv of ivs) seen.push(hex(await S.encrypt({ name: 'AES-GCM', iv: bytes(iv), additionalData: bytes(additional) }, gcm, bytes(plain))));
      return seen;
    }"""
    )
    params: dict[str, JsonValue] = {
        "key": "feffe9928665731c6d6a8f9467308308",
        "plain": "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        "b16aedf5aa0de657ba637b39",
        "additional": "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        "ivs": [
            "cafebabefacedbaddecaf888",
            (
                "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b5254"
                "16aedbf5a0de6a57a637b39b"
            ),
        ],
    }
    assert await _list(engine, code, params) == [
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        (
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
            "1ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"
        ),
        (
            "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6f"
            "d62875d2aca417034c34aee5619cc5aefffe0bfa462af43c1699d050"
        ),
    ]


async def test_a_signature_of_another_length_is_none() -> None:
    """Without the zero that its second number begins with, it would be the same two numbers."""
    functions = {name: at_once(function) for name, function in natives.crypto_functions(AesStream).items()}
    private = "11" * 32
    public = functions["ecPublic"]("P-256", private)
    signed = (
        (data, functions["ecSign"]("P-256", private, "SHA-256", data)) for data in (f"{n:04x}" for n in range(65_536))
    )
    data, signature = next((data, found) for data, found in signed if found[64:66] == "00")
    assert functions["ecVerify"]("P-256", public, "SHA-256", data, signature) == "valid"
    for other in (signature[:64] + signature[66:], signature + "00", signature[:64], ""):
        assert functions["ecVerify"]("P-256", public, "SHA-256", data, other) == "invalid"
