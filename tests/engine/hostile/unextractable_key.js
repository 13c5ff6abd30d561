// expect: ok ["InvalidAccessError","InvalidAccessError",false]
async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']);
  Object.defineProperty(CryptoKey.prototype, 'algorithm', { get: () => ({ name: 'HMAC', hash: { name: 'SHA-256' } }) });
  try { key.algorithm.name = 'HMAC'; } catch {}
  const outer = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['wrapKey']);
  return [await crypto.subtle.exportKey('raw', key).catch((e) => e.name),
    await crypto.subtle.wrapKey('raw', key, outer, { name: 'AES-GCM', iv: new Uint8Array(12) }).catch((e) => e.name), key.extractable];
}
