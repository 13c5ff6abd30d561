// expect: ActionLogLimit
function main() { for (;;) console.log('x'.repeat(1000)); }
