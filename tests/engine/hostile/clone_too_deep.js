// expect: RangeError InternalError ActionOutOfMemory
function main() { let deep = {}; for (let i = 0; i < 1e5; i += 1) deep = { deep }; structuredClone(deep); }
