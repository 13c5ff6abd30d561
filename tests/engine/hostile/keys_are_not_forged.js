// expect: ok ["TypeError","TypeError","TypeError","TypeError"]
async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']);
  const like = Object.create(CryptoKey.prototype);
  const forged = [{ type: 'secret', extractable: true, algorithm: key.algorithm, usages: ['encrypt'] }, like, new Proxy(key, {}), Object.create(key)];
  const seen = [];
  for (const one of forged) seen.push(await crypto.subtle.exportKey('raw', one).catch((e) => e.name));
  return seen;
}
