// expect: ActionOutOfMemory
globalThis.kept = [];
function main() { for (;;) kept.push(new Array(1e5).fill(1)); }
