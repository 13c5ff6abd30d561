// expect: ActionLogLimit ActionTimeout
function main() { for (;;) console.log(); }
