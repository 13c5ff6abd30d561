// expect: ActionTimeout
async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(1), 'PBKDF2', false, ['deriveBits']);
  await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(1), iterations: 4294967295 }, key, 256);
}
