// expect: ActionOutOfMemory OperationError SyntaxError
async function main() { await crypto.subtle.digest('SHA-256', new Uint8Array(28 << 20)); }
