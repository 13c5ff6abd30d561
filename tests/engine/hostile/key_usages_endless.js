// expect: ActionOutOfMemory ActionTimeout
async function main() { await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', true, (function* () { for (;;) yield 'sign'; })()); }
