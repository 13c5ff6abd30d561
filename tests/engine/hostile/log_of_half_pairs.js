// expect: ActionLogLimit ActionTimeout
function main() { console.log('\ud800'.repeat(690000)); for (;;); }
