// expect: ActionTimeout ActionOutOfMemory OperationError
async function main() {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(1), 'PBKDF2', false, ['deriveBits']);
  await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(1), iterations: 1 }, key, 4294967288);
}
