// expect: TypeError
function main() { queueMicrotask(() => null.x); return new Promise(() => {}); }
