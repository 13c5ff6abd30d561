// expect: ActionTimeout
function main() { console.log('before'); for (;;); }
