// expect: TypeError
async function main() { await fetch('http://h/', { method: 'POST', body: 'x'.repeat(8 << 20) }); }
