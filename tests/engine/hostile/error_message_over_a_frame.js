// expect: Error
function main() { throw new Error('x'.repeat(6 << 20)); }
