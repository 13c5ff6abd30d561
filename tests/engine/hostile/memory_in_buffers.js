// expect: ActionOutOfMemory RangeError
globalThis.kept = [];
function main() { for (;;) kept.push(new ArrayBuffer(1 << 24)); }
