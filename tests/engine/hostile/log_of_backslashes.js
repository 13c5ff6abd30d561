// expect: ActionLogLimit
function main() { console.log('\\'.repeat(2000000)); for (;;); }
