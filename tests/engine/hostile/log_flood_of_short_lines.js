// expect: ActionLogLimit ActionTimeout
function main() { for (;;) for (let i = 0; i < 10; i += 1) console.log(i); }
