// expect: ActionTimeout ActionOutOfMemory ActionCrashed NotJson InternalError
globalThis.kept = [];
function main() { try { for (;;) kept.push(new Array(1e4).fill(1)); } catch (e) { return 2n ** 100000n; } }
