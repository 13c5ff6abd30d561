// expect: ActionLogLimit ActionTimeout
function main() { console.log('\\'.repeat(2000000)); for (;;); }
