// expect: ActionTimeout ActionOutOfMemory
function main() { const a = []; a.length = 2 ** 32 - 1; a.sort(); return a.length; }
