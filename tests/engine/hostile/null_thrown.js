// expect: ActionOutOfMemory
function main() { throw null; }
