// expect: ok [16,"OperationError"]
async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']);
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const shrink = { name: 'AES-GCM', get iv() { buffer.resize(0); return new Uint8Array(12); } };
  const kept = await crypto.subtle.encrypt(shrink, key, new Uint8Array(buffer));
  return [kept.byteLength - 64, await crypto.subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(buffer) }, key, new Uint8Array(1)).catch((e) => e.name)];
}
