// expect: TypeError
async function main() { const buffer = new ArrayBuffer(8); buffer.transfer(); await crypto.subtle.digest('SHA-256', buffer); }
