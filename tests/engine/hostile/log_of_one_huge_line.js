// expect: ActionLogLimit ActionTimeout
function main() { console.log('x'.repeat(6 << 20)); for (;;); }
